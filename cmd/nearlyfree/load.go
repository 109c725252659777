package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/spf13/cobra"
)

// loadOptions are what the command line of load says.
type loadOptions struct {
	table, format, null string
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
CSV nothing between two commas is NULL, or an empty text in a NOT NULL column; "" is an empty text. Octets are 0x00FF
in CSV and base64 in JSON. Rows that are refused go to FILE.rejects, with their line and the reason; that file can be loaded again.

How far a load has come is kept in the store, in the table nearlyfree_load. If it is interrupted, the same command
goes on behind the last row that is there, and writes none twice; --restart begins anew.`,
		Example: `  nearlyfree load file:shop.db dump.sql --skip
  nearlyfree load file:shop.db people.csv --dry-run
  nearlyfree load file:shop.db export.jsonl.gz --table person --key id`,
		Args: takes(1, -1),
		RunE: func(c *cobra.Command, args []string) error {
			bulk := func(config *nearlyfree.Config) { config.Bulk = nearlyfree.BulkChunked }
			return withDatabase(c, args, bulk, func(ctx context.Context, db *database, files []string) error {
				return load(ctx, db, files, o, newTask(c.ErrOrStderr()))
			})
		},
	}
	f := c.Flags()
	f.StringVarP(&o.table, "table", "t", "", "the table of CSV and JSON lines; else the file's name")
	f.StringVarP(&o.format, "format", "f", "", "csv, tsv, jsonl or sql, where the file's name does not tell")
	f.StringSliceVar(&o.columns, "columns", nil, "the columns of the fields of CSV, in turn; - passes over one")
	f.BoolVar(&o.noHeader, "no-header", false, "the first line of CSV is a record")
	f.StringVar(&o.null, "null", "", "what stands for NULL in CSV, beside nothing and \\N")
	f.StringSliceVar(&o.key, "key", nil, "the primary key of a table that is made; else the first column, or id, if all of its values differ")
	f.IntVar(&o.sample, "sample", 0, "guess types from so many records; 0: from all")
	f.BoolVar(&o.dryRun, "dry-run", false, "show the table that would be made, and do nothing")
	f.BoolVar(&o.restart, "restart", false, "begin anew what was interrupted")
	f.IntVar(&o.rejects, "rejects", 1000, "give up behind so many rows that are refused; -1: never")
	f.BoolVar(&o.force, "force", false, "go on behind a statement of SQL that fails")
	f.BoolVar(&o.skip, "skip", false, "leave out triggers, stored programs, FULLTEXT and SPATIAL keys of SQL, make geometries BLOB, and list that at the end")
	return c
}

// load loads files in turn.
func load(ctx context.Context, db *database, files []string, o loadOptions, t *task) error {
	if len(files) == 0 {
		return errors.New("no file to load: name one behind the data source name")
	}
	defer t.end()
	failed := false
	for _, name := range files {
		err := loadFile(ctx, db, name, o, t)
		if errors.Is(err, errShown) {
			failed = true
		} else if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if failed {
		return errShown
	}
	return nil
}

func loadFile(ctx context.Context, db *database, name string, o loadOptions, t *task) error {
	kind := o.format
	if kind == "" {
		kind = kindOf(name)
	}
	l := &loader{db: db, name: name, kind: kind, options: o, task: t}
	switch kind {
	case "csv", "tsv", "jsonl":
		return l.loadRows(ctx)
	case "sql":
		return l.loadSQL(ctx)
	case "":
		return errors.New("its name does not tell what it holds: say --format csv, tsv, jsonl or sql")
	case "parquet":
		return errors.New("no Parquet is read: other programs make CSV of it, such as duckdb -c \"COPY 'x.parquet' TO 'x.csv'\"")
	}
	return fmt.Errorf("the format %q is not known: it is csv, tsv, jsonl or sql", kind)
}

// loader loads a file.
type loader struct {
	db      *database
	name    string
	kind    string
	options loadOptions
	task    *task

	source *source
	place  *place
}

// open opens the file, and finds out how far an earlier load of it has come.
func (l *loader) open(ctx context.Context, into string) (err error) {
	if l.source, err = openSource(l.name); err != nil {
		return err
	}
	print, err := fingerprint(l.source.file)
	if err != nil {
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
	if l.place, err = l.db.findPlace(ctx, work, print, l.options.restart); err != nil {
		return err
	}
	if l.place.done > 0 {
		l.task.say("%s: an earlier load of it was interrupted: this one goes on behind %s", l.name, plural(l.place.done, l.unit()))
	}
	return nil
}

func (l *loader) unit() string {
	if l.kind == "sql" {
		return "statement"
	}
	return "record"
}

// records reads the file from its beginning.
func (l *loader) records(in io.Reader) (records, error) {
	switch l.kind {
	case "jsonl":
		return newJSONRecords(in), nil
	case "tsv":
		return newTSVRecords(in, l.options.columns, l.options.noHeader)
	}
	return newCSVRecords(in, l.options.columns, l.options.noHeader, l.options.null)
}

// tableName is the table that rows go to.
func (l *loader) tableName() string {
	if l.options.table != "" {
		return l.options.table
	}
	return stem(l.name)
}
