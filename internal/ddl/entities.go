package ddl

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// EntityPlace is where an entity is stored: under which keys, in which physical table.
type EntityPlace struct{ Physical, PartitionKey, RowKey string }

// Entity is an entity as it is stored: a row, an entry of an index, or a copy of a parent's row.
type Entity struct {
	EntityPlace
	Table      string // the table it belongs to; "": none, as for a transaction's record or the remains of a dropped index
	Index      string // the index it is an entry of; "": it is a row
	Copy       bool   // it is a copy of a row of Table
	Among      string // of a Copy: the table among whose rows it is stored
	Properties []Property
	Bytes      int64 // as the service bills them
}

// Property is one property of an entity.
type Property struct {
	Name  string
	Type  string // in the service's words: "String", "Int64"
	Value any    // string, int64, float64, bool or []byte; a DateTime is a text
}

// Entities calls do with the entities of the physical tables that t is in, starting at a place: table by table as t lists them, store
// partition by store partition, key by key. tables are all tables of the database. keysOnly leaves the properties out.
func Entities(ctx context.Context, e engine.Engine, t *schema.Table, tables []*schema.Table, from EntityPlace, keysOnly bool, m *engine.Meter, do func(*Entity) error) error {
	r := &entityReader{limits: e.Limits(), owners: keyOwners{}, do: do}
	for _, t := range append(slices.Clone(tables), t) {
		r.owners.add(t)
	}
	physicals := t.Physicals()
	if at := slices.Index(physicals, from.Physical); at > 0 {
		physicals = physicals[at:]
	}
	for i, physical := range physicals {
		scan := engine.Scan{Table: physical, AllPartitions: true, Meter: m}
		if keysOnly {
			scan.Select = []string{}
		}
		if i == 0 && from.PartitionKey+from.RowKey != "" {
			first := scan
			first.AllPartitions, first.PartitionKey, first.From = false, from.PartitionKey, from.RowKey
			if err := r.read(ctx, e, physical, first); err != nil {
				return err
			}
			scan.FromPartition = from.PartitionKey + " " // no key lies between
		}
		if err := r.read(ctx, e, physical, scan); err != nil {
			return err
		}
	}
	return nil
}

// keyOwner says what the entities whose row keys begin with a given name belong to.
type keyOwner struct {
	table *schema.Table
	index *schema.Index // nil: they are rows of it
}

// keyOwners are the owners in physical tables, by what row keys begin with. "" owns all of an external table.
type keyOwners map[string]map[string]keyOwner

// add adds what the keys of a table begin with.
func (o keyOwners) add(t *schema.Table) {
	if t.IsView() || t.Virtual != nil {
		return
	}
	for _, physical := range t.Physicals() {
		names := o[physical]
		if names == nil {
			names = map[string]keyOwner{}
			o[physical] = names
		}
		if t.IsExternal() {
			names[""] = keyOwner{table: t}
			continue
		}
		names[cmp.Or(t.RowName, keymap.RowPrefix)] = keyOwner{table: t}
		for _, ix := range t.Indexes {
			if ix.Child == "" { // else they are among that table's rows
				names[ix.KeyName] = keyOwner{t, ix}
			}
		}
	}
}

// of gives the owner of an entity; no table for a transaction's record or the remains of a dropped index.
func (o keyOwners) of(physical, rowKey string) keyOwner {
	names := o[physical]
	name, _, _ := strings.Cut(rowKey, string(keymap.Separator))
	if owner, ok := names[name]; ok {
		return owner
	}
	return names[""]
}

type entityReader struct {
	limits engine.Limits
	owners keyOwners
	do     func(*Entity) error
}

func (r *entityReader) read(ctx context.Context, e engine.Engine, physical string, scan engine.Scan) error {
	return engine.Each(ctx, e, scan, func(of *engine.Entity) error {
		out := &Entity{EntityPlace: EntityPlace{physical, of.PartitionKey, of.RowKey}}
		if owner := r.owners.of(physical, of.RowKey); owner.table != nil {
			out.Table = owner.table.Name
			switch {
			case owner.index != nil:
				out.Index = owner.index.Name
			case owner.table.IsParentCopy(of.RowKey):
				out.Table, out.Copy, out.Among = owner.table.Interleaved.Parent, true, owner.table.Name
			}
		}
		if scan.Select == nil {
			out.Bytes = int64(r.limits.Size(of))
			for i, v := range of.Values {
				if v.Type != engine.Absent {
					out.Properties = append(out.Properties, Property{of.Names[i], v.Type.String(), propertyValue(v)})
				}
			}
		}
		return r.do(out)
	})
}

func propertyValue(v engine.Value) any {
	switch v.Type {
	case engine.Int32, engine.Int64:
		return int64(v.N)
	case engine.Double:
		return math.Float64frombits(v.N)
	case engine.Boolean:
		return v.N != 0
	case engine.DateTime:
		return string(engine.AppendTime(nil, int64(v.N)))
	case engine.Binary:
		return []byte(v.S)
	}
	return v.S
}
