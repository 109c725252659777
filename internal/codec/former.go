package codec

import (
	"fmt"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// formerDecoder makes a decoder of a row of one column: that column in its former form; nil when it has none.
func formerDecoder(c *schema.Column) *Decoder {
	if c.Former == nil {
		return nil
	}
	t := &schema.Table{Columns: []*schema.Column{{Name: c.Name, Type: c.Former.Type, Property: c.Former.Property, Initial: c.Former.Initial}}}
	return NewCodec(t).Decoder([]int{0}, 0, nil)
}

// FormerError says that a value in a column's former form does not fit the column.
type FormerError struct {
	Column *schema.Column
	Cause  error
}

func (e *FormerError) Error() string {
	return fmt.Sprintf("column '%s' was changed to %s meanwhile: %v", e.Column.Name, e.Column.Type, e.Cause)
}

// Unwrap gives the cause.
func (e *FormerError) Unwrap() error { return e.Cause }

// decodeFormer fills in the value of a column that the row may hold in its former form.
func (d *Decoder) decodeFormer(e *engine.Entity, col *decodeCol, dst *value.Value) error {
	var row [1]value.Value
	former := *col.former
	column := d.codec.Table.Columns[col.ordinal]
	if err := former.DecodeRow(e, row[:]); err != nil || row[0].IsNull() && column.Former.Initial == nil {
		return err
	}
	v, _, err := column.Type.Store(row[0])
	if err != nil {
		return &FormerError{column, err}
	}
	*dst = v
	return nil
}
