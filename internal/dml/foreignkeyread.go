package dml

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// keyReads is what a statement has read for its foreign keys: each thing once.
type keyReads struct {
	w        *Writer
	parents  map[string]*parentRead // by place
	children map[string]*childRead  // by foreign key and place
}

// keyReads gives what the statement has read, and adds to it later.
func (w *Writer) keyReads() *keyReads {
	if w.reads == nil {
		w.reads = &keyReads{w: w, parents: map[string]*parentRead{}, children: map[string]*childRead{}}
	}
	return w.reads
}

// parentRead looks for the row that values refer to.
type parentRead struct {
	ref            *schema.Reference
	part           *schema.Partition // nil: there is none, and so no such row
	partition, key string
	done, found    bool
	etag           string
	owner          string // the rowID of the row that has the key
	row            string // its RowKey
}

// childRead looks for the rows that refer to a row by values.
type childRead struct {
	ref    *schema.Reference
	values []value.Value
	place  string
	limit  int // how many are enough; 0: all
	of     *RowWriter
	spans  []access.Span // where they may be stored
	done   bool
	rows   []Stored
}

// ofParent gives the look for a row, made at the first request for it.
func (r *keyReads) ofParent(ref *schema.Reference, values []value.Value, place string) (*parentRead, error) {
	if p := r.parents[place]; p != nil {
		return p, nil
	}
	part, err := ref.ParentPartition(values)
	if err != nil {
		return nil, err
	}
	partition, key, err := ref.ParentPlace(values)
	if err != nil {
		return nil, err
	}
	p := &parentRead{ref: ref, part: part, partition: partition, key: key}
	r.parents[place] = p
	return p, nil
}

// ofChildren gives the look for the rows that refer to a row.
func (r *keyReads) ofChildren(ref *schema.Reference, values []value.Value, limit int) (*childRead, error) {
	place, err := placeOf(ref, values)
	if err != nil {
		return nil, err
	}
	id := ref.Child.Name + "\x00" + ref.Name + "\x00" + place
	c := r.children[id]
	if c == nil || c.done && c.limit > 0 && (limit == 0 || limit > c.limit) {
		c = &childRead{ref: ref, values: values, place: place, limit: limit}
		r.children[id] = c
	}
	return c, nil
}

// pending are the looks still to be made, each once.
func pending[T comparable](all []T, done func(T) bool) (out []T) {
	seen := map[T]bool{}
	for _, x := range all {
		if !seen[x] && !done(x) {
			seen[x], out = true, append(out, x)
		}
	}
	return out
}

func (r *keyReads) readParents(ctx context.Context, all *relations, looks []*parentRead) error {
	looks = pending(looks, func(p *parentRead) bool {
		p.done = p.done || p.part == nil
		return p.done
	})
	gets := make([]engine.Get, len(looks))
	for i, p := range looks {
		gets[i] = engine.Get{Table: p.part.Physical, PartitionKey: p.partition, RowKey: p.key, Meter: r.w.X.Meter}
		if p.ref.ParentKey() == nil {
			gets[i].Select = []string{}
		}
	}
	return r.w.GetEach(ctx, gets, func(i int, e *engine.Entity, found bool) error {
		p := looks[i]
		t, ix := p.ref.Parent, p.ref.ParentKey()
		p.done, p.found, p.etag, p.row = true, found, e.ETag, p.key
		in := p.partition
		if found && ix != nil {
			row, err := all.find(t).rows.entryRow(e, ix)
			if err != nil {
				return err
			}
			if in, p.row, err = RowPlace(t, row); err != nil {
				return err
			}
		}
		p.owner = placeID(t.Physical, in, p.row)
		return nil
	})
}

// entryRow decodes what an entry of an index holds of its row.
func (rw *RowWriter) entryRow(e *engine.Entity, ix *schema.Index) ([]value.Value, error) {
	row := make([]value.Value, rw.Table.RowWidth())
	c := rw.Entries[slices.Index(rw.Table.Indexes, ix)]
	return row, c.Decoder(c.Columns, 0, nil).DecodeRow(e, row)
}

