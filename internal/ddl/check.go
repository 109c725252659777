package ddl

import (
	"context"
	"fmt"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// fault is an index entry that does not match its row, a row without the parent that it names, or a row that does not
// match its own keys.
type fault struct {
	kind      string // missing, stale, orphaned: an entry; parentless, dangling, unsound: a row
	index     *schema.Index
	part      *schema.Partition
	partition string
	key       string // of the entry, or of the row
	row       string // key of the entry's row, "" for an orphan; of the parent; the foreign key of a dangling row
	home      string // the store partition of that row
	etag      string // of an orphan, and of a parentless row
	cause     error  // of an unsound row
}

// unsound is the kind of a fault in a row whose right content cannot be known. The row and the entries that hold its values are
// left as they are.
const unsound = "unsound"

// canBeMended says whether REPAIR TABLE can mend the fault.
func (f *fault) canBeMended() bool { return f.kind != unsound && f.kind != dangling }

func (f *fault) text() string {
	switch f.kind {
	case dangling:
		return fmt.Sprintf("row that refers to no row, foreign key %s: partition %q, key %q", f.row, f.partition, f.key)
	case parentless:
		return fmt.Sprintf("row without a parent: partition %q, key %q; its parent would be %q", f.partition, f.key, f.row)
	case unsound:
		return f.cause.Error()
	}
	return fmt.Sprintf("%s entry in index %s: partition %q, key %q", f.kind, f.index.Name, f.partition, f.key)
}

// mended says what REPAIR TABLE has done about the fault.
func (f *fault) mended() string {
	if f.kind == parentless {
		return "deleted"
	}
	return "mended"
}

// place is where an entity of a table is stored.
type place struct{ partition, key string }

// expected is one of the entries that a row calls for.
type expected struct {
	index     *schema.Index
	home, row string
	hash      string
}

// faults finds every missing, stale and orphaned entry of the public indexes, and every row without its parent. What
// looks wrong is examined again, because other processes may be writing.
func (x *definition) faults(ctx context.Context, t *schema.Table) ([]*fault, error) {
	var all []*fault
	for _, part := range t.AllPartitions() {
		faults, err := x.faultsIn(ctx, t, part)
		if isGone(err) && x.hasDropped(ctx, t, part) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, faults...)
	}
	return all, nil
}

// hasDropped says whether a partition of t was dropped or emptied since t was read.
func (x *definition) hasDropped(ctx context.Context, t *schema.Table, part *schema.Partition) bool {
	now, err := x.reload(ctx, t)
	return err == nil && !slices.Contains(now.Physicals(), part.Physical)
}

func isCorrupt(err error) bool {
	return engine.Is(err, engine.CodeCorrupt)
}

func indexOf(t *schema.Table, ix *schema.Index) int {
	for i := range t.Indexes {
		if t.Indexes[i] == ix {
			return i
		}
	}
	return -1
}
