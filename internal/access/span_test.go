package access

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/schema/schematest"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// people is person (id INT PRIMARY KEY, surname VARCHAR, born DATE, mail VARCHAR COLLATE nocase, points
// DECIMAL(5,2)) with indexes on surname, (born DESC, id DESC), mail (unique) and points.
func personColumn(t *schema.Table, name string) expr.Node {
	i := t.Ordinal(name)
	c := t.Columns[i]
	return &expr.Column{Index: i, Name: c.Name, T: c.Type, Nullable: !c.NotNull}
}

func TestSpansOfArguments(t *testing.T) {
	tab := schematest.People(t)
	col := func(name string) expr.Node { return personColumn(tab, name) }
	cmp := func(op expr.CompareOp, name string) expr.Node {
		return must(expr.NewCompare(op, col(name), expr.NewParam(0)))
	}
	like := must(expr.NewLike(col("surname"), expr.NewParam(0), '\\', false))
	likeMail := must(expr.NewLike(col("mail"), expr.NewParam(0), '\\', false))
	text, num, float := value.FromString, value.FromInt, value.FromFloat
	born := func(s string) value.Value {
		v, err := value.DateLiteral(s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	tests := []struct {
		cond expr.Node
		arg  value.Value
		want string
	}{
		{cmp(expr.Eq, "id"), num(7), "PK!8000000000000007"},
		{cmp(expr.Eq, "id"), text("7"), "PK!8000000000000007"},
		{cmp(expr.Eq, "id"), float(7.5), "nothing"},
		{cmp(expr.Eq, "id"), value.FromUint(1 << 63), "nothing"},
		{cmp(expr.Eq, "id"), value.NullValue, "nothing"},
		{cmp(expr.NullEq, "surname"), value.NullValue, `[surname!, surname!")`},
		{cmp(expr.Gt, "id"), float(7.5), `[PK!8000000000000007", PK")`},
		{cmp(expr.Lt, "id"), float(7.5), `[PK!, PK!8000000000000007")`},
		{cmp(expr.Le, "id"), float(1e30), `[PK!, PK")`},
		{cmp(expr.Ge, "id"), float(1e30), "nothing"},
		{cmp(expr.Eq, "surname"), text("Smith"), `[surname!Smith, surname!Smith")`},
		{cmp(expr.Eq, "surname"), text(""), `[surname!"", surname!""")`},
		{cmp(expr.Lt, "surname"), text("b"), `[surname!", surname!b)`},
		{cmp(expr.Eq, "surname"), num(7), `[surname!", surname") inexact unordered`},
		{cmp(expr.Eq, "surname"), value.FromBytes("Smith"), `[surname!Smith, surname!Smith")`},
		{like, text("Sm%"), "[surname!Sm, surname!Sn)"},
		{like, text("Sm_th"), "[surname!Sm, surname!Sn) inexact"},
		{like, text("Smith"), `[surname!Smith, surname!Smith")`},
		{like, text("%mith"), `[surname!", surname") inexact`},
		{like, text("%"), `[surname!", surname")`},
		{like, value.NullValue, "nothing"},
		{likeMail, text("Jo%"), "[mail!jo, mail!jp)"},
		{cmp(expr.Eq, "mail"), text("JO@x.Org"), `[mail!jo@x.0org, mail!jo@x.0org")`},
		{cmp(expr.Eq, "born"), text("2000-01-02"), `[born!2524555295999999999, born!2524555295999999999")`},
		{cmp(expr.Eq, "born"), text("2000-01-02 12:00"), "nothing"},
		{cmp(expr.Lt, "born"), text("2000-01-02 12:00"), "[born!2524555295999999999, born!~~~)"},
		{cmp(expr.Gt, "born"), born("2000-01-02"), "[born!, born!2524555295999999999)"},
		{cmp(expr.Eq, "born"), text("soon"), "Incorrect DATE value: 'soon'"},
		{cmp(expr.Ge, "born"), num(20240131), "[born!, born!2516956415999999999\")"},
		{cmp(expr.Eq, "born"), num(240131), "[born!2516956415999999999, born!2516956415999999999\")"},
		{cmp(expr.Eq, "points"), text("1.5"), `[points!100150, points!100150")`},
		{cmp(expr.Eq, "points"), float(1.005), "nothing"},
		{cmp(expr.Le, "points"), float(-1.005), `[points!", points!099898")`},
		{cmp(expr.Gt, "points"), num(1000), "nothing"},
	}
	for _, test := range tests {
		name := strings.Replace(expr.String(test.cond), "?", value.Text(test.arg), 1)
		t.Run(name, func(t *testing.T) {
			p, err := Choose(Request{Table: tab, Total: tab.RowWidth(), Conds: []expr.Node{test.cond},
				Order: []SortKey{{Expr: col("id")}}})
			if err != nil {
				t.Fatal(err)
			}
			var r Reads
			got := ""
			var literal *expr.LiteralError
			if err := p.Scan.Reads(&expr.Env{Args: []value.Value{test.arg}}, &r); errors.As(err, &literal) {
				got = literal.Error()
			} else if err != nil {
				t.Fatal(err)
			} else {
				got = readsString(&r)
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func readsString(r *Reads) string {
	var out []string
	for _, k := range r.Points {
		out = append(out, k.RowKey)
	}
	for _, s := range r.Spans {
		out = append(out, fmt.Sprintf("[%s, %s)", s.From, s.To))
	}
	if len(out) == 0 {
		out = append(out, "nothing")
	}
	if !r.Exact {
		out = append(out, "inexact")
	}
	if r.Unordered {
		out = append(out, "unordered")
	}
	return strings.Join(out, " ")
}

// FuzzTextSpans compares what a span of a text column's index holds with what the condition says: texts
// that are cut, folded, or taken by a prefix, up and down.
func FuzzTextSpans(f *testing.F) {
	for i, s := range someTexts {
		f.Add(s, someTexts[(i+1)%len(someTexts)], uint8(i), uint8(3*i))
	}
	f.Fuzz(func(t *testing.T, row, arg string, how, form uint8) {
		if !utf8.ValidString(row) || !utf8.ValidString(arg) {
			return // such text is refused before it comes here
		}
		col := &schema.Column{Name: "s", Type: value.Type{Base: value.TypeChar, Collation: value.Collation(form & 1)}}
		tab := &schema.Table{Name: "t", Columns: []*schema.Column{{Name: "id", Type: value.Type{Base: value.TypeInt}, NotNull: true}, col}, Key: []schema.KeyColumn{{Column: 0}},
			Indexes: []*schema.Index{{Name: "s", KeyName: "s", Key: []schema.KeyColumn{{Column: 1, Cut: 8, Desc: form&2 != 0, Prefix: int(form >> 2 & 3)}}}}}
		if err := tab.Init(); err != nil {
			t.Fatal(err)
		}
		var cond expr.Node
		var err error
		if op := expr.CompareOp(how % 8); op > expr.Ge {
			cond, err = expr.NewLike(personColumn(tab, "s"), expr.NewParam(0), '\\', false)
		} else {
			cond, err = expr.NewCompare(op, personColumn(tab, "s"), expr.NewParam(0))
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := Choose(Request{Table: tab, Total: tab.RowWidth(), Conds: []expr.Node{cond}})
		if err != nil {
			t.Fatal(err)
		}
		env := &expr.Env{Row: []value.Value{value.FromInt(1), value.FromString(row), value.NullValue}, Args: []value.Value{value.FromString(arg)}}
		var r Reads
		if err := p.Scan.Reads(env, &r); err != nil {
			t.Fatal(err)
		}
		key, err := tab.AppendRowKey(nil, env.Row)
		if p.Scan.Index != nil {
			key, err = tab.AppendIndexKey(nil, p.Scan.Index, env.Row)
		}
		if err != nil {
			t.Fatal(err)
		}
		want, err := holds(cond, env)
		if err != nil {
			t.Fatal(err)
		}
		has := hasPoint(&r, Key{Partition: tab.AllPartitions()[0], PartitionKey: keymap.SinglePartition, RowKey: string(key)})
		if want && !has || has && !want && r.Exact && p.Scan.Residual == nil {
			t.Errorf("%q with %s %q: condition %v, read %v, exact %v, %v", row, expr.String(cond), arg, want, has, r.Exact, r.Spans)
		}
	})
}

// TestReadsIsReusable computes a point, then a span, into the same Reads.
func TestReadsIsReusable(t *testing.T) {
	tab := schematest.People(t)
	p, err := Choose(Request{Table: tab, Total: tab.RowWidth(),
		Conds: []expr.Node{must(expr.NewCompare(expr.Eq, personColumn(tab, "id"), expr.NewParam(0)))}})
	if err != nil {
		t.Fatal(err)
	}
	var r Reads
	for range 2 {
		for arg, want := range map[value.Value]string{
			value.FromInt(1):        "PK!8000000000000001",
			value.FromDuration(5e7): "[PK!, PK\") inexact",
			value.NullValue:         "nothing",
		} {
			if err := p.Scan.Reads(&expr.Env{Args: []value.Value{arg}}, &r); err != nil {
				t.Fatal(err)
			}
			if got := readsString(&r); got != want {
				t.Errorf("%v: got %s, want %s", arg, got, want)
			}
		}
	}
}

func BenchmarkReadsPoint(b *testing.B) {
	benchmarkReads(b, value.FromInt(12345), func(t *schema.Table) expr.Node {
		return must(expr.NewCompare(expr.Eq, personColumn(t, "id"), expr.NewParam(0)))
	})
}

func BenchmarkReadsLike(b *testing.B) {
	benchmarkReads(b, value.FromString("Sm%"), func(t *schema.Table) expr.Node {
		return must(expr.NewLike(personColumn(t, "surname"), expr.NewParam(0), '\\', false))
	})
}

func benchmarkReads(b *testing.B, arg value.Value, cond func(*schema.Table) expr.Node) {
	tab := schematest.People(b)
	p, err := Choose(Request{Table: tab, Total: tab.RowWidth(), Conds: []expr.Node{cond(tab)}})
	if err != nil {
		b.Fatal(err)
	}
	env := &expr.Env{Args: []value.Value{arg}}
	var r Reads
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Scan.Reads(env, &r); err != nil {
			b.Fatal(err)
		}
	}
}
