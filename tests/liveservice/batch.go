package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// staleBatch sends batches whose last operation has an outdated ETag. The others insert, merge and delete.
func staleBatch(ctx context.Context, s *service) (answer, error) {
	so, of := 0, 0
	for _, kind := range []engine.OpKind{engine.Merge, engine.Replace, engine.Delete} {
		partition := fmt.Sprintf("stale %d", kind)
		at := func(row string, a int) engine.Entity { return with(entity(partition, row), "a", number(a)) }
		if _, err := s.write(ctx, insert(at("changed", 1), at("deleted", 1), at("merged", 1))...); err != nil {
			return answer{}, err
		}
		old, err := s.read(ctx, partition, "changed")
		if err != nil {
			return answer{}, err
		}
		if _, err := s.write(ctx, engine.Op{Kind: engine.Merge, Entity: at("changed", 2), IfMatch: old.ETag}); err != nil {
			return answer{}, err
		}
		_, err = s.write(ctx,
			engine.Op{Kind: engine.Insert, Entity: at("inserted", 3)},
			engine.Op{Kind: engine.Merge, Entity: at("merged", 3)},
			engine.Op{Kind: engine.Delete, Entity: entity(partition, "deleted")},
			engine.Op{Kind: kind, Entity: at("changed", 3), IfMatch: old.ETag})
		refused, err := wasRefused(err, engine.CodeStale)
		if err != nil {
			return answer{}, err
		}
		is, err := s.values(ctx, partition)
		if err != nil {
			return answer{}, err
		}
		if of++; refused && is == "changed=2 deleted=1 merged=1" {
			so++
		}
	}
	return count(so, of, "batches"), nil
}

// values gives the entities of a partition with their a.
func (s *service) values(ctx context.Context, partition string) (all string, err error) {
	err = engine.Each(ctx, s, engine.Scan{Table: s.table, PartitionKey: partition, Select: []string{"a"}}, func(e *engine.Entity) error {
		if all != "" {
			all += " "
		}
		all += fmt.Sprintf("%s=%d", e.RowKey, int(e.Values[0].N))
		return nil
	})
	return all, err
}

// doubledBatch sends batches twice, at once and side by side, as a network may.
func doubledBatch(ctx context.Context, s *service) (answer, error) {
	const times = 20
	so := 0
	for i := range times {
		partition := fmt.Sprintf("double %d", i)
		ops := insert(entity(partition, "1"), entity(partition, "2"))
		var failures [2]error
		send := func(ctx context.Context, i int) error {
			_, failures[i] = s.write(ctx, ops...)
			return nil
		}
		if err := engine.SideBySide(ctx, 1+i%2, len(failures), send); err != nil {
			return answer{}, err
		}
		applied := 0
		for _, err := range failures {
			refused, err := wasRefused(err, engine.CodeExists)
			if err != nil {
				return answer{}, err
			}
			if !refused {
				applied++
			}
		}
		if applied == 0 {
			return answer{}, errors.New("both were refused")
		}
		if applied == 1 {
			so++
		}
	}
	return count(so, times, "batches"), nil
}
