package main

import (
	"context"
	"fmt"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

const batchSize = 100

// eachKind sends batches that insert, merge and replace the entities of a partition, and hands on what each one's answer has.
func eachKind(ctx context.Context, s *service, partition string, answered func(etags []string) error) error {
	for round, kind := range []engine.OpKind{engine.Insert, engine.Merge, engine.Replace} {
		var ops []engine.Op
		for i := range batchSize {
			ops = append(ops, engine.Op{Kind: kind, Entity: with(entity(partition, fmt.Sprintf("%03d", i)), "a", number(round))})
		}
		etags, err := s.write(ctx, ops...)
		if err != nil {
			return err
		}
		if err := answered(etags); err != nil {
			return err
		}
	}
	return nil
}

func batchETags(ctx context.Context, s *service) (answer, error) {
	has, of := 0, 0
	err := eachKind(ctx, s, "kinds", func(etags []string) error {
		for _, etag := range etags {
			if of++; etag != "" {
				has++
			}
		}
		return nil
	})
	return count(has, of, "operations"), err
}

// sameETags looks at batches, where their answers have ETags, and at single writes.
func sameETags(ctx context.Context, s *service) (answer, error) {
	same, of := 0, 0
	compare := func(partition, row, etag string) error {
		e, err := s.read(ctx, partition, row)
		if of++; err == nil && e.ETag == etag {
			same++
		}
		return err
	}
	err := eachKind(ctx, s, "same", func(etags []string) error {
		for i := 0; i < len(etags); i += 10 {
			if etags[i] == "" {
				continue
			}
			if err := compare("same", fmt.Sprintf("%03d", i), etags[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return answer{}, err
	}
	for _, kind := range []engine.OpKind{engine.Insert, engine.Merge, engine.Replace, engine.Upsert} {
		etags, err := s.write(ctx, engine.Op{Kind: kind, Entity: with(entity("same", "single"), "a", number(int(kind)))})
		if err != nil {
			return answer{}, err
		}
		if err := compare("same", "single", etags[0]); err != nil {
			return answer{}, err
		}
	}
	return count(same, of, "answers"), nil
}

// distinctETags writes one entity from several goroutines: the closer two writes are, the sooner a clock gives them one time.
func distinctETags(ctx context.Context, s *service) (answer, error) {
	if _, err := s.write(ctx, insert(entity("distinct", "1"))...); err != nil {
		return answer{}, err
	}
	etags := make([]string, s.many.writes)
	err := engine.SideBySide(ctx, 8, len(etags), func(ctx context.Context, i int) error {
		written, err := s.write(ctx, engine.Op{Kind: engine.Merge, Entity: with(entity("distinct", "1"), "a", number(i))})
		etags[i] = written[0]
		return err
	})
	different := map[string]bool{}
	for _, etag := range etags {
		different[etag] = true
	}
	return count(len(different), len(etags), "are different"), err
}

func reinsertedETag(ctx context.Context, s *service) (answer, error) {
	const times = 50
	different := map[string]bool{}
	for range times {
		etags, err := s.write(ctx, insert(entity("again", "1"))...)
		if err != nil {
			return answer{}, err
		}
		different[etags[0]] = true
		if _, err := s.write(ctx, engine.Op{Kind: engine.Delete, Entity: entity("again", "1"), IfMatch: etags[0]}); err != nil {
			return answer{}, err
		}
	}
	return count(len(different), times, "are different"), nil
}

// mergeOfNothing sends it beside another operation, as the driver does.
func mergeOfNothing(ctx context.Context, s *service) (answer, error) {
	const times = 20
	so := 0
	if _, err := s.write(ctx, insert(with(entity("nothing", "parent"), "a", number(7)))...); err != nil {
		return answer{}, err
	}
	for i := range times {
		before, err := s.read(ctx, "nothing", "parent")
		if err != nil {
			return answer{}, err
		}
		ops := insert(entity("nothing", fmt.Sprintf("child %d", i)))
		if _, err = s.write(ctx, append(ops, engine.Op{Kind: engine.Merge, Entity: entity("nothing", "parent")})...); err != nil {
			return answer{}, err
		}
		after, err := s.read(ctx, "nothing", "parent")
		if err != nil {
			return answer{}, err
		}
		if after.ETag != before.ETag && engine.Gather(after.Names, after.Values, []string{"a"})[0] == number(7) {
			so++
		}
	}
	return count(so, times, "merges"), nil
}
