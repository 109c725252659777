package buffer

import (
	"strconv"

	"github.com/tidwall/btree"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// undo says what an entry was before: before has only keys if there was none. An undo without a table takes back a requirement.
type undo struct {
	table  string // folded
	before *entry
	had    bool
	octets int64 // of the entry that replaced it
}

// Mark names the state of the buffer now, for RollbackTo. Marks rise.
func (b *Buffer) Mark() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.journal)
}

// RollbackTo undoes what was applied since Mark returned mark. Entities that the transaction no longer has go to those that wait for them.
func (b *Buffer) RollbackTo(mark int) {
	b.mu.Lock()
	b.rollbackTo(mark)
	b.mu.Unlock()
	if g := b.group; g != nil && g.asked.Load() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.advanceAll()
	}
}

func (b *Buffer) rollbackTo(mark int) {
	b.own()
	for len(b.journal) > max(mark, 0) {
		u := b.journal[len(b.journal)-1]
		b.journal = b.journal[:len(b.journal)-1]
		t := b.tables[u.table]
		switch {
		case u.table == "":
			b.requires = b.requires[:len(b.requires)-1]
		case u.had:
			undone, _ := t.entries.Set(u.before)
			b.outline.count(u.table, undone, -1)
			b.outline.count(u.table, u.before, 1)
		default:
			undone, _ := t.entries.Delete(u.before)
			b.outline.count(u.table, undone, -1)
		}
		b.held(-u.octets)
	}
}

// own makes tables the buffer's own again if a view has them.
func (b *Buffer) own() {
	if !b.viewed {
		return
	}
	own := make(map[string]*tree, len(b.tables))
	for name, t := range b.tables {
		own[name] = &tree{t.table, t.entries.Copy()} // which shares all that neither changes
	}
	b.tables, b.viewed = own, false
}

// put replaces an entry and remembers the old one.
func (b *Buffer) put(table string, e *entry) error {
	b.own()
	folded := engine.FoldTable(table)
	t := b.tables[folded]
	if t == nil {
		t = &tree{table: table, entries: btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})}
		b.tables[folded] = t
	}
	b.version++
	e.etag = "buffer:" + strconv.FormatUint(b.version, 10)
	before, had := t.entries.Set(e)
	if b.outline.count(folded, e, 1); had {
		b.outline.count(folded, before, -1)
	} else {
		before = e
	}
	b.journal = append(b.journal, undo{table: folded, before: before, had: had, octets: e.octets()})
	return b.held(e.octets())
}

// held counts memory.
func (b *Buffer) held(octets int64) error {
	if b.hold == nil || b.released.Load() { // rows that are kept open after its end count for no one
		return nil
	}
	return b.hold(octets)
}
