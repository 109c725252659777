package expr

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// String is n as SQL text, with no more parentheses than it needs; an argument prints as ?, a Subquery as
// (subquery N).
func String(n Node) string { return StringArgs(n, nil) }

// StringArgs is String with the arguments' values in their places.
func StringArgs(n Node, args []value.Value) string {
	p := printer{args: args}
	p.node(n, precNone)
	return p.b.String()
}

// How strongly an operator binds, from loosest to tightest; MySQL's table.
const (
	precNone = iota
	precOr
	precXor
	precAnd
	precNot
	precCompare
	precBitOr
	precBitAnd
	precShift
	precAdd
	precMul
	precBitXor
	precUnary
	precAtom
)

var arithPrec = map[string]int{
	"+": precAdd, "-": precAdd, "*": precMul, "/": precMul, "div": precMul, "%": precMul,
	"&": precBitAnd, "|": precBitOr, "^": precBitXor, "<<": precShift, ">>": precShift,
}

var compareText = [...]string{Eq: " = ", NullEq: " <=> ", Ne: " <> ", Lt: " < ", Le: " <= ", Gt: " > ", Ge: " >= "}

type printer struct {
	b    strings.Builder
	args []value.Value
}

func (p *printer) text(s string) { p.b.WriteString(s) }

// open begins a term that binds as strongly as prec, inside one that asks for least; the result ends it.
func (p *printer) open(prec, least int) string {
	if prec >= least {
		return ""
	}
	p.text("(")
	return ")"
}

// value prints a literal; a negative number binds as -x does.
func (p *printer) value(v value.Value, least int) {
	s := literal(v)
	end := ""
	if strings.HasPrefix(s, "-") {
		end = p.open(precUnary, least)
	}
	p.text(s + end)
}

func (p *printer) list(nodes []Node) {
	for i, n := range nodes {
		if i > 0 {
			p.text(", ")
		}
		p.node(n, precNone)
	}
}

func not(is bool) string {
	if is {
		return " NOT"
	}
	return ""
}

// node prints n so that it can stand where an operator of at least this precedence belongs.
func (p *printer) node(n Node, least int) {
	switch n := n.(type) {
	case *Column:
		p.text(n.Name)
	case *Const:
		v := n.V
		if n.T.Truth && v.Kind() == value.Int {
			v = value.FromBool(v.Int() != 0)
		}
		p.value(v, least)
	case *Param:
		if n.Index < len(p.args) {
			p.value(p.args[n.Index], least)
		} else {
			p.text("?")
		}
	case *InsertValue:
		if n.Beside {
			p.text(n.Name)
			break
		}
		p.text("VALUES(" + n.Name + ")")
	case *Tuple:
		p.text("(")
		p.list(n.List)
		p.text(")")
	case *Compare:
		end := p.open(precCompare, least)
		p.node(n.L, precCompare+1)
		p.text(compareText[n.Op])
		p.node(n.R, precCompare+1)
		p.text(end)
	case *Logic:
		p.logic(n, least)
	case *Not:
		end := p.open(precNot, least)
		p.text("NOT ")
		p.node(n.X, precNot)
		p.text(end)
	case *Is:
		end := p.open(precCompare, least)
		p.node(n.X, precCompare+1)
		p.text(" IS" + not(n.Not) + [...]string{IsNull: " NULL", IsTrue: " TRUE", IsFalse: " FALSE"}[n.What] + end)
	case *Like:
		end := p.open(precCompare, least)
		p.node(n.X, precCompare+1)
		p.text(not(n.Not) + " LIKE ")
		p.node(n.Pattern, precCompare+1)
		if n.Escape != '\\' {
			p.text(" ESCAPE " + literal(value.FromString(strings.Trim(string(n.Escape), "\x00"))))
		}
		p.text(end)
	case *In:
		end := p.open(precCompare, least)
		p.node(n.X, precCompare+1)
		p.text(not(n.Not) + " IN (")
		p.list(n.List)
		p.text(")" + end)
	case *Subquery:
		p.subquery(n, least)
	case *Arith:
		prec := arithPrec[n.Op]
		end := p.open(prec, least)
		p.node(n.L, prec)
		p.text(" " + strings.ToUpper(n.Op) + " ")
		p.node(n.R, prec+1)
		p.text(end)
	case *Unary:
		end := p.open(precUnary, least)
		p.text(n.Op)
		p.node(n.X, precAtom) // --x reads like a comment
		p.text(end)
	case *Cast:
		p.text("CAST(")
		p.node(n.X, precNone)
		p.text(" AS " + castName(n.To) + ")")
	case *Case:
		p.caseNode(n)
	case *Call:
		p.call(n, least)
	}
}

func (p *printer) logic(n *Logic, least int) {
	prec := [...]int{And: precAnd, Or: precOr, Xor: precXor}[n.Op]
	end := p.open(prec, least)
	for i, k := range n.Kids {
		if i > 0 {
			p.text([...]string{And: " AND ", Or: " OR ", Xor: " XOR "}[n.Op])
		}
		p.node(k, prec+1)
	}
	p.text(end)
}

