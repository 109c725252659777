package ddl

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// maintain is CHECK TABLE and REPAIR TABLE, which hold every index entry against its row, and every row of a table inside
// another one against its parent; OPTIMIZE TABLE, which gives a file's free space back; and ANALYZE TABLE, which
// finds out what plans go by.
func (x *definition) maintain(ctx context.Context, s *dialect.MaintainTable) (*Outcome, error) {
	out := &Outcome{}
	for _, name := range []string{"Table", "Op", "Msg_type", "Msg_text"} {
		out.Columns = append(out.Columns, planner.ResultColumn{Name: name, Type: value.Type{Base: value.TypeText}})
	}
	if err := x.sweep(ctx, s, out); err != nil {
		return nil, err
	}
	for _, name := range s.Tables {
		t, err := x.known(ctx, name)
		if err != nil {
			return nil, err
		}
		if t.Unwritable != nil && s.Verb == "REPAIR" {
			return nil, t.Unwritable
		}
		say := func(kind, text string) { x.say(out, t, s.Verb, kind, text) }
		if t.IsView() {
			if err := x.maintainView(ctx, t, s.Verb, say); err != nil {
				return nil, err
			}
			continue
		}
		damaged, err := x.maintainStored(ctx, t, s.Verb, say)
		if err != nil {
			return nil, err
		}
		if damaged {
			continue
		}
		if s.Verb == "ANALYZE" {
			if err := x.analyze(ctx, t, say); err != nil {
				return nil, err
			}
		}
		if t.IsExternal() {
			if s.Verb == "CHECK" {
				note, err := x.otherForms(ctx, t)
				if err != nil {
					return nil, err
				}
				if note != "" {
					say("note", note)
				}
			}
			say("status", "OK")
			continue
		}
		switch s.Verb {
		case "CHECK", "REPAIR":
			faults, err := x.faults(ctx, t)
			if err == nil {
				err = x.addDangling(ctx, t, &faults)
			}
			if err != nil {
				return nil, err
			}
			for _, f := range faults {
				if s.Verb == "REPAIR" && f.canBeMended() {
					done, err := x.mend(ctx, t, f)
					if err != nil {
						return nil, err
					}
					retry.Progress(ctx)
					if done {
						say("warning", f.mended()+": "+f.text())
					}
					if f.canBeMended() {
						continue
					}
				}
				say("error", f.text())
			}
			if s.Verb == "REPAIR" {
				faults = slices.DeleteFunc(faults, func(f *fault) bool { return f.canBeMended() })
			}
			if len(faults) > 0 {
				say("error", summary(t, faults))
				continue
			}
		}
		say("status", "OK")
	}
	return out, nil
}

// say adds a row to the result.
func (x *definition) say(out *Outcome, t *schema.Table, verb, kind, text string) {
	row := []value.Value{}
	for _, cell := range []string{x.Database + "." + t.Name, lower(verb), kind, text} {
		row = append(row, value.FromString(cell))
	}
	out.Rows = append(out.Rows, row)
}

// maintainStored checks or mends what the store holds of a table, where a store has something to check. damaged says that
// something is not as it was written: then looking further is of no use.
func (x *definition) maintainStored(ctx context.Context, t *schema.Table, verb string, say func(kind, text string)) (damaged bool, err error) {
	store, ok := x.Runtime.Engine.(engine.Maintainer)
	if !ok {
		return false, nil
	}
	switch verb {
	case "OPTIMIZE":
		return false, store.Compact(ctx)
	case "ANALYZE":
		return false, nil
	}
	for _, part := range t.AllPartitions() {
		physical := part.Physical
		faults, err := store.Verify(ctx, physical)
		if err != nil {
			return false, err
		}
		if len(faults) == 0 {
			continue
		}
		if verb == "CHECK" {
			damaged = true
			sayFirst(faults, "error", "", say)
			continue
		}
		lost, err := store.Salvage(ctx, physical)
		if err != nil {
			return false, err
		}
		sayFirst(lost, "warning", "given up: ", say)
	}
	if damaged {
		say("error", "Corrupt")
	}
	return damaged, nil
}

// sayFirst says the first of many things, and how many more there are.
func sayFirst(texts []string, kind, prefix string, say func(kind, text string)) {
	const most = 20
	for i, text := range texts {
		if i == most {
			say(kind, fmt.Sprintf("%s%d more", prefix, len(texts)-most))
			return
		}
		say(kind, prefix+text)
	}
}

// otherForms counts the entities of an external table whose keys have another form, and which no query sees. Every row is
// decoded: a row that does not have the columns' types is an error.
func (x *definition) otherForms(ctx context.Context, t *schema.Table) (string, error) {
	decoder := codec.NewCodec(t).Decoder(exec.Positions(0, len(t.Columns)), 0, nil)
	row := make([]value.Value, t.RowWidth())
	rows, others, example := 0, 0, ""
	err := x.eachStored(ctx, t, keymap.Span{}, nil, func(e *engine.Entity) error {
		err := decoder.DecodeRow(e, row)
		if err != codec.ErrOtherForm {
			rows++
			return err
		}
		if others++; others == 1 {
			example = fmt.Sprintf("partition %q, key %q", e.PartitionKey, e.RowKey)
		}
		return nil
	})
	if err != nil || others == 0 {
		return "", err
	}
	return fmt.Sprintf("%d entities are rows; %d have keys of another form and are no rows of this table, such as %s", rows, others, example), nil
}

