package main

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
)

// target is a table that rows are loaded into.
type target struct {
	table   string
	columns []targetColumn
	byName  map[string]int
	key     []string // of the primary key; nil: there is none that can be seen
}

type targetColumn struct {
	name, typ string
	generated bool
	notNull   bool
}

func (d *database) target(ctx context.Context, table string) (*target, error) {
	rows, err := d.rows(ctx, "SELECT column_name, data_type, column_key, COALESCE(generation_expression, ''), is_nullable FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = "+
		quoted(table)+" ORDER BY ordinal_position")
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	t := &target{table: table, byName: map[string]int{}}
	for i, row := range rows {
		t.columns = append(t.columns, targetColumn{row[0], strings.ToLower(row[1]), row[3] != "", row[4] == "NO"})
		t.byName[strings.ToLower(row[0])] = i
		if row[2] == "PRI" {
			t.key = append(t.key, row[0])
		}
	}
	return t, nil
}

func (c targetColumn) isBinary() bool {
	return strings.Contains(c.typ, "binary") || strings.Contains(c.typ, "blob") || c.typ == "bit"
}

func (c targetColumn) isText() bool {
	return strings.Contains(c.typ, "char") || strings.Contains(c.typ, "text") || strings.Contains(c.typ, "blob") || strings.Contains(c.typ, "binary") || c.typ == "set"
}

// argument is the driver's argument for a field.
func (c targetColumn) argument(value any) (any, error) {
	switch v := value.(type) {
	case json.Number:
		return v.String(), nil
	case json.RawMessage:
		return string(v), nil
	case string:
		switch {
		case v == "" && !c.isText() && c.typ != "enum":
			return nil, nil
		case c.typ == "json" && !json.Valid([]byte(v)):
			return nil, errors.New("column " + c.name + ": it is not JSON")
		case !c.isBinary():
			return v, nil
		case strings.HasPrefix(v, "0x"):
			raw, err := hex.DecodeString(v[2:])
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", c.name, err)
			}
			return raw, nil
		}
		return []byte(v), nil
	}
	return value, nil
}

// jsonArgument is argument for a field of JSON, where octets are base64 and a text in a JSON column is a JSON string.
func (c targetColumn) jsonArgument(value any) (any, error) {
	text, ok := value.(string)
	number, isNumber := value.(json.Number)
	switch {
	case isNumber && c.typ == "year":
		if year, err := number.Int64(); err == nil {
			return year, nil // the text 0 is the year 2000
		}
	case c.typ == "json" && value != nil:
		raw, err := json.Marshal(value)
		return string(raw), err
	case ok && c.isBinary():
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.name, err)
		}
		return raw, nil
	}
	return c.argument(value)
}

// literal writes an argument like the same value of the column, if that is simple.
func (c targetColumn) literal(out []byte, arg any) []byte {
	if s, ok := arg.(string); ok && (strings.HasSuffix(c.typ, "int") || c.typ == "decimal" || c.typ == "year") {
		return append(out, s...)
	}
	return column{ask.Column{Type: strings.ToUpper(c.typ)}}.literal(out, arg)
}
