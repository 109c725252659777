package ddl

import (
	"context"
	"fmt"

	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// examination checks an index entry against the row that it belongs to, or a row against its parent,
// while other processes may be writing both.
type examination struct {
	*definition
	w    *dml.Writer
	rows *dml.RowWriter
	f    *fault
	i    int   // of the index; -1 if a row is examined: then the row stands for the entry, and its parent for the row
	row  place // no key until an entry tells it
}

// sight is an entity as it was read; found is false if there was none.
type sight struct {
	engine.Entity
	found bool
}

// examine gives what is wrong with an entry; nil if nothing is. No read covers two entities, so it reads entry and row in
// turn until two reads of one find it unchanged, by its ETag: what it read of the other in between existed at the same
// time.
func (x *definition) examine(ctx context.Context, w *dml.Writer, rows *dml.RowWriter, f *fault) (*fault, error) {
	s := &examination{definition: x, w: w, rows: rows, f: f, i: indexOf(rows.Table, f.index), row: place{f.home, f.row}}
	entry, err := s.readEntry(ctx)
	if err != nil {
		return nil, err
	}
	row, err := s.read(ctx, s.row)
	if err != nil {
		return nil, err
	}
	tries := retry.Begin(ctx, retry.Race)
	for {
		if !entry.found && !row.found {
			return nil, nil // gone since it was suspected
		}
		was := s.row
		entryAgain, err := s.readEntry(ctx)
		if err != nil {
			return nil, err
		}
		if entryAgain.found && entry.found && entryAgain.ETag == entry.ETag {
			return s.verdict(ctx, &entry, &row)
		}
		rowAgain, err := s.read(ctx, s.row)
		if err != nil {
			return nil, err
		}
		if rowAgain.found && row.found && s.row == was && rowAgain.ETag == row.ETag {
			return s.verdict(ctx, &entryAgain, &row)
		}
		entry, row = entryAgain, rowAgain
		if err := tries.Again(nil); err != nil {
			return nil, err
		}
	}
}

func (s *examination) read(ctx context.Context, at place) (sight, error) {
	if at.key == "" {
		return sight{}, nil
	}
	e, found, err := s.w.Get(ctx, engine.Get{
		Table: s.f.part.Physical, PartitionKey: at.partition, RowKey: at.key, Meter: s.meter,
	})
	return sight{e, found}, err
}

// readEntry reads the entry. If the row's key is not known, the entry tells it: another row may have got the entry meanwhile.
func (s *examination) readEntry(ctx context.Context) (sight, error) {
	e, err := s.read(ctx, place{s.f.partition, s.f.key})
	if err != nil || !e.found || s.f.row != "" {
		return e, err
	}
	s.row, err = s.rowOf(&e.Entity)
	return e, err
}

// rowOf gives the keys of the row that an entry belongs to; none if the entry cannot be read.
func (s *examination) rowOf(entry *engine.Entity) (at place, err error) {
	row := make([]value.Value, s.rows.Table.RowWidth())
	c := s.rows.Entries[s.i]
	if err := c.Decoder(c.Columns, 0, nil).DecodeRow(entry, row); isCorrupt(err) {
		return at, nil
	} else if err != nil {
		return at, err
	}
	at.partition, at.key, err = dml.RowPlace(s.rows.Table, row)
	return at, err
}

// verdict says what is wrong with an entry and a row that existed at the same time.
func (s *examination) verdict(ctx context.Context, entry, row *sight) (*fault, error) {
	if s.f.kind == parentless {
		if !entry.found || row.found {
			return nil, nil
		}
		out := *s.f
		out.etag = entry.ETag
		return &out, nil
	}
	expects, err := s.expects(row)
	if isCorrupt(err) {
		return nil, nil // the row is damaged, and the entry may hold what it lost
	} else if err != nil {
		return nil, err
	}
	out := *s.f
	switch c := s.rows.Entries[s.i]; {
	case entry.found && !expects:
		if owner, err := s.rowOf(&entry.Entity); err != nil {
			return nil, err
		} else if s.f.row != "" && owner != s.row { // which has the entry now
			out.row, out.home = "", ""
			return s.examine(ctx, s.w, s.rows, &out)
		}
		out.kind, out.row, out.home, out.etag = "orphaned", "", "", entry.ETag
	case !entry.found && expects:
		out.kind, out.row, out.home = "missing", s.row.key, s.row.partition
	case entry.found && content(c, &entry.Entity) != content(c, &row.Entity):
		if out.kind, out.row, out.home = "stale", s.row.key, s.row.partition; s.f.index.Unique {
			return &out, s.doubled(ctx, &out, entry)
		}
	default:
		return nil, nil
	}
	return &out, nil
}

// expects says whether a row calls for the entry.
func (s *examination) expects(row *sight) (bool, error) {
	if !row.found {
		return false, nil
	}
	decoder := s.rows.Row.Decoder(exec.Positions(0, len(s.rows.Table.Columns)), 0, nil)
	_, entries, err := s.rows.Sound(decoder, &row.Entity, s.f.part)
	return err == nil && entries[s.i] == dml.EntryKey{Partition: s.f.partition, Key: s.f.key}, err
}

// doubled turns a stale entry into a fault of two rows with one key: the row that the entry was compared with, and the row that
// it holds. Which of them is right cannot be known.
func (s *examination) doubled(ctx context.Context, out *fault, entry *sight) error {
	at, err := s.rowOf(&entry.Entity)
	if err != nil || at == s.row {
		return err
	}
	other, err := s.read(ctx, at)
	if err != nil {
		return err
	}
	if expects, err := s.expects(&other); !expects {
		if isCorrupt(err) {
			return nil
		}
		return err
	}
	out.kind, out.partition, out.key = unsound, s.row.partition, s.row.key
	a, b := s.row, at
	if b.key < a.key {
		a, b = b, a
	}
	in := fmt.Sprintf("partition %q", a.partition)
	if a.partition != b.partition {
		in = fmt.Sprintf("partitions %q and %q", a.partition, b.partition)
	}
	out.cause = engine.Errorf(engine.CodeCorrupt, "the rows under %q and %q of table %s, %s, have the same key in index %s", a.key, b.key, s.rows.Table.Name, in, s.f.index.Name)
	return nil
}

// writeOne writes a row. raced says that another writer was faster, so that nothing was written.
func writeOne(ctx context.Context, w *dml.Writer, r *dml.RowWrite) (raced bool, err error) {
	if err := w.Add(r); err != nil {
		return false, err
	}
	err = w.Flush(ctx)
	return dml.IsRace(err), err
}

// removeOrphan deletes an entry without a row, if it is still what was found.
func (x *definition) removeOrphan(ctx context.Context, t *schema.Table, f *fault) (done bool, err error) {
	w := x.writer(ctx)
	defer w.End()
	r := &dml.RowWrite{Table: t, Partition: f.part, PartitionKey: f.partition}
	r.Add(engine.Op{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: f.partition, RowKey: f.key}, IfMatch: f.etag}, f.index)
	raced, err := writeOne(ctx, w, r)
	if raced {
		return false, nil
	}
	return err == nil, err
}

