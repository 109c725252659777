package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// besideFunction reads what is the same for all rows as what it counts as beside dates and times of its own type, T. It is in no
// registry: comparisons put it around arguments and the like.
var besideFunction = &Function{Name: "BESIDE", null: anyNull}

func init() { besideFunction.compile = compileBeside }

func compileBeside(n *Call) Func {
	x, t := CompileOperand(n.Args[0]), n.T
	return func(env *Env) (value.Value, error) {
		v, err := x(env)
		if err != nil {
			return v, err
		}
		return beside(t, v)
	}
}

// beside is a constant as it compares with values of type t: beside a date or a point in time what it says as one, a number too;
// a number that says none stays one, a text that does is an error. Beside a TIME a text is a TIME.
// Beside a type of MySQL's, which has six digits of a second at most, it is rounded to six: so a time.Time finds what was stored
// of it in a DATETIME(6).
func beside(t value.Type, v value.Value) (value.Value, error) {
	v, err := besideExactly(t, v)
	if 0 <= t.Precision && t.Precision < value.MaxFraction {
		v = value.Microseconds(v)
	}
	return v, err
}

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

// besideNode is n as it compares with t. What differs from row to row is read when it is compared.
func besideNode(t value.Type, n Node) (Node, error) {
	if !isTemporal(t) || isTemporal(n.Type()) || !IsConst(n) || size(n) != 1 {
		return n, nil
	}
	if c, ok := n.(*Const); ok {
		v, err := beside(t, c.V)
		if err != nil || v == c.V {
			return n, err
		}
		return NewConst(v), nil
	}
	subquery := false
	Walk(n, func(n Node) bool {
		_, is := n.(*Subquery)
		subquery = subquery || is
		return !subquery
	})
	if subquery {
		return n, nil
	}
	typ := value.Type{Base: t.Base, Precision: -1}
	if 0 <= t.Precision && t.Precision < value.MaxFraction {
		typ.Precision = value.MaxFraction - 1
	}
	return &Call{Func: besideFunction, Args: []Node{n}, T: typ}, nil
}

// alike gives two operands as they compare with each other.
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

// alikePair gives the second of two as it compares with the first.
func alikePair(args []Node) ([]Node, error) {
	_, y, err := alike(args[0], args[1])
	return []Node{args[0], y}, err
}

// allAlike gives the operands of BETWEEN as they compare with each other: by one type for all of them. A text among dates is a
// date, among numbers a number.
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
