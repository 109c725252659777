package ddl

import (
	"context"
	"fmt"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// DefaultAnalyzeRequests is about how many requests ANALYZE TABLE sends per table, unless analyze_requests says otherwise.
const DefaultAnalyzeRequests = 100

// analyze finds out how many rows a table has and which values, stores that with the definition, and says what it has read. In memory
// and in a file it reads the whole table, which costs nothing. On Azure it reads a sample: see sampler.
func (x *definition) analyze(ctx context.Context, t *schema.Table, say func(kind, text string)) error {
	if t.IsUndeclared() {
		say("note", "nothing is kept of a table without a definition: CREATE EXTERNAL TABLE gives it one")
		return nil
	}
	if t.Unwritable != nil {
		return t.Unwritable
	}
	c := newCollector(x, ctx, t)
	defer c.writer.End()
	before := x.meter.Requests.Load()
	rows, whole := float64(0), true
	var err error
	if x.Runtime.Engine.Shared() {
		rows, whole, err = x.sampleTable(ctx, t, c)
	} else {
		err = x.eachStored(ctx, t, t.RowSpan(), nil, rowsOf(t, c.add))
		rows = float64(c.read)
	}
	if err != nil {
		return err
	}
	requests := x.meter.Requests.Load() - before
	found := c.statistics(rows, whole)
	found.Requests, found.At = requests, time.Now().UTC().Format(time.DateOnly)
	kept, err := x.Catalog.SetStatistics(ctx, t, found, x.meter)
	if err != nil {
		return err
	}
	switch {
	case !kept:
		say("warning", "the table was dropped or emptied meanwhile: nothing is kept of its rows")
	case whole:
		say("note", fmt.Sprintf("rows %d, all of them read, requests %d", found.Rows, requests))
	default:
		say("note", fmt.Sprintf("about %d rows, by a sample of %d, requests %d", found.Rows, found.Read, requests))
	}
	return nil
}

// sampleTable reads all of a table, or a sample of it, and gives about how many rows it has. whole says that it read them all.
func (x *definition) sampleTable(ctx context.Context, t *schema.Table, c *collector) (rows float64, whole bool, err error) {
	type place struct {
		part      *schema.Partition
		partition *string // nil: all of the physical table
	}
	var places []place
	for _, part := range t.AllPartitions() {
		r := rangeOf(t, part, t.RowSpan())
		if t.Spread != nil && t.Spread.Kind == schema.SpreadByHash {
			r.Partitions = t.StorePartitions()
		}
		if r.Partitions == nil {
			places = append(places, place{part, nil})
		}
		for i := range r.Partitions {
			places = append(places, place{part, &r.Partitions[i]})
		}
	}
	budget := max(1, x.AnalyzeRequests)
	step := max(1, (len(places)+budget-1)/budget) // rows are spread evenly: some of many places are representative
	looked := 0
	spent := func() int { return int(x.meter.Requests.Load()) }
	begun := spent()
	whole = step == 1
	for i := 0; i < len(places); i += step {
		left := (len(places) - i + step - 1) / step
		s := &sampler{definition: x, table: t, collector: c, physical: places[i].part.Physical, span: t.RowSpan(),
			budget: max(1, (budget-(spent()-begun))/left), spent: spent}
		if p := places[i].partition; p != nil {
			s.partition = *p
		} else {
			s.all = true
		}
		n, all, err := s.run(ctx)
		if isGone(err) && x.hasDropped(ctx, t, places[i].part) {
			continue
		}
		if err != nil {
			return 0, false, err
		}
		rows, whole = rows+n, whole && all
		looked++
	}
	if looked > 0 {
		rows *= float64(len(places)) / float64(looked)
	}
	return rows, whole, nil
}

// entityBytes is about how many bytes of a page an entity takes.
func entityBytes(e *engine.Entity) int64 {
	n := len(e.PartitionKey) + len(e.RowKey) + len(e.ETag)
	for i, v := range e.Values {
		switch v.Type {
		case engine.Absent:
		case engine.String, engine.Binary, engine.Guid:
			n += len(e.Names[i]) + len(v.S)
		default:
			n += len(e.Names[i]) + 8
		}
	}
	return int64(n)
}
