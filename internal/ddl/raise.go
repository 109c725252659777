package ddl

import (
	"context"
	"errors"
	"math"
	"strconv"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// counts gives the column that the change makes AUTO_INCREMENT, before and after it; nil: none.
func (m *making) counts() (before, after *schema.Column) {
	for i, col := range m.to.Columns {
		if from := m.From[i]; col.AutoIncrement && from >= 0 && !m.table.Columns[from].AutoIncrement {
			return m.table.Columns[from], col
		}
	}
	return nil, nil
}

// raise makes the table's AUTO_INCREMENT values begin after the greatest value of a column, and gives that value. Rows have values
// up to above, except those written since. A column that holds no numbers yet is looked at when it does. The table is the published one.
func (m *making) raise(ctx context.Context, t *schema.Table, col *schema.Column, above int64) (int64, error) {
	if col == nil || !col.Type.IsInteger() {
		return above, nil
	}
	greatest, err := m.greatest(ctx, t, col, above)
	if err == nil && greatest > above {
		err = m.Catalog.Raise(ctx, t, greatest, m.meter)
	}
	return greatest, err
}

// greatest gives the greatest value of a column that exceeds above; above if there is none.
func (x *definition) greatest(ctx context.Context, t *schema.Table, col *schema.Column, above int64) (_ int64, err error) {
	name := schema.QuoteName(col.Name)
	query := "SELECT MAX(" + name + ") FROM " + schema.QuoteName(x.Database) + "." + schema.QuoteName(t.Name) + " WHERE " + name + " > " + strconv.FormatInt(above, 10)
	parsed, err := dialect.Parse(query, dialect.Options{})
	if err != nil {
		return 0, err
	}
	plan, err := x.plan(ctx, parsed.Statement)
	if err != nil {
		return 0, err
	}
	rows, err := x.Runtime.Query(ctx, &exec.Execution{Plan: plan, Session: x.session, Store: x.Runtime.Engine, Meter: x.meter})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	row, err := rows.Next(ctx)
	switch {
	case err != nil || row[0].IsNull():
		return above, err
	case row[0].Int() < 0: // as BIGINT UNSIGNED has it
		return math.MaxInt64, nil
	}
	return row[0].Int(), nil
}
