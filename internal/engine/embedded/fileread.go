package embedded

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// viewer is what reads of a file go through: a moment, or else the file itself, for which each call is a moment of its own.
type viewer struct {
	file   *File
	moment *fileMoment
}

// view runs fn, which reads t. fn must not wait for anything, least of all for a writer.
func (v viewer) view(t *fileTable, fn func(s *fileState) error) error {
	if v.moment != nil {
		return v.moment.view(t, fn)
	}
	return v.file.view(t, fn)
}

// Get implements engine.Engine.
func (f *File) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	return viewer{file: f}.get(ctx, g, *f.tables.Load())
}

// Scan implements engine.Engine.
func (f *File) Scan(_ context.Context, s engine.Scan) engine.Cursor {
	return viewer{file: f}.scan(s, *f.tables.Load())
}

// get reads an entity of one of these tables.
func (v viewer) get(ctx context.Context, g engine.Get, tables fileTables) (engine.Entity, error) {
	f := v.file
	var e engine.Entity
	if err := ctx.Err(); err != nil {
		return e, err
	}
	if f.closed.Load() {
		return e, errClosed()
	}
	if err := f.limits.CheckGet(&g); err != nil {
		return e, err
	}
	if g.Meter != nil {
		g.Meter.Requests.Add(1)
	}
	t := tables.named(g.Table)
	if t == nil {
		return e, errNoTable(g.Table)
	}
	err := v.view(t, func(s *fileState) error {
		in := t.in(s)
		if in.entities == nil {
			return errNoTable(g.Table) // deleted meanwhile
		}
		var room [128]byte
		key := appendKey(room[:0], g.PartitionKey, g.RowKey)
		record := in.entities.Get(key)
		if record == nil {
			return errNoEntity(g.Table, g.PartitionKey, g.RowKey)
		}
		r := newRecordReader(t.dict, g.Select, nil)
		if err := r.read(in, key, record); err != nil {
			return err
		}
		a := arena{size: len(record) / 2}
		a.keep(r.values)
		e = engine.Entity{
			PartitionKey: g.PartitionKey, RowKey: g.RowKey, ETag: a.etag(r.version), Timestamp: r.ticks,
			Names: r.names, Values: r.values,
		}
		return nil
	})
	if err != nil {
		return engine.Entity{}, err
	}
	if g.Meter != nil {
		g.Meter.Scanned.Add(1)
		g.Meter.Returned.Add(1)
	}
	return e, nil
}
