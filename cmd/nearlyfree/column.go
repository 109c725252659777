package main

import (
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
)

// column is a column of a result.
type column struct {
	name string
	typ  string // as the driver says it: BIGINT, VARCHAR, DATETIME
	// digits of a second that are shown of each time
	digits int
}

func columnsOf(rows *sql.Rows) ([]column, error) {
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	out := make([]column, len(types))
	for i, t := range types {
		out[i] = column{t.Name(), strings.ToUpper(t.DatabaseTypeName()), ask.SecondDigits(t)}
	}
	return out, nil
}

// isNumber says whether the values are numbers, which stand at the right.
func (c column) isNumber() bool {
	for _, word := range []string{"INT", "DECIMAL", "FLOAT", "DOUBLE", "YEAR"} {
		if strings.Contains(c.typ, word) && !strings.Contains(c.typ, "POINT") {
			return true
		}
	}
	return false
}

// text is a value as people read it.
func (c column) text(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case time.Time:
		if c.typ == "DATE" {
			return v.Format(time.DateOnly)
		}
		return ask.Time(v, c.digits)
	case []byte:
		if c.typ == "JSON" || utf8.Valid(v) && !c.isBinary() {
			return string(v)
		}
		return "0x" + strings.ToUpper(hex.EncodeToString(v))
	case bool:
		if v {
			return "1"
		}
		return "0"
	case int64:
		if c.typ == "YEAR" {
			return fmt.Sprintf("%04d", v) // the text 0 is the year 2000
		}
	}
	return fmt.Sprint(v)
}

func (c column) isBinary() bool {
	return strings.Contains(c.typ, "BINARY") || strings.Contains(c.typ, "BLOB") || c.typ == "BIT"
}

// json is a value in JSON. A DECIMAL is a number with all its digits, what is binary is base64.
func (c column) json(v any) ([]byte, error) {
	switch t := v.(type) {
	case []byte:
		if c.typ == "JSON" {
			return t, nil
		}
		if !c.isBinary() {
			return json.Marshal(string(t))
		}
	case string:
		if c.typ == "DECIMAL" {
			return []byte(t), nil
		}
	case time.Time:
		return json.Marshal(c.text(v))
	}
	return json.Marshal(v)
}
