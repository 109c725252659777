package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/csv"
	"github.com/spf13/cobra"
)

// loadOptions are what the command line of load says.
type loadOptions struct {
	table, format, null string
	separator           string
	columns, key        []string
	noHeader            bool
	sample              int
	dryRun, restart     bool
	rejects             int
	force, skip         bool
}

func loadCommand() *cobra.Command {
	var o loadOptions
	c := &cobra.Command{
		Use:   "load [DSN] FILE ...",
		Short: "Load SQL, CSV and JSON lines; continue a load that was interrupted",
		Long: `Load files of SQL (.sql), CSV (.csv, .tsv) and JSON lines (.jsonl), also compressed (.gz).

The rows of CSV and JSON lines go to the table that --table names, or else to the one named after the file. If there is
no such table, load makes it: it guesses the types from all records, or from the first ones with --sample, and shows
them. Fields go to columns by name. In CSV an empty field is NULL, or an empty text in a NOT NULL text column; "" is an
empty text. Binary values are 0x00FF in CSV and base64 in JSON. Rows that are refused go to FILE.rejects, with their
line and the reason; correct that file and load it.

The store keeps how far a load has come, in the table nearlyfree_load. If a load is interrupted, the same command
continues after the last row that is there, and writes no row twice; --restart begins anew. Before you continue, you may
correct the part of the file that is not loaded yet.`,
		Example: `  nearlyfree load file:shop.db dump.sql --skip
  nearlyfree load file:shop.db people.csv --dry-run
  nearlyfree load file:shop.db export.jsonl.gz --table person --key id`,
		Args: takes(1, -1),
		RunE: func(c *cobra.Command, args []string) error {
			open := func(config *nearlyfree.Config) { config.Bulk = nearlyfree.BulkChunked }
			if o.dryRun {
				open = toShow
			}
			return withDatabase(c, args, open, func(ctx context.Context, db *database, files []string) error {
				return load(ctx, db, files, o, taskOf(c))
			})
		},
	}
	f := c.Flags()
	f.StringVarP(&o.table, "table", "t", "", "table for CSV and JSON lines (default the file's name)")
	f.StringVarP(&o.format, "format", "f", "", "csv, tsv, jsonl or sql, if the file's name does not tell")
	f.StringSliceVar(&o.columns, "columns", nil, "columns for the fields of CSV, in turn; - skips a field")
	f.BoolVar(&o.noHeader, "no-header", false, "the first line of CSV is a record")
	f.StringVar(&o.separator, "separator", "", "separator of CSV fields, \\t for a tab (default a comma, semicolon, tab or |, as the first lines have it)")
	f.StringVar(&o.null, "null", "", "text that stands for NULL in CSV, besides an empty field and \\N")
	f.StringSliceVar(&o.key, "key", nil, "primary key of a table that load makes (default id, or else the first column, if all of its values differ)")
	f.IntVar(&o.sample, "sample", 0, "guess types from the first `N` records; 0: from all")
	f.BoolVar(&o.dryRun, "dry-run", false, "show the table that load would make, and do nothing")
	f.BoolVar(&o.restart, "restart", false, "begin an interrupted load anew")
	f.IntVar(&o.rejects, "rejects", 1000, "give up after `N` refused rows; -1: never")
	f.BoolVar(&o.force, "force", false, "continue after a SQL statement that fails")
	f.BoolVar(&o.skip, "skip", false, "leave out triggers, stored programs, keys that are not supported, and zero dates as defaults; make geometries BLOB; list all that at the end")
	return c
}

// toShow makes a dry run write nothing, not even a new database file.
func toShow(config *nearlyfree.Config) {
	if path, err := fileOfStore(config); err == nil {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			config.Store = "mem://"
		}
	}
	config.ReadOnly = true
}

