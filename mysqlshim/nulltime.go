package mysql

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"
)

// NullTime is a time that may be NULL; it also takes texts, in UTC.
//
// Deprecated: use sql.NullTime and parseTime=true.
type NullTime sql.NullTime

// Scan takes a time.Time, or its text.
func (n *NullTime) Scan(value any) error {
	*n = NullTime{}
	var err error
	switch v := value.(type) {
	case nil:
		return nil
	case time.Time:
		n.Time = v
	case []byte:
		n.Time, err = parseTime(string(v))
	case string:
		n.Time, err = parseTime(v)
	default:
		err = fmt.Errorf("can't convert %T to time.Time", value)
	}
	n.Valid = err == nil
	return err
}

// Value is the time, or nil.
func (n NullTime) Value() (driver.Value, error) {
	if !n.Valid {
		return nil, nil
	}
	return n.Time, nil
}

const (
	dateLayout     = time.DateOnly
	dateTimeLayout = time.DateTime
)

// parseTime reads what MySQL prints of a DATE or DATETIME; the zero date is the zero time.
func parseTime(text string) (time.Time, error) {
	if strings.Trim(text, "0-: .") == "" && len(text) >= len(dateLayout) {
		return time.Time{}, nil
	}
	layout := dateTimeLayout
	if len(text) == len(dateLayout) {
		layout = dateLayout
	}
	t, err := time.Parse(layout, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("invalid time string: %s", text)
	}
	return t, nil
}
