package schema

import (
	"fmt"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
)

// Texts are the SQL texts of a definition as expressions over the table's row. The planner makes them (planner.Texts).
type Texts struct {
	Columns []ColumnTexts // as in Table
	Checks  []CheckExpr   // as in Table
}

// ColumnTexts is a column with its texts as expressions, nil if it has none.
type ColumnTexts struct {
	*Column
	DefaultExpr, OnUpdateExpr, GeneratedExpr expr.Node
}

// CheckExpr is a CHECK as an expression.
type CheckExpr struct {
	Name string
	Expr expr.Node
}

// boundTexts keeps Texts for all statements that use a definition.
type boundTexts struct {
	once  sync.Once
	texts *Texts
	err   error
}

// Texts gives the result of bind for the texts. bind is called once, because a definition does not change after Init.
func (t *Table) Texts(bind func(*Table) (*Texts, error)) (*Texts, error) {
	b := t.texts
	if b == nil { // it may still change
		b = &boundTexts{}
	}
	b.once.Do(func() {
		if b.texts, b.err = bind(t); b.err != nil {
			b.err = &TextsError{t.Name, b.err}
		}
	})
	return b.texts, b.err
}

// TextsError says that a stored definition holds a text that cannot be bound.
type TextsError struct {
	Table string
	Cause error // not unwrapped: its number and position are not about the statement
}

func (e *TextsError) Error() string {
	return fmt.Sprintf("the definition of table %s cannot be used: %v", e.Table, e.Cause)
}
