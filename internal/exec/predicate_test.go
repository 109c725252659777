package exec

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema/schematest"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func bindFilter(t *testing.T, c *codec.Codec, f *access.Predicate, args ...value.Value) *engine.Filter {
	t.Helper()
	room := filterRoomOf(engine.AzureLimits())
	out, err := compilePredicate(f, c).bind(&expr.Env{Args: args}, &room)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// filterText prints a filter; "all" is none.
func filterText(f *engine.Filter) string {
	if f == nil {
		return "all"
	}
	if f.Op == engine.And || f.Op == engine.Or {
		kids := make([]string, len(f.Kids))
		for i, kid := range f.Kids {
			kids[i] = filterText(kid)
		}
		return "(" + strings.Join(kids, map[engine.FilterOp]string{engine.And: " and ", engine.Or: " or "}[f.Op]) + ")"
	}
	op := []string{engine.Eq: "eq", engine.Gt: "gt", engine.Ge: "ge", engine.Lt: "lt", engine.Le: "le"}[f.Op]
	v := fmt.Sprintf("%q", f.Value.S)
	switch f.Value.Type {
	case engine.Int64, engine.Boolean:
		v = fmt.Sprint(int64(f.Value.N))
	case engine.Double:
		v = fmt.Sprint(math.Float64frombits(f.Value.N))
	}
	return f.Property + " " + op + " " + v
}

func TestFilterConstants(t *testing.T) {
	n, u := value.FromInt, value.FromUint
	for _, test := range []struct {
		column string
		op     access.PredicateOp
		v      value.Value
		want   string
	}{
		{"c INT", access.PredicateEq, n(7), "c eq 7"},
		{"c INT", access.PredicateLe, n(-7), "c le -7"},
		{"c INT", access.PredicateGt, value.FromFloat(7), "c gt 7"},
		{"c INT", access.PredicateGt, value.FromFloat(7.5), "all"},
		{"c INT", access.PredicateEq, value.FromDecimalText("7.0"), "c eq 7"},
		{"c INT", access.PredicateEq, text("7"), "c eq 7"},
		{"c INT", access.PredicateEq, text("7x"), "all"},
		{"c INT", access.PredicateEq, n(1 << 40), "all"},
		{"c INT", access.PredicateEq, value.NullValue, "all"},
		{"c BIGINT unsigned", access.PredicateGe, u(7), `c ge "00000000000000000007"`},
		{"c BIGINT unsigned", access.PredicateGe, n(-1), "all"},
		{"c DOUBLE", access.PredicateEq, n(2), "c eq 2"},
		{"c DOUBLE", access.PredicateEq, n(1<<53 + 1), "c eq 9.007199254740992e+15"}, // as floats
		{"c BIGINT", access.PredicateEq, value.FromFloat(1 << 52), "c eq 4503599627370496"},
		{"c BIGINT", access.PredicateEq, value.FromFloat(1 << 53), "all"}, // it equals others, too
		{"c DOUBLE", access.PredicateEq, value.FromFloat(math.Copysign(0, -1)), "c eq 0"},
		{"c BOOL", access.PredicateEq, n(1), "c eq 1"},
		{"c BOOL", access.PredicateEq, n(2), "all"},
		{"c BOOL", access.PredicateGt, n(0), "all"},
		{"c DECIMAL(6,2)", access.PredicateEq, value.FromDecimalText("1.5"), `c eq "1.50"`},
		{"c DECIMAL(6,2)", access.PredicateEq, value.FromDecimalText("1.555"), "all"},
		{"c DECIMAL(6,2)", access.PredicateLt, n(1), "all"},
		{"c DECIMAL(20,2)", access.PredicateEq, text("-9999999999999.25"), `c eq "-9999999999999.25"`},
		{"c DECIMAL(20,2)", access.PredicateEq, text("10000000000000.25"), "all"}, // as a float it may equal others, too
		{"c DECIMAL(20,2)", access.PredicateEq, value.FromFloat(10000000000000.25), "all"},
		{"c DECIMAL(20,2)", access.PredicateEq, value.FromJSON("10000000000000.25"), "all"},
		{"c DECIMAL(20,2)", access.PredicateEq, value.FromDecimalText("10000000000000.25"), `c eq "10000000000000.25"`},
		{"c BIGINT", access.PredicateEq, text("9007199254740993"), "c eq 9007199254740993"},
		{"c VARCHAR(9)", access.PredicateEq, text("a"), `c eq "a"`},
		{"c VARCHAR(9)", access.PredicateEq, n(1), "all"},
		{"c VARCHAR(9) nocase", access.PredicateEq, text("a"), "all"},
		{"c VARCHAR(9)", access.PredicateGt, text("ü"), `c gt "ü"`},
		{"c VARCHAR(9)", access.PredicateEq, text("😀"), `c eq "😀"`},
		{"c VARCHAR(9)", access.PredicateGt, text("😀"), "all"},
		{"c VARCHAR(9)", access.PredicateLt, text("\uFFFD"), "all"},
		{"c TEXT", access.PredicateGt, text("a"), `c ge "a"`},
		{"c TEXT", access.PredicateLt, text("a"), `c lt "a"`},
		{"c TEXT", access.PredicateEq, text(strings.Repeat("a", 32769)), "all"},
		{"c DATETIME", access.PredicateGe, text("2024-05-01"), `c ge "2024-05-01T00:00:00.0000000Z"`},
		{"c DATETIME", access.PredicateGe, text("soon"), "all"},
		{"c DATE", access.PredicateLt, value.FromTicks(engine.TicksPerDay), `c lt "0001-01-02"`},
		{"c DATE", access.PredicateLt, value.FromTicks(engine.TicksPerDay + 1), "all"},
		{"c TIME(7)", access.PredicateLt, value.FromDuration(-5), "c lt -5"},
		{"c TIME", access.PredicateLt, value.FromDuration(-5), "all"},
		{"c BLOB", access.PredicateEq, value.FromBytes("a"), "all"},
		{"c UUID", access.PredicateEq, text("00000000-0000-0000-0000-00000000000F"), `c eq "00000000-0000-0000-0000-00000000000f"`},
		{"c UUID", access.PredicateLt, text("00000000-0000-0000-0000-00000000000f"), "all"},
	} {
		f := &access.Predicate{Op: test.op, Column: 1, Value: expr.NewParam(0)}
		if got := filterText(bindFilter(t, codec.NewCodec(schematest.NewTable(t, "t", 1, "id INT", test.column)), f, test.v)); got != test.want {
			t.Errorf("%s, operator %d, %v: %s, want %s", test.column, test.op, test.v, got, test.want)
		}
	}
}