func (p *printer) subquery(n *Subquery, least int) {
	text := "(subquery " + strconv.Itoa(n.Slot) + ")"
	switch n.Kind {
	case ScalarSubquery:
		p.text(text)
	case ExistsSubquery:
		prec, word := precAtom, "EXISTS "
		if n.Not {
			prec, word = precNot, "NOT EXISTS "
		}
		end := p.open(prec, least)
		p.text(word + text + end)
	case InSubquery:
		end := p.open(precCompare, least)
		p.node(n.X, precCompare+1)
		if n.IsQuantified() {
			word := " ANY "
			if n.All {
				word = " ALL "
			}
			text = " " + strings.TrimSpace(compareText[n.Op]) + word + text
		} else {
			text = not(n.Not) + " IN " + text
		}
		p.text(text + end)
	}
}

func (p *printer) caseNode(n *Case) {
	p.text("CASE")
	for _, w := range n.Whens {
		p.text(" WHEN ")
		p.node(w.Cond, precNone)
		p.text(" THEN ")
		p.node(w.Result, precNone)
	}
	if c, ok := n.Else.(*Const); !ok || !c.V.IsNull() {
		p.text(" ELSE ")
		p.node(n.Else, precNone)
	}
	p.text(" END")
}

func (p *printer) call(n *Call, least int) {
	switch n.Func {
	case besideFunction:
		p.node(n.Args[0], least)
		return
	case collateFunction:
		end := p.open(precUnary, least)
		p.node(n.Args[0], precUnary)
		p.text(" COLLATE " + n.T.Collation.String() + end)
		return
	case betweenFunction:
		end := p.open(precCompare, least)
		p.node(n.Args[0], precCompare+1)
		p.text(" BETWEEN ")
		p.node(n.Args[1], precCompare+1)
		p.text(" AND ")
		p.node(n.Args[2], precCompare+1)
		p.text(end)
		return
	case memberOf:
		end := p.open(precCompare, least)
		p.node(n.Args[0], precCompare+1)
		p.text(" MEMBER OF (")
		p.node(n.Args[1], precNone)
		p.text(")" + end)
		return
	case systemVariableFunction, userVariableFunction:
		name, _ := constText(n.Args[0])
		p.text(n.Func.Name + name)
		return
	}
	if sign, ok := intervalSign[n.Func.Name]; ok && len(n.Args) == 3 {
		end := p.open(precAdd, least)
		p.node(n.Args[0], precAdd)
		p.text(sign + "INTERVAL ")
		p.node(n.Args[1], precUnary)
		unit, _ := constText(n.Args[2])
		p.text(" " + strings.ToUpper(unit) + end)
		return
	}
	if n.Func.Name == "REGEXP_LIKE" && len(n.Args) == 2 {
		end := p.open(precCompare, least)
		p.node(n.Args[0], precCompare+1)
		p.text(" REGEXP ")
		p.node(n.Args[1], precCompare+1)
		p.text(end)
		return
	}
	if n.Func.Name == "JSON_VALUE" && len(n.Args) > 2 {
		p.jsonValue(n)
		return
	}
	p.text(n.Func.Name + "(")
	p.list(n.Args)
	p.text(")")
}

// jsonValue prints JSON_VALUE with its clauses.
func (p *printer) jsonValue(n *Call) {
	p.text("JSON_VALUE(")
	p.list(n.Args[:2])
	p.text(" RETURNING " + castName(n.Args[2].Type()))
	for i, event := range []string{" ON EMPTY", " ON ERROR"} {
		mode, _ := constText(n.Args[3+2*i])
		p.text(" " + mode)
		if mode == jsonDefault {
			p.text(" ")
			p.node(n.Args[4+2*i], precUnary)
		}
		p.text(event)
	}
	p.text(")")
}

var intervalSign = map[string]string{"DATE_ADD": " + ", "DATE_SUB": " - "}

// castName is the type as CAST spells it: integers are SIGNED or UNSIGNED, texts CHAR.
func castName(t value.Type) string {
	switch {
	case t.Base == value.TypeBigInt && t.Unsigned:
		return "UNSIGNED"
	case t.Base == value.TypeBigInt:
		return "SIGNED"
	}
	return t.String()
}

// literal is a value as SQL spells it.
func literal(v value.Value) string {
	switch v.Kind() {
	case value.String, value.JSON, value.UUID, value.Time, value.Date, value.Duration:
		return quote(value.Text(v))
	case value.Bytes:
		return "X'" + strings.ToUpper(hex.EncodeToString([]byte(v.Text()))) + "'"
	case value.Uint:
		if v.IsBits() {
			return "b'" + strconv.FormatUint(v.Uint(), 2) + "'"
		}
	case value.Bool:
		if v.Bool() {
			return "TRUE"
		}
		return "FALSE"
	}
	return value.Text(v)
}

// quote writes s in quotes, with MySQL's escapes for what would end the text or disturb a terminal.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\'':
			b.WriteString("''")
		case '\\':
			b.WriteString(`\\`)
		case 0:
			b.WriteString(`\0`)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case 0x1a:
			b.WriteString(`\Z`)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// constText is the text of a constant.
func constText(n Node) (string, bool) {
	c, ok := n.(*Const)
	if !ok || c.V.IsNull() {
		return "", false
	}
	return value.Text(c.V), true
}
