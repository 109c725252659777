package expr

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Aggregate is an aggregate function over the rows of a group. Make it with NewAggregate; it is immutable
// and shared between executions.
type Aggregate struct {
	Name      string // upper case
	Args      []Node
	Distinct  bool
	Star      bool       // COUNT(*)
	OrderBy   []AggOrder // GROUP_CONCAT
	Separator string     // GROUP_CONCAT
	T         value.Type

	code *aggregateCode
}

// AggOrder is a key of GROUP_CONCAT's ORDER BY.
type AggOrder struct {
	X    Node
	Desc bool
}

// State gathers the rows of one group.
type State interface {
	// Add takes the row of env.
	Add(env *Env) error
	// Result is the aggregate over the rows that were added. It may be asked for again after more rows.
	Result() (value.Value, error)
	// Size is about the number of octets that the state holds, so that an operator with many states can bound them.
	Size() int
}

// aggregateFunction is what a name means.
type aggregateFunction struct {
	signature string
	doc       string
	min, max  int // arguments
	typ       func(args []Node) value.Type
	gather    func(a *Aggregate) accumulator
	nulls     bool                          // rows with NULL arguments count
	sameTwice bool                          // DISTINCT has no effect
	small     bool                          // what is gathered does not grow with more rows
	operand   func(*Env, value.Value) error // warns of an argument that counts as a number; nil: it does not
}

// accumulator gathers the arguments of the rows that count.
type accumulator interface {
	add(args []value.Value) error
	result() (value.Value, error)
	size() int
}

// smallAdder is an accumulator of numbers that takes numbers fitting a machine word as such.
type smallAdder interface{ addSmall(x value.Small) error }

// aggregateCode is an Aggregate's compiled arguments.
type aggregateCode struct {
	args  []Node // what they were compiled from
	funcs []Func
	small smallFunc // of the argument of a sum; nil: it has none
}

var aggregates = map[string]*aggregateFunction{}

// aggregateAliases are other names of the same.
var aggregateAliases = map[string]string{
	"STD": "STDDEV_POP", "STDDEV": "STDDEV_POP", "VARIANCE": "VAR_POP",
}

func init() {
	for _, family := range []map[string]*aggregateFunction{countAggregates(), sumAggregates(), varianceAggregates(), textAggregates(), bitAggregates()} {
		for name, f := range family {
			aggregates[name] = f
		}
	}
}

func lookupAggregate(name string) (string, *aggregateFunction) {
	name = strings.ToUpper(name)
	if other, ok := aggregateAliases[name]; ok {
		return name, aggregates[other]
	}
	return name, aggregates[name]
}

// IsAggregate says whether name (any case) is an aggregate function.
func IsAggregate(name string) bool {
	_, f := lookupAggregate(name)
	return f != nil
}

// Aggregates describes the aggregate functions, for a list of them: Name, Signature and Doc are set.
func Aggregates() []*Function {
	var list []*Function
	for name, f := range aggregates {
		list = append(list, &Function{Name: name, Signature: name + f.signature, Family: "aggregate", Doc: f.doc, Min: f.min, Max: f.max})
	}
	for name, other := range aggregateAliases {
		list = append(list, &Function{Name: name, Signature: name + aggregates[other].signature, Family: "aggregate",
			Doc: "Another name for " + other + ".", Min: 1, Max: 1})
	}
	list = append(list, &Function{Name: "GROUPING", Signature: "GROUPING(x, …)", Family: "aggregate", Min: 1, Max: 63,
		Doc: "With GROUP BY … WITH ROLLUP: a bit for each x, the last one the lowest, set if the row totals all values of x."})
	sortFunctions(list)
	return list
}

// NewAggregate makes name([DISTINCT] args), or name(*) where star is set; order and sep (nil: a comma) are
// GROUP_CONCAT's.
func NewAggregate(name string, args []Node, star, distinct bool, order []AggOrder, sep *string) (*Aggregate, error) {
	name, f := lookupAggregate(name)
	if f == nil {
		return nil, unknownFunction(name)
	}
	switch {
	case star && name != "COUNT", star && (len(args) > 0 || distinct):
		return nil, &ArgumentError{name, "* is allowed only alone, in COUNT(*)"}
	case !star && (len(args) < f.min || len(args) > f.max):
		return nil, &ArityError{name}
	case !star && name == "COUNT" && len(args) > 1 && !distinct:
		return nil, &ArityError{name}
	case name != "GROUP_CONCAT" && (len(order) > 0 || sep != nil):
		return nil, &ArgumentError{name, "ORDER BY and SEPARATOR are GROUP_CONCAT's"}
	}
	if err := single(args...); err != nil {
		return nil, err
	}
	a := &Aggregate{Name: name, Args: args, Star: star, Distinct: distinct && !f.sameTwice, OrderBy: order, Separator: ",", T: f.typ(args)}
	if sep != nil {
		a.Separator = *sep
	}
	a.code = a.compile()
	return a, nil
}

