package exec

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema/schematest"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// benchDB holds n rows (id, grp of 100, name, score).
func benchDB(b *testing.B, n int) *testDB {
	db := newTestDB(b, 1, 0)
	a := schematest.NewTable(b, "a", 1, "id INT", "grp INT", "name VARCHAR(40)", "score DOUBLE")
	db.create(a)
	rows := make([][]value.Value, n)
	for i := range rows {
		rows[i] = []value.Value{value.FromInt(int64(i)), value.FromInt(int64(i % 100)), text(fmt.Sprintf("name %d", i)), value.FromFloat(float64(i) / 7)}
	}
	db.insert(a, rows...)
	b.ReportAllocs()
	b.ResetTimer()
	return db
}

func (db *testDB) bench(b *testing.B, sql string, rows int, arg func(i int) value.Value) {
	p := db.plan(sql)
	ctx := context.Background()
	x := db.execution(p, make([]value.Value, p.Params)...)
	for i := range b.N {
		if p.Params > 0 {
			x.Args[0] = arg(i)
		}
		if got := db.count(ctx, x); got != rows {
			b.Fatalf("%d rows, want %d", got, rows)
		}
	}
}

func (db *testDB) count(ctx context.Context, x *Execution) (rows int) {
	c, err := db.rt.Query(ctx, x)
	for err == nil {
		if _, err = c.Next(ctx); err == nil {
			rows++
		}
	}
	if err != io.EOF {
		db.t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		db.t.Fatal(err)
	}
	return rows
}

func BenchmarkPointRead(b *testing.B) {
	db := benchDB(b, 10_000)
	db.bench(b, "SELECT name, score FROM a WHERE id = ?", 1, func(i int) value.Value { return value.FromInt(int64(i * 7919 % 10_000)) })
}

func BenchmarkRange100(b *testing.B) {
	db := benchDB(b, 100_000)
	db.bench(b, "SELECT id, name FROM a WHERE id >= ? ORDER BY id LIMIT 100", 100, func(i int) value.Value { return value.FromInt(int64(i * 7919 % 99_000)) })
}

func BenchmarkFilteredScan100k(b *testing.B) {
	db := benchDB(b, 100_000)
	db.bench(b, "SELECT id, name FROM a WHERE grp = ?", 1000, func(i int) value.Value { return value.FromInt(int64(i % 100)) })
}

func BenchmarkScan100k(b *testing.B) {
	db := benchDB(b, 100_000)
	db.bench(b, "SELECT id, name FROM a WHERE name <> ?", 100_000, func(int) value.Value { return text("x") })
}

func BenchmarkGroupBy100k(b *testing.B) {
	db := benchDB(b, 100_000)
	db.bench(b, "SELECT grp, COUNT(*), SUM(score) FROM a GROUP BY grp", 100, nil)
}

func BenchmarkSort100k(b *testing.B) {
	db := benchDB(b, 100_000)
	db.bench(b, "SELECT id, score FROM a ORDER BY score DESC", 100_000, nil)
}

func BenchmarkTop10Of100k(b *testing.B) {
	db := benchDB(b, 100_000)
	db.bench(b, "SELECT id, score FROM a ORDER BY score DESC LIMIT 10", 10, nil)
}

func BenchmarkHashJoin10k(b *testing.B) {
	db := benchDB(b, 10_000)
	db.bench(b, "SELECT x.id, y.name FROM a x JOIN a y ON x.id = y.grp + 0", 10_000, nil)
}

func BenchmarkEncodeRow(b *testing.B) {
	db := benchDB(b, 1)
	c := codec.NewCodec(db.tables["a"])
	row := []value.Value{value.FromInt(1), value.FromInt(2), text("name"), value.FromFloat(3)}
	for range b.N {
		if _, err := c.EncodeRow(row); err != nil {
			b.Fatal(err)
		}
	}
}
