package planner

import (
	"errors"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// openTable is an undeclared table in a statement, under the name that it has there.
type openTable struct {
	name string
	base *schema.Table
}

// opened gives an undeclared table with the columns that the statement is known to name.
func (b *builder) opened(t *schema.Table, n *dialect.TableName) *schema.Table {
	name := n.As
	if name == "" {
		name = n.Name
	}
	b.open = append(b.open, openTable{name, t})
	if grown := b.grown[t]; grown != nil {
		return grown
	}
	return t
}

// grow adds a column for a name that was not found, if only one undeclared table can be meant: such a table may have a property of any name,
// even one that no entity has shown so far. The statement is then planned again.
func (b *builder) grow(err error) (again bool, growErr error) {
	var unknown *unknownColumnError
	if !errors.As(err, &unknown) {
		return false, nil
	}
	var base *schema.Table
	for _, o := range b.open {
		if unknown.column.Table != "" && !strings.EqualFold(unknown.column.Table, o.name) {
			continue
		}
		if base != nil && base != o.base {
			return false, nil
		}
		base = o.base
	}
	if base == nil {
		return false, nil
	}
	t := b.grown[base]
	if t == nil {
		t = base
	}
	if t.Ordinal(unknown.column.Name) >= 0 || len(t.Columns) > 4*schema.MaxColumns {
		return false, nil // the column is known, but not where the statement names it
	}
	grown, growErr := t.With(unknown.column.Name)
	if growErr != nil {
		return false, growErr
	}
	b.grown[base] = grown
	return true, nil
}
