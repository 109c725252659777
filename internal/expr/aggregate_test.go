package expr

import (
	"errors"
	"math"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func TestAggregates(t *testing.T) {
	semicolon := "; "
	x, y := col(0, value.TypeInt), col(1, value.TypeInt)
	text := &Column{Index: 0, T: value.Type{Base: value.TypeChar, Collation: value.NoCase}, Nullable: true}
	type rows = []list
	for _, test := range []struct {
		name     string
		args     []Node
		distinct bool
		order    []AggOrder
		sep      *string
		rows     rows
		want     string
	}{
		{"COUNT", []Node{x}, false, nil, nil, rows{{1}, {nil}, {1}}, "2"},
		{"COUNT", []Node{x}, true, nil, nil, rows{{1}, {nil}, {1}, {1.0}, {2}}, "2"},
		{"COUNT", []Node{x, y}, true, nil, nil, rows{{1, 1}, {1, nil}, {1, 1}, {1, 2}}, "2"},
		{"COUNT", []Node{text}, true, nil, nil, rows{{"a"}, {"A"}, {"b"}}, "2"},
		{"COUNT", []Node{x}, false, nil, nil, nil, "0"},
		{"SUM", []Node{x}, false, nil, nil, nil, "NULL"},
		{"SUM", []Node{x}, false, nil, nil, rows{{nil}}, "NULL"},
		{"SUM", []Node{x}, false, nil, nil, rows{{1}, {nil}, {-3}}, "-2"},
		{"SUM", []Node{x}, false, nil, nil, rows{{math.MaxInt64}, {math.MaxInt64}}, "18446744073709551614"},
		{"SUM", []Node{x}, false, nil, nil, rows{{math.MinInt64}, {math.MinInt64}}, "-18446744073709551616"},
		{"SUM", []Node{x}, false, nil, nil, rows{{math.MaxInt64}, {1}, {-1}}, "9223372036854775807"},
		{"SUM", []Node{x}, false, nil, nil, rows{{uint64(math.MaxUint64)}, {-1}}, "18446744073709551614"},
		{"SUM", []Node{x}, false, nil, nil, rows{{"dec=0.1"}, {"dec=0.20"}, {1}}, "1.30"},
		{"SUM", []Node{x}, false, nil, nil, rows{{0.1}, {0.2}, {0.3}}, "0.6"},
		{"SUM", []Node{x}, false, nil, nil, rows{{1e100}, {1.0}, {-1e100}}, "1"},
		{"SUM", []Node{x}, false, nil, nil, rows{{"1.5abc"}, {1}}, "2.5"},
		{"SUM", []Node{x}, true, nil, nil, rows{{5}, {5}, {6}}, "11"},
		{"TOTAL", []Node{x}, false, nil, nil, nil, "0"},
		{"AVG", []Node{x}, false, nil, nil, rows{{1}, {2}, {nil}}, "1.5000"},
		{"AVG", []Node{x}, false, nil, nil, rows{{"dec=1.5"}, {"dec=2.0"}}, "1.75000"},
		{"AVG", []Node{x}, false, nil, nil, rows{{1.0}, {2.0}}, "1.5"},
		{"AVG", []Node{x}, false, nil, nil, nil, "NULL"},
		{"MIN", []Node{x}, false, nil, nil, rows{{3}, {nil}, {-1}, {2}}, "-1"},
		{"MAX", []Node{x}, true, nil, nil, rows{{3}, {nil}, {-1}, {3}}, "3"},
		{"MAX", []Node{text}, false, nil, nil, rows{{"b"}, {"C"}, {"a"}}, "C"},
		{"MIN", []Node{x}, false, nil, nil, nil, "NULL"},
		{"ANY_VALUE", []Node{x}, false, nil, nil, rows{{nil}, {1}}, "NULL"},
		{"GROUP_CONCAT", []Node{x}, false, nil, nil, rows{{"a"}, {nil}, {"b"}}, "a,b"},
		{"GROUP_CONCAT", []Node{x}, true, []AggOrder{{X: x, Desc: true}}, &semicolon, rows{{1}, {3}, {1}, {2}}, "3; 2; 1"},
		{"GROUP_CONCAT", []Node{x, y}, false, []AggOrder{{X: y}}, nil, rows{{"a", 2}, {"b", 1}}, "b1,a2"},
		{"GROUP_CONCAT", []Node{x}, false, []AggOrder{{X: y}}, nil, rows{{"a", nil}, {"b", 1}}, "a,b"},
		{"GROUP_CONCAT", []Node{x}, false, nil, nil, nil, "NULL"},
		{"GROUP_CONCAT", []Node{x}, false, nil, nil, rows{{""}}, ""},
		{"BIT_AND", []Node{x}, false, nil, nil, rows{{7}, {5}, {nil}}, "5"},
		{"BIT_AND", []Node{x}, false, nil, nil, nil, "18446744073709551615"},
		{"BIT_OR", []Node{x}, false, nil, nil, rows{{1}, {4}}, "5"},
		{"BIT_XOR", []Node{x}, false, nil, nil, rows{{7}, {2}}, "5"},
		{"STDDEV", []Node{x}, false, nil, nil, rows{{2}, {4}, {4}, {4}, {5}, {5}, {7}, {9}}, "2"},
		{"VAR_SAMP", []Node{x}, false, nil, nil, rows{{1}, {2}, {3}}, "1"},
		{"VAR_SAMP", []Node{x}, false, nil, nil, rows{{1}}, "NULL"},
		{"VAR_POP", []Node{x}, false, nil, nil, rows{{1}}, "0"},
		{"JSON_ARRAYAGG", []Node{x}, false, nil, nil, rows{{1}, {nil}, {"a"}}, `[1, null, "a"]`},
		{"JSON_ARRAYAGG", []Node{x}, false, nil, nil, nil, "NULL"},
		{"JSON_OBJECTAGG", []Node{x, y}, false, nil, nil, rows{{"k", 1}, {"a", nil}, {"k", 2}}, `{"a": null, "k": 2}`},
	} {
		a, err := NewAggregate(test.name, test.args, false, test.distinct, test.order, test.sep)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		s := a.NewState()
		for _, row := range test.rows {
			env := &Env{Row: make([]value.Value, 2)}
			for i, v := range row {
				env.Row[i] = arg(t, v).(*Const).V
			}
			if err := s.Add(env); err != nil {
				t.Errorf("%s: %v", a, err)
			}
		}
		for range 2 { // the result may be asked for again
			v, err := s.Result()
			if err != nil || value.Text(v) != test.want {
				t.Errorf("%s over %v = %s, %v, want %s", a, test.rows, value.Text(v), err, test.want)
			}
		}
		if s.Size() <= 0 {
			t.Errorf("%s has size %d", a, s.Size())
		}
	}
}

func TestAggregateErrors(t *testing.T) {
	x := col(0, value.TypeInt)
	for _, test := range []struct {
		name     string
		args     []Node
		star     bool
		distinct bool
		order    []AggOrder
	}{
		{"SUM", nil, true, false, nil}, {"SUM", nil, false, false, nil}, {"SUM", []Node{x, x}, false, false, nil}, {"COUNT", []Node{x, x}, false, false, nil},
		{"COUNT", nil, true, true, nil}, {"SUM", []Node{x}, false, false, []AggOrder{{X: x}}}, {"COUNT", []Node{&Tuple{List: []Node{x, x}}}, false, false, nil},
	} {
		if a, err := NewAggregate(test.name, test.args, test.star, test.distinct, test.order, nil); err == nil {
			t.Errorf("%s is allowed", a)
		}
	}
	_, err := NewAggregate("summ", []Node{x}, false, false, nil, nil)
	if unknown := new(UnknownFunctionError); !errors.As(err, &unknown) {
		t.Errorf("summ: %v", err)
	}
	if IsAggregate("length") || !IsAggregate("std") || !IsAggregate("Group_Concat") {
		t.Error("IsAggregate")
	}
}

func TestAggregateString(t *testing.T) {
	x := col(0, value.TypeInt)
	bar := "|"
	for want, a := range map[string]*Aggregate{
		"COUNT(*)":   {Name: "COUNT", Star: true},
		"SUM(a + 1)": {Name: "SUM", Args: []Node{must(NewArith("+", x, NewConst(value.FromInt(1))))}},
		"GROUP_CONCAT(DISTINCT a ORDER BY a DESC SEPARATOR '|')": {Name: "GROUP_CONCAT", Args: []Node{x}, Distinct: true,
			OrderBy: []AggOrder{{X: x, Desc: true}}, Separator: bar},
	} {
		if got := a.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		// One that was put together by hand works, too.
		if err := a.NewState().Add(&Env{Row: []value.Value{value.FromInt(1)}}); err != nil {
			t.Error(err)
		}
	}
}

func BenchmarkSum(b *testing.B) {
	a, err := NewAggregate("SUM", []Node{col(0, value.TypeInt)}, false, false, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	s, env := a.NewState(), &Env{Row: []value.Value{value.FromInt(7)}}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Add(env); err != nil {
			b.Fatal(err)
		}
	}
}

// TestSumOfSmallNumbers: numbers of a DECIMAL column are summed and multiplied without a text of each, and larger ones to the digit.
func TestSumOfSmallNumbers(t *testing.T) {
	price, discount := col(0, value.TypeDecimal), col(1, value.TypeDecimal)
	price.T.Precision, price.T.Scale, discount.T.Precision, discount.T.Scale = 40, 2, 4, 2
	sum, err := NewAggregate("SUM", []Node{arith("*", price, arith("-", num(1), discount))}, false, false, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	state := sum.NewState()
	env := &Env{Row: []value.Value{value.FromDecimalText("1234.56"), value.FromDecimalText("0.07")}}
	add := func() {
		if err := state.Add(env); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(99, add); n != 0 {
		t.Errorf("%v allocations for each row", n)
	}
	for _, large := range []string{"99999999999999999999.99", "92233720368547758.07", "-92233720368547758.07"} {
		env.Row[0] = value.FromDecimalText(large)
		add()
	}
	env.Row[0] = value.NullValue
	add()
	// 100 × 1234.56 × 0.93 and 99999999999999999999.99 × 0.93
	if v, err := state.Result(); err != nil || v.Text() != "93000000000000114814.0707" {
		t.Error(v.Text(), err)
	}
}
