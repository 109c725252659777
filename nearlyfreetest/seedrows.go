package nearlyfreetest

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// SeedRows inserts a slice of structs, or of pointers to structs, into a table. A field is the column that its tag `db:"name"` names, or
// else the one of its own name, whatever the case and without regard to underscores: CreatedAt is created_at. A field `db:"-"` is left
// out, and one that is not exported; the fields of an embedded struct count as those of the struct. 0 in an AUTO_INCREMENT column takes
// the next value, as ever in MySQL.
func SeedRows[T any](t testing.TB, db *sql.DB, table string, rows []T) {
	t.Helper()
	if err := seedRows(db, table, reflect.TypeFor[T](), reflect.ValueOf(rows)); err != nil {
		t.Fatalf("nearlyfreetest: %s: %v", table, err)
	}
}

func seedRows(db *sql.DB, table string, of reflect.Type, rows reflect.Value) error {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return fmt.Errorf("rows must be structs, not %s", of)
	}
	columns, err := columnsOf(db, table)
	if err != nil {
		return err
	}
	fields, err := fieldsOf(of, nil)
	if err != nil {
		return err
	}
	w := rowWriter{db: db, table: table}
	for _, f := range fields {
		i := slices.IndexFunc(columns, f.isColumn)
		if i < 0 {
			return fmt.Errorf("field %s of %s is no column; there are %s", f.name, of, strings.Join(columns, ", "))
		}
		if slices.Contains(w.columns, columns[i]) {
			return fmt.Errorf("field %s of %s is the column %s, as another one is", f.name, of, columns[i])
		}
		w.columns = append(w.columns, columns[i])
	}
	for i := range rows.Len() {
		v := rows.Index(i)
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return fmt.Errorf("row %d is nil", i)
			}
			v = v.Elem()
		}
		row := make([]any, len(fields))
		for j, f := range fields {
			row[j] = f.of(v)
		}
		if err := w.add(row); err != nil {
			return fmt.Errorf("up to row %d: %w", i, err)
		}
	}
	return w.flush()
}

// columnsOf gives the columns of a table.
func columnsOf(db *sql.DB, table string) ([]string, error) {
	rows, err := db.Query("SELECT * FROM " + quote(table) + " LIMIT 0")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return rows.Columns()
}

// rowField is a field of the structs that are inserted.
type rowField struct {
	name, tag string
	index     []int
}

var valuer = reflect.TypeFor[driver.Valuer]()

// fieldsOf gives the fields of a struct, those of embedded ones included.
func fieldsOf(of reflect.Type, index []int) (fields []rowField, err error) {
	for i := range of.NumField() {
		f := of.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("db"), ",")
		at := append(slices.Clone(index), i)
		embedded := f.Type
		if embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		switch {
		case tag == "-":
		case f.Anonymous && tag == "" && embedded.Kind() == reflect.Struct && embedded != reflect.TypeFor[time.Time]() && !f.Type.Implements(valuer):
			more, err := fieldsOf(embedded, at)
			if err != nil {
				return nil, err
			}
			fields = append(fields, more...)
		case !f.IsExported():
		default:
			fields = append(fields, rowField{f.Name, tag, at})
		}
	}
	if len(fields) == 0 && index == nil {
		return nil, fmt.Errorf("%s has no exported field", of)
	}
	return fields, nil
}

// isColumn says whether the field belongs to a column.
func (f rowField) isColumn(column string) bool {
	if f.tag != "" {
		return strings.EqualFold(f.tag, column)
	}
	plain := func(s string) string { return strings.ReplaceAll(s, "_", "") }
	return strings.EqualFold(plain(f.name), plain(column))
}

// of gives the value of the field in a struct; NULL where an embedded pointer above it is nil.
func (f rowField) of(v reflect.Value) any {
	field, err := v.FieldByIndexErr(f.index)
	if err != nil {
		return nil
	}
	return field.Interface()
}
