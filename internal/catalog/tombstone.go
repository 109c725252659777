package catalog

import (
	"slices"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// tombstone is what is left of a dropped table, as the catalog notes it: physical tables, or keys in one that other tables use
// too.
type tombstone struct {
	name    string   // of the table, for people
	tables  []string // physical ones
	within  []string // the physical tables that hold the keys below; nil if whole tables are to be deleted
	names   []string // prefixes of the keys of rows (the first), and of index entries
	spread  int      // partitions: 0: the single one, n: that many buckets, onlyRowsKnow
	dropped time.Time
	deleted bool
	etag    string // of a note that was read
}

// onlyRowsKnow says that the columns of a row determine its partition, and that no list of partitions exists.
const onlyRowsKnow = -1

// tombstonesOf gives what is left of tables that are dropped together. A table stored in the physical table of another one of
// them goes with that one. Tables with physical tables of their own come first.
func tombstonesOf(tables []*schema.Table) []*tombstone {
	var own, shared []*tombstone
	var goes []string
	for _, t := range tables {
		if !t.SharesPhysical() {
			own = append(own, physicalTombstones(t.Name, t.Physicals())...)
			goes = append(goes, t.Physicals()...)
		}
	}
	for _, t := range tables {
		if !t.SharesPhysical() {
			continue
		}
		stay := slices.DeleteFunc(t.Physicals(), func(physical string) bool { return slices.Contains(goes, physical) })
		if len(stay) > 0 {
			shared = append(shared, keysOf(t, stay))
		}
	}
	return append(own, shared...)
}

// keysOf is the tombstone of a table in physical tables that it shares. It includes the names of dropped indexes: if a process
// died, their entries still exist.
func keysOf(t *schema.Table, physicals []string) *tombstone {
	tomb := &tombstone{name: t.Name, within: physicals, names: append([]string{t.RowName}, t.KeyNames...)}
	if p := t.Spread; p != nil && p.Kind == schema.SpreadByHash {
		tomb.spread = p.Count
	} else if p != nil {
		tomb.spread = onlyRowsKnow
	}
	return tomb
}

// physicalTombstones is the tombstone of physical tables, if there are any.
func physicalTombstones(name string, physicals []string) []*tombstone {
	if len(physicals) == 0 {
		return nil
	}
	return []*tombstone{{name: name, tables: physicals}}
}

// key is the RowKey of the note.
func (tomb *tombstone) key() string {
	if len(tomb.within) == 0 {
		return dropPrefix + tomb.tables[0]
	}
	return keysNote(tomb.within[0], tomb.names[0])
}

// keysNote is the RowKey of the note that a dropped table still has keys in a physical table.
func keysNote(physical, rowName string) string {
	return dropPrefix + physical + string(keymap.Separator) + rowName
}

// ranges are what is to be deleted of physical tables that other tables use.
func (tomb *tombstone) ranges() []engine.Range {
	if len(tomb.within) == 0 {
		return nil
	}
	var partitions []string
	switch {
	case tomb.spread == 0:
		partitions = []string{keymap.SinglePartition}
	case tomb.spread > 0:
		partitions = keymap.Buckets(tomb.spread)
	}
	var out []engine.Range
	for _, span := range keymap.NestedSpans(tomb.names[0], tomb.names[1:]) {
		for _, physical := range tomb.within {
			out = append(out, engine.Range{Table: physical, Partitions: partitions, From: span.From, To: span.To})
		}
	}
	return out
}

// note makes the operation that stores the note with the current time.
func (tomb *tombstone) note() engine.Op {
	e := engine.Entity{
		PartitionKey: partition, RowKey: tomb.key(),
		Names:  []string{"Name", "Dropped", "Deleted"},
		Values: []engine.Value{textValue(tomb.name), int64Value(time.Now().Unix()), {Type: engine.Boolean}},
	}
	if tomb.deleted {
		e.Values[2].N = 1
	}
	if len(tomb.within) == 0 {
		setText(&e, "Tables", strings.Join(tomb.tables, " "))
	} else {
		setText(&e, "Within", strings.Join(tomb.within, " "))
		setText(&e, "Keys", strings.Join(tomb.names, " ")) // no key contains a blank
		e.Names, e.Values = append(e.Names, "Spread"), append(e.Values, int64Value(int64(tomb.spread)))
	}
	return engine.Op{Kind: engine.Upsert, Entity: e}
}

func noteOps(tombstones []*tombstone) []engine.Op {
	var ops []engine.Op
	for _, tomb := range tombstones {
		ops = append(ops, tomb.note())
	}
	return ops
}

func readTombstone(e *engine.Entity) *tombstone {
	return &tombstone{
		name: textOf(e, "Name"), tables: strings.Fields(textOf(e, "Tables")),
		within: strings.Fields(textOf(e, "Within")), names: strings.Fields(textOf(e, "Keys")), spread: int(int64(property(e, "Spread").N)),
		dropped: time.Unix(int64(property(e, "Dropped").N), 0), deleted: property(e, "Deleted").N != 0, etag: e.ETag,
	}
}
