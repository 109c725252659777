package sqlite

import (
	"context"
	databasesql "database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/nearlyfreedb/nearlyfree"
)

// database is one side of the comparison.
type database struct {
	name string
	conn *databasesql.Conn
	lite bool
	bare bool // the tables have no indexes

	connector *nearlyfree.Connector // nil: SQLite
}

// patience is how long a statement may take.
const patience = 20 * time.Second

func open(t *testing.T, name, driver, dsn string) *database {
	t.Helper()
	d := &database{name: name, lite: driver == "sqlite"}
	var db *databasesql.DB
	var err error
	if d.lite {
		db, err = databasesql.Open(driver, dsn)
	} else if d.connector, err = nearlyfree.NewConnector(&nearlyfree.Config{Store: dsn}); err == nil {
		db = databasesql.OpenDB(d.connector)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if d.conn, err = db.Conn(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d.lite {
		if r := d.run(statement{sql: both("PRAGMA case_sensitive_like = ON")}, nil); r.err != nil {
			t.Fatal(r.err)
		}
	}
	return d
}

// result is what a statement gave.
type result struct {
	err      error
	columns  int
	rows     [][]string
	affected int64
}

// run runs a statement with the values of its parameters.
func (d *database) run(s statement, values []any) result {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	text := s.ours
	if d.lite {
		text = s.lite
	}
	if d.bare && s.bare != "" {
		text = s.bare
	}
	args := d.args(s, text, values)
	if !s.rows {
		r, err := d.conn.ExecContext(ctx, text, args...)
		if err != nil {
			return result{err: err}
		}
		if !s.counted {
			return result{}
		}
		n, err := r.RowsAffected()
		return result{err: err, affected: n}
	}
	rows, err := d.conn.QueryContext(ctx, text, args...)
	if err != nil {
		return result{err: err}
	}
	defer rows.Close()
	return read(rows)
}

// promised is the least number of requests that EXPLAIN says s takes, 0 where it says nothing.
func (d *database) promised(s statement, values []any) (least int64) {
	s.ours, s.rows = "EXPLAIN "+s.ours, true
	if s.bare != "" {
		s.bare = "EXPLAIN " + s.bare
	}
	r := d.run(s, values)
	if r.err != nil || len(r.rows) == 0 {
		return 0
	}
	last := r.rows[len(r.rows)-1][0]
	_, _ = fmt.Sscanf(strings.Trim(last, `"`), "requests ≥ %d", &least)
	return least
}

// sent is how many requests have been sent, or would have been.
func (d *database) sent() int64 { return d.connector.Stats().Requests }

func (d *database) args(s statement, text string, values []any) []any {
	var args []any
	for i, p := range s.params {
		if !strings.Contains(text, ":"+p.name) {
			continue
		}
		v := values[i]
		if b, ok := v.(bool); ok && d.lite {
			v = map[bool]int64{true: 1}[b]
		}
		args = append(args, databasesql.Named(p.name, v))
	}
	return args
}

func read(rows *databasesql.Rows) result {
	types, err := rows.ColumnTypes()
	if err != nil {
		return result{err: err}
	}
	r := result{columns: len(types)}
	values, pointers := make([]any, len(types)), make([]any, len(types))
	for i := range values {
		pointers[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return result{err: err}
		}
		cells := make([]string, len(values))
		for i, v := range values {
			cells[i] = cell(v, types[i].DatabaseTypeName())
		}
		r.rows = append(r.rows, cells)
	}
	r.err = rows.Err()
	return r
}

// cell gives a value as text that is the same for the same value, whatever its type.
func cell(v any, typeName string) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case float64:
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
		return strconv.FormatFloat(rounded+0, 'f', -1, 64) // +0: -0 is 0
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		if v {
			return "1"
		}
		return "0"
	case []byte:
		return cell(string(v), typeName)
	case string:
		if typeName != "DECIMAL" {
			return strconv.Quote(v)
		}
		if strings.Contains(v, ".") {
			v = strings.TrimSuffix(strings.TrimRight(v, "0"), ".")
		}
		if strings.Contains(v, ".") { // a fraction of 12 digits, as of floats
			f, _ := strconv.ParseFloat(v, 64)
			return cell(f, "")
		}
		return v
	case time.Time:
		if typeName == "DATE" {
			return strconv.Quote(v.Format(time.DateOnly))
		}
		return strconv.Quote(v.Format(time.DateTime))
	}
	return fmt.Sprint(v)
}

// differs gives "" when both results say the same, else what is different.
func (s statement) differs(got, want result) string {
	if (got.err == nil) != (want.err == nil) {
		return fmt.Sprintf("says %v, SQLite %v", got.err, want.err)
	}
	if s.counted && !s.rows && got.affected != want.affected {
		return fmt.Sprintf("%d rows affected, SQLite %d", got.affected, want.affected)
	}
	if a, b := s.inOrder(got.rows), s.inOrder(want.rows); !slices.Equal(a, b) {
		return fmt.Sprintf("order differs\n    got  %s\n    want %s", strings.Join(a, "  "), strings.Join(b, "  "))
	}
	if a, b := sorted(got.rows), sorted(want.rows); !slices.Equal(a, b) {
		return fmt.Sprintf("rows differ\n    got  %s\n    want %s", strings.Join(a, "  "), strings.Join(b, "  "))
	}
	return ""
}

// inOrder gives what the order decides, row by row.
func (s statement) inOrder(rows [][]string) []string {
	if s.order == nil {
		return nil
	}
	var all []string
	for _, row := range rows {
		var cells []string
		for _, i := range s.order {
			cells = append(cells, row[i])
		}
		all = append(all, strings.Join(cells, "|"))
	}
	return all
}

func sorted(rows [][]string) []string {
	var all []string
	for _, row := range rows {
		all = append(all, strings.Join(row, "|"))
	}
	slices.Sort(all)
	return all
}

// tooLarge says whether a transaction needs more than one entity group transaction can hold.
func tooLarge(err error) bool { return errors.Is(err, nearlyfree.ErrTooLarge) }
