package expr

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func col(i int, base value.Base) *Column {
	return &Column{Index: i, Name: string(rune('a' + i)), T: value.Type{Base: base}, Nullable: true}
}

func must(n Node, err error) Node {
	if err != nil {
		panic(err)
	}
	return n
}

func show(v value.Value, err error) string {
	if err != nil {
		return "error " + err.Error()
	}
	return value.Text(v)
}

func TestThreeValuedLogic(t *testing.T) {
	values := map[string]value.Value{"1": value.FromInt(1), "0": value.FromInt(0), "N": value.NullValue}
	tests := []struct {
		op         LogicOp
		l, r, want string
	}{
		{And, "1", "1", "1"}, {And, "1", "0", "0"}, {And, "1", "N", "N"}, {And, "0", "0", "0"}, {And, "0", "N", "0"}, {And, "N", "N", "N"},
		{Or, "1", "1", "1"}, {Or, "1", "0", "1"}, {Or, "1", "N", "1"}, {Or, "0", "0", "0"}, {Or, "0", "N", "N"}, {Or, "N", "N", "N"},
		{Xor, "1", "1", "0"}, {Xor, "1", "0", "1"}, {Xor, "1", "N", "N"}, {Xor, "0", "0", "0"}, {Xor, "0", "N", "N"}, {Xor, "N", "N", "N"},
	}
	check := func(n Node, env *Env, want value.Value) {
		t.Helper()
		v := eval(t, n, env)
		if value.Text(v) != value.Text(want) {
			t.Errorf("%s over %s, %s = %s, want %s", String(n), value.Text(env.Row[0]), value.Text(env.Row[1]), value.Text(v), value.Text(want))
		}
		ok, err := CompileCond(n)(env)
		if err != nil || ok != (value.Text(want) == "1") {
			t.Errorf("%s as a condition: %v, %v", String(n), ok, err)
		}
	}
	for _, test := range tests {
		for _, swap := range []bool{false, true} {
			l, r := values[test.l], values[test.r]
			if swap {
				l, r = r, l
			}
			env := &Env{Row: []value.Value{l, r}}
			a, b := col(0, value.TypeInt), col(1, value.TypeInt)
			check(must(NewLogic(test.op, a, b)), env, values[test.want])
			check(must(NewLogic(test.op, NewConst(l), NewConst(r))), env, values[test.want])
			check(must(NewLogic(test.op, a, NewConst(r))), env, values[test.want])
			check(must(NewLogic(test.op, NewConst(l), b)), env, values[test.want])
			if test.op != Xor { // a third that changes nothing
				check(must(NewLogic(test.op, a, b, a)), env, values[test.want])
			}
			notWant := map[string]string{"1": "0", "0": "1", "N": "N"}[test.want]
			check(must(NewNot(must(NewLogic(test.op, a, b)))), env, values[notWant])
		}
	}
	for in, want := range map[string][4]string{ // IS TRUE, IS FALSE, IS NULL, NOT
		"1": {"1", "0", "0", "0"}, "0": {"0", "1", "0", "1"}, "N": {"0", "0", "1", "N"},
	} {
		env := &Env{Row: []value.Value{values[in], {}}}
		x := col(0, value.TypeInt)
		for i, what := range []IsWhat{IsTrue, IsFalse, IsNull} {
			check(must(NewIs(x, what, false)), env, values[want[i]])
			check(must(NewIs(x, what, true)), env, truthValues[truthOf(want[i] == "0")])
		}
		check(must(NewNot(x)), env, values[want[3]])
		check(must(NewNot(must(NewNot(x)))), env, values[map[string]string{"1": "1", "0": "0", "N": "N"}[in]])
	}
}

