package enginetest

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// together runs fn in n goroutines that start at one time.
func (f *fixture) together(n int, fn func(i int) error) {
	f.Helper()
	start := make(chan struct{})
	errs := make(chan error, n)
	for i := range n {
		go func() {
			<-start
			errs <- fn(i)
		}()
	}
	close(start)
	for range n {
		if err := <-errs; err != nil {
			f.Error(err)
		}
	}
	if f.Failed() {
		f.FailNow()
	}
}

// testOneWins: of many writers with one ETag, or one key, exactly one succeeds.
func testOneWins(f *fixture) {
	f.must(op(engine.Insert, "p", "r", props{"W": i32(-1)}))
	for round := range int32(5) {
		etag := f.get("p", "r").ETag
		var won, winner atomic.Int32
		f.together(8, func(i int) error {
			err := f.commit(opIf(engine.Replace, "p", "r", props{"W": i32(int32(i)), "Round": i32(round)}, etag))
			if err == nil {
				won.Add(1)
				winner.Store(int32(i))
			} else if code(err) != engine.CodeStale {
				return err
			}
			return nil
		})
		if won.Load() != 1 {
			f.Fatalf("%d writers with one ETag have won", won.Load())
		}
		f.holds("p", "r", props{"W": i32(winner.Load()), "Round": i32(round)})

		won.Store(0)
		f.together(8, func(i int) error {
			err := f.commit(op(engine.Insert, "p", fmt.Sprintf("new%d", round), props{"W": i32(int32(i))}), op(engine.Insert, "p", fmt.Sprintf("w%d-%d", round, i), nil))
			if err == nil {
				won.Add(1)
				winner.Store(int32(i))
			} else if code(err) != engine.CodeExists {
				return err
			}
			return nil
		})
		if won.Load() != 1 {
			f.Fatalf("%d inserts of one key have won", won.Load())
		}
		f.gives(engine.Scan{PartitionKey: "p", From: fmt.Sprintf("w%d-", round), To: fmt.Sprintf("w%d.", round)}, fmt.Sprintf("p/w%d-%d", round, winner.Load()))
	}
}

// testCounter: many writers count in one entity under its ETag, and no count is lost.
func testCounter(f *fixture) {
	const writers, each = 6, 5
	f.must(op(engine.Insert, "p", "n", props{"N": i64(0)}))
	f.together(writers, func(i int) error {
		for done := 0; done < each; {
			e, err := f.e.Get(f.ctx, engine.Get{Table: f.table, PartitionKey: "p", RowKey: "n", Select: []string{"N"}})
			if err != nil {
				return err
			}
			err = f.commit(opIf(engine.Merge, "p", "n", props{"N": i64(int64(e.Values[0].N) + 1)}, e.ETag),
				op(engine.Insert, "p", fmt.Sprintf("log%d-%d", i, done), nil))
			if err == nil {
				done++
			} else if code(err) != engine.CodeStale {
				return err
			}
		}
		return nil
	})
	f.holds("p", "n", props{"N": i64(writers * each)})
	if got := f.scan(engine.Scan{PartitionKey: "p", From: "log", To: "loh"}); len(got) != writers*each {
		f.Fatalf("%d of %d batches are there whole", len(got), writers*each)
	}
}

// testReadersDuringWrites: a reader of one entity sees it before or after a write, never in between,
// and never goes back.
func testReadersDuringWrites(f *fixture) {
	write := func(kind engine.OpKind, n int64) error {
		return f.commit(op(kind, "p", "a", props{"N": i64(n), "Again": i64(n), "S": str(fmt.Sprint(n))}), op(kind, "p", "b", props{"N": i64(n)}))
	}
	if err := write(engine.Insert, 0); err != nil {
		f.Fatal(err)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	errs := make(chan error, 8)
	for range 3 {
		wg.Go(func() {
			last := int64(0)
			for {
				select {
				case <-stop:
					return
				default:
				}
				e, err := f.e.Get(f.ctx, engine.Get{Table: f.table, PartitionKey: "p", RowKey: "a", Select: []string{"N", "Again", "S"}})
				if err != nil {
					errs <- err
					return
				}
				n := int64(e.Values[0].N)
				if n < last || e.Values[1].N != e.Values[0].N || e.Values[2].S != fmt.Sprint(n) {
					errs <- fmt.Errorf("after %d, a reader sees %s, %s, %s", last, show(e.Values[0]), show(e.Values[1]), show(e.Values[2]))
					return
				}
				last = n
			}
		})
	}
	if f.has(Snapshots) {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				all, err := f.tryScan(engine.Scan{PartitionKey: "p", Select: []string{"N"}})
				if err != nil || len(all) != 2 || all[0].Values[0] != all[1].Values[0] {
					errs <- fmt.Errorf("a scan sees a part of a batch: %v, %v", all, err)
					return
				}
			}
		})
	}
	for n := int64(1); n <= 30; n++ {
		if err := write([]engine.OpKind{engine.Replace, engine.Merge, engine.Upsert}[n%3], n); err != nil {
			f.Error(err)
			break
		}
	}
	close(stop)
	wg.Wait()
	select {
	case err := <-errs:
		f.Fatal(err)
	default:
	}
}
