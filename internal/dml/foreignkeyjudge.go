package dml

import (
	"context"
	"maps"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// judge finds the rows that, after the statement, refer to no row, or deprive others of the row that these refer to. For the rest it
// makes the requirements that this still be so when it is written.
func (k *keeping) judge(ctx context.Context) error {
	if err := k.places(); err != nil {
		return err
	}
	for _, read := range []bool{true, false} { // first everything is read in parallel
		var parents []*parentRead
		var children []*childRead
		for _, row := range k.order {
			for _, ref := range row.of.needs {
				p, err := k.needs(row, ref, read)
				if err != nil {
					return err
				}
				if p != nil {
					parents = append(parents, p)
				}
			}
			for _, ref := range row.of.needed {
				c, err := k.needed(row, ref, read)
				if err != nil {
					return err
				}
				if c != nil {
					children = append(children, c)
				}
			}
		}
		if err := k.reads.readParents(ctx, k.all, parents); err != nil {
			return err
		}
		if err := k.reads.readChildren(ctx, k.all, children); err != nil {
			return err
		}
	}
	return nil
}

// places notes the keys that rows have after the statement, those that they had only before, and what they refer to.
func (k *keeping) places() error {
	k.taken, k.gone, k.refer = map[string]*keptRow{}, map[string]bool{}, map[referral]bool{}
	for _, row := range k.order {
		for _, ref := range row.of.needs {
			if row.row == nil || ref.Parent == nil {
				continue
			}
			if values, refers := ref.Of(row.row); refers {
				place, err := placeOf(ref, values)
				if err != nil {
					return err
				}
				to := referral{ref, place}
				k.refer[to] = k.refer[to] || !row.own
			}
		}
		if row.old != nil {
			keys, err := row.of.keysFor(row.old)
			if err != nil {
				return err
			}
			maps.Copy(k.gone, keys)
		}
		if row.row != nil {
			keys, err := row.of.keysFor(row.row)
			if err != nil {
				return err
			}
			for place := range keys {
				k.taken[place] = row
			}
		}
	}
	for place := range k.taken {
		delete(k.gone, place)
	}
	return nil
}

// needs checks that the row that a row refers to exists. With read, it only gives what must be read first.
func (k *keeping) needs(row *keptRow, ref *schema.Reference, read bool) (*parentRead, error) {
	if row.row == nil {
		return nil, nil
	}
	values, refers := ref.Of(row.row)
	if !refers {
		return nil, nil
	}
	if ref.Parent == nil {
		if old, referred := referredBefore(ref, row); !referred || !sameRow(old, values, len(values)) {
			k.fail(row, noParentError(ref))
		}
		return nil, nil
	}
	place, err := placeOf(ref, values)
	if err != nil {
		return nil, err
	}
	if old, referred := referredBefore(ref, row); referred && !k.gone[place] {
		if was, err := placeOf(ref, old); err != nil || was == place {
			return nil, err
		}
	}
	if read {
		if k.taken[place] != nil {
			return nil, nil
		}
		return k.reads.ofParent(ref, values, place)
	}
	var key, etag string // of the row that is referred to
	var in *schema.Partition
	if owner := k.taken[place]; owner != nil {
		if _, key, err = RowPlace(ref.Parent, owner.row); err != nil {
			return nil, err
		}
		if in, err = ref.Parent.PartitionOf(owner.row); err != nil {
			return nil, err
		}
	} else {
		p, err := k.reads.ofParent(ref, values, place)
		if err != nil {
			return nil, err
		}
		there := p.found
		if owner := k.rows[p.owner]; there && owner != nil { // that row has another key after the statement
			there = false
		}
		if !there {
			k.fail(row, noParentError(ref))
			return nil, nil
		}
		key, etag, in = p.row, p.etag, p.part
	}
	partition, at, err := ref.ParentPlace(values)
	if err != nil {
		return nil, err
	}
	child, err := ref.Child.PartitionOf(row.row)
	if err != nil {
		return nil, err
	}
	need := buffer.Requirement{Requirement: point(in.Physical, partition, at), Of: child.Physical, While: true}
	if need.Any = true; !isGlobal(ref.ParentKey()) { // else the row is in another store partition than what is required
		need.Row, need.ETag = key, etag
	}
	need.PartitionKey, need.RowKey, err = ref.ChildPlace(row.row)
	k.requires = append(k.requires, need)
	return nil, err
}

// referredBefore gives the values by which a row referred to another one before the statement; not ok if it did not exist then. A
// replaced row is another row.
func referredBefore(ref *schema.Reference, row *keptRow) ([]value.Value, bool) {
	if row.old == nil || row.replaced {
		return nil, false
	}
	return ref.Of(row.old)
}

// needed checks that no row refers to a row that is deleted or gets another key. Rows that cascades change no longer do.
func (k *keeping) needed(row *keptRow, ref *schema.Reference, read bool) (*childRead, error) {
	step := keyStep{row: row, old: row.old, next: row.row}
	values, action, loses := step.loses(ref)
	if !loses {
		return nil, nil
	}
	if !action.Changes() {
		c, err := k.reads.ofChildren(ref, values, len(k.order)+1)
		if err != nil || read {
			return c, err
		}
		refers, err := k.isReferred(row, ref, c)
		if err != nil {
			return nil, err
		}
		if refers {
			k.fail(row, parentError(ref))
			return nil, nil
		}
	}
	place, err := placeOf(ref, values)
	if err != nil || read || k.taken[place] != nil {
		return nil, err
	}
	partitions, span, err := ref.ChildSpan(values)
	if err != nil {
		return nil, err
	}
	parent, err := row.of.table.PartitionOf(row.old)
	if err != nil {
		return nil, err
	}
	parts, err := ref.ChildPartitions(values)
	if err != nil || len(parts) == 0 {
		return nil, err
	}
	none := buffer.Requirement{Of: parent.Physical}
	if none.PartitionKey, none.RowKey, err = ref.ParentPlace(values); err != nil {
		return nil, err
	}
	beside := !isGlobal(ref.ParentKey()) && partitions[0] == none.PartitionKey && len(partitions) == 1 && len(parts) == 1 && parts[0].Physical == parent.Physical
	_, key, err := RowPlace(row.of.table, row.old)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		for _, p := range partitions {
			none.Requirement = engine.Requirement{Table: part.Physical, PartitionKey: p, From: span.From, To: span.To}
			if beside {
				none.Row = key
			}
			k.requires = append(k.requires, none)
		}
	}
	return nil, nil
}

// isReferred says whether a row refers to a deleted one after the statement.
func (k *keeping) isReferred(row *keptRow, ref *schema.Reference, c *childRead) (bool, error) {
	for i := range c.rows {
		id, err := rowID(ref.Child, c.rows[i].Row)
		if err != nil || k.rows[id] == nil {
			return err == nil, err
		}
	}
	byCascade, refers := k.refer[referral{ref, c.place}]
	return refers && (byCascade || !row.replaced), nil // REPLACE inserts only after it deletes
}
