package planner

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
)

// Window computes window functions over partitions of its input's rows, all in one order. Its rows are the input's, followed by the results of
// Calls. Sorted: the input comes in the order of Partition and Order.
type Window struct {
	Input     Node
	Partition []expr.Node
	Order     []access.SortKey
	Sorted    bool
	Calls     []*WindowCall
}

// WindowCall is a function over a window.
type WindowCall struct {
	Func  *expr.WindowFunction
	Name  string // of the window, for errors
	Frame *Frame // nil: the whole partition
}

// What frames count, and where they end, as written in SQL.
const (
	FrameRows          = dialect.FrameRows
	FrameRange         = dialect.FrameRange
	FrameGroups        = dialect.FrameGroups
	UnboundedPreceding = dialect.UnboundedPreceding
	Preceding          = dialect.Preceding
	CurrentRow         = dialect.CurrentRow
	Following          = dialect.Following
	UnboundedFollowing = dialect.UnboundedFollowing
)

// Frame is the rows of a partition that a function sees for a row.
type Frame struct {
	Unit       dialect.FrameUnit
	Start, End FrameBound
}

// FrameBound is one end of a frame. N is a number, or one of Unit's.
type FrameBound struct {
	Kind dialect.FrameBoundKind
	N    expr.Node
	Unit string // "": N is no INTERVAL
}

// Width is that of the input and the results.
func (n *Window) Width() int { return n.Input.Width() + len(n.Calls) }

// expressions calls f for each expression of the window.
func (n *Window) expressions(f func(expr.Node)) {
	for _, x := range n.Partition {
		f(x)
	}
	for _, k := range n.Order {
		f(k.Expr)
	}
	for _, c := range n.Calls {
		c.Func.Inputs(f)
	}
}

// sortKeys are the keys that sort the rows: one partition after the other, each in the order of the window.
func (n *Window) sortKeys() []access.SortKey {
	keys := make([]access.SortKey, 0, len(n.Partition)+len(n.Order))
	for _, x := range n.Partition {
		keys = append(keys, access.SortKey{Expr: x})
	}
	for _, k := range n.Order {
		if !isConstant(k.Expr) && !slices.ContainsFunc(n.Partition, func(x expr.Node) bool { return expr.Equal(x, k.Expr) }) {
			keys = append(keys, k)
		}
	}
	return keys
}

// servedBy says whether rows in the order of keys are in the window's order.
func (n *Window) servedBy(keys []access.SortKey) bool {
	own := n.sortKeys()
	if len(own) > len(keys) {
		return false
	}
	parts := len(n.Partition)
	for _, x := range n.Partition {
		if !slices.ContainsFunc(keys[:parts], func(k access.SortKey) bool { return expr.Equal(k.Expr, x) }) {
			return false
		}
	}
	return beginsWith(keys[parts:], own[parts:])
}

// beginsWith says whether keys begins with first.
func beginsWith(keys, first []access.SortKey) bool {
	return len(first) <= len(keys) && slices.EqualFunc(keys[:len(first)], first, func(a, b access.SortKey) bool {
		return a.Desc == b.Desc && expr.Deterministic(a.Expr) && expr.Equal(a.Expr, b.Expr)
	})
}

// window is the line of a Window.
func (e *explainer) window(n *Window) []string {
	calls := make([]string, len(n.Calls))
	for i, c := range n.Calls {
		calls[i] = c.Func.String()
		if c.Frame != nil {
			calls[i] += " " + e.frame(c.Frame)
		}
	}
	parts := []string{"window " + strings.Join(calls, ", ")}
	if len(n.Partition) > 0 {
		parts = append(parts, "by "+e.list(n.Partition))
	}
	if len(n.Order) > 0 {
		parts = append(parts, "order by "+e.order(n.Order))
	}
	if n.Sorted && len(n.Partition)+len(n.Order) > 0 {
		parts = append(parts, "in order")
	}
	return parts
}

var frameUnits = [...]string{FrameRows: "rows", FrameRange: "range", FrameGroups: "groups"}

func (e *explainer) frame(f *Frame) string {
	return frameUnits[f.Unit] + " between " + e.frameBound(f.Start) + " and " + e.frameBound(f.End)
}

func (e *explainer) frameBound(b FrameBound) string {
	switch b.Kind {
	case UnboundedPreceding:
		return "unbounded preceding"
	case UnboundedFollowing:
		return "unbounded following"
	case CurrentRow:
		return "current row"
	}
	n := e.text(b.N)
	if b.Unit != "" {
		n = "interval " + n + " " + b.Unit
	}
	if b.Kind == Preceding {
		return n + " preceding"
	}
	return n + " following"
}