// load loads files in turn. If a command is interrupted, the next one skips the files that are done.
func load(ctx context.Context, db *database, files []string, o loadOptions, t *task) error {
	if len(files) == 0 {
		return errors.New("no file to load: name one after the data source name")
	}
	defer t.end()
	failed := false
	var places []*place
	for i, name := range files {
		l := &loader{db: db, name: name, options: o, task: t}
		err := l.load(ctx)
		if errors.Is(err, errShown) {
			failed, err = true, nil
		}
		if l.place != nil {
			places = append(places, l.place)
		}
		if err == nil && l.place != nil && i < len(files)-1 {
			l.place.last = whole
			err = l.keep(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := db.endPlaces(ctx, places...); err != nil {
		return err
	}
	if failed {
		return errShown
	}
	return nil
}

// loader loads a file.
type loader struct {
	db      *database
	name    string
	kind    string
	options loadOptions
	task    *task

	separator string // of CSV, once it is known

	source *source
	place  *place
	part   filePart // the file's part that is done
}

// load loads the file.
func (l *loader) load(ctx context.Context) error {
	if l.kind = l.options.format; l.kind == "" {
		l.kind = kindOf(l.name)
	}
	info, err := os.Stat(l.name)
	switch {
	case err == nil && info.IsDir():
		return errors.New("it is a folder: name its files")
	case err == nil && !info.Mode().IsRegular() && !l.options.dryRun:
		return errors.New("it cannot be read twice, which continuing a load needs: write it to a file, or pipe SQL into nearlyfree DSN")
	}
	if l.options.separator != "" && l.kind != "csv" {
		return fmt.Errorf("--separator is for CSV: say --format csv if it is that, and not %s", l.kind)
	}
	switch l.kind {
	case "csv", "tsv", "jsonl":
		return l.loadRows(ctx)
	case "sql":
		return l.loadSQL(ctx)
	case "":
		return errors.New("its name does not tell what it holds: say --format csv, tsv, jsonl or sql")
	case "parquet":
		return errors.New("there is no support for Parquet: convert it to CSV, for example by duckdb -c \"COPY 'x.parquet' TO 'x.csv'\"")
	}
	return fmt.Errorf("the format %q is not known: it is csv, tsv, jsonl or sql", l.kind)
}

// open opens the file, and finds out how far an earlier load of it has come.
func (l *loader) open(ctx context.Context, into string) (err error) {
	if l.source, err = openSource(l.name); err != nil {
		return err
	}
	path, err := filepath.Abs(l.name)
	if err != nil {
		return err
	}
	work := "load " + path[max(0, len(path)-200):]
	if into != "" {
		work += " into " + into
	}
	if l.place, err = l.db.findPlace(ctx, work, l.options.restart); err != nil {
		return err
	}
	if err := l.compare(); err != nil {
		return err
	}
	switch {
	case l.isDone():
		l.task.say("%s: an earlier load that was interrupted has loaded this file; --restart loads it again", l.name)
	case l.place.done > 0:
		l.task.say("%s: an earlier load was interrupted: continuing after %s", l.name, plural(l.place.done, l.unit()))
	}
	return nil
}

// compare compares the part of the file that is done with the part that an earlier load has loaded.
func (l *loader) compare() error {
	part, more, err := l.readPart(l.place.done)
	if err != nil {
		return err
	}
	before := l.place.source
	l.part, l.place.source = part, part.String()
	switch {
	case l.place.done == 0 && !l.isDone():
		return nil
	case wholeFile.MatchString(before):
		if now, err := fingerprint(l.source.file); err != nil || now == before {
			return err
		}
		return fmt.Errorf("the file has changed since an earlier version of this command loaded %s of it; that version did not note where: %s",
			plural(l.place.done, l.unit()), l.howAnew())
	case before != l.place.source:
		return fmt.Errorf("an earlier load has loaded the first %s, and these have changed since; only what follows them may change: undo that, or %s",
			plural(l.place.done, l.unit()), l.howAnew())
	}
	if more && l.isDone() {
		l.place.last = ""
	}
	return nil
}

// howAnew says how to load the file from its beginning, if a part of it is loaded.
func (l *loader) howAnew() string {
	if l.kind == "sql" {
		return "load the file with --restart, and drop the tables that it has made before, unless it drops them itself"
	}
	return "load the file with --restart, which skips the rows whose keys are there already; drop a table without a key before"
}

// isDone says whether an earlier load has loaded all of the file.
func (l *loader) isDone() bool { return l.place.last == whole }

func (l *loader) unit() string {
	if l.kind == "sql" {
		return "statement"
	}
	return "record"
}

// keep writes the place outside of a transaction. A file may drop the database that holds the place: the place is then written again when that
// database exists again, and an interrupted load starts over until then, because nothing records it.
func (l *loader) keep(ctx context.Context) error {
	err := l.db.keepPlace(ctx, l.place)
	if isGone(err) {
		l.place.begun = false
		err = l.db.beginPlace(ctx, l.place)
	}
	if isGone(err) {
		return nil
	}
	return err
}

// records reads the file from its beginning.
func (l *loader) records(in io.Reader) (records, error) {
	switch l.kind {
	case "jsonl":
		return newJSONRecords(in)
	case "tsv":
		return newTSVRecords(in, l.options.columns, l.options.noHeader)
	}
	begun := csv.WithoutMark(in)
	if err := l.findSeparator(begun); err != nil {
		return nil, err
	}
	return newCSVRecords(begun, l.options.columns, l.options.noHeader, l.options.null, l.separator)
}

// tableName is the table that rows go to.
func (l *loader) tableName() string {
	if l.options.table != "" {
		return l.options.table
	}
	return stem(l.name)
}