// inputs are the arguments and behind them the sort keys.
func (a *Aggregate) inputs() []Node {
	nodes := a.Args
	if len(a.OrderBy) > 0 {
		nodes = append([]Node{}, a.Args...)
		for _, o := range a.OrderBy {
			nodes = append(nodes, o.X)
		}
	}
	return nodes
}

func (a *Aggregate) compile() *aggregateCode {
	nodes := a.inputs()
	switch {
	case strings.HasPrefix(a.Name, "JSON_"):
		return &aggregateCode{args: nodes, funcs: compileElements(nodes)}
	case !a.Distinct:
		code := &aggregateCode{args: nodes, funcs: compileAll(nodes)}
		if len(nodes) == 1 && nodes[0].Type().Base == value.TypeDecimal {
			code.small = compileSmall(nodes[0], maxSmallDepth)
		}
		return code
	}
	return &aggregateCode{args: nodes, funcs: compileEach(nodes, Compile)} // those that show the same are the same
}

// compiled are the compiled arguments, also of an Aggregate that was put together by hand or changed.
func (a *Aggregate) compiled() *aggregateCode {
	if a.code != nil {
		same := len(a.code.args) == len(a.Args)+len(a.OrderBy)
		for i := 0; same && i < len(a.Args); i++ {
			same = a.Args[i] == a.code.args[i]
		}
		for i := 0; same && i < len(a.OrderBy); i++ {
			same = a.OrderBy[i].X == a.code.args[len(a.Args)+i]
		}
		if same {
			return a.code
		}
	}
	return a.compile()
}

// Grows says whether the memory of a group may grow with its rows.
func (a *Aggregate) Grows() bool {
	if a.Star {
		return false
	}
	_, f := lookupAggregate(a.Name)
	return a.Distinct || !f.small
}

// NewState begins a group.
func (a *Aggregate) NewState() State {
	if a.Star {
		return &countRows{}
	}
	_, f := lookupAggregate(a.Name)
	code := a.compiled()
	s := &state{a: a, funcs: code.funcs, acc: f.gather(a), nulls: f.nulls, operand: f.operand}
	s.args = make([]value.Value, len(s.funcs))
	if adder, ok := s.acc.(smallAdder); ok && code.small != nil {
		s.small, s.adder = code.small, adder
	}
	if a.Distinct {
		s.seen = map[string]struct{}{}
		for _, n := range a.Args {
			s.collations = append(s.collations, CollationOf(n))
		}
	}
	return s
}

// String is the aggregate as SQL text.
func (a *Aggregate) String() string {
	if a.Star {
		return a.Name + "(*)"
	}
	var p printer
	p.text(a.Name + "(")
	if a.Distinct {
		p.text("DISTINCT ")
	}
	p.list(a.Args)
	for i, o := range a.OrderBy {
		if i == 0 {
			p.text(" ORDER BY ")
		} else {
			p.text(", ")
		}
		p.node(o.X, precNone)
		if o.Desc {
			p.text(" DESC")
		}
	}
	if a.Name == "GROUP_CONCAT" && a.Separator != "," {
		p.text(" SEPARATOR " + quote(a.Separator))
	}
	p.text(")")
	return p.b.String()
}

// state computes the arguments and skips rows that do not count: those with NULL among the arguments and, with DISTINCT, those seen before.
type state struct {
	a          *Aggregate
	funcs      []Func
	acc        accumulator
	small      smallFunc // nil: the argument has none, or acc does not take it
	adder      smallAdder
	nulls      bool
	operand    func(*Env, value.Value) error // warns of an argument that counts as a number; nil: it does not
	args       []value.Value
	seen       map[string]struct{}
	collations []value.Collation
	key        []byte
	held       int
}

func (s *state) Add(env *Env) error {
	if s.small != nil {
		if x, null, ok := s.small(env); ok && (null || !x.IsWhole()) {
			if null {
				return nil
			}
			return s.adder.addSmall(x)
		}
	}
	for i, f := range s.funcs {
		v, err := f(env)
		if err != nil {
			return err
		}
		if v.IsNull() && !s.nulls && i < len(s.a.Args) {
			return nil
		}
		s.args[i] = v
	}
	if s.operand != nil {
		switch s.args[0].Kind() {
		case value.String, value.Bytes, value.JSON: // there is nothing to be said of others
			if err := s.operand(env, s.args[0]); err != nil {
				return err
			}
		}
	}
	if s.seen != nil {
		s.key = s.key[:0]
		for i, c := range s.collations {
			s.key = value.AppendHashKey(s.key, s.args[i], c)
		}
		if _, ok := s.seen[string(s.key)]; ok {
			return nil
		}
		s.seen[string(s.key)] = struct{}{}
		s.held += len(s.key) + mapEntry
	}
	return s.acc.add(s.args)
}

// mapEntry and valueSize are about what a map entry and a value take besides their text.
const (
	mapEntry  = 48
	valueSize = 32
)

func (s *state) Result() (value.Value, error) { return s.acc.result() }

func (s *state) Size() int {
	return 128 + len(s.args)*valueSize + s.held + s.acc.size()
}