// mend rewrites the row of a missing or stale entry. It deletes an orphan, and a row without its parent, if they are still what was
// found. It does nothing if another process has mended the fault. A row whose entry is missing may have a value of a unique key that
// another row has got since, together with the entry. That row keeps the entry: then two rows have one key, which nothing mends.
func (x *definition) mend(ctx context.Context, t *schema.Table, f *fault) (done bool, err error) {
	if f.kind == parentless {
		return x.disown(ctx, t, f)
	}
	if f.row == "" {
		return x.removeOrphan(ctx, t, f)
	}
	w := x.writer(ctx)
	defer func() { w.End() }()
	rows := dml.NewRowWriter(t)
	tries := retry.Begin(ctx, retry.Race)
	for {
		old, found, err := rows.Read(ctx, w, f.part, f.home, f.row)
		if err != nil || !found {
			return false, err
		}
		r := &dml.RowWrite{Resolved: true} // a key taken before this is written is seen in the next try
		if err := rows.Renew(ctx, w, r, old, func(i int, at dml.EntryKey, found *engine.Entity) (bool, error) {
			of := fault{index: t.Indexes[i], part: f.part, partition: at.Partition, key: at.Key}
			s := &examination{definition: x, w: w, rows: rows, f: &of, i: i, row: place{f.home, f.row}}
			if err := s.doubled(ctx, &of, &sight{*found, true}); err != nil || of.kind != unsound {
				return err == nil, err
			}
			if of.index == f.index {
				*f = of
			}
			return false, nil
		}); err != nil || f.kind == unsound {
			return false, err
		}
		w.End()
		w = x.writer(ctx)
		raced, err := writeOne(ctx, w, r)
		if !raced {
			return err == nil, err
		}
		if err := tries.Again(err); err != nil {
			return false, err
		}
	}
}
