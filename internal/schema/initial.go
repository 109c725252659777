package schema

import (
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Instant says whether a new column needs no rewriting of rows: all have the same value in it.
func (c ColumnTexts) Instant() bool {
	n := c.InitialExpr()
	return c.Generated == "" && (n == nil && !c.NotNull || n != nil && expr.VolatilityOf(n) < expr.Volatile)
}

// SetInitial notes v, of the column's type, as what rows without the column's property hold.
func (c *Column) SetInitial(v value.Value) {
	if v.Kind() == value.Float {
		v = value.Plain(v) // not the digits that it shows
	}
	if c.Initial = nil; !v.IsNull() {
		c.Initial = append([]byte{}, value.Text(v)...)
	}
}

// Absent is the value of rows without the column's property.
func (c *Column) Absent() value.Value {
	if c.Initial == nil {
		return value.NullValue
	}
	text := value.FromString(string(c.Initial))
	if c.Type.Base == value.TypeBinary || c.Type.Base == value.TypeBlob {
		text = value.FromBytes(text.Text())
	}
	v, err := c.Type.Convert(text)
	if err != nil {
		return value.NullValue // never: SetInitial took it from a value of the type, and types of other forms convert it
	}
	return v
}

// Unfilled gives what rewritten rows get in a column that some lack: its default; nil if that is computed
// from the row.
func (c ColumnTexts) Unfilled() expr.Node {
	if c.State == Public || c.Generated != "" {
		return nil
	}
	return c.InitialExpr()
}

// InitialExpr is what existing rows get in a new column: its default or, if it has none and may not be NULL,
// what MySQL gives there, the zero of its type.
func (c ColumnTexts) InitialExpr() expr.Node {
	if c.DefaultExpr != nil || !c.NotNull || c.Generated != "" {
		return c.DefaultExpr
	}
	switch c.Type.Base {
	case value.TypeChar, value.TypeText, value.TypeSet:
		return expr.NewConst(value.FromString(""))
	case value.TypeEnum:
		return expr.NewConst(value.FromString(c.Type.Names[0]))
	case value.TypeBinary, value.TypeBlob:
		return expr.NewConst(value.FromBytes(""))
	case value.TypeJSON:
		return expr.NewConst(value.FromString("null"))
	case value.TypeDate, value.TypeDateTime, value.TypeUUID:
		return nil // these have no zero: NOT NULL refuses a table that has rows
	case value.TypeTime:
		return expr.NewConst(value.FromDuration(0))
	}
	return expr.NewConst(value.FromInt(0))
}
