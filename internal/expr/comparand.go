package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// besideFunction converts an argument, or another expression that is the same for all rows, to what it is when compared with values of the
// call's type. Only comparisons use it, so it is in no registry.
var besideFunction = &Function{Name: "BESIDE", null: anyNull}

// besideZoned is besideFunction for a text with an offset, which is a different time in each session's time zone.
var besideZoned = &Function{Name: "BESIDE", Volatility: Stable, null: anyNull}

func init() { besideFunction.compile, besideZoned.compile = compileBeside, compileBeside }

func compileBeside(n *Call) Func {
	x, t := CompileOperand(n.Args[0]), n.T
	return func(env *Env) (value.Value, error) {
		v, err := x(env)
		if err != nil {
			return v, err
		}
		if t.Base == value.TypeYear {
			return yearOf(v), nil
		}
		if isDate(t) && value.HasOffset(v) {
			v = env.today(v, value.Time)
		}
		return beside(t, v)
	}
}

// beside is what v is when compared with values of type t. For dates and points in time, a text or a number is the one that it spells: a number
// that spells none stays a number, a text that spells none is an error. For a TIME, a text is a TIME. A time is rounded to microseconds if t is
// one of MySQL's types: so a time.Time finds what a DATETIME(6) stores of it.
func beside(t value.Type, v value.Value) (value.Value, error) {
	v, err := besideExactly(t, v)
	if isMySQLs(t) {
		v = value.Microseconds(v)
	}
	return v, err
}

// isMySQLs says whether t, a type with dates or times, has no more digits of a second than MySQL's types.
func isMySQLs(t value.Type) bool { return 0 <= t.Precision && t.Precision <= microseconds }

// besideExactly is beside without rounding.
func besideExactly(t value.Type, v value.Value) (value.Value, error) {
	text := v.Kind() == value.String || v.Kind() == value.Bytes
	if !text && (v.Kind() < value.Int || v.Kind() > value.Float) {
		return v, nil
	}
	if !isDate(t) {
		if d, ok := value.ReadDuration(v); ok && text {
			return d, nil
		}
		return v, nil
	}
	at, ok := value.ReadTime(v)
	switch {
	case ok:
		return at, nil
	case text:
		return v, &LiteralError{t.Base.String(), value.Text(v)}
	}
	return v, nil
}

// besideNode is n as it compares with values of type t. Operands that differ from row to row stay as they are: the comparison reads them.
func besideNode(t value.Type, n Node) (Node, error) {
	if !isTemporal(t) || isTemporal(n.Type()) || !IsConst(n) || size(n) != 1 || HasSubquery(n) {
		return n, nil
	}
	function := besideFunction
	if c, ok := n.(*Const); ok && isDate(t) && value.HasOffset(c.V) {
		function = besideZoned
	} else if ok {
		v, err := beside(t, c.V)
		if err != nil || v == c.V {
			return n, err
		}
		return NewConst(v), nil
	}
	typ := value.Type{Base: t.Base, Precision: -1}
	if isMySQLs(t) {
		typ.Precision = microseconds
	}
	return &Call{Func: function, Args: []Node{n}, T: typ}, nil
}

// alike gives two operands in the form in which they are compared.
func alike(l, r Node) (Node, Node, error) {
	lt, lok := l.(*Tuple)
	rt, rok := r.(*Tuple)
	if lok && rok && len(lt.List) == len(rt.List) {
		a, b := &Tuple{List: make([]Node, len(lt.List))}, &Tuple{List: make([]Node, len(lt.List))}
		for i := range lt.List {
			var err error
			if a.List[i], b.List[i], err = alike(lt.List[i], rt.List[i]); err != nil {
				return l, r, err
			}
		}
		return a, b, nil
	}
	if lok || rok {
		return l, r, nil
	}
	r, err := besideNode(l.Type(), r)
	if err != nil {
		return l, r, err
	}
	l, err = besideNode(r.Type(), l)
	return l, r, err
}

// isText says whether values of type t are texts or octets.
func isText(t value.Type) bool { return t.IsText() || t.IsOctets() }

// alikePair gives two arguments, the second in the form in which it is compared with the first.
func alikePair(args []Node) ([]Node, error) {
	x, y, err := alikeYears(args[0], args[1])
	if err == nil {
		_, y, err = alike(x, y)
	}
	return []Node{args[0], y}, err
}

// allAlike gives the operands of BETWEEN in the form in which they are compared, all by one type: a text is a date if another operand is a date,
// a number if another is a number.
func allAlike(nodes ...Node) ([]Node, error) {
	var date value.Type
	text, number := false, false
	for _, n := range nodes {
		t := n.Type()
		if size(n) != 1 {
			return nodes, nil
		}
		if isTemporal(t) && !isDate(date) {
			date = t
		}
		text, number = text || isText(t), number || isNumber(t)
	}
	out := make([]Node, len(nodes))
	for i, n := range nodes {
		var err error
		switch {
		case date.Base != value.TypeUnknown:
			n, err = besideNode(date, n)
		case text && number && isText(n.Type()) && (i == 0 || isText(nodes[0].Type())):
			n, err = NewCast(n, doubleType)
		}
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}