func TestFilterTrees(t *testing.T) {
	c := codec.NewCodec(schematest.NewTable(t, "t", 1, "id INT", "a INT", "b INT"))
	is := func(column, param int) *access.Predicate {
		return &access.Predicate{Op: access.PredicateEq, Column: column, Value: expr.NewParam(param)}
	}
	and := func(kids ...*access.Predicate) *access.Predicate {
		return &access.Predicate{Op: access.PredicateAnd, Kids: kids}
	}
	or := func(kids ...*access.Predicate) *access.Predicate {
		return &access.Predicate{Op: access.PredicateOr, Kids: kids}
	}
	seven, bad := value.FromInt(7), value.FromFloat(7.5)
	if got := filterText(bindFilter(t, c, and(is(1, 0), is(2, 1)), seven, bad)); got != "a eq 7" {
		t.Errorf("AND with what cannot be sent: %s", got)
	}
	if got := filterText(bindFilter(t, c, or(is(1, 0), is(2, 1)), seven, bad)); got != "all" {
		t.Errorf("OR with what cannot be sent: %s", got)
	}
	if got := filterText(bindFilter(t, c, and(or(is(1, 0), is(2, 0)), is(0, 0)), seven)); got != "((a eq 7 or b eq 7) and id eq 7)" {
		t.Errorf("nested: %s", got)
	}
	if got := filterText(bindFilter(t, codec.NewCodecOf(c.Table, []int{0, 1}), and(is(1, 0), is(2, 0)), seven)); got != "a eq 7" {
		t.Errorf("a column that the entities lack: %s", got)
	}
	var many []*access.Predicate
	for range engine.AzureLimits().FilterCompare {
		many = append(many, is(1, 0))
	}
	if got := filterText(bindFilter(t, c, and(or(many...), is(2, 0)), seven)); got != "b eq 7" {
		t.Errorf("more than can be sent: %s", got)
	}
}
