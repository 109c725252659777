package dml

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// ExplainCommit turns an error that names an entity into one that names a row, as SQL does; tables are those of the transaction.
func ExplainCommit(err error, tables []*schema.Table) error {
	var e *engine.Error
	if errors.As(err, &e) && e.Unmet != nil {
		return explainUnmet(e, tables)
	}
	if !errors.As(err, &e) || e.Entity == nil || e.Applied != engine.NotApplied {
		return err
	}
	for _, t := range tables {
		in := func(physical string) bool { return engine.FoldTable(physical) == engine.FoldTable(e.Table) }
		if t.Virtual != nil || !slices.ContainsFunc(t.Physicals(), in) {
			continue
		}
		if k, ok := t.KeyOf(e.Entity.RowKey); ok {
			return explainEntity(e, t, k)
		}
	}
	return err
}

// explainEntity is ExplainCommit for an entity of t, or for the parent of a row of t.
func explainEntity(e *engine.Error, t *schema.Table, k schema.KeyOf) error {
	happened := "changed"
	switch {
	case e.Code == engine.CodeExists && !t.IsExternal():
		row := entityRow(e.Entity, t, k.Index)
		if row == nil {
			return e
		}
		taken := DuplicateError(t, k.Index, row)
		taken.Retryable = true // the key was free when the statement looked: ON DUPLICATE KEY UPDATE, for example, would now act differently
		return taken
	case e.Code == engine.CodeNotFound:
		happened = "deleted"
	case e.Code != engine.CodeStale:
		return e
	case e.Op < 0:
		happened = "changed, added or deleted"
	}
	conflict := *e
	conflict.Message = fmt.Sprintf("%s of table %s was %s by another transaction; run the transaction again", rowNamed(k), sqlerr.Brief(k.Table), happened)
	return &conflict
}

// explainUnmet is ExplainCommit for an unmet requirement of a foreign key.
func explainUnmet(e *engine.Error, tables []*schema.Table) error {
	conflict := *e
	conflict.Message = "rows that refer to one which the transaction deletes or changes were added by another transaction; run the transaction again"
	if !e.Unmet.Any {
		return &conflict
	}
	which := "a row"
	for _, t := range tables {
		if t.Virtual != nil || !slices.ContainsFunc(t.Physicals(), func(name string) bool { return engine.FoldTable(name) == engine.FoldTable(e.Unmet.Table) }) {
			continue
		}
		if k, ok := t.KeyOf(e.Unmet.From); ok {
			which = rowNamed(k) + " of table " + sqlerr.Brief(k.Table)
		}
	}
	conflict.Message = which + ", to which a row of the transaction refers, was deleted or changed by another transaction; run the transaction again"
	return &conflict
}

// rowNamed names a row by its key.
func rowNamed(k schema.KeyOf) string {
	if len(k.Values) == 0 {
		return "a row"
	}
	named := make([]string, len(k.Values))
	for i, v := range k.Values {
		named[i] = k.Columns[i] + " = " + sqlerr.Brief(value.Text(v))
	}
	return "row (" + strings.Join(named, ", ") + ")"
}

// entityRow gives the row of an entity that was to be inserted, as far as it has the columns; nil: it has none.
func entityRow(e *engine.Entity, t *schema.Table, ix *schema.Index) []value.Value {
	c := codec.NewCodec(t)
	if ix != nil && ix.Copy != schema.CopyRow {
		c = exec.NewIndexCodec(t, ix)
	}
	row := make([]value.Value, t.RowWidth())
	if err := c.Decoder(c.Columns, 0, nil).DecodeRow(e, row); err != nil {
		return nil
	}
	return row
}