func TestLogicSimplifies(t *testing.T) {
	a, b := col(0, value.TypeInt), col(1, value.TypeInt)
	eq := must(NewCompare(Eq, a, b))
	one, zero, null := NewConst(value.FromInt(1)), NewConst(value.FromInt(0)), NewConst(value.NullValue)
	for _, test := range []struct {
		n    Node
		want string
	}{
		{must(NewLogic(And, eq, one)), "a = b"},
		{must(NewLogic(And, eq, zero)), "FALSE"},
		{must(NewLogic(Or, eq, one)), "TRUE"},
		{must(NewLogic(Or, eq, zero)), "a = b"},
		{must(NewLogic(And, eq, null)), "a = b AND NULL"},
		{must(NewLogic(And, a, one)), "a AND TRUE"}, // the truth of a, not a
		{must(NewLogic(And)), "TRUE"},
		{must(NewLogic(And, must(NewLogic(And, a, b)), eq)), "a AND b AND a = b"},
		{must(NewLogic(Or, must(NewLogic(And, a, b)), eq)), "a AND b OR a = b"},
		{must(NewLogic(And, must(NewLogic(Or, a, b)), eq)), "(a OR b) AND a = b"},
		{must(NewNot(must(NewLogic(Or, must(NewCompare(Lt, a, b)), must(NewIs(a, IsNull, false)))))), "a >= b AND a IS NOT NULL"},
		{must(NewNot(must(NewCompare(NullEq, a, b)))), "NOT a <=> b"},
		{must(NewCompare(Eq, &Tuple{List: []Node{a, b}}, &Tuple{List: []Node{one, zero}})), "a = 1 AND b = 0"},
		{must(NewCompare(Ne, &Tuple{List: []Node{a, b}}, &Tuple{List: []Node{one, zero}})), "a <> 1 OR b <> 0"},
		{must(NewCompare(Lt, &Tuple{List: []Node{a, b}}, &Tuple{List: []Node{one, zero}})), "(a, b) < (1, 0)"},
		{must(NewBetween(a, one, b, false)), "a >= 1 AND a <= b"},
		{must(NewBetween(a, one, b, true)), "a < 1 OR a > b"},
		{must(NewIn(a, []Node{one}, true)), "a <> 1"},
		{must(NewIn(a, []Node{one, zero}, true)), "a NOT IN (1, 0)"},
	} {
		if got := String(test.n); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

func TestCompareTuples(t *testing.T) {
	null := value.NullValue
	i := value.FromInt
	for _, test := range []struct {
		row  []value.Value // a, b against (1, 2)
		op   CompareOp
		want string
	}{
		{[]value.Value{i(1), i(1)}, Lt, "1"}, {[]value.Value{i(1), i(2)}, Lt, "0"}, {[]value.Value{i(1), i(2)}, Le, "1"},
		{[]value.Value{i(0), null}, Lt, "1"}, {[]value.Value{i(1), null}, Lt, "NULL"}, {[]value.Value{null, i(9)}, Gt, "NULL"},
		{[]value.Value{i(2), null}, Gt, "1"}, {[]value.Value{i(1), null}, Eq, "NULL"}, {[]value.Value{i(2), null}, Eq, "0"},
		{[]value.Value{i(2), null}, Ne, "1"}, {[]value.Value{i(1), null}, NullEq, "0"}, {[]value.Value{i(1), i(2)}, Ge, "1"},
	} {
		n := must(NewCompare(test.op, &Tuple{List: []Node{col(0, value.TypeInt), col(1, value.TypeInt)}}, &Tuple{List: []Node{NewConst(i(1)), NewConst(i(2))}}))
		if got := value.Text(eval(t, n, &Env{Row: test.row})); got != test.want {
			t.Errorf("%s over %v = %s, want %s", String(n), test.row, got, test.want)
		}
	}
	if _, err := NewCompare(Eq, &Tuple{List: []Node{nullNode, nullNode}}, nullNode); err == nil {
		t.Error("a row equals a value")
	}
}

// samples are values of every kind, with equal ones of different kinds among them.
func samples(t testing.TB) []value.Value {
	var out []value.Value
	for _, n := range argsOf(t, list{nil, 0, 1, 2, -1, uint64(1), uint64(1 << 63), true, false, "dec=1.0", "dec=1.5", "dec=0.1", 1.0, 1.5, 0.1, math.Copysign(0, -1),
		"", "1", "1.0", "a", "A", "b", "ä", "abc", "bytes=a", "bytes=1", "dt=2024-01-01 00:00:00", "date=2024-01-01", "2024-01-01", "time=10:10:10", "time=-10:10:10", "json=1", `json="a"`, "json={}"}) {
		out = append(out, n.(*Const).V)
	}
	return out
}

// Conditions in random shapes give the same whether folded, pushed down, by constant, by argument or by column.
func TestConditionsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := samples(t)
	for range 20000 {
		k := 2 + r.IntN(10)
		row := make([]value.Value, k)
		for i := range row {
			row[i] = all[r.IntN(len(all))]
		}
		if r.IntN(3) == 0 { // all of one kind, so that IN has its set
			v := row[0]
			same := slices.DeleteFunc(slices.Clone(all), func(o value.Value) bool { return o.Kind() != v.Kind() && !o.IsNull() })
			for i := range row {
				row[i] = same[r.IntN(len(same))]
			}
		}
		if mixesDates(row) {
			continue
		}
		collation := value.Collation(r.IntN(len(value.Collations())))
		consts, columns, args := make([]Node, k), make([]Node, k), make([]Node, k)
		for i, v := range row {
			typ := value.TypeOf(v)
			typ.Collation = collation
			consts[i] = &Const{V: v, T: typ}
			columns[i] = &Column{Index: i, T: typ, Nullable: true}
			if typ.IsOctets() {
				columns[i] = consts[i] // a column of octets has all compared as octets, which others do not
			}
			args[i] = &Param{Index: i, T: typ}
		}
		env := &Env{Row: row, Args: row}
		op := CompareOp(r.IntN(7))
		not := r.IntN(2) == 0
		escape := '\\'
		build := func(x []Node) []Node {
			in := must(NewIn(x[0], x[1:], not))
			ors := make([]Node, k-1)
			for i := range ors {
				ors[i] = must(NewCompare(Eq, x[0], x[i+1]))
			}
			or := must(NewLogic(Or, ors...))
			if not {
				or = must(NewNot(or))
			}
			return []Node{in, or, must(NewCompare(op, x[0], x[1])), must(NewLike(x[0], x[1], escape, not)),
				must(NewBetween(x[0], x[1], x[k-1], not)), must(NewIs(x[0], IsTrue, not))}
		}
		mixed := slices.Clone(consts)
		mixed[0] = columns[0]
		forms := [][]Node{build(consts), build(columns), build(args), build(mixed)}
		for i := range forms[0] {
			want := show(Compile(forms[0][i])(env))
			for f, form := range forms {
				if got := show(Compile(form[i])(env)); got != want {
					t.Fatalf("form %d of %s over %s is %s, want %s", f, String(form[i]), rowText(row), got, want)
				}
				// NOT pushed down = the opposite of what is computed.
				pushed := show(Compile(must(NewNot(form[i])))(env))
				computed := show(Compile(&Not{X: form[i]})(env))
				if pushed != computed {
					t.Fatalf("NOT of %s over %s is %s, pushed down %s", String(form[i]), rowText(row), computed, pushed)
				}
			}
		}
		for f, form := range forms {
			in, or := show(Compile(form[0])(env)), show(Compile(form[1])(env))
			if in != or {
				t.Fatalf("form %d: %s is %s, %s is %s", f, StringArgs(form[0], row), in, StringArgs(form[1], row), or)
			}
		}
	}
}

// mixesDates says whether there are both dates and values that beside these mean something else where they are constant.
func mixesDates(row []value.Value) bool {
	dates, others := false, false
	for _, v := range row {
		switch k := v.Kind(); {
		case k >= value.Time && k <= value.Duration:
			dates = true
		case k >= value.Int && k <= value.Bytes:
			others = true
		}
	}
	return dates && others
}

func rowText(row []value.Value) string {
	s := ""
	for _, v := range row {
		s += fmt.Sprintf("%v:%s ", v.Kind(), literal(v))
	}
	return s
}

// A TIME compares with a point in time as one of the day of the statement, and what hangs on the day is kept by no
// definition and no plan.
func TestCompareToday(t *testing.T) {
	const day = 738000 * value.TicksPerDay
	now := &Env{Session: &Session{Now: day + 5*value.TicksPerSecond}}
	clock, point, date := col(0, value.TypeTime), col(1, value.TypeDateTime), col(2, value.TypeDate)
	now.Row = []value.Value{value.FromDuration(-value.TicksPerSecond), value.FromTicks(day - value.TicksPerSecond), value.FromDate(day)}
	for _, test := range []struct {
		n    Node
		want string
	}{
		{must(NewCompare(Eq, clock, point)), "1"},
		{must(NewCompare(Lt, clock, date)), "1"},
		{must(NewCompare(Ge, date, clock)), "1"},
		{must(NewIn(clock, []Node{date, point}, false)), "1"},
		{must(NewCompare(Le, &Tuple{List: []Node{clock, date}}, &Tuple{List: []Node{point, date}})), "1"},
		{must(NewCompare(Eq, NewConst(now.Row[0]), NewConst(now.Row[1]))), "1"},
		{must(NewCall("NULLIF", []Node{clock, point})), "NULL"},
		{must(NewCall("GREATEST", []Node{clock, date})), value.Text(value.FromTicks(day))},
		{must(NewCast(clock, value.Type{Base: value.TypeDateTime})), value.Text(now.Row[1])},
		{must(NewCast(clock, value.Type{Base: value.TypeDate})), value.Text(value.FromDate(day - value.TicksPerDay))},
	} {
		if got := value.Text(eval(t, test.n, now)); got != test.want {
			t.Errorf("%s = %s, want %s", String(test.n), got, test.want)
		}
		if VolatilityOf(test.n) != Stable {
			t.Errorf("%s does not hang on the day", String(test.n))
		}
	}
	if n := must(NewCompare(Eq, clock, NewConst(value.FromString("10:00:00")))); VolatilityOf(n) != Immutable {
		t.Errorf("%s hangs on the day", String(n))
	}
}

func TestCompareJSON(t *testing.T) {
	for _, test := range []struct {
		a, b any
		op   CompareOp
		want string
	}{
		{`json="Bob"`, "Bob", Eq, "1"}, {`json="Bob"`, "bob", Eq, "0"}, {"json=1", 1, Eq, "1"}, {"json=1.0", 1, Eq, "1"}, {"json=1", "1", Eq, "0"},
		{"json=true", true, Eq, "1"}, {"json=true", 1, Eq, "0"}, {"json=1", true, Eq, "0"}, {"json=2", 10, Lt, "1"}, {10, "json=2", Gt, "1"},
		{`json={"a": 1, "b": 2}`, `json={"b":2,"a":1.0}`, Eq, "1"}, {"json=[1,2]", "json=[1, 3]", Lt, "1"}, {"json=null", nil, Eq, "NULL"},
	} {
		n := must(NewCompare(test.op, arg(t, test.a), arg(t, test.b)))
		if got := value.Text(eval(t, n, &Env{})); got != test.want {
			t.Errorf("%v %s %v = %s, want %s", test.a, compareText[test.op], test.b, got, test.want)
		}
	}
}

func TestCollation(t *testing.T) {
	nocase := &Column{Index: 0, Name: "n", T: value.Type{Base: value.TypeChar, Collation: value.NoCase}}
	env := &Env{Row: []value.Value{value.FromString("Größe")}}
	text := func(s string) Node { return NewConst(value.FromString(s)) }
	for _, test := range []struct {
		n    Node
		want string
	}{
		{must(NewCompare(Eq, nocase, text("GRÖSSE"))), "0"}, // simple folding leaves ß
		{must(NewCompare(Eq, nocase, text("GRÖßE"))), "1"},
		{must(NewCompare(Eq, text("GRÖßE"), nocase)), "1"},
		{must(NewCompare(Eq, must(NewCollate(nocase, value.Binary)), text("GRÖßE"))), "0"},
		{must(NewCompare(Eq, nocase, must(NewCollate(text("GRÖßE"), value.Binary)))), "0"},
		{must(NewCompare(Eq, text("A"), must(NewCollate(text("a"), value.NoCase)))), "1"},
		{must(NewLike(nocase, text("gRÖ%"), '\\', false)), "1"},
		{must(NewIn(nocase, []Node{text("x"), text("GRÖßE")}, false)), "1"},
		{must(NewCall("LOCATE", []Node{text("ÖS"), nocase})), "0"},
		{must(NewCall("INSTR", []Node{nocase, text("Öß")})), "3"},
		{must(NewCall("STRCMP", []Node{nocase, text("größe")})), "0"},
		{must(NewRegexp(nocase, text("^gR"), false)), "1"},
		{must(NewCompare(Eq, must(NewCall("UPPER", []Node{nocase})), text("größe"))), "1"}, // a function keeps it
	} {
		if got := value.Text(eval(t, test.n, env)); got != test.want {
			t.Errorf("%s = %s, want %s", String(test.n), got, test.want)
		}
	}
}
