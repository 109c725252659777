package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
	"github.com/spf13/cobra"
)

// dumpOptions are what the command line of dump says.
type dumpOptions struct {
	schemaOnly, dataOnly, drop bool
	serializable               bool
	format, output, null       string
}

func dumpCommand() *cobra.Command {
	var o dumpOptions
	c := &cobra.Command{
		Use:   "dump [DSN] [TABLE ...]",
		Short: "Write tables and views as SQL, or one table as CSV or JSON lines",
		Long: `Write tables and views as SQL that nearlyfree, MySQL and MariaDB run. Without names, dump writes all of them.

In memory and in a file, all rows are of one moment. On Azure they are with --serializable, which reads everything twice
and fails if somebody has written meanwhile. Tables over other programs' entities are left out.`,
		Example: `  nearlyfree dump file:shop.db > shop.sql
  nearlyfree dump file:shop.db -o shop.sql.gz
  nearlyfree dump file:shop.db customer --format csv`,
		RunE: func(c *cobra.Command, args []string) error {
			return withExisting(c, args, func(ctx context.Context, db *database, names []string) error {
				err := dump(ctx, db, names, o, taskOf(c), c.OutOrStdout())
				return db.tellOthers(ctx, c.ErrOrStderr(), names, err)
			})
		},
	}
	f := c.Flags()
	f.BoolVar(&o.schemaOnly, "schema-only", false, "write definitions and no rows")
	f.BoolVar(&o.dataOnly, "data-only", false, "write rows and no definitions")
	f.BoolVar(&o.drop, "drop", false, "write DROP TABLE IF EXISTS and DROP VIEW IF EXISTS, too")
	f.BoolVar(&o.serializable, "serializable", false, "read one moment on Azure, too, for twice the requests")
	f.StringVarP(&o.format, "format", "f", "sql", "sql; or, for one table, csv or jsonl")
	f.StringVarP(&o.output, "output", "o", "", "write this `FILE`, compressed if its name ends in .gz")
	f.StringVar(&o.null, "null", "", "text that stands for NULL in CSV (default an empty field; an empty text is \"\")")
	return c
}

// dump writes what the options select, to out or to the file that they name.
func dump(ctx context.Context, db *database, names []string, o dumpOptions, t *task, out io.Writer) (err error) {
	switch {
	case o.format != "sql" && o.format != "csv" && o.format != "jsonl":
		return fmt.Errorf("dump cannot write the format %q: it is sql, csv or jsonl", o.format)
	case o.format != "sql" && len(names) != 1:
		return fmt.Errorf("the format %s is for one table: name it after the data source name", o.format)
	case db.has(o.output):
		return fmt.Errorf("%s is a file of the database itself: dump into another one", o.output)
	case o.schemaOnly && o.dataOnly:
		return errors.New("--schema-only and --data-only leave nothing to write")
	}
	if o.output != "" {
		file, failed := createFile(o.output)
		if failed != nil {
			return failed
		}
		defer func() { err = file.end(err) }()
		out = file
	}
	defer t.end()
	buffered := bufio.NewWriterSize(out, 1<<16)
	d := &dumper{db: db, out: buffered, task: t, options: o}
	level := sql.LevelDefault
	if o.serializable {
		level = sql.LevelSerializable
	}
	return db.moment(ctx, level, func() error {
		if err := d.write(ctx, names); err != nil {
			return err
		}
		return buffered.Flush()
	})
}

// moment runs f in a read-only transaction. Times are UTC in it and after it.
func (d *database) moment(ctx context.Context, level sql.IsolationLevel, f func() error) error {
	if err := d.exec(ctx, "SET time_zone = '+00:00'"); err != nil {
		return err
	}
	tx, err := d.conn.BeginTx(ctx, &sql.TxOptions{Isolation: level, ReadOnly: true})
	if err != nil {
		return err
	}
	if err := f(); err != nil {
		tx.Rollback()
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("the rows that were read are not of one moment: %w", err)
	}
	return nil
}

// dumper writes tables.
type dumper struct {
	db      *database
	out     *bufio.Writer
	task    *task
	options dumpOptions
}

const (
	dumpRows  = 1000    // of one INSERT
	dumpBytes = 1 << 19 // of one INSERT, about; MySQL takes 16 MiB
)

func (d *dumper) write(ctx context.Context, names []string) error {
	list, _, err := d.db.definitions(ctx, names...)
	if err != nil {
		return err
	}
	if d.options.format != "sql" {
		return d.exported(ctx, list[0])
	}
	fmt.Fprint(d.out, `-- written by nearlyfree dump
SET NAMES utf8mb4;
SET @old_time_zone = @@time_zone, time_zone = '+00:00';
SET @old_sql_mode = @@sql_mode, sql_mode = 'STRICT_TRANS_TABLES,NO_AUTO_VALUE_ON_ZERO';
SET @old_foreign_key_checks = @@foreign_key_checks, foreign_key_checks = 0;
`)
	kept := ofStore(list, d.task)
	if d.options.drop && !d.options.dataOnly {
		for i := len(kept) - 1; i >= 0; i-- {
			kind := "TABLE"
			if kept[i].view {
				kind = "VIEW"
			}
			fmt.Fprintf(d.out, "DROP %s IF EXISTS %s;\n", kind, ask.Quoted(kept[i].name))
		}
	}
	for _, def := range kept {
		if !d.options.dataOnly {
			fmt.Fprintf(d.out, "\n%s;\n", forOthers(def.create))
		}
		if !d.options.schemaOnly && !def.view {
			if err := d.inserts(ctx, def.name); err != nil {
				return fmt.Errorf("table %s: %w", def.name, err)
			}
		}
	}
	_, err = fmt.Fprint(d.out, `
SET foreign_key_checks = @old_foreign_key_checks;
SET sql_mode = @old_sql_mode;
SET time_zone = @old_time_zone;
-- the dump is complete
`)
	return err
}

