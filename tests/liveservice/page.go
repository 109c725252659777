package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// A partition that fills most of a page, so that reading it takes the store some time. Each batch of the writer changes entities all
// over it: the replaced ones get the batch's number, and inserted ones with that number take the place of those of the batch before.
const (
	still    = 800
	replaced = 30
	moved    = 30
	readers  = 4

	fewestBatches = 10 // however slow the store is
)

// wholePages has readers read the partition while a writer sends batches. What a page shows must be of one batch.
func wholePages(ctx context.Context, s *service) (answer, error) {
	const partition = "pages"
	at := func(kind string, i, of, n int) engine.Entity {
		// The keys of all kinds lie between each other.
		return with(with(entity(partition, fmt.Sprintf("%04d %s %d", i*10000/of, kind, n)), "n", number(n)), "kind", text(kind))
	}
	batch := func(n int) (ops []engine.Op) {
		for i := range replaced {
			ops = append(ops, engine.Op{Kind: engine.Upsert, Entity: with(at("replaced", i, replaced, 0), "by", number(n))})
		}
		for i := range moved {
			ops = append(ops, engine.Op{Kind: engine.Insert, Entity: at("moved", i, moved, n)})
			if n > 0 {
				ops = append(ops, engine.Op{Kind: engine.Delete, Entity: entity(partition, at("moved", i, moved, n-1).RowKey)})
			}
		}
		return ops
	}
	var quiet []engine.Entity
	for i := range still {
		quiet = append(quiet, with(at("still", i, still, 0), "text", text("something to be read")))
	}
	for some := range slices.Chunk(quiet, batchSize) {
		if _, err := s.write(ctx, insert(some...)...); err != nil {
			return answer{}, err
		}
	}
	if _, err := s.write(ctx, batch(0)...); err != nil {
		return answer{}, err
	}

	written, read, whole := 0, [readers]int{}, [readers]int{}
	var done atomic.Bool
	end := time.Now().Add(s.many.pages)
	err := engine.SideBySide(ctx, readers+1, readers+1, func(ctx context.Context, i int) error {
		if i == readers {
			defer done.Store(true)
			for ; written < fewestBatches || time.Now().Before(end); written++ {
				if _, err := s.write(ctx, batch(written+1)...); err != nil {
					return err
				}
			}
			return nil
		}
		for !done.Load() {
			pages, good, err := s.readPages(ctx, partition)
			if err != nil {
				return err
			}
			read[i] += pages
			whole[i] += good
		}
		return nil
	})
	pages, good := 0, 0
	for i := range readers {
		pages, good = pages+read[i], good+whole[i]
	}
	return count(good, pages, fmt.Sprintf("pages, beside %d batches", written)), err
}

// readPages reads a partition, and says how many pages it was given and how many of them are of one moment.
func (s *service) readPages(ctx context.Context, partition string) (pages, good int, err error) {
	c := s.Scan(ctx, engine.Scan{Table: s.table, PartitionKey: partition, Select: []string{"kind", "n", "by"}, Whole: true})
	defer c.Close()
	parts := 0
	for {
		entities, err := c.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, 0, err
		}
		pages++
		var one bool
		if one, parts = ofOneMoment(entities); one {
			good++
		}
	}
	if pages == 1 && parts != replaced+moved {
		good = 0 // all of one batch, and that not whole
	}
	return pages, good, nil
}

// ofOneMoment says whether all that a page shows of the batches is of the same one, and how much that is.
func ofOneMoment(entities []engine.Entity) (one bool, parts int) {
	var number engine.Value
	one = true
	for i := range entities {
		kind, n := entities[i].Values[0].S, entities[i].Values[1]
		switch kind {
		case "replaced":
			n = entities[i].Values[2]
		case "moved":
		default:
			continue
		}
		if parts++; parts == 1 {
			number = n
		}
		one = one && n == number
	}
	return one, parts
}
