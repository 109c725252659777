package ddl

import (
	"context"
	"fmt"

	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// inspection checks the index entries of one partition against its rows, and rows against their parents.
type inspection struct {
	*definition
	table    *schema.Table
	part     *schema.Partition
	rows     *dml.RowWriter
	decoder  *codec.Decoder
	writer   *dml.Writer        // reads what is examined, and accounts for memory
	want     map[place]expected // entries that rows call for and that were not found yet
	lines    *lineage
	faults   []*fault // in rows
	suspects []*fault
}

// faultsIn is faults of one partition.
func (x *definition) faultsIn(ctx context.Context, t *schema.Table, part *schema.Partition) ([]*fault, error) {
	in := &inspection{
		definition: x, table: t, part: part, rows: dml.NewRowWriter(t), writer: x.writer(ctx),
		want: map[place]expected{}, lines: &lineage{table: t, children: map[place][]string{}},
	}
	defer in.writer.End()
	in.decoder = in.rows.Row.Decoder(exec.Positions(0, len(t.Columns)), 0, nil)
	if err := x.eachInPartition(ctx, t, part, t.RowSpan(), nil, rowsOf(t, in.row)); err != nil {
		return nil, err
	}
	for i, ix := range t.Indexes {
		if ix.State != schema.Public {
			continue
		}
		entry := func(e *engine.Entity) error { in.entry(i, e); return nil }
		if err := x.eachInPartition(ctx, t, part, keymap.PrefixSpan(ix.KeyName+string(keymap.Separator)), nil, entry); err != nil {
			return nil, err
		}
	}
	for at, row := range in.want {
		in.suspect("missing", row.index, at, row.home, row.row)
	}
	if t.IsInterleaved() && len(in.lines.children) > 0 {
		orphans, err := x.orphans(ctx, in.lines, part)
		if err != nil {
			return nil, err
		}
		in.suspects = append(in.suspects, orphans...)
	}
	err := in.confirm(ctx)
	return in.faults, err
}

// suspect notes an entry that looks wrong; home and row identify the row that it belongs to.
func (in *inspection) suspect(kind string, ix *schema.Index, at place, home, row string) {
	in.suspects = append(in.suspects, &fault{kind: kind, index: ix, part: in.part, partition: at.partition, key: at.key, home: home, row: row})
}

// row notes which entries a row calls for.
func (in *inspection) row(e *engine.Entity) error {
	row, entries, err := in.rows.Sound(in.decoder, e, in.part)
	if isCorrupt(err) {
		in.faults = append(in.faults, &fault{kind: unsound, part: in.part, partition: e.PartitionKey, key: e.RowKey, cause: err})
		return nil
	} else if err != nil {
		return err
	}
	key := e.RowKey
	if in.table.IsInterleaved() {
		bytes, err := in.lines.add(row, e.PartitionKey, key)
		if err == nil {
			err = in.charge(bytes)
		}
		if err != nil {
			return err
		}
	}
	for i, ix := range in.table.Indexes {
		if ix.State != schema.Public {
			continue
		}
		hash, at := content(in.rows.Entries[i], e), place{entries[i].Partition, entries[i].Key}
		if _, taken := in.want[at]; taken { // another row has the same unique key, or had it a moment ago
			in.suspect("stale", ix, at, e.PartitionKey, key)
			continue
		}
		in.want[at] = expected{ix, e.PartitionKey, key, hash}
		if err := in.charge(int64(len(entries[i].Key) + len(key) + len(hash) + exec.BytesPerRow*4)); err != nil {
			return err
		}
	}
	return nil
}

func (in *inspection) charge(octets int64) error { return in.writer.Charge(octets, "CHECK TABLE") }

// entry checks an entry of an index against what its row calls for.
func (in *inspection) entry(i int, e *engine.Entity) {
	ix := in.table.Indexes[i]
	if !ix.IsEntry(e.RowKey) {
		return
	}
	at := place{e.PartitionKey, e.RowKey}
	row, known := in.want[at]
	delete(in.want, at)
	switch {
	case !known:
		in.suspect("orphaned", ix, at, "", "")
	case row.hash != content(in.rows.Entries[i], e):
		in.suspect("stale", ix, at, row.home, row.row)
	}
}

// content is the part of an entity that a codec stores, as text that is equal only for equal content.
func content(c *codec.Codec, e *engine.Entity) string {
	var b []byte
	for i, name := range c.Names {
		for part := 0; ; part++ {
			v := propertyOf(e, keymap.PropertyPart(name, part))
			if v.Type == engine.Absent {
				break
			}
			b = fmt.Appendf(b, "%d.%d=%d:%d:%q;", i, part, v.Type, v.N, v.S)
		}
	}
	return string(b)
}

func propertyOf(e *engine.Entity, name string) engine.Value {
	for i, n := range e.Names {
		if n == name {
			return e.Values[i]
		}
	}
	return engine.Value{}
}

// confirm keeps the faults that persist when entry and row, or row and parent, are seen together.
func (in *inspection) confirm(ctx context.Context) error {
	for _, f := range in.suspects {
		now, err := in.examine(ctx, in.writer, in.rows, f)
		if err != nil {
			return err
		}
		if now != nil {
			in.faults = append(in.faults, now)
		}
		retry.Progress(ctx)
	}
	return nil
}
