package expr

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func num(i int64) Node                { return NewConst(value.FromInt(i)) }
func text(s string) Node              { return NewConst(value.FromString(s)) }
func arith(op string, l, r Node) Node { return must(NewArith(op, l, r)) }

func TestString(t *testing.T) {
	a, b, c := col(0, value.TypeInt), col(1, value.TypeInt), col(2, value.TypeChar)
	sub := &Subquery{Kind: InSubquery, X: a, Slot: 3, Not: true}
	for want, n := range map[string]Node{
		"a + b * 2":                            arith("+", a, arith("*", b, num(2))),
		"(a + b) * 2":                          arith("*", arith("+", a, b), num(2)),
		"a - (b - 1)":                          arith("-", a, arith("-", b, num(1))),
		"a - b - 1":                            arith("-", arith("-", a, b), num(1)),
		"a - -1":                               arith("-", a, num(-1)),
		"-(-5)":                                &Unary{Op: "-", X: num(-5)},
		"-(a + b)":                             must(NewUnary("-", arith("+", a, b))),
		"a DIV b % 2":                          arith("%", arith("div", a, b), num(2)),
		"a | b & 1":                            arith("|", a, arith("&", b, num(1))),
		"(a = b) = 1":                          must(NewCompare(Eq, must(NewCompare(Eq, a, b)), num(1))),
		"c LIKE 'it''s\\\\%'":                  must(NewLike(c, text(`it's\%`), '\\', false)),
		"c NOT LIKE 'a|%' ESCAPE '|'":          must(NewLike(c, text("a|%"), '|', true)),
		"c LIKE 'a' ESCAPE ''":                 must(NewLike(c, text("a"), 0, false)),
		"c REGEXP '^a'":                        must(NewRegexp(c, text("^a"), false)),
		"NOT c REGEXP '^a'":                    must(NewRegexp(c, text("^a"), true)),
		"a IN (1, ?)":                          must(NewIn(a, []Node{num(1), NewParam(0)}, false)),
		"(a, b) IN ((1, 2), (3, 4))":           must(NewIn(&Tuple{List: []Node{a, b}}, []Node{&Tuple{List: []Node{num(1), num(2)}}, &Tuple{List: []Node{num(3), num(4)}}}, false)),
		"a NOT IN (subquery 3)":                sub,
		"a IN (subquery 3)":                    must(NewNot(sub)),
		"NOT EXISTS (subquery 0)":              must(NewNot(&Subquery{Kind: ExistsSubquery})),
		"(subquery 1) > a":                     must(NewCompare(Gt, &Subquery{Slot: 1, Columns: 1}, a)),
		"CASE WHEN a = 1 THEN 'x' ELSE c END":  must(NewCase(a, []When{{Cond: num(1), Result: text("x")}}, c)),
		"CASE WHEN a > b THEN 1 END":           must(NewCase(nil, []When{{Cond: must(NewCompare(Gt, a, b)), Result: num(1)}}, nil)),
		"CAST(a AS SIGNED)":                    must(NewCast(a, value.Type{Base: value.TypeBigInt})),
		"CAST(a AS DECIMAL(10,2))":             must(NewCast(a, value.Type{Base: value.TypeDecimal, Precision: 10, Scale: 2})),
		"CONCAT(c, 'x')":                       must(NewConcat(c, text("x"))),
		"JSON_UNQUOTE(JSON_EXTRACT(c, '$.a'))": must(NewJSONPath(c, text("$.a"), true)),
		"c + INTERVAL 1 DAY":                   must(NewIntervalArith(c, num(1), "day", false)),
		"c - INTERVAL (a + 1) MONTH":           must(NewIntervalArith(c, arith("+", a, num(1)), "month", true)),
		"c COLLATE nocase = 'x'":               must(NewCompare(Eq, must(NewCollate(c, value.NoCase)), text("x"))),
		"@@autocommit":                         NewSystemVariable("autocommit"),
		"@x":                                   NewUserVariable("x"),
		"VALUES(n)":                            &InsertValue{Name: "n"},
		"X'00FF'":                              NewConst(value.FromBytes("\x00\xff")),
		`'a\nb'`:                               text("a\nb"),
		"NOW(6)":                               must(NewCall("now", []Node{num(6)})),
		"RAND() BETWEEN 0 AND 1":               must(NewBetween(must(NewCall("rand", nil)), num(0), num(1), false)),
		"a XOR b":                              must(NewLogic(Xor, a, b)),
	} {
		if got := String(n); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	n := must(NewCompare(Eq, a, NewParam(0)))
	if got := StringArgs(n, []value.Value{value.FromString("O'Hara")}); got != "a = 'O''Hara'" {
		t.Error(got)
	}
	if got := StringArgs(arith("-", a, must(NewUnary("-", NewParam(0)))), []value.Value{value.FromInt(-1)}); got != "a - -(-1)" {
		t.Error(got)
	}
}

func TestRewriteAndWalk(t *testing.T) {
	a, b := col(0, value.TypeInt), col(1, value.TypeInt)
	outer := &Column{Index: 9, Level: 1}
	shared := must(NewCompare(Gt, b, num(2)))
	all := []Node{
		shared, must(NewLogic(Or, must(NewCompare(Eq, a, num(1))), shared)), &Not{X: a}, must(NewIs(a, IsNull, false)), must(NewLike(a, text("x%"), '\\', false)),
		must(NewIn(a, []Node{num(1), b}, false)), must(NewIn(&Tuple{List: []Node{a, b}}, []Node{&Tuple{List: []Node{b, a}}, &Tuple{List: []Node{a, a}}}, true)),
		must(NewCase(a, []When{{Cond: num(1), Result: b}}, a)), arith("+", a, b), must(NewUnary("-", a)), must(NewCast(a, intType)),
		must(NewCall("COALESCE", []Node{a, b})), &Subquery{Kind: InSubquery, X: a, Refs: []*Column{outer}},
	}
	for _, n := range all {
		same := Rewrite(n, func(n Node) Node { return n })
		if same != n {
			t.Errorf("%s was copied without need", String(n))
		}
		before := String(n)
		moved := Rewrite(n, func(n Node) Node {
			if c, ok := n.(*Column); ok && c.Level == 0 {
				m := *c
				m.Index += 10
				m.Name = "t." + c.Name
				return &m
			}
			return n
		})
		if String(n) != before {
			t.Errorf("%s was changed in place", before)
		}
		if !strings.Contains(String(moved), "t.") {
			t.Errorf("%s was not rewritten: %s", before, String(moved))
		}
		back := Rewrite(moved, func(n Node) Node {
			if c, ok := n.(*Column); ok && c.Level == 0 {
				m := *c
				m.Index -= 10
				return &m
			}
			return n
		})
		_, subquery := n.(*Subquery) // equals itself alone
		if Equal(n, moved) || Equal(n, back) == subquery {
			t.Errorf("Equal is wrong about %s", before)
		}
		Columns(moved, func(c *Column) {
			if c.Level == 0 && c.Index < 10 {
				t.Errorf("%s kept a column of %s", String(moved), before)
			}
		})
	}
	var seen []int
	Columns(all[len(all)-1], func(c *Column) { seen = append(seen, c.Index) })
	if !slices.Equal(seen, []int{0, 9}) {
		t.Errorf("columns of a subquery: %v", seen)
	}
	if Equal(num(1), NewConst(value.FromFloat(1))) || !Equal(nil, nil) || Equal(a, nil) || Equal(must(NewIs(a, IsNull, true)), must(NewIs(a, IsNull, false))) {
		t.Error("Equal")
	}
	if len(Conjuncts(must(NewLogic(And, shared, a)))) != 2 || len(Conjuncts(shared)) != 1 || Conjuncts(nil) != nil {
		t.Error("Conjuncts")
	}
}

func TestVolatility(t *testing.T) {
	a := col(0, value.TypeInt)
	call := func(name string, args ...Node) Node { return must(NewCall(name, args)) }
	for _, test := range []struct {
		n                               Node
		constant, deterministic, folded bool
	}{
		{num(1), true, true, true}, {NewParam(0), true, true, false}, {a, false, true, false}, {call("NOW"), true, true, false}, {call("RAND"), false, false, false},
		{call("UNIX_TIMESTAMP"), true, true, false}, {call("UPPER", text("x")), true, true, true}, {call("UPPER", a), false, true, false},
		{arith("+", call("RAND"), num(1)), false, false, false}, {arith("+", NewParam(0), num(1)), true, true, false}, {call("UUID"), false, false, false},
		{&Subquery{}, true, true, false}, {&Subquery{Correlated: true}, false, true, false}, {&InsertValue{}, false, true, false},
		{&Column{Level: 1}, false, true, false}, {call("DATABASE"), true, true, false}, {NewUserVariable("x"), false, false, false},
		{arith("+", num(1<<61), num(1<<61)), true, true, true}, {arith("*", num(1<<62), num(4)), true, true, false}, // the overflow is for run time
	} {
		_, folded := test.n.(*Const)
		if IsConst(test.n) != test.constant || Deterministic(test.n) != test.deterministic {
			t.Errorf("%s: const %v, deterministic %v", String(test.n), IsConst(test.n), Deterministic(test.n))
		}
		if folded != test.folded {
			t.Errorf("%s: folded %v", String(test.n), folded)
		}
	}
}

func TestErrors(t *testing.T) {
	unknown := new(UnknownFunctionError)
	if _, err := NewCall("substrin", nil); !errors.As(err, &unknown) || !slices.Contains(unknown.Near, "SUBSTRING") {
		t.Errorf("substrin: %v", err)
	}
	if _, err := NewCall(strings.Repeat("x", 1<<20), nil); !errors.As(err, &unknown) {
		t.Errorf("a long name: %v", err)
	}
	pair := &Tuple{List: []Node{num(1), num(2)}}
	for name, make := range map[string]func() (Node, error){
		"arity":       func() (Node, error) { return NewCall("LEFT", []Node{num(1)}) },
		"row":         func() (Node, error) { return NewArith("+", pair, num(1)) },
		"row in call": func() (Node, error) { return NewCall("ABS", []Node{pair}) },
		"row sizes":   func() (Node, error) { return NewIn(pair, []Node{num(1), num(2)}, false) },
		"row = value": func() (Node, error) { return NewCompare(Lt, pair, num(1)) },
		"operator":    func() (Node, error) { return NewArith("**", num(1), num(1)) },
		"unit":        func() (Node, error) { return NewIntervalArith(num(1), num(1), "fortnight", false) },
		"empty IN":    func() (Node, error) { return NewIn(num(1), nil, false) },
		"trim":        func() (Node, error) { return NewCall("TRIM", []Node{num(1), num(1)}) },
		"pairs":       func() (Node, error) { return NewCall("JSON_OBJECT", []Node{num(1)}) },
		"volatile CASE": func() (Node, error) {
			return NewCase(must(NewCall("RAND", nil)), []When{{Cond: num(1), Result: num(1)}}, nil)
		},
		"nested row": func() (Node, error) {
			return NewCompare(Lt, &Tuple{List: []Node{pair, num(1)}}, &Tuple{List: []Node{pair, num(1)}})
		},
	} {
		if n, err := make(); err == nil {
			t.Errorf("%s: %s is allowed", name, String(n))
		}
	}
	for _, n := range []Node{
		arith("*", num(1<<62), num(4)), must(NewRegexp(text("a"), text("("), false)), must(NewCall("JSON_EXTRACT", []Node{text("{"), text("$")})),
		must(NewCall("JSON_EXTRACT", []Node{text("{}"), text("a")})), must(NewCall("REPEAT", []Node{text("xx"), num(1 << 40)})), NewParam(7), NewSystemVariable("nonsense"),
		must(NewCall("EXP", []Node{num(1000)})), must(NewCompare(Eq, col(0, value.TypeInt), NewParam(7))),
	} {
		if v, err := Compile(n)(&Env{Row: []value.Value{value.FromInt(1)}}); err == nil {
			t.Errorf("%s is %s", String(n), value.Text(v))
		}
		if _, err := CompileCond(n)(&Env{Row: []value.Value{value.FromInt(1)}}); err == nil {
			t.Errorf("%s as a condition is no error", String(n))
		}
	}
}

func TestTypes(t *testing.T) {
	column := func(typ value.Type) Node { return &Column{T: typ} }
	i, u := column(intType), column(unsignedType)
	dec := column(value.Type{Base: value.TypeDecimal, Precision: 10, Scale: 2})
	double, char, date := column(doubleType), column(value.Type{Base: value.TypeChar, Length: 5}), column(dateType)
	for _, test := range []struct {
		n    Node
		want string
	}{
		{arith("+", i, i), "BIGINT"}, {arith("-", i, u), "BIGINT UNSIGNED"}, {arith("/", i, i), "DECIMAL(24,4)"}, {arith("*", dec, i), "DECIMAL(30,2)"},
		{arith("+", dec, double), "DOUBLE"}, {arith("+", char, i), "DOUBLE"}, {arith("div", dec, i), "BIGINT"}, {arith("&", i, i), "BIGINT UNSIGNED"},
		{arith("+", date, i), "BIGINT"}, {arith("+", NewParam(0), i), "NULL"}, {must(NewCall("COALESCE", []Node{i, dec})), "DECIMAL(22,2)"},
		{must(NewCall("COALESCE", []Node{NewParam(0), char})), "VARCHAR(5)"}, {must(NewCall("IF", []Node{i, i, char})), "VARCHAR"},
		{must(NewCall("IFNULL", []Node{date, column(dateTimeType)})), "DATETIME"}, {must(NewCall("ROUND", []Node{dec, num(1)})), "DECIMAL(10,1)"},
		{must(NewCall("FLOOR", []Node{dec})), "BIGINT"}, {must(NewIntervalArith(date, num(1), "day", false)), "DATE"}, {must(NewIntervalArith(date, num(1), "hour", false)), "DATETIME"},
		{must(NewCall("NOW", []Node{num(3)})), "DATETIME(3)"}, {must(NewCompare(Eq, i, i)), "BIGINT"},
	} {
		if got := test.n.Type().String(); got != test.want {
			t.Errorf("%s is %s, want %s", String(test.n), got, test.want)
		}
	}
}

func TestFunctionsAreDescribed(t *testing.T) {
	list := append(Functions(), Aggregates()...)
	if len(list) < 150 {
		t.Fatalf("%d functions", len(list))
	}
	for _, f := range list {
		if f.Name != strings.ToUpper(f.Name) || f.Family == "" || f.Min > f.Max && f.Max >= 0 {
			t.Errorf("%+v", f)
		}
		if !strings.HasPrefix(f.Signature, f.Name+"(") || f.Doc == "" && f.Signature == "" {
			t.Errorf("%s has the signature %q", f.Name, f.Signature)
		}
	}
}

func TestSession(t *testing.T) {
	s := &Session{Database: "shop", User: "me", ConnectionID: 4, Version: "5.7.99", Now: 638_400_000_000_000_000 + 1_234_567, LastInsertID: 9, RowCount: -1,
		System: func(name string) (value.Value, bool) { return value.FromString(name), name == "sql_mode" },
		Lock:   func(_ context.Context, name string, _ float64) (bool, error) { return name == "free", nil },
		Unlock: func(_ context.Context, name string) (bool, bool, error) {
			return name == "mine", name != "none", nil
		}}
	s.Vars.Set("X", value.FromInt(5))
	env := &Env{Session: s}
	call := func(name string, args ...Node) Node { return must(NewCall(name, args)) }
	for _, test := range []struct {
		n    Node
		want string
	}{
		{call("DATABASE"), "shop"}, {call("CURRENT_USER"), "me"}, {call("CONNECTION_ID"), "4"}, {call("VERSION"), "5.7.99"}, {call("LAST_INSERT_ID"), "9"},
		{call("ROW_COUNT"), "-1"}, {NewUserVariable("X"), "5"}, {NewUserVariable("y"), "NULL"}, {NewSystemVariable("SQL_MODE"), "sql_mode"},
		{call("GET_LOCK", text("free"), num(1)), "1"}, {call("GET_LOCK", text("taken"), num(1)), "0"}, {call("RELEASE_LOCK", text("mine")), "1"},
		{call("RELEASE_LOCK", text("other")), "0"}, {call("RELEASE_LOCK", text("none")), "NULL"},
		{call("NOW"), "2024-01-04 21:20:00"}, {call("NOW", num(7)), "2024-01-04 21:20:00.1234567"}, {call("NOW", num(6)), "2024-01-04 21:20:00.123456"},
		{call("CURDATE"), "2024-01-04"}, {call("CURTIME", num(1)), "21:20:00.1"}, {call("UNIX_TIMESTAMP"), "1704403200"},
		{call("LAST_INSERT_ID", num(12)), "12"}, {call("LAST_INSERT_ID"), "12"},
	} {
		if got := value.Text(eval(t, test.n, env)); got != test.want {
			t.Errorf("%s = %s, want %s", String(test.n), got, test.want)
		}
	}
}

func TestRandSeed(t *testing.T) {
	f := Compile(must(NewCall("RAND", []Node{num(3)})))
	env := &Env{}
	for _, want := range []string{"0.90576975", "0.37307905", "0.14808605"} { // MySQL's manual
		v, err := f(env)
		if got := value.Text(v); err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("RAND(3) = %s, %v, want %s…", got, err, want)
		}
	}
}

