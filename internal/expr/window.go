package expr

import (
	"math"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// WindowFunction is a function over the rows of a window: one that numbers or picks rows, or an aggregate over a frame. Make it
// with NewWindowFunction; it is immutable and shared between executions.
type WindowFunction struct {
	Name string // upper case
	Args []Node // a value of each row
	// N is a number that is the same for all rows: how far LAG and LEAD look, which row NTH_VALUE picks, how many groups NTILE
	// makes. Nil: none.
	N         Node
	Default   Node       // of LAG and LEAD, where there is no row; nil: NULL
	Aggregate *Aggregate // for an aggregate; nil: another function
	T         value.Type
	NotNull   bool
}

// windowFunction is what a name means.
type windowFunction struct {
	signature string
	doc       string
	min, max  int        // arguments
	number    int        // which of them is N, counted from one; 0: none
	framed    bool       // it uses the frame, other functions the whole partition
	typ       value.Type // unless it is the first argument's type
}

var windowFunctions = map[string]*windowFunction{
	"ROW_NUMBER":   {signature: "()", doc: "The row's number in its partition, from 1.", typ: unsignedType},
	"RANK":         {signature: "()", doc: "The rank of the row: 1 and how many rows come before it; rows of the same place have the same one.", typ: unsignedType},
	"DENSE_RANK":   {signature: "()", doc: "The rank without gaps: 1 and how many places come before the row's.", typ: unsignedType},
	"PERCENT_RANK": {signature: "()", doc: "The share of the other rows that come before the row's place.", typ: doubleType},
	"CUME_DIST":    {signature: "()", doc: "The share of the rows that come before the row or at its place.", typ: doubleType},
	"NTILE":        {signature: "(n)", doc: "Which of n groups of about the same size the row is in.", min: 1, max: 1, number: 1, typ: unsignedType},
	"LAG":          {signature: "(x[, n[, default]])", doc: "x of the row n before this one (1 if n is left out); default, or NULL, if there is none.", min: 1, max: 3, number: 2},
	"LEAD":         {signature: "(x[, n[, default]])", doc: "x of the row n after this one (1 if n is left out); default, or NULL, if there is none.", min: 1, max: 3, number: 2},
	"FIRST_VALUE":  {signature: "(x)", doc: "x of the first row of the frame.", min: 1, max: 1, framed: true},
	"LAST_VALUE":   {signature: "(x)", doc: "x of the last row of the frame.", min: 1, max: 1, framed: true},
	"NTH_VALUE":    {signature: "(x, n)", doc: "x of row n of the frame, from 1; NULL if it has fewer.", min: 2, max: 2, number: 2, framed: true},
}

// IsWindowFunction says whether name (any case) is a function that only a window has.
func IsWindowFunction(name string) bool { return windowFunctions[strings.ToUpper(name)] != nil }

// WindowFunctions describes them, as Aggregates does the aggregates, each of which may also have a window.
func WindowFunctions() []*Function {
	var list []*Function
	for name, f := range windowFunctions {
		list = append(list, &Function{Name: name, Signature: name + f.signature + " OVER …", Family: "window", Doc: f.doc, Min: f.min, Max: f.max})
	}
	sortFunctions(list)
	return list
}

// NewWindowFunction makes name(args), which is no aggregate.
func NewWindowFunction(name string, args []Node) (*WindowFunction, error) {
	name = strings.ToUpper(name)
	f := windowFunctions[name]
	if f == nil {
		return nil, unknownFunction(name)
	}
	if len(args) < f.min || len(args) > f.max {
		return nil, &ArityError{name}
	}
	if err := single(args...); err != nil {
		return nil, err
	}
	w := &WindowFunction{Name: name, T: f.typ, NotNull: f.typ.Base != value.TypeUnknown}
	if n := f.number; n > 0 && len(args) >= n {
		if w.N = args[n-1]; !IsConst(w.N) || HasSubquery(w.N) {
			return nil, &ArgumentError{w.LowerName(), "the number must be the same for all rows"}
		}
		if k, ok := w.N.(*Const); ok {
			if _, ok := w.Number(k.V); !ok {
				return nil, &ArgumentError{w.LowerName(), "the number must be an integer from " + strconv.FormatUint(w.leastNumber(), 10) + " on"}
			}
		}
	}
	if len(args) == 3 {
		w.Default = args[2]
	}
	if !w.NotNull {
		w.Args = args[:1]
		w.T = shownType(args[0].Type())
		if w.Default != nil {
			if w.T = UnifyTypes(args[0].Type(), w.Default.Type()); w.T.Coercion == value.Mixed {
				return nil, &CollationError{Operation: strings.ToLower(name), Types: []value.Type{args[0].Type(), w.Default.Type()}}
			}
		}
	}
	return w, nil
}

// NewWindowAggregate makes an aggregate over a frame.
func NewWindowAggregate(a *Aggregate) *WindowFunction {
	return &WindowFunction{Name: a.Name, Aggregate: a, T: a.T, NotNull: a.Name == "COUNT" || strings.HasPrefix(a.Name, "BIT_") || a.Name == "TOTAL"}
}

// LowerName is the function's name as errors have it.
func (w *WindowFunction) LowerName() string { return strings.ToLower(w.Name) }

// Number gives N from its value in an execution; not ok if that is invalid.
func (w *WindowFunction) Number(v value.Value) (n int, ok bool) {
	if k := v.Kind(); k != value.Int && k != value.Uint || v.IsBits() || k == value.Int && v.Int() < 0 {
		return 0, false
	}
	return int(min(v.Uint(), math.MaxInt32)), v.Uint() >= w.leastNumber()
}

func (w *WindowFunction) leastNumber() uint64 {
	if w.Name == "LAG" || w.Name == "LEAD" {
		return 0
	}
	return 1
}

// IsFramed says whether the function uses the frame.
func (w *WindowFunction) IsFramed() bool { return w.Aggregate != nil || windowFunctions[w.Name].framed }

// Inputs calls f for each expression that is computed for a row.
func (w *WindowFunction) Inputs(f func(Node)) {
	for _, n := range w.Args {
		f(n)
	}
	if w.Default != nil {
		f(w.Default)
	}
	if w.Aggregate != nil {
		for _, n := range w.Aggregate.inputs() {
			f(n)
		}
	}
}

// Over gives the function with other inputs instead of its own.
func (w *WindowFunction) Over(f func(Node) (Node, error)) (*WindowFunction, error) {
	out := *w
	var err error
	list := func(nodes []Node) []Node {
		over := make([]Node, len(nodes))
		for i, n := range nodes {
			if err == nil {
				over[i], err = f(n)
			}
		}
		return over
	}
	out.Args = list(w.Args)
	if w.Default != nil {
		out.Default = list([]Node{w.Default})[0]
	}
	if w.Aggregate != nil {
		a := *w.Aggregate
		a.Args, a.OrderBy = list(a.Args), make([]AggOrder, len(a.OrderBy))
		for i, o := range w.Aggregate.OrderBy {
			a.OrderBy[i] = AggOrder{X: list([]Node{o.X})[0], Desc: o.Desc}
		}
		if err == nil {
			a.code = a.compile()
		}
		out.Aggregate = &a
	}
	return &out, err
}

// Compile makes the functions of Args and Default, which give values of type T.
func (w *WindowFunction) Compile() (args []Func, otherwise Func) {
	for _, n := range w.Args {
		args = append(args, compileArm(n, w.T))
	}
	if w.Default != nil {
		otherwise = compileArm(w.Default, w.T)
	}
	return args, otherwise
}

// String is the function as SQL text, without OVER.
func (w *WindowFunction) String() string {
	if w.Aggregate != nil {
		return w.Aggregate.String()
	}
	list := append([]Node(nil), w.Args...)
	for _, n := range []Node{w.N, w.Default} {
		if n != nil {
			list = append(list, n)
		}
	}
	var p printer
	p.text(w.Name + "(")
	p.list(list)
	p.text(")")
	return p.b.String()
}

// RangeEnd is where a RANGE frame ends: x + n, or x - n. unit is that of an INTERVAL, "" if n is a number. Not ok: the end is beyond all values,
// before them for x - n, else after them.
func (e *Env) RangeEnd(x, n value.Value, unit string, minus bool) (end value.Value, ok bool, err error) {
	if unit == "" {
		return numberBeside(x, n, minus)
	}
	u, _ := unitOf(unit)
	iv, ok, err := newInterval(n, u)
	if err != nil || !ok {
		return value.NullValue, false, err
	}
	if minus {
		iv = interval{-iv.months, -iv.ticks}
	}
	end = e.addInterval(x, iv, u.days)
	return end, !end.IsNull(), nil
}

// numberBeside is x + n or x - n, exact if both are exact.
func numberBeside(x, n value.Value, minus bool) (value.Value, bool, error) {
	op := value.Add
	if minus {
		op = value.Sub
	}
	if x.Kind() != value.Float && n.Kind() != value.Float {
		var err error
		if x, err = value.ToDecimal(x); err == nil {
			n, err = value.ToDecimal(n)
		}
		if err != nil {
			return value.NullValue, false, err
		}
	}
	end, err := op(x, n)
	if _, beyond := err.(*value.RangeError); beyond {
		return value.NullValue, false, nil
	}
	return end, err == nil, err
}

// IsNegativeInterval says whether the amount of an INTERVAL in a unit is below zero, or not an amount.
func IsNegativeInterval(n value.Value, unit string) bool {
	u, known := unitOf(unit)
	iv, ok, err := newInterval(n, u)
	return n.IsNull() || !known || err != nil || ok && (iv.months < 0 || iv.ticks < 0)
}