// stored lists the columns of a table that are written, not computed.
func (d *database) stored(ctx context.Context, table string) ([]string, error) {
	return d.column(ctx, "SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = "+quoted(table)+
		" AND COALESCE(generation_expression, '') = '' ORDER BY ordinal_position", 0)
}

func quotedList(names []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = ask.Quoted(name)
	}
	return strings.Join(out, ", ")
}

// inserts writes the rows of a table.
func (d *dumper) inserts(ctx context.Context, table string) error {
	names, err := d.db.stored(ctx, table)
	if err != nil {
		return err
	}
	head := "INSERT INTO " + ask.Quoted(table) + " (" + quotedList(names) + ") VALUES\n"
	var text []byte
	inText := 0
	flush := func() error {
		if inText == 0 {
			return nil
		}
		text = append(text, ";\n"...)
		_, err := d.out.Write(text)
		text, inText = text[:0], 0
		return err
	}
	err = d.db.each(ctx, table, names, d.task, func(columns []column, row []any) error {
		if inText > 0 {
			text = append(text, ",\n"...)
		} else {
			text = append(text, head...)
		}
		text = append(text, '(')
		for i, v := range row {
			if i > 0 {
				text = append(text, ',')
			}
			text = columns[i].literal(text, v)
		}
		text = append(text, ')')
		if inText++; inText == dumpRows || len(text) > dumpBytes {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// each passes on the rows of a table, one at a time. TIMESTAMPs are in UTC.
func (d *database) each(ctx context.Context, table string, names []string, t *task, row func([]column, []any) error) (err error) {
	total, err := d.counted(ctx, table)
	if err != nil {
		return err
	}
	t.begin(table, total, "row")
	return d.eachOf(ctx, "SELECT "+quotedList(names)+" FROM "+ask.Quoted(table), t, row)
}

// counted is how many rows ANALYZE TABLE has counted in a table; 0 if that is not known.
func (d *database) counted(ctx context.Context, table string) (int64, error) {
	rows, err := d.rows(ctx, "SELECT COALESCE(table_rows, 0) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = "+quoted(table))
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	var n int64
	_, err = fmt.Sscan(rows[0][0], &n)
	return n, err
}

// eachOf passes on the rows of a query, one at a time, and counts them.
func (d *database) eachOf(ctx context.Context, query string, t *task, row func([]column, []any) error, args ...any) (err error) {
	rows, err := d.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := columnsOf(rows)
	if err != nil {
		return err
	}
	cells, pointers := make([]any, len(columns)), make([]any, len(columns))
	for i := range cells {
		pointers[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return err
		}
		if err := row(columns, cells); err != nil {
			return err
		}
		t.add(1)
	}
	return rows.Err()
}

// exported writes a table, or the rows of a view, as CSV or JSON lines.
func (d *dumper) exported(ctx context.Context, def definition) error {
	print := formats[d.options.format]
	if d.options.format == "csv" {
		print = csvPrinter{null: d.options.null}
	}
	var names []string
	var err error
	if def.view {
		names, err = d.db.column(ctx, "SHOW COLUMNS FROM "+ask.Quoted(def.name), 0)
	} else {
		names, err = d.db.stored(ctx, def.name)
	}
	if err != nil {
		return err
	}
	var part [][]any
	var head []column
	first := true
	flush := func(last bool) error {
		err := print.part(d.out, head, part, first, last)
		part, first = nil, false
		return err
	}
	err = d.db.each(ctx, def.name, names, d.task, func(columns []column, row []any) error {
		head = columns
		if part = append(part, append([]any(nil), row...)); len(part) == tableRows {
			return flush(false)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("table %s: %w", def.name, err)
	}
	if head == nil {
		for _, name := range names {
			head = append(head, column{ask.Column{Name: name}})
		}
	}
	return flush(true)
}

// newFile is a file that gets its name when it is complete.
type newFile struct {
	io.Writer
	file *os.File
	zip  *gzip.Writer
	name string
}

func createFile(name string) (*newFile, error) {
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return nil, err
	}
	f := &newFile{Writer: file, file: file, name: name}
	if strings.HasSuffix(name, ".gz") {
		f.zip = gzip.NewWriter(file)
		f.Writer = f.zip
	}
	return f, nil
}

// end gives the file its name, or removes it after an error.
func (f *newFile) end(err error) error {
	if f.zip != nil {
		err = errors.Join(err, f.zip.Close())
	}
	if err == nil {
		err = f.file.Sync()
	}
	err = errors.Join(err, f.file.Close())
	if err == nil {
		err = os.Rename(f.file.Name(), f.name)
	}
	if err != nil {
		os.Remove(f.file.Name())
	}
	return err
}