// A copy of an Env may run beside it: it must not share the arguments' scratch.
func TestEnvCopies(t *testing.T) {
	f := Compile(must(NewCall("CONCAT", []Node{&Column{T: textType}, text("x")})))
	env := &Env{Row: []value.Value{value.FromString("a")}}
	eval(t, &Cast{X: must(NewCall("CONCAT", []Node{&Column{T: textType}})), To: textType}, env)
	other := *env
	if _, err := f(&other); err != nil || other.scratch.owner != &other || &other.scratch.values[:1][0] == &env.scratch.values[:1][0] {
		t.Error("the copy shares its scratch")
	}
}

func benchmarkCond(b *testing.B, n Node, env *Env) {
	f := CompileCond(n)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f(env); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkColumnEqParam(b *testing.B) {
	v := []value.Value{value.FromInt(7)}
	benchmarkCond(b, must(NewCompare(Eq, col(0, value.TypeInt), NewParam(0))), &Env{Row: v, Args: v})
}

func BenchmarkAndOfCompares(b *testing.B) {
	n := must(NewLogic(And, must(NewCompare(Ge, col(0, value.TypeInt), num(3))), must(NewCompare(Eq, col(1, value.TypeChar), text("abc")))))
	benchmarkCond(b, n, &Env{Row: []value.Value{value.FromInt(7), value.FromString("abc")}})
}

func BenchmarkInSet(b *testing.B) {
	var list []Node
	for i := range 100 {
		list = append(list, text(strings.Repeat("x", i)))
	}
	benchmarkCond(b, must(NewIn(col(0, value.TypeChar), list, false)), &Env{Row: []value.Value{value.FromString("xxxxxxxxy")}})
}

// Of a thousand elements, none of which is equal: constants and arguments, of the column's kind and of another.
func BenchmarkIn1000(b *testing.B) {
	lists := map[string]func(i int) value.Value{
		"integers": func(i int) value.Value { return value.FromInt(int64(i)) },
		"texts":    func(i int) value.Value { return value.FromString(strconv.Itoa(i)) },
	}
	for _, name := range []string{"integers", "texts"} {
		var constants, params []Node
		var args []value.Value
		for i := range 1000 {
			v := lists[name](i)
			constants, params, args = append(constants, NewConst(v)), append(params, &Param{Index: i}), append(args, v)
		}
		env := &Env{Row: []value.Value{value.FromInt(5000)}, Args: args}
		b.Run("constant "+name, func(b *testing.B) { benchmarkCond(b, must(NewIn(col(0, value.TypeBigInt), constants, false)), env) })
		b.Run("argument "+name, func(b *testing.B) { benchmarkCond(b, must(NewIn(col(0, value.TypeBigInt), params, false)), env) })
	}
}

func BenchmarkLike(b *testing.B) {
	row := []value.Value{value.FromString("The quick brown fox jumps over the lazy dog")}
	for name, pattern := range map[string]string{"prefix": "The%", "contains": "%jumps%", "general": "%q_ick%l_zy%"} {
		b.Run(name, func(b *testing.B) {
			benchmarkCond(b, must(NewLike(col(0, value.TypeChar), text(pattern), '\\', false)), &Env{Row: row})
		})
	}
}

func BenchmarkCall(b *testing.B) {
	n := must(NewCompare(Gt, must(NewCall("LENGTH", []Node{col(0, value.TypeChar)})), num(3)))
	benchmarkCond(b, n, &Env{Row: []value.Value{value.FromString("abc")}})
}

// What is never computed is not there: neither its columns nor its cost.
func TestIdleOperands(t *testing.T) {
	c := &Column{Index: 0, Name: "c", T: value.Type{Base: value.TypeBigInt}, Nullable: true}
	d := &Column{Index: 1, Name: "d", T: value.Type{Base: value.TypeDouble}, Nullable: true}
	null, seven := NewConst(value.NullValue), NewConst(value.FromInt(7))
	call := func(name string, args ...Node) Node { return must(NewCall(name, args)) }
	when := func(els Node, whens ...When) Node { return must(NewCase(nil, whens, els)) }
	for want, n := range map[string]Node{
		"NULL":                          must(NewCompare(Lt, c, null)),
		"c <=> NULL":                    must(NewCompare(NullEq, c, null)),
		"7":                             call("COALESCE", seven, c),
		"COALESCE(c, 7)":                call("COALESCE", c, seven, d),
		"COALESCE(c, d)":                call("COALESCE", c, d),
		"c":                             when(c, When{must(NewCompare(Eq, c, null)), seven}),
		"CASE WHEN c THEN 7 END":        when(nil, When{c, seven}, When{null, c}),
		"CASE WHEN c THEN d END":        when(nil, When{c, d}),
		"CASE WHEN d THEN 7 ELSE c END": when(d, When{null, d}, When{d, seven}, When{seven, c}, When{c, d}),
	} {
		if got := String(n); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if n := call("NULLIF", null, c); String(n) != "NULL" {
		t.Errorf("NULLIF(NULL, c) is %s", String(n))
	}
	if n := must(NewIn(null, []Node{c, d}, true)); String(n) != "NULL" {
		t.Errorf("NULL NOT IN (c, d) is %s", String(n))
	}
	// The type stays that of all operands: 7 among floats is a float.
	if n, ok := call("COALESCE", seven, d).(*Const); !ok || n.V.Kind() != value.Float || n.T.Base != value.TypeDouble {
		t.Errorf("COALESCE(7, d) is %v", n)
	}
}
