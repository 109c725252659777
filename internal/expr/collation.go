package expr

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// CollationError says that texts of different collations are to be compared, and nothing decides which collation to use.
type CollationError struct {
	Operation string
	Types     []value.Type // of the texts
}

func (e *CollationError) Error() string {
	parts := make([]string, len(e.Types))
	for i, t := range e.Types {
		parts[i] = "(" + t.Collation.String() + "," + t.Coercion.String() + ")"
	}
	between, end := ", ", " for operation '"+e.Operation+"'"
	switch {
	case len(parts) > 3:
		return "Illegal mix of collations" + end
	case len(parts) == 2:
		between = " and "
	}
	return "Illegal mix of collations " + strings.Join(parts, between) + end
}

// mixture is how texts compare with each other, by MySQL's rules: by COLLATE, else by a column's collation, else by a literal's. Of two columns'
// collations a binary one decides; others cannot be compared. nocase, which MySQL lacks, wins.
type mixture struct {
	collation value.Collation
	coercion  value.Coercion
	any       bool
	clash     bool // two COLLATE that differ
}

// collates says whether values of type t take part in choosing a collation.
func collates(t value.Type) bool {
	return t.IsText() || t.Base == value.TypeUnknown && t.Coercion == value.Literal
}

func (m *mixture) add(t value.Type) {
	switch {
	case !collates(t):
	case !m.any || t.Coercion < m.coercion:
		m.collation, m.coercion, m.any = t.Collation, t.Coercion, true
	case t.Coercion > m.coercion || t.Collation == m.collation:
	case m.coercion == value.Explicit:
		m.clash = true
	case insists(t.Collation) != insists(m.collation):
		if insists(t.Collation) > insists(m.collation) {
			m.collation = t.Collation
		}
	case m.coercion == value.Implicit && insists(m.collation) == 0:
		m.collation, m.coercion = value.BinaryPad, value.Mixed
	}
}

// insists is greater for the collation that wins over another of equal rank.
func insists(c value.Collation) int {
	switch {
	case c == value.NoCase:
		return 2
	case c.IsBinary():
		return 1
	}
	return 0
}

func mix(types ...value.Type) mixture {
	var m mixture
	for _, t := range types {
		m.add(t)
	}
	return m
}

// withMix is the text type t with the common collation of texts of these types.
func withMix(t value.Type, types ...value.Type) value.Type {
	if m := mix(types...); m.any {
		t.Collation, t.Coercion = m.collation, m.coercion
		if m.clash {
			t.Coercion = value.Mixed
		}
	}
	return t
}

// CollationOf says how texts among these compare with each other.
func CollationOf(nodes ...Node) value.Collation {
	return mixOf(nodes).collation
}

// mixOf is the mix of nodes. A binary column among them makes all compare byte by byte, unless COLLATE says otherwise.
func mixOf(nodes []Node) mixture {
	m := mix(typesOf(nodes)...)
	for _, n := range nodes {
		if _, ok := n.(*Column); ok && n.Type().IsOctets() && m.coercion >= value.Implicit {
			return mixture{any: true}
		}
	}
	return m
}

// Comparable gives the collation by which an operation compares these, or an error.
func Comparable(operation string, nodes ...Node) (value.Collation, error) {
	m := mixOf(nodes)
	if m.clash || m.coercion == value.Mixed {
		e := &CollationError{Operation: operation}
		for _, t := range typesOf(nodes) {
			if collates(t) {
				e.Types = append(e.Types, t)
			}
		}
		return 0, e
	}
	return m.collation, nil
}

// compileCollated compiles a call that examines its texts by their collation.
func compileCollated(eval func(c value.Collation, args []value.Value) (value.Value, error)) func(n *Call) Func {
	return func(n *Call) Func {
		c := CollationOf(n.Args...)
		return compileEval(n, func(_ *Env, args []value.Value) (value.Value, error) {
			if args[0].Kind() == value.Bytes || args[1].Kind() == value.Bytes {
				return eval(value.Binary, args)
			}
			return eval(c, args)
		})
	}
}
