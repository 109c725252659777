package ask

import (
	"database/sql"
	"strings"
	"time"
)

// SecondDigits is how many digits of a second are shown of each value of a column: those that its type declares, as in MySQL. 0 shows those
// that there are.
func SecondDigits(t *sql.ColumnType) int {
	if digits, _, ok := t.DecimalSize(); ok && digits <= 6 && strings.Contains(t.DatabaseTypeName(), "TIME") {
		return int(digits)
	}
	return 0
}

// Time is a DATETIME as people read it, with at least so many digits of a second.
func Time(v time.Time, digits int) string {
	const layout = "2006-01-02 15:04:05"
	all := v.Format(layout + ".9999999")
	if digits > 0 && len(all) < len(layout)+1+digits {
		return v.Format(layout + "." + strings.Repeat("0", digits))
	}
	return all
}
