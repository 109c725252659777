package main

import (
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
)

// column is a column of a result.
type column struct{ ask.Column }

func columnsOf(rows *sql.Rows) ([]column, error) {
	all, err := ask.Columns(rows)
	out := make([]column, len(all))
	for i, c := range all {
		out[i] = column{c}
	}
	return out, err
}

// columnsNamed makes columns of names and types in turn.
func columnsNamed(namesAndTypes ...string) (out []column) {
	for pair := range slices.Chunk(namesAndTypes, 2) {
		out = append(out, column{ask.Column{Name: pair[0], Type: pair[1]}})
	}
	return out
}

// text is a value as people read it.
func (c column) text(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case time.Time:
		return c.Time(v)
	case []byte:
		if c.Type == "JSON" || utf8.Valid(v) && !c.Binary() {
			return string(v)
		}
		return "0x" + strings.ToUpper(hex.EncodeToString(v))
	case bool:
		if v {
			return "1"
		}
		return "0"
	case int64:
		if c.Type == "YEAR" {
			return fmt.Sprintf("%04d", v) // the text 0 is the year 2000
		}
	}
	return fmt.Sprint(v)
}

// json is a value in JSON. A DECIMAL is a number with all its digits, a binary value is base64.
func (c column) json(v any) ([]byte, error) {
	switch t := v.(type) {
	case []byte:
		if c.Type == "JSON" {
			return t, nil
		}
		if !c.Binary() {
			return json.Marshal(string(t))
		}
	case string:
		if c.Type == "DECIMAL" {
			return []byte(t), nil
		}
	case time.Time:
		return json.Marshal(c.text(v))
	}
	return json.Marshal(v)
}
