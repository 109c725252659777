package dml

import (
	"fmt"

	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// RowSizeError says that a row is too large.
type RowSizeError struct {
	Code    int // MySQL's number
	Message string
}

func (e *RowSizeError) Error() string { return e.Message }

// surelyFits is how many bytes of texts and binaries an entity may have without being measured: keys, names and numbers take less
// than 140 KiB, so that it has less than 1 MiB.
const surelyFits = 400 << 10

// checkSize refuses a row that no store accepts, in terms of SQL: engines know only entities.
func (rw *RowWriter) checkSize(c *codec.Codec, e *engine.Entity, row []value.Value) error {
	held, properties, limits := 0, 0, engine.AzureLimits()
	for i := range e.Values {
		held += len(e.Values[i].S)
		if e.Values[i].Type != engine.Absent {
			properties++
		}
	}
	if held <= surelyFits && properties <= limits.Properties {
		return nil
	}
	which := fmt.Sprintf("a row of table %s", sqlerr.Brief(rw.Table.Name))
	if k, ok := rw.Table.KeyOf(e.RowKey); ok {
		which = rowNamed(k) + " of table " + sqlerr.Brief(k.Table)
	}
	if size := limits.Size(e); size > limits.EntityBytes {
		return tooLarge(c, row, which, size, limits.EntityBytes)
	}
	if properties > limits.Properties {
		return &RowSizeError{sqlerr.CodeRowTooLarge, fmt.Sprintf("Row size too large: %s takes %d properties, but may take at most %d; each value takes one, and a long one another "+
			"for each 32,768 characters of text or 64 KiB of octets", which, properties, limits.Properties)}
	}
	return nil
}

// tooLarge names the column that takes most of a row.
func tooLarge(c *codec.Codec, row []value.Value, which string, size, most int) error {
	column, takes := "", 0
	for _, i := range c.Columns {
		if n := sizeOf(row[i]); n > takes {
			column, takes = c.Table.Columns[i].Name, n
		}
	}
	const rule = "text takes 2 bytes a character (UTF-16), octets 1"
	if takes > most {
		return &RowSizeError{sqlerr.CodeTooLong, fmt.Sprintf("Data too long for column '%s' in %s: %d bytes, but a row has at most %d; %s", sqlerr.Brief(column), which, takes, most, rule)}
	}
	return &RowSizeError{sqlerr.CodeRowTooLarge, fmt.Sprintf("Row size too large: %s has %d bytes, %d of them in column '%s', but may have at most %d; %s", which, size, takes, sqlerr.Brief(column), most, rule)}
}

// sizeOf is how many bytes the service counts for a text or for octets.
func sizeOf(v value.Value) int {
	switch v.Kind() {
	case value.Bytes:
		return len(v.Text())
	case value.String, value.JSON:
		return 2 * engine.UTF16Units(value.Text(v))
	}
	return 0
}
