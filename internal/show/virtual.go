package show

import (
	"cmp"
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// virtual builds a table that is made of rows in memory, for SHOW and information_schema.
type virtual struct {
	table *schema.Table
	rows  [][]value.Value
	err   error // why rows are missing
}

// newVirtual makes a table of nullable columns; a name that ends in # is a number, one that ends in @ a moment, others are text.
func newVirtual(name string, columns ...string) *virtual {
	v := &virtual{table: &schema.Table{Name: name}}
	for _, c := range columns {
		t := value.Type{Base: value.TypeText}
		switch n := len(c) - 1; c[n] {
		case '#':
			c, t = c[:n], value.Type{Base: value.TypeBigInt}
		case '@':
			c, t = c[:n], value.Type{Base: value.TypeDateTime, Declared: "TIMESTAMP"}
		}
		v.table.Columns = append(v.table.Columns, &schema.Column{Name: c, Type: t})
	}
	return v
}

// add appends a row: string, int, bool (YES or NO), nil or value.Value for each column.
func (v *virtual) add(cells ...any) {
	row := make([]value.Value, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case string:
			row[i] = value.FromString(c)
		case int:
			row[i] = value.FromInt(int64(c))
		case int64:
			row[i] = value.FromInt(c)
		case bool:
			row[i] = value.FromString(yesNo(c))
		case value.Value:
			row[i] = c
		}
	}
	v.rows = append(v.rows, row)
}

func (v *virtual) done() (*schema.Table, error) {
	rows := v.rows
	v.table.Virtual = func(context.Context, schema.Wanted) ([][]value.Value, error) { return rows, nil }
	return v.table, cmp.Or(v.err, v.table.Init())
}

func yesNo(b bool) string {
	if b {
		return "YES"
	}
	return "NO"
}
