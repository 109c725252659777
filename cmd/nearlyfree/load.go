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
		Short: "Load SQL, CSV and JSON lines; what was interrupted goes on where it was",
		Long: `Load files of SQL (.sql), CSV (.csv, .tsv) and JSON lines (.jsonl), also compressed (.gz).

The rows of CSV and JSON lines go to the table that is called as the file, or to --table. If there is none it is made:
types are guessed from all records, or the first ones with --sample, and shown. Fields go to columns by name. In
CSV, also with other separators, nothing between two commas is NULL, or an empty text in a NOT NULL column; "" is an empty text. Octets are 0x00FF
in CSV and base64 in JSON. Rows that are refused go to FILE.rejects, with their line and the reason; that file can be loaded again.

How far a load has come is kept in the store, in the table nearlyfree_load. If it is interrupted, the same command
goes on behind the last row that is there, and writes none twice; --restart begins anew. What is not loaded yet may be mended before.`,
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
	f.StringVarP(&o.table, "table", "t", "", "the table of CSV and JSON lines; else the file's name")
	f.StringVarP(&o.format, "format", "f", "", "csv, tsv, jsonl or sql, where the file's name does not tell")
	f.StringSliceVar(&o.columns, "columns", nil, "the columns of the fields of CSV, in turn; - passes over one")
	f.BoolVar(&o.noHeader, "no-header", false, "the first line of CSV is a record")
	f.StringVar(&o.separator, "separator", "", "what stands between the fields of CSV, \\t for a tab; else a comma, semicolon, tab or |, as the first lines have it")
	f.StringVar(&o.null, "null", "", "what stands for NULL in CSV, beside nothing and \\N")
	f.StringSliceVar(&o.key, "key", nil, "the primary key of a table that is made; else the first column, or id, if all of its values differ")
	f.IntVar(&o.sample, "sample", 0, "guess types from so many records; 0: from all")
	f.BoolVar(&o.dryRun, "dry-run", false, "show the table that would be made, and do nothing")
	f.BoolVar(&o.restart, "restart", false, "begin anew what was interrupted")
	f.IntVar(&o.rejects, "rejects", 1000, "give up behind so many rows that are refused; -1: never")
	f.BoolVar(&o.force, "force", false, "go on behind a statement of SQL that fails")
	f.BoolVar(&o.skip, "skip", false, "leave out triggers, stored programs, keys of SQL that there are not here, zero dates as defaults, make geometries BLOB, and list that at the end")
	return c
}

// toShow has a dry run write nothing, not even the file of a database that is not there.
func toShow(config *nearlyfree.Config) {
	if path, err := fileOfStore(config); err == nil {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			config.Store = "mem://"
		}
	}
	config.ReadOnly = true
}

// load loads files in turn. Where the files of one command are interrupted, those that are done are passed over by the next one.
func load(ctx context.Context, db *database, files []string, o loadOptions, t *task) error {
	if len(files) == 0 {
		return errors.New("no file to load: name one behind the data source name")
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
		return errors.New("it is no file that can be read twice, as a load that goes on must: write it to one, or pipe SQL into nearlyfree DSN")
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
		return errors.New("no Parquet is read: other programs make CSV of it, such as duckdb -c \"COPY 'x.parquet' TO 'x.csv'\"")
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
		l.task.say("%s: an earlier load that was interrupted has loaded it; --restart loads it again", l.name)
	case l.place.done > 0:
		l.task.say("%s: an earlier load of it was interrupted: this one goes on behind %s", l.name, plural(l.place.done, l.unit()))
	}
	return nil
}

// compare holds the part of the file that is done against the one that an earlier load has loaded.
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
		return fmt.Errorf("the file was changed since %s of it were loaded by an earlier version of this command, which cannot tell where: %s",
			plural(l.place.done, l.unit()), l.howAnew())
	case before != l.place.source:
		return fmt.Errorf("the first %s of it, which an earlier load has loaded, were changed since; what is behind them may be: undo that, or %s",
			plural(l.place.done, l.unit()), l.howAnew())
	}
	if more && l.isDone() {
		l.place.last = ""
	}
	return nil
}

// howAnew says how the file is loaded from its beginning, where some of it is loaded.
func (l *loader) howAnew() string {
	if l.kind == "sql" {
		return "drop the tables that it has made, unless it drops them itself, and load it with --restart"
	}
	return "load it with --restart, which passes over the rows that are there by their keys; drop a table without one before"
}

// isDone says whether an earlier load has loaded all of the file.
func (l *loader) isDone() bool { return l.place.last == whole }

func (l *loader) unit() string {
	if l.kind == "sql" {
		return "statement"
	}
	return "record"
}

// keep writes the place where no transaction is open. A file may drop the database in which it is: then it is made anew when that database is
// there again, and until then a load that is interrupted begins anew, as nobody knows of it.
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
