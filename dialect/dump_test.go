package dialect

import (
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"
)

// dump is a statement as text: every node with its fields that are not zero, @n for places. Leaves are
// short: `t.c`@7 is a column, 'x' a string, ?0 a placeholder, (+ 1 2) an operator, f(x)@3 a call.
func dump(v any) string {
	var b strings.Builder
	dumpValue(&b, reflect.ValueOf(v))
	return b.String()
}

func dumpValue(b *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			b.WriteString("nil")
			return
		}
		if e, ok := v.Interface().(Expr); ok && dumpExpr(b, e) {
			return
		}
		dumpValue(b, v.Elem())
	case reflect.Struct:
		if t, ok := v.Interface().(TableName); ok {
			b.WriteString(dumpTable(t))
			return
		}
		b.WriteString(v.Type().Name())
		dumpFields(b, v)
	case reflect.Slice:
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteString(", ")
			}
			dumpValue(b, v.Index(i))
		}
		b.WriteByte(']')
	case reflect.Map:
		var keys []string
		for _, k := range v.MapKeys() {
			keys = append(keys, k.String()+":"+v.MapIndex(k).String())
		}
		sort.Strings(keys)
		fmt.Fprintf(b, "%q", keys)
	case reflect.String:
		b.WriteString(strconv.Quote(v.String()))
	default:
		fmt.Fprint(b, v.Interface())
	}
}

func dumpFields(b *strings.Builder, v reflect.Value) {
	b.WriteByte('{')
	sep := ""
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		if name == "Pos" {
			fmt.Fprintf(b, "%s@%d", sep, f.Int())
			sep = " "
			continue
		}
		if f.IsZero() && name != "Kind" {
			continue
		}
		b.WriteString(sep)
		sep = " "
		b.WriteString(name)
		if f.Kind() != reflect.Bool {
			b.WriteByte(':')
			dumpValue(b, f)
		}
	}
	b.WriteByte('}')
}

func dumpTable(t TableName) string {
	if reflect.ValueOf(t).IsZero() {
		return "-"
	}
	s := "`" + t.Name + "`"
	if t.Database != "" {
		s = "`" + t.Database + "`." + s
	}
	if t.As != "" {
		s += " as `" + t.As + "`"
	}
	s += "@" + strconv.Itoa(int(t.Pos))
	for _, h := range t.Hints {
		s += fmt.Sprintf(" hint %d for %d %q", h.Kind, h.For, h.Names)
	}
	return s
}

var literalPrefix = map[LiteralKind]string{IntLiteral: "", DecimalLiteral: "dec ", FloatLiteral: "float ",
	StringLiteral: "", HexLiteral: "hex ", BitLiteral: "bit ", BoolLiteral: "bool ", DateLiteral: "date ",
	TimeLiteral: "time ", TimestampLiteral: "timestamp "}

// dumpExpr writes the short forms; false for what has none.
func dumpExpr(b *strings.Builder, e Expr) bool {
	list := func(name string, exprs ...Expr) bool {
		b.WriteString("(" + name)
		for _, x := range exprs {
			b.WriteString(" ")
			dumpValue(b, reflect.ValueOf(x))
		}
		b.WriteString(")")
		return true
	}
	not := func(not bool, s string) string {
		if not {
			return "not-" + s
		}
		return s
	}
	switch e := e.(type) {
	case *Literal:
		switch e.Kind {
		case NullLiteral:
			b.WriteString("null")
		case IntLiteral, DecimalLiteral, FloatLiteral, BoolLiteral:
			b.WriteString(literalPrefix[e.Kind] + e.Text)
		default:
			q := strconv.Quote(e.Text)
			b.WriteString(literalPrefix[e.Kind] + "'" + q[1:len(q)-1] + "'")
		}
	case *Placeholder:
		fmt.Fprintf(b, "?%d%s", e.Index, e.Name)
	case *Column:
		var parts []string
		for _, s := range []string{e.Database, e.Table, e.Name} {
			if s != "" {
				parts = append(parts, s)
			}
		}
		fmt.Fprintf(b, "`%s`@%d", strings.Join(parts, "."), e.Pos)
	case *Unary:
		return list(e.Op, e.X)
	case *Binary:
		return list(e.Op, e.L, e.R)
	case *Between:
		return list(not(e.Not, "between"), e.X, e.Low, e.High)
	case *Is:
		return list(not(e.Not, "is-")+e.What, e.X)
	case *Like:
		if e.Escape == nil {
			return list(not(e.Not, "like"), e.X, e.Pattern)
		}
		return list(not(e.Not, "like"), e.X, e.Pattern, e.Escape)
	case *Regexp:
		return list(not(e.Not, "regexp"), e.X, e.Pattern)
	case *Tuple:
		return list("tuple", e.List...)
	case *In:
		if e.Query == nil {
			return list(not(e.Not, "in"), append([]Expr{e.X}, e.List...)...)
		}
		return list(not(e.Not, "in"), e.X, &Subquery{Query: e.Query})
	case *Interval:
		return list("interval-"+e.Unit, e.X)
	case *Call:
		fmt.Fprintf(b, "%s@%d", e.Name, e.Pos)
		b.WriteByte('(')
		if e.Star {
			b.WriteByte('*')
		}
		if e.Distinct {
			b.WriteString("distinct ")
		}
		for i, a := range e.Args {
			if i > 0 {
				b.WriteString(", ")
			}
			dumpValue(b, reflect.ValueOf(a))
		}
		if e.OrderBy != nil {
			b.WriteString(" order by ")
			dumpValue(b, reflect.ValueOf(e.OrderBy))
		}
		if e.Separator != nil {
			fmt.Fprintf(b, " separator %q", *e.Separator)
		}
		b.WriteByte(')')
		if e.Over != nil {
			b.WriteString(" over ")
			dumpValue(b, reflect.ValueOf(*e.Over))
		}
	default:
		return false
	}
	return true
}