func lower(verb string) string {
	b := []byte(verb)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// fault is an index entry that is not what its row says, a row without the parent that it says, or a row that is not
// what its own keys say.
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

// unsound is the kind of a fault in a row whose right content nobody knows. The row and the entries that hold its values are
// left as they are.
const unsound = "unsound"

// canBeMended says whether REPAIR TABLE knows what to do.
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

// mended is what REPAIR TABLE has done about the fault.
func (f *fault) mended() string {
	if f.kind == parentless {
		return "deleted"
	}
	return "mended"
}

// place is an entity of a table.
type place struct{ partition, key string }

// expected is what a row says of one of its entries.
type expected struct {
	index     *schema.Index
	home, row string
	hash      string
}

// faults finds every missing, stale and orphaned entry of the public indexes, and every row without its parent. What
// looks wrong is examined, because others may be writing.
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

// faultsIn is faults of one partition.
func (x *definition) faultsIn(ctx context.Context, t *schema.Table, part *schema.Partition) ([]*fault, error) {
	rows := dml.NewRowWriter(t)
	w := x.writer(ctx)
	defer w.End()
	var faults []*fault
	want := map[place]expected{}
	lines := &lineage{table: t, children: map[place][]string{}}
	decoder := rows.Row.Decoder(exec.Positions(0, len(t.Columns)), 0, nil)
	var suspects []*fault
	err := x.eachInPartition(ctx, t, part, t.RowSpan(), nil, rowsOf(t, func(e *engine.Entity) error {
		row, entries, err := rows.Sound(decoder, e, part)
		if isCorrupt(err) {
			faults = append(faults, &fault{kind: unsound, part: part, partition: e.PartitionKey, key: e.RowKey, cause: err})
			return nil
		} else if err != nil {
			return err
		}
		key := e.RowKey
		if t.IsInterleaved() {
			bytes, err := lines.add(row, e.PartitionKey, key)
			if err == nil {
				err = w.Charge(bytes, "CHECK TABLE")
			}
			if err != nil {
				return err
			}
		}
		for i, ix := range t.Indexes {
			if ix.State != schema.Public {
				continue
			}
			hash, at := content(rows.Entries[i], e), place{entries[i].Partition, entries[i].Key}
			if _, taken := want[at]; taken { // another row has the same unique key, or had it a moment ago
				suspects = append(suspects, &fault{kind: "stale", index: ix, part: part, partition: at.partition, key: at.key, home: e.PartitionKey, row: key})
				continue
			}
			want[at] = expected{ix, e.PartitionKey, key, hash}
			if err := w.Charge(int64(len(entries[i].Key)+len(key)+len(hash)+exec.BytesPerRow*4), "CHECK TABLE"); err != nil {
				return err
			}
		}
		return nil
	}))
	if err != nil {
		return nil, err
	}
	for i, ix := range t.Indexes {
		if ix.State != schema.Public {
			continue
		}
		codec := rows.Entries[i]
		err := x.eachInPartition(ctx, t, part, keymap.PrefixSpan(ix.KeyName+string(keymap.Separator)), nil, func(e *engine.Entity) error {
			if !ix.IsEntry(e.RowKey) {
				return nil
			}
			at := place{e.PartitionKey, e.RowKey}
			say, known := want[at]
			delete(want, at)
			switch {
			case !known:
				suspects = append(suspects, &fault{kind: "orphaned", index: ix, part: part, partition: at.partition, key: at.key})
			case say.hash != content(codec, e):
				suspects = append(suspects, &fault{kind: "stale", index: ix, part: part, partition: at.partition, key: at.key, home: say.home, row: say.row})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for at, say := range want {
		suspects = append(suspects, &fault{kind: "missing", index: say.index, part: part, partition: at.partition, key: at.key, home: say.home, row: say.row})
	}
	if t.IsInterleaved() && len(lines.children) > 0 {
		orphans, err := x.orphans(ctx, lines, part)
		if err != nil {
			return nil, err
		}
		suspects = append(suspects, orphans...)
	}
	confirmed, err := x.confirmed(ctx, w, rows, suspects)
	return append(faults, confirmed...), err
}

func isCorrupt(err error) bool {
	var e *engine.Error
	return errors.As(err, &e) && e.Code == engine.CodeCorrupt
}

// content is the part of an entity that a codec stores, as text that is the same only for the same content.
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

// confirmed keeps the faults that are still there when entry and row, or row and parent, are seen together.
func (x *definition) confirmed(ctx context.Context, w *dml.Writer, rows *dml.RowWriter, suspects []*fault) ([]*fault, error) {
	var faults []*fault
	for _, f := range suspects {
		now, err := x.examine(ctx, w, rows, f)
		if err != nil {
			return nil, err
		}
		if now != nil {
			faults = append(faults, now)
		}
		retry.Progress(ctx)
	}
	return faults, nil
}

func indexOf(t *schema.Table, ix *schema.Index) int {
	for i := range t.Indexes {
		if t.Indexes[i] == ix {
			return i
		}
	}
	return -1
}