func (r *keyReads) readChildren(ctx context.Context, all *relations, looks []*childRead) error {
	looks = pending(looks, func(c *childRead) bool { return c.done })
	for _, c := range looks {
		if err := c.locate(all.find(c.ref.Child).rows); err != nil {
			return err
		}
	}
	if err := r.readNear(ctx, looks); err != nil {
		return err
	}
	err := r.w.Each(ctx, len(looks), func(ctx context.Context, i int) error {
		if looks[i].done {
			return nil
		}
		return r.readChild(ctx, looks[i])
	})
	if err == nil {
		err = r.complete(ctx, looks)
	}
	if err != nil {
		return err
	}
	var bytes int64
	for _, c := range looks {
		c.done = true
		for _, row := range c.rows {
			bytes += exec.BytesPerRow + int64(len(row.Row))*exec.BytesPerValue + exec.TextBytes(row.Row)
		}
	}
	return r.w.Charge(bytes, "write")
}

// locate finds where the rows are stored.
func (c *childRead) locate(of *RowWriter) error {
	partitions, span, err := c.ref.ChildSpan(c.values)
	if err != nil {
		return err
	}
	parts, err := c.ref.ChildPartitions(c.values)
	if err != nil {
		return err
	}
	c.of, c.rows, c.spans = of, nil, c.spans[:0]
	for _, part := range parts {
		for _, p := range partitions {
			c.spans = append(c.spans, access.Span{Partition: part, PartitionKey: p, Span: span})
		}
	}
	return nil
}

// readNear reads what lies close together, and completes those looks.
func (r *keyReads) readNear(ctx context.Context, looks []*childRead) error {
	var scans []engine.Scan
	var of []*childRead
	for _, c := range looks {
		if len(c.spans) != 1 {
			continue
		}
		at := c.spans[0]
		scans = append(scans, engine.Scan{Table: at.Partition.Physical, PartitionKey: at.PartitionKey, From: at.From, To: at.To, Meter: r.w.X.Meter, Budget: r.w.X.Budget, Decided: true})
		of = append(of, c)
	}
	var mu sync.Mutex // guards looks: a table has one decoder
	answered, err := r.w.ScanNear(ctx, scans, func(i int, e *engine.Entity) error {
		mu.Lock()
		defer mu.Unlock()
		return of[i].take(e)
	})
	if err != nil || answered == nil {
		return err
	}
	for i, c := range of {
		if c.done = answered[i]; !c.done {
			c.rows = nil
		}
	}
	return nil
}

// readChild reads the rows that refer to one row.
func (r *keyReads) readChild(ctx context.Context, c *childRead) error {
	s := &exec.SpanSource{Run: &r.w.Run, Limit: c.limit, Spans: c.spans, Scan: engine.Scan{Meter: r.w.X.Meter, Budget: r.w.X.Budget, Decided: true}}
	defer s.Close()
	for c.limit == 0 || len(c.rows) < c.limit {
		e, _, err := s.NextEntity(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := c.take(e); err != nil {
			return err
		}
	}
	return nil
}

// take adds an entity of the span.
func (c *childRead) take(e *engine.Entity) error {
	t, ix := c.of.Table, c.ref.ChildKey()
	if ix == nil && t.IsParentCopy(e.RowKey) || ix != nil && !ix.IsEntry(e.RowKey) || c.limit > 0 && len(c.rows) == c.limit {
		return nil
	}
	row, err := Stored{Etag: e.ETag, from: ix}, error(nil)
	if ix == nil {
		row, err = c.of.stored(e)
	} else {
		row.Row, err = c.of.entryRow(e, ix)
	}
	c.rows = append(c.rows, row)
	return err
}

// complete reads the rows of index entries that are not whole copies, which a cascade needs.
func (r *keyReads) complete(ctx context.Context, looks []*childRead) error {
	var gets []engine.Get
	var to []*Stored
	var of []*RowWriter
	for _, c := range looks {
		if ix := c.ref.ChildKey(); ix == nil || ix.Copy == schema.CopyRow || c.limit > 0 {
			continue
		}
		for i := range c.rows {
			partition, key, err := RowPlace(c.of.Table, c.rows[i].Row)
			if err != nil {
				return err
			}
			part, err := c.of.Table.PartitionOf(c.rows[i].Row)
			if err != nil {
				return err
			}
			gets = append(gets, engine.Get{Table: part.Physical, PartitionKey: partition, RowKey: key, Meter: r.w.X.Meter})
			to, of = append(to, &c.rows[i]), append(of, c.of)
		}
	}
	return r.w.GetEach(ctx, gets, func(i int, e *engine.Entity, found bool) error {
		if !found {
			return errTorn
		}
		row, err := of[i].stored(e)
		*to[i] = row
		return err
	})
}
