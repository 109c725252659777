package ask

import (
	"database/sql"
	"strings"
	"time"
)

// Column is a column of a result.
type Column struct {
	Name, Type string // the type as the driver says it: BIGINT, VARCHAR, DATETIME
	Digits     int    // of a second that each time shows: those that the type declares, as in MySQL. 0 shows those that it has
}

// Columns gives the columns of a result.
func Columns(rows *sql.Rows) ([]Column, error) {
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	out := make([]Column, len(types))
	for i, t := range types {
		out[i] = Column{Name: t.Name(), Type: strings.ToUpper(t.DatabaseTypeName())}
		if digits, _, ok := t.DecimalSize(); ok && digits <= 6 && strings.Contains(out[i].Type, "TIME") {
			out[i].Digits = int(digits)
		}
	}
	return out, nil
}

// Number says whether the values are numbers, which are aligned to the right.
func (c Column) Number() bool {
	for _, word := range []string{"INT", "DECIMAL", "FLOAT", "DOUBLE", "YEAR"} {
		if strings.Contains(c.Type, word) && !strings.Contains(c.Type, "POINT") {
			return true
		}
	}
	return false
}

// Binary says whether the values are octets.
func (c Column) Binary() bool {
	return strings.Contains(c.Type, "BINARY") || strings.Contains(c.Type, "BLOB") || c.Type == "BIT"
}

// Time is a DATE or DATETIME as people read it.
func (c Column) Time(v time.Time) string {
	if c.Type == "DATE" {
		return v.Format(time.DateOnly)
	}
	const layout = time.DateTime
	all := v.Format(layout + ".9999999")
	if c.Digits > 0 && len(all) < len(layout)+1+c.Digits {
		return v.Format(layout + "." + strings.Repeat("0", c.Digits))
	}
	return all
}
