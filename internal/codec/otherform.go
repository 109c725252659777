package codec

import (
	"fmt"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// otherDecoder makes a decoder for a row of one column: this column in its other form; nil if it has none.
func otherDecoder(c *schema.Column) *Decoder {
	other := c.Other()
	if other == nil {
		return nil
	}
	t := &schema.Table{Columns: []*schema.Column{{Name: c.Name, Type: other.Type, Property: other.Property, Initial: other.Initial}}}
	return NewCodec(t).Decoder([]int{0}, 0, nil)
}

// FormError says that a value in a column's other form does not fit the column.
type FormError struct {
	Column *schema.Column
	Cause  error
}

func (e *FormError) Error() string {
	return fmt.Sprintf("column '%s' was changed to %s meanwhile: %v", e.Column.Name, e.Column.Type, e.Cause)
}

// Unwrap gives the cause.
func (e *FormError) Unwrap() error { return e.Cause }

// decodeOther fills in the value of a column that the row may hold in its other form.
func (d *Decoder) decodeOther(e *engine.Entity, col *decodeCol, dst *value.Value) error {
	var row [1]value.Value
	other := *col.other
	column := d.codec.Table.Columns[col.ordinal]
	if err := other.DecodeRow(e, row[:]); err != nil || row[0].IsNull() && column.Other().Initial == nil {
		return err
	}
	v, _, err := column.Type.Store(row[0])
	if err != nil {
		return &FormError{column, err}
	}
	*dst = v
	return nil
}
