package planner

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// family finds the tables interleaved in t; the plan depends on them.
func (b *builder) family(t *schema.Table) ([]schema.Family, error) {
	var out []schema.Family
	for _, name := range t.Children {
		child, err := b.storedTable(&dialect.TableName{Database: databaseOf(t), Name: name, Pos: sqlerr.NoPos})
		if isMissing(err) {
			continue // declared by a process that died before it made it
		}
		if err != nil {
			return nil, err
		}
		if !child.IsInterleaved() || !strings.EqualFold(child.Interleaved.Parent, t.Name) {
			continue
		}
		if child.Unwritable != nil {
			return nil, child.Unwritable
		}
		inside, err := b.family(child)
		if err != nil {
			return nil, err
		}
		out = append(out, schema.Family{Table: child, Children: inside})
	}
	return out, nil
}

func isMissing(err error) bool {
	return sqlerr.Is(err, sqlerr.CodeNoSuchTable)
}
