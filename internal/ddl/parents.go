package ddl

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// parentless is the kind of a fault in a row without a parent row.
const parentless = "parentless"

// lineage collects the rows of an interleaved table, to find those without a parent.
type lineage struct {
	table    *schema.Table
	children map[place][]string // keys of rows, by their parent's
}

// add adds a row. It gives the number of bytes that it keeps.
func (l *lineage) add(row []value.Value, partition, key string) (int64, error) {
	b, err := l.table.AppendParentKey(nil, row)
	if err != nil {
		return 0, err
	}
	at := place{partition, string(b)}
	l.children[at] = append(l.children[at], key)
	return int64(len(b) + len(key) + exec.BytesPerRow*2), nil
}

// orphans gives the rows of a partition whose parent is not found. confirmed examines them.
func (x *definition) orphans(ctx context.Context, l *lineage, part *schema.Partition) ([]*fault, error) {
	parent, err := x.table(ctx, dialect.TableName{Name: l.table.Interleaved.Parent, Pos: -1})
	if err != nil {
		return nil, err
	}
	err = x.eachInPartition(ctx, parent, part, parent.RowSpan(), []string{}, rowsOf(parent, func(e *engine.Entity) error {
		delete(l.children, place{e.PartitionKey, e.RowKey})
		return nil
	}))
	if err != nil {
		return nil, err
	}
	var suspects []*fault
	for at, keys := range l.children {
		for _, key := range keys {
			suspects = append(suspects, &fault{kind: parentless, part: part, partition: at.partition, key: key, row: at.key, home: at.partition})
		}
	}
	slices.SortFunc(suspects, func(a, b *fault) int {
		return cmp.Or(strings.Compare(a.partition, b.partition), strings.Compare(a.key, b.key))
	})
	return suspects, nil
}

// disown deletes a row without a parent, with its index entries. It does nothing, and says so, if the row has one by
// now.
func (x *definition) disown(ctx context.Context, t *schema.Table, f *fault) (done bool, err error) {
	rows := dml.NewRowWriter(t)
	tries := retry.Begin(ctx, retry.Race)
	for {
		ctx := tries.Context
		w := x.writer(ctx)
		defer w.End() // there are few tries
		now, err := x.examine(ctx, w, rows, f)
		if err != nil || now == nil {
			return false, err
		}
		old, found, err := rows.Read(ctx, w, f.part, f.partition, f.key)
		if err != nil || !found {
			return false, err
		}
		r := &dml.RowWrite{}
		if err := rows.Remove(ctx, w, r, old); err != nil {
			return false, err
		}
		if old.Etag == now.etag {
			var raced bool
			if raced, err = writeOne(ctx, w, r); !raced {
				return err == nil, err
			}
		}
		if err := tries.Again(err); err != nil {
			return false, err
		}
	}
}

// summary says what CHECK TABLE found in all, or what REPAIR TABLE has left.
func summary(t *schema.Table, faults []*fault) string {
	kinds := map[string]int{}
	for _, f := range faults {
		kinds[f.kind]++
	}
	var found, mends []string
	if n := len(faults) - kinds[parentless] - kinds[unsound] - kinds[dangling]; n > 0 {
		found = append(found, fmt.Sprintf("%d index entries do not match their rows", n))
		mends = append(mends, "mends the entries")
	}
	if n := kinds[parentless]; n > 0 {
		found = append(found, fmt.Sprintf("%d rows have no parent in '%s'", n, t.Interleaved.Parent))
		mends = append(mends, "deletes these rows")
	}
	text := "Corrupt: "
	if n := kinds[unsound]; n > 0 {
		found = append(found, fmt.Sprintf("%d rows do not match their keys and cannot be mended", n))
	}
	if n := kinds[dangling]; n > 0 {
		found = append(found, fmt.Sprintf("%d rows refer to rows that are not there (INSERT those, or UPDATE or DELETE these)", n))
	}
	text += strings.Join(found, ", ")
	if len(mends) > 0 {
		text += "; REPAIR TABLE " + strings.Join(mends, ", ")
	}
	return text
}
