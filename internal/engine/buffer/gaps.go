package buffer

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// gaps are ranges of keys of a table in which the store had no entity when the transaction looked. An insert into a gap costs no look: Commit
// finds out whether others inserted first, as it does for every insert.
type gaps struct {
	looked bool // for a key, by itself
	list   []gap
	oldest int // index of the gap that is replaced next
}

// gap is the keys from ≤ key < to of a partition; to "" is its end.
type gap struct{ partitionKey, from, to string }

// mostGaps is the maximum for a table: one for its rows and for each unique key, in some partitions.
const mostGaps = 16

// find gives the index of the gap that has a key, or -1.
func find(list []gap, partitionKey, key string) int {
	return slices.IndexFunc(list, func(g gap) bool { return g.partitionKey == partitionKey && g.from <= key && (g.to == "" || key < g.to) })
}

func (g *gaps) add(one gap) {
	switch {
	case slices.Contains(g.list, one):
	case len(g.list) < mostGaps:
		g.list = append(g.list, one)
	default:
		g.list[g.oldest] = one
		g.oldest = (g.oldest + 1) % mostGaps
	}
}

// seen drops the gaps that have gained an entity: the transaction has read it, and may not insert it.
func (b *Buffer) seen(table string, entities []engine.Entity) {
	b.mu.Lock()
	defer b.mu.Unlock()
	g := b.gaps[engine.FoldTable(table)]
	if g == nil || len(g.list) == 0 {
		return
	}
	for i := range entities {
		for at := find(g.list, entities[i].PartitionKey, entities[i].RowKey); at >= 0; at = find(g.list, entities[i].PartitionKey, entities[i].RowKey) {
			g.list, g.oldest = slices.Delete(g.list, at, at+1), 0
		}
	}
}

// seeingCursor drops the gaps of a table that have an entity.
type seeingCursor struct {
	engine.Cursor
	b     *Buffer
	table string
}

func (c *seeingCursor) Next(ctx context.Context) ([]engine.Entity, error) {
	chunk, err := c.Cursor.Next(ctx)
	c.b.seen(c.table, chunk)
	return chunk, err
}

// free gives the operations that still need a look of their own. From a table's second key on, it reads what follows the keys instead: that is
// also one request, and may answer others, and those of later statements.
func (b *Buffer) free(ctx context.Context, c *engine.Commit, need []int) (left []int, err error) {
	if b.beside(c.Table) != nil || len(need) == 0 || !b.limits.SortedByKey {
		return need, nil
	}
	key := func(i int) string { return c.Ops[i].Entity.RowKey }
	var free, sought []int
	b.mu.Lock()
	g := b.gapsOf(c.Table)
	for _, i := range need {
		switch op := &c.Ops[i]; {
		case op.Kind != engine.Insert || op.Taken || !isASCII(key(i)):
			left = append(left, i)
		case find(g.list, c.PartitionKey, key(i)) >= 0:
			free = append(free, i)
		default:
			sought = append(sought, i)
		}
	}
	alone := !g.looked && len(sought) == 1
	g.looked = g.looked || len(sought) > 0
	b.mu.Unlock()
	slices.SortFunc(sought, func(i, j int) int { return strings.Compare(key(i), key(j)) })
	answered := mostInTurn
	for tries := 0; len(sought) > 0 && !alone && isWorthIt(tries, answered, b.parallel); tries++ {
		found, upto, err := b.behind(ctx, c, key(sought[0]), min(len(sought), mostBehind))
		if err != nil {
			return nil, atOp(err, sought[0])
		}
		b.mu.Lock()
		for answered = 0; answered < len(sought) && (upto == "" || key(sought[answered]) <= upto); answered++ {
			i := sought[answered]
			if at := find(found, c.PartitionKey, key(i)); at < 0 {
				left = append(left, i) // it is there
			} else {
				g.add(found[at])
				free = append(free, i)
			}
		}
		b.mu.Unlock()
		sought = sought[answered:]
	}
	for _, i := range free {
		if err := b.noteAbsent(c, key(i)); err != nil {
			return nil, err
		}
	}
	return append(left, sought...), nil
}

// A read after a key is one page. These reads happen in turn, while looks go out side by side.
const (
	mostBehind = 1000
	mostInTurn = 3
)

// isWorthIt says whether to read on after a try that has answered so many keys: one that answers only its own key is no better than a look.
func isWorthIt(tries, answered, parallel int) bool {
	return answered > 1 && (tries < mostInTurn || answered >= parallel)
}

// gapsOf gives the gaps of a table.
func (b *Buffer) gapsOf(table string) *gaps {
	folded := engine.FoldTable(table)
	g := b.gaps[folded]
	if g == nil {
		g = &gaps{}
		b.gaps[folded] = g
	}
	return g
}

// observer is a moment that is no snapshot: it notes what is read from it.
type observer interface {
	// Absent notes that an entity was not there.
	Absent(table, partitionKey, rowKey string)
}

// noteAbsent notes only that one key was not there. A writer of another key in the gap is no conflict.
func (b *Buffer) noteAbsent(c *engine.Commit, rowKey string) error {
	if o, ok := b.since.(observer); ok {
		o.Absent(c.Table, c.PartitionKey, rowKey)
	}
	if b.reads == nil {
		return nil
	}
	return b.note(pointOf(c.Table, c.PartitionKey, rowKey))
}

// behind gives the gaps from a key on, up to so many entities, and the key of the last of these; "": there are no more.
func (b *Buffer) behind(ctx context.Context, c *engine.Commit, from string, most int) (found []gap, upto string, err error) {
	on := b.base
	if _, ok := b.since.(observer); ok {
		on = b.e // which notes nothing
	}
	cursor := on.Scan(ctx, engine.Scan{Table: c.Table, PartitionKey: c.PartitionKey, From: from, Limit: most, Select: []string{}, Meter: c.Meter})
	defer cursor.Close()
	for seen := 0; seen < most; {
		chunk, err := cursor.Next(ctx)
		if errors.Is(err, io.EOF) {
			return append(found, gap{c.PartitionKey, from, ""}), "", nil
		}
		if err != nil {
			return nil, "", err
		}
		for i := range chunk {
			upto = strings.Clone(chunk[i].RowKey)
			if from < upto {
				found = append(found, gap{c.PartitionKey, from, upto})
			}
			from = upto + "\x00"
		}
		seen += len(chunk)
	}
	return found, upto, nil
}

// isASCII says whether all stores that sort by key place this one alike.
func isASCII(key string) bool {
	return !strings.ContainsFunc(key, func(r rune) bool { return r > 127 })
}
