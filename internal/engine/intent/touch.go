package intent

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// touched is a commit with the touches that requirements in its partition add to it.
//
// A transaction that makes a row refer to another row always touches that other row, which changes its ETag. A transaction that removes a row to
// which nothing may refer has read its ETag, then looked for references once everything there was decided, and makes its request conditional on
// that ETag. If all is one request, that is enough. A transaction that requires a row also makes its request conditional on the ETag of the
// row's entity, if all is one request: then the row is there, and bears no intent to remove it.
//
// If it takes more than one request, everything is validated as well. Touches then have no condition, so they do not disturb each other, and
// they come with the intents or after them: a transaction that reads the row's ETag later finds the intents.
type touched struct {
	engine.Commit
	own   int                   // operations of the transaction; the others are touches
	of    []*engine.Requirement // of the touches
	keeps bool                  // the requirements hold if the commit is applied, as one request
}

func touch(c *engine.Commit, requires []engine.Requirement, conditions bool) touched {
	t := touched{Commit: *c, own: len(c.Ops), keeps: true}
	if len(requires) == 0 {
		return t
	}
	t.Ops = slices.Clone(c.Ops)
	at := make(map[string]int, len(c.Ops))
	for i := range t.Ops {
		at[t.Ops[i].Entity.RowKey] = i
	}
	for i := range requires {
		r := &requires[i]
		row, hasRow := at[r.Row]
		switch {
		case r.PartitionKey != c.PartitionKey, engine.FoldTable(r.Table) != engine.FoldTable(c.Table), r.Row == "":
			t.keeps = false
		case !r.Any:
			there, _ := r.Own([]engine.Commit{*c})
			t.keeps = t.keeps && !there && hasRow && t.Ops[row].IfMatch != ""
		default:
			entity, has := at[r.From]
			if !has {
				entity = t.add(r.From, r)
				at[r.From] = entity
			}
			if entity >= t.own && conditions {
				t.Ops[entity].IfMatch = r.ETag
			}
			t.keeps = t.keeps && t.Ops[entity].Kind != engine.Delete && (entity < t.own || r.ETag != "")
			if row, hasRow = at[r.Row]; !hasRow {
				row = t.add(r.Row, r)
				at[r.Row] = row
			}
			t.Ops[row].Touch = true // it may be pinned
		}
	}
	return t
}

func (t *touched) add(rowKey string, of *engine.Requirement) int {
	t.Ops = append(t.Ops, engine.Op{Kind: engine.Merge, Entity: engine.Entity{PartitionKey: t.PartitionKey, RowKey: rowKey}, Touch: true})
	t.of = append(t.of, of)
	return len(t.Ops) - 1
}

// operation gives the i-th operation; before is how many of the transaction precede the commit's.
func (t *touched) operation(i, before int) operation {
	if i < t.own {
		return operation{Op: t.Ops[i], at: before + i}
	}
	return operation{Op: t.Ops[i], at: noOp, required: t.of[i-t.own]}
}

// noOp is the position of an operation that is not one of the transaction's own.
const noOp = -1
