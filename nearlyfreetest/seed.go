package nearlyfreetest

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/csv"
)

// SeedSQL runs the statements of a text, with ; between them. The test fails at once if one does.
func SeedSQL(t testing.TB, db *sql.DB, text string) {
	t.Helper()
	if _, err := db.Exec(text); err != nil {
		t.Fatalf("nearlyfreetest: %v", err)
	}
}

// SeedFS seeds with files, such as those of os.DirFS("testdata") or an embed.FS, in the order given. A pattern of path.Match means all files
// that match, by name. NAME.sql holds statements, NAME.csv rows of the table NAME as SeedCSV reads them. The test fails at once if a file does,
// or if there is none.
func SeedFS(t testing.TB, db *sql.DB, files fs.FS, patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		names, err := fs.Glob(files, pattern)
		if err == nil && len(names) == 0 {
			err = fmt.Errorf("no file matches %q", pattern)
		}
		if err != nil {
			t.Fatalf("nearlyfreetest: %v", err)
		}
		for _, name := range names {
			if err := seedFile(db, files, name); err != nil {
				t.Fatalf("nearlyfreetest: %s: %v", name, err)
			}
		}
	}
}

func seedFile(db *sql.DB, files fs.FS, name string) error {
	switch kind := path.Ext(name); kind {
	case ".sql":
		text, err := fs.ReadFile(files, name)
		if err == nil {
			_, err = db.Exec(string(text))
		}
		return err
	case ".csv":
		file, err := files.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		return seedCSV(db, strings.TrimSuffix(path.Base(name), kind), file)
	}
	return errors.New("neither .sql nor .csv")
}

// SeedCSV inserts rows of comma-separated values into a table. The first line names the columns. A field that is empty, or \N, is NULL; a field
// in quotes is a text, "" an empty one.
func SeedCSV(t testing.TB, db *sql.DB, table string, in io.Reader) {
	t.Helper()
	if err := seedCSV(db, table, in); err != nil {
		t.Fatalf("nearlyfreetest: %s: %v", table, err)
	}
}

func seedCSV(db *sql.DB, table string, in io.Reader) error {
	r := csv.NewReader(in)
	head, _, err := r.Read()
	if err == io.EOF {
		return errors.New("the first line must name the columns")
	}
	if err != nil {
		return err
	}
	w := rowWriter{db: db, table: table}
	for _, f := range head {
		w.columns = append(w.columns, strings.TrimSpace(f.Text))
	}
	for {
		fields, line, err := r.Read()
		switch {
		case err == io.EOF:
			return w.flush()
		case err == nil && len(fields) != len(head):
			err = fmt.Errorf("%d fields, and %d columns", len(fields), len(head))
		}
		if err == nil {
			row := make([]any, len(fields))
			for i, f := range fields {
				if !f.IsNull("") {
					row[i] = f.Text
				}
			}
			err = w.add(row)
		}
		if err != nil {
			return fmt.Errorf("up to line %d: %w", line, err)
		}
	}
}

// rowWriter inserts rows, many by one statement.
type rowWriter struct {
	db      *sql.DB
	table   string
	columns []string
	rows    int
	args    []any
}

// rowsAtOnce is how many rows a statement inserts: as many as one request writes if they have no index.
const rowsAtOnce = 100

func (w *rowWriter) add(row []any) error {
	w.args = append(w.args, row...)
	if w.rows++; w.rows < rowsAtOnce {
		return nil
	}
	return w.flush()
}

func (w *rowWriter) flush() error {
	if w.rows == 0 {
		return nil
	}
	names := make([]string, len(w.columns))
	for i, name := range w.columns {
		names[i] = quote(name)
	}
	row := "(" + strings.Repeat(", ?", len(names))[2:] + ")"
	_, err := w.db.Exec("INSERT INTO "+quote(w.table)+" ("+strings.Join(names, ", ")+") VALUES "+strings.Repeat(", "+row, w.rows)[2:], w.args...)
	w.rows, w.args = 0, w.args[:0]
	return err
}
