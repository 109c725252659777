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

// keyReads gives what the statement has read, and will.
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
	done   bool
	rows   []Stored
}

// ofParent gives the look for a row, which is made when it is read.
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

// pending are the looks that are still to be made, each once.
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
	var mu sync.Mutex // guards the account of memory
	return r.w.Each(ctx, len(looks), func(ctx context.Context, i int) error {
		c := looks[i]
		rows, err := r.readChild(ctx, all.find(c.ref.Child).rows, c)
		if err != nil {
			return err
		}
		var bytes int64
		for _, row := range rows {
			bytes += exec.BytesPerRow + int64(len(row.Row))*exec.BytesPerValue + exec.TextBytes(row.Row)
		}
		c.done, c.rows = true, rows
		mu.Lock()
		defer mu.Unlock()
		return r.w.Charge(bytes, "write")
	})
}

// readChild reads the rows that refer to one row.
func (r *keyReads) readChild(ctx context.Context, rows *RowWriter, c *childRead) ([]Stored, error) {
	partitions, span, err := c.ref.ChildSpan(c.values)
	if err != nil {
		return nil, err
	}
	parts, err := c.ref.ChildPartitions(c.values)
	if err != nil {
		return nil, err
	}
	t, ix := rows.Table, c.ref.ChildKey()
	s := &exec.SpanSource{Run: &r.w.Run, Limit: c.limit, Scan: engine.Scan{Meter: r.w.X.Meter, Budget: r.w.X.Budget, Decided: true}}
	for _, part := range parts {
		for _, p := range partitions {
			s.Spans = append(s.Spans, access.Span{Partition: part, PartitionKey: p, Span: span})
		}
	}
	defer s.Close()
	whole := rows.Row.Decoder(exec.Positions(0, len(t.Columns)), 0, nil)
	var found []Stored
	for c.limit == 0 || len(found) < c.limit {
		e, key, err := s.NextEntity(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if ix == nil && t.IsParentCopy(key) || ix != nil && !ix.IsEntry(key) {
			continue
		}
		row := Stored{Etag: e.ETag, from: ix}
		if ix == nil {
			row.Row = make([]value.Value, t.RowWidth())
			err = whole.DecodeRow(e, row.Row)
		} else {
			row.Row, err = rows.entryRow(e, ix)
		}
		if err != nil {
			return nil, err
		}
		found = append(found, row)
	}
	if ix == nil || ix.Copy == schema.CopyRow || c.limit > 0 {
		return found, nil
	}
	// The entries hold no whole rows, which a cascade needs.
	return found, r.w.Each(ctx, len(found), func(ctx context.Context, i int) error {
		partition, key, err := RowPlace(rows.Table, found[i].Row)
		if err != nil {
			return err
		}
		part, err := t.PartitionOf(found[i].Row)
		if err != nil {
			return err
		}
		row, there, err := rows.Read(ctx, r.w, part, partition, key)
		if err == nil && !there {
			err = errTorn
		}
		found[i] = row
		return err
	})
}
