package embedded_test

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

var benchNames = []string{"Id", "Name", "City", "Amount", "Paid"}

func benchOp(kind engine.OpKind, i int) engine.Op {
	return engine.Op{Kind: kind, Entity: engine.Entity{
		PartitionKey: "00", RowKey: fmt.Sprintf("PK!%016x", i), Names: benchNames,
		Values: []engine.Value{
			{Type: engine.Int64, N: uint64(i)}, {Type: engine.String, S: fmt.Sprintf("customer number %d", i)},
			{Type: engine.String, S: fmt.Sprint("city ", i%100)}, {Type: engine.Double, N: uint64(i)}, {Type: engine.Boolean, N: uint64(i % 2)},
		}}}
}

// stores gives the engines that benchmarks compare, each with a table of n entities.
func stores(b *testing.B, n int, run func(*testing.B, engine.Engine)) {
	for _, s := range []struct {
		name string
		open func(testing.TB) engine.Engine
	}{
		{"memory", func(testing.TB) engine.Engine { return embedded.OpenMemory(embedded.Options{}) }},
		{"file", func(b testing.TB) engine.Engine {
			return openFile(b, filepath.Join(b.TempDir(), "store.db"), embedded.FileOptions{})
		}},
	} {
		b.Run(s.name, func(b *testing.B) {
			e := s.open(b)
			if err := e.CreateTable(context.Background(), "tab", nil); err != nil {
				b.Fatal(err)
			}
			for i := 0; i < n; i += 100 {
				c := engine.Commit{Table: "tab", PartitionKey: "00"}
				for j := range 100 {
					c.Ops = append(c.Ops, benchOp(engine.Insert, i+j))
				}
				if err := e.Commit(context.Background(), c); err != nil {
					b.Fatal(err)
				}
			}
			b.ResetTimer()
			run(b, e)
		})
	}
}

func BenchmarkGet(b *testing.B) {
	stores(b, 100_000, func(b *testing.B, e engine.Engine) {
		keys := make([]string, 1024)
		for i := range keys {
			keys[i] = fmt.Sprintf("PK!%016x", i*97)
		}
		for _, sel := range [][]string{benchNames, {"City", "Name"}} {
			b.Run(fmt.Sprint("select", len(sel)), func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					_, err := e.Get(context.Background(), engine.Get{Table: "tab", PartitionKey: "00", RowKey: keys[i%len(keys)], Select: sel})
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

func BenchmarkScan(b *testing.B) {
	stores(b, 100_000, func(b *testing.B, e engine.Engine) {
		filter := &engine.Filter{Op: engine.Eq, Property: "City", Value: engine.Value{Type: engine.String, S: "city 7"}}
		for _, s := range []struct {
			name string
			engine.Scan
			want int
		}{
			{"onePercent", engine.Scan{Filter: filter, Select: benchNames}, 1000},
			{"all", engine.Scan{Select: benchNames}, 100_000},
			{"allOfTwo", engine.Scan{Select: []string{"City", "Id"}}, 100_000},
			{"range100", engine.Scan{From: fmt.Sprintf("PK!%016x", 5000), To: fmt.Sprintf("PK!%016x", 5100), Select: benchNames}, 100},
		} {
			b.Run(s.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					scan := s.Scan
					scan.Table, scan.PartitionKey = "tab", "00"
					c := e.Scan(context.Background(), scan)
					n := 0
					for {
						chunk, err := c.Next(context.Background())
						if err == io.EOF {
							break
						} else if err != nil {
							b.Fatal(err)
						}
						n += len(chunk)
					}
					if n != s.want {
						b.Fatalf("%d entities, want %d", n, s.want)
					}
				}
			})
		}
	})
}

func BenchmarkCommit(b *testing.B) {
	stores(b, 0, func(b *testing.B, e engine.Engine) {
		var next atomic.Int64
		for _, writers := range []int{1, 16} {
			b.Run(fmt.Sprint("writers", writers), func(b *testing.B) {
				b.ReportAllocs()
				b.SetParallelism((writers + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
				if writers == 1 {
					for b.Loop() {
						commitOne(b, e, int(next.Add(1)))
					}
					return
				}
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						commitOne(b, e, int(next.Add(1)))
					}
				})
			})
		}
	})
}

func commitOne(b *testing.B, e engine.Engine, i int) {
	err := e.Commit(context.Background(), engine.Commit{Table: "tab", PartitionKey: "00", Ops: []engine.Op{benchOp(engine.Insert, i)}})
	if err != nil {
		b.Error(err)
	}
}
