package enginetest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// extremes are values of every type that are easily lost or changed.
func (f *fixture) extremes() map[string]engine.Value {
	values := map[string]engine.Value{
		"Empty":        str(""),
		"Text":         str("it's \"quoted\" \\ <b>&amp;</b> 100% /?#"),
		"Lines":        str("a\r\nb\tc\u2028d\u2029e\u007f\u0085"),
		"Controls":     str("\x01\x02\x1f"),
		"Spaces":       str("  both ends  "),
		"Emoji":        str("👩‍👩‍👧 größe 価格 \U0010FFFF \uFFFD \uFEFF"),
		"LongText":     str(strings.Repeat("x", 32<<10)),
		"LongEmoji":    str(strings.Repeat("😀", 16<<10)),
		"LongLatin":    str(strings.Repeat("ü", 32<<10)),
		"LongEscapes":  str(strings.Repeat("\"", 32<<10)),
		"Digits":       str("12345"),
		"LooksAsTime":  str("2020-01-01T00:00:00Z"),
		"NoBytes":      bin(""),
		"Bytes":        bin("\x00\x01\xfe\xff"),
		"LongBytes":    bin(strings.Repeat("\xff\x00", 32<<10)),
		"Int32Max":     i32(math.MaxInt32),
		"Int32Min":     i32(math.MinInt32),
		"Int32Zero":    i32(0),
		"Int64Max":     i64(math.MaxInt64),
		"Int64Min":     i64(math.MinInt64),
		"Int64Odd":     i64(1<<53 + 1),
		"Int64Small":   i64(-1),
		"Zero":         dbl(0),
		"MinusZero":    dbl(math.Copysign(0, -1)),
		"One":          dbl(1),
		"Tenth":        dbl(0.1),
		"Third":        dbl(1.0 / 3),
		"Huge":         dbl(math.MaxFloat64),
		"Tiny":         dbl(math.SmallestNonzeroFloat64),
		"Big":          dbl(1e21),
		"OddDouble":    dbl(1<<53 - 1),
		"NaN":          dbl(math.NaN()),
		"Inf":          dbl(math.Inf(1)),
		"MinusInf":     dbl(math.Inf(-1)),
		"True":         boolean(true),
		"False":        boolean(false),
		"FirstTime":    ticks(engine.MinDateTime),
		"LastTime":     ticks(engine.MaxDateTime),
		"Tick":         ticks(637134336000000001),
		"BeforeEpoch":  ticks(621355968000000000 - 1),
		"GuidZero":     guid("00000000-0000-0000-0000-000000000000"),
		"Guid":         guid("0123abcd-4567-89ef-8000-fedcba987654"),
		"Größe_1":      str("a name that is not ASCII"),
		"_under_score": str("and one with underscores"),
	}
	if !f.has(NoZeroBytes) {
		values["ZeroBytes"] = str("a\x00b\x00")
	}
	return values
}

// testValues: every type is returned unchanged, alone and together, by Get and by Scan.
func testValues(f *fixture) {
	together := props{}
	for name, v := range f.extremes() {
		for i, kind := range []engine.OpKind{engine.Insert, engine.Upsert} {
			rk := fmt.Sprintf("%s-%d", strings.Trim(strings.ToUpper(name), "_"), i)
			f.must(op(kind, "one", rk, props{name: v}))
			f.holds("one", rk, props{name: v})
			got := f.scan(engine.Scan{Table: f.table, PartitionKey: "one", From: rk, To: rk + "!"})
			if len(got) != 1 {
				f.Fatalf("%s: a scan of one entity gives %d", name, len(got))
			}
			f.same(got[0], "one", rk, props{name: v})
		}
		together[name] = v
	}
	f.must(op(engine.Insert, "all", "1", together))
	f.holds("all", "1", together)
	// As a batch, which takes another way to a service.
	f.must(op(engine.Insert, "batch", "1", together), op(engine.Insert, "batch", "2", props{"Empty": str("")}))
	f.holds("batch", "1", together)
	f.holds("batch", "2", props{"Empty": str("")})
	// Types change with the value.
	f.must(op(engine.Replace, "batch", "2", props{"Empty": i64(5)}))
	f.holds("batch", "2", props{"Empty": i64(5)})
	f.must(op(engine.Merge, "batch", "2", props{"Empty": i32(5)}))
	f.holds("batch", "2", props{"Empty": i32(5)})
}

// testSelect: a Get gives the properties asked for, aligned with the names.
func testSelect(f *fixture) {
	p := props{"A": i32(1), "B": str("b"), "C": dbl(0.5), "D": boolean(true)}
	f.must(op(engine.Insert, "p", "r", p))
	for _, sel := range [][]string{
		nil, {}, {"A"}, {"D"}, {"B", "C"}, {"C", "B"}, {"A", "B", "C", "D"}, {"D", "C", "B", "A"},
		{"A", "Nothing", "D"}, {"Nothing"}, {"a"}, {"A", "B", "C", "D", "E"},
	} {
		e, err := f.e.Get(f.ctx, engine.Get{Table: f.table, PartitionKey: "p", RowKey: "r", Select: sel})
		if err != nil {
			f.Fatalf("Get with Select %q: %v", sel, err)
		}
		if sel != nil && !slices.Equal(e.Names, sel) {
			f.Fatalf("Get with Select %q gives the names %q", sel, e.Names)
		}
		f.same(e, "p", "r", selected(p, sel))
	}
}

// selected gives those of p that sel names; all of them when it is nil.
func selected(p props, sel []string) props {
	if sel == nil {
		return p
	}
	out := props{}
	for _, name := range sel {
		if v, ok := p[name]; ok {
			out[name] = v
		}
	}
	return out
}
