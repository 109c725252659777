package planner

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// windowBase is above all positions of a row and all aggregates (aggBase): while expressions are bound, the result of window
// function j is the column windowBase + j.
const windowBase = 1 << 25

// windowing is the window functions of a SELECT.
type windowing struct {
	sel   *dialect.Select
	calls []*boundCall
}

// boundCall is a window function with its window. Both are over the rows that are grouped, until overGroups.
type boundCall struct {
	WindowCall
	partition []expr.Node
	order     []access.SortKey
	number    int    // of the element of the select list or of ORDER BY that it is in
	clause    string // which of both
}

// windowSpec is a window with what it takes from other windows.
type windowSpec struct {
	name      string
	partition []dialect.Expr
	order     []dialect.Order
	frame     *dialect.Frame
}

// unnamedWindow stands for the name of a window that has none, in errors.
const unnamedWindow = "<unnamed window>"

// all gives the calls. A nil windowing has none.
func (w *windowing) all() []*boundCall {
	if w == nil {
		return nil
	}
	return w.calls
}

// checkNames refuses names that are defined twice and definitions that depend on each other.
func (w *windowing) checkNames() error {
	for i, def := range w.sel.Windows {
		if slices.ContainsFunc(w.sel.Windows[:i], func(o dialect.NamedWindow) bool { return strings.EqualFold(o.Name, def.Name) }) {
			return sqlerr.New(sqlerr.CodeWindowTwice, def.Pos, "Window '%s' is defined twice", def.Name)
		}
	}
	for i := range w.sel.Windows {
		if _, err := w.spec(w.sel.Windows[i].Window, w.sel.Windows[i].Name, 0); err != nil {
			return err
		}
	}
	return nil
}

// spec gives a window with what it takes from the window that it names. depth counts the names followed so far.
func (w *windowing) spec(def *dialect.Window, name string, depth int) (windowSpec, error) {
	own := windowSpec{name: name, partition: def.Partition, order: def.OrderBy, frame: def.Frame}
	if def.Name == "" {
		return own, nil
	}
	i := slices.IndexFunc(w.sel.Windows, func(o dialect.NamedWindow) bool { return strings.EqualFold(o.Name, def.Name) })
	switch {
	case i < 0:
		return own, sqlerr.New(sqlerr.CodeNoSuchWindow, def.Pos, "Window name '%s' is not defined", def.Name)
	case depth > len(w.sel.Windows):
		return own, sqlerr.New(sqlerr.CodeWindowCircle, def.Pos, "There is a circularity in the window dependency graph")
	}
	base, err := w.spec(w.sel.Windows[i].Window, w.sel.Windows[i].Name, depth+1)
	switch {
	case err != nil || def.Bare:
		return base, err
	case len(def.Partition) > 0:
		return own, sqlerr.New(sqlerr.CodeWindowChildPartition, def.Pos, "A window which depends on another cannot define partitioning")
	case base.frame != nil:
		return own, sqlerr.New(sqlerr.CodeWindowInheritedFrame, def.Pos, "Window '%s' has a frame definition, so cannot be referenced by another window", base.name)
	case len(base.order) > 0 && len(own.order) > 0:
		return own, sqlerr.New(sqlerr.CodeWindowOrderTwice, def.Pos, "Window '%s' cannot inherit '%s' since both contain an ORDER BY clause", name, base.name)
	}
	own.partition = base.partition
	if len(own.order) == 0 {
		own.order = base.order
	}
	return own, nil
}

// window binds the call of a window function. Its arguments and its window are over the rows left when all but DISTINCT, ORDER BY and LIMIT is
// done; its result is a value of each of these rows.
func (c *context) window(e *dialect.Call) (expr.Node, error) {
	switch {
	case c.windowSpec != "":
		return nil, sqlerr.New(sqlerr.CodeWindowNested, e.Pos, "You cannot nest a window function in the specification of window '%s'", c.windowSpec)
	case c.windows == nil:
		return nil, sqlerr.New(sqlerr.CodeWindowMisplaced, e.Pos, "You cannot use the window function '%s' in this context", e.Name)
	}
	w := c.windows
	inner := *c
	inner.windows, inner.aliases = nil, nil
	call := &boundCall{number: c.number, clause: c.clause}
	var err error
	if call.Func, err = inner.windowFunction(e); err != nil {
		return nil, exprError(err, e.Pos)
	}
	spec, err := w.spec(e.Over, unnamedWindow, 0)
	if err != nil {
		return nil, err
	}
	if call.Name = spec.name; call.Name == "" {
		call.Name = unnamedWindow
	}
	if err := inner.bindWindow(call, &spec, w.sel); err != nil {
		return nil, err
	}
	w.calls = append(w.calls, call)
	return &expr.Column{
		Index: windowBase + len(w.calls) - 1, Name: call.Func.String(), T: call.Func.T, Nullable: !call.Func.NotNull, Aggregate: true,
	}, nil
}

// windowFunction binds the function itself.
func (c *context) windowFunction(e *dialect.Call) (*expr.WindowFunction, error) {
	if e.Distinct {
		return nil, sqlerr.NotSupported(e.Pos, "%s(DISTINCT …) OVER is", strings.ToUpper(e.Name))
	}
	args, err := c.expressions(e.Args)
	if err != nil {
		return nil, err
	}
	if !expr.IsAggregate(e.Name) {
		if !expr.IsWindowFunction(e.Name) || e.Star {
			return nil, sqlerr.New(sqlerr.CodeSyntax, e.Pos, "OVER stands behind a window function or an aggregate, which %s is not", strings.ToUpper(e.Name))
		}
		return expr.NewWindowFunction(e.Name, args)
	}
	var order []expr.AggOrder
	for _, o := range e.OrderBy {
		n, err := c.expression(o.Expr)
		if err != nil {
			return nil, err
		}
		order = append(order, expr.AggOrder{X: n, Desc: o.Desc})
	}
	agg, err := expr.NewAggregate(e.Name, args, e.Star, false, order, e.Separator)
	if err != nil {
		return nil, err
	}
	return expr.NewWindowAggregate(agg), nil
}

// bindWindow binds the window of a call.
func (c *context) bindWindow(call *boundCall, spec *windowSpec, sel *dialect.Select) error {
	own := *c
	own.windowSpec = call.Name
	own.clause = "window partition by"
	for _, e := range spec.partition {
		n, err := own.windowKey(e, sel)
		if err != nil {
			return err
		}
		if !isConstant(n) && !slices.ContainsFunc(call.partition, func(o expr.Node) bool { return expr.Equal(o, n) }) {
			call.partition = append(call.partition, n)
		}
	}
	own.clause = "window order by"
	for _, o := range spec.order {
		n, err := own.windowKey(o.Expr, sel)
		if err != nil {
			return err
		}
		call.order = append(call.order, access.SortKey{Expr: n, Desc: o.Desc})
	}
	if spec.frame == nil {
		if call.Func.IsFramed() && len(call.order) > 0 {
			call.Frame = &Frame{Unit: FrameRange, End: FrameBound{Kind: CurrentRow}}
		}
		return nil
	}
	f, err := own.windowFrame(call, spec.frame)
	if err == nil && call.Func.IsFramed() {
		call.Frame = f
	}
	return err
}

// isConstant says whether n has the same value for all rows, so that partitioning or ordering by it has no effect.
func isConstant(n expr.Node) bool {
	_, is := n.(*expr.Const)
	return is
}

// windowKey binds an expression that a window partitions or orders by. As in ORDER BY, a name of the select list comes before a column.
func (c *context) windowKey(e dialect.Expr, sel *dialect.Select) (expr.Node, error) {
	if l, ok := e.(*dialect.Literal); ok && l.Kind == dialect.IntLiteral {
		return nil, sqlerr.New(sqlerr.CodeWindowPosition, sqlerr.NoPos,
			"Window '%s': ORDER BY or PARTITION BY uses legacy position indication which is not supported, use expression", c.windowSpec)
	}
	if col, ok := e.(*dialect.Column); ok && col.Table == "" {
		for i := range sel.Exprs {
			if item := &sel.Exprs[i]; !item.Star && strings.EqualFold(item.As, col.Name) {
				if hasWindow(item.Expr) {
					return nil, windowAlias(col)
				}
				return c.expression(item.Expr)
			}
		}
	}
	return c.expression(e)
}

// windowAlias is the error for a name that means a window function not computed yet.
func windowAlias(col *dialect.Column) error {
	return sqlerr.New(sqlerr.CodeWindowAlias, col.Pos, "You cannot use the alias '%s' of an expression containing a window function in this context", col.Name)
}

// windowFrame binds the frame of a call.
func (c *context) windowFrame(call *boundCall, f *dialect.Frame) (*Frame, error) {
	start, end := f.Start.Kind, f.End.Kind
	switch {
	case start == UnboundedFollowing:
		return nil, sqlerr.New(sqlerr.CodeFrameStart, sqlerr.NoPos, "Window '%s': frame start cannot be UNBOUNDED FOLLOWING", call.Name)
	case end == UnboundedPreceding:
		return nil, sqlerr.New(sqlerr.CodeFrameEnd, sqlerr.NoPos, "Window '%s': frame end cannot be UNBOUNDED PRECEDING", call.Name)
	case start > end:
		return nil, badFrame(call.Name)
	}
	out := &Frame{Unit: f.Unit}
	var err error
	if out.Start, err = c.frameBound(call, f.Unit, f.Start); err != nil {
		return nil, err
	}
	out.End, err = c.frameBound(call, f.Unit, f.End)
	return out, err
}

// badFrame is the error for an invalid frame, or an invalid number in one.
func badFrame(window string) error {
	return sqlerr.New(sqlerr.CodeFrameIllegal, sqlerr.NoPos, "Window '%s': frame start or end is negative, NULL or of non-integral type", window)
}

// frameBound binds one end of a frame.
func (c *context) frameBound(call *boundCall, unit dialect.FrameUnit, b dialect.FrameBound) (FrameBound, error) {
	out := FrameBound{Kind: b.Kind}
	if b.X == nil {
		return out, nil
	}
	amount := b.X
	if i, ok := amount.(*dialect.Interval); ok {
		if unit != FrameRange {
			return out, sqlerr.New(sqlerr.CodeFrameInterval, sqlerr.NoPos, "Window '%s': INTERVAL can only be used with RANGE frames.", call.Name)
		}
		amount, out.Unit = i.X, i.Unit
	}
	var err error
	if out.N, err = c.expression(amount); err != nil {
		return out, err
	}
	if !expr.IsConst(out.N) || expr.HasSubquery(out.N) {
		return out, sqlerr.New(sqlerr.CodeFrameNotConstant, sqlerr.NoPos, "Window '%s' has a non-constant frame bound", call.Name)
	}
	if unit == FrameRange {
		if len(call.order) != 1 {
			return out, rangeOrder(call.Name)
		}
		switch t := call.order[0].Expr.Type(); {
		case t.Base == value.TypeDate || t.Base == value.TypeDateTime || t.Base == value.TypeTime:
			if out.Unit == "" {
				return out, sqlerr.New(sqlerr.CodeFrameTemporal, sqlerr.NoPos,
					"Window '%s' with RANGE frame has ORDER BY expression of datetime type. Only INTERVAL bound value allowed", call.Name)
			}
		case t.Class() != value.ClassNumber && t.Base != value.TypeUnknown || t.HasMembers():
			return out, rangeOrder(call.Name)
		case out.Unit != "":
			return out, sqlerr.New(sqlerr.CodeFrameNumeric, sqlerr.NoPos,
				"Window '%s' with RANGE frame has ORDER BY expression of numeric type, INTERVAL bound value not allowed", call.Name)
		}
	}
	if k, ok := out.N.(*expr.Const); ok && !out.isValid(unit, k.V) {
		return out, badFrame(call.Name)
	}
	return out, nil
}

func rangeOrder(window string) error {
	return sqlerr.New(sqlerr.CodeFrameOrder, sqlerr.NoPos,
		"Window '%s' with RANGE N PRECEDING/FOLLOWING frame requires exactly one ORDER BY expression, of numeric or temporal type", window)
}

// isValid says whether v can be N.
func (b *FrameBound) isValid(unit dialect.FrameUnit, v value.Value) bool {
	if b.Unit != "" {
		return !expr.IsNegativeInterval(v, b.Unit)
	}
	switch v.Kind() {
	case value.Int:
		return v.Int() >= 0
	case value.Uint:
		return !v.IsBits()
	case value.Decimal, value.Float:
		return unit == FrameRange && value.ToFloat(v) >= 0
	}
	return false
}

// Amount gives the number of a bound that has one, in one execution.
func (b *FrameBound) Amount(unit dialect.FrameUnit, env *expr.Env, window string) (value.Value, error) {
	v, err := expr.Compile(b.N)(env)
	if err == nil && !b.isValid(unit, v) {
		err = badFrame(window)
	}
	return v, err
}

// hasWindow says whether there is a window function in e.
func hasWindow(e dialect.Expr) bool {
	return !walkExpr(e, func(e dialect.Expr) bool {
		call, ok := e.(*dialect.Call)
		return !ok || call.Over == nil
	})
}

// isWindowed says whether a window function's result is in n.
func isWindowed(n expr.Node) bool {
	is := false
	expr.Columns(n, func(c *expr.Column) { is = is || c.Level == 0 && c.Index >= windowBase })
	return is
}

// overGroups turns a call into one over the groups' rows.
func (w *boundCall) overGroups(g *grouping) (err error) {
	what := "SELECT list"
	if w.clause == "order clause" {
		what = "ORDER BY"
	}
	over := func(n expr.Node) (expr.Node, error) { return g.over(n, w.number, what) }
	if w.Func, err = w.Func.Over(over); err != nil {
		return err
	}
	for i := range w.partition {
		if w.partition[i], err = over(w.partition[i]); err != nil {
			return err
		}
	}
	for i := range w.order {
		if w.order[i].Expr, err = over(w.order[i].Expr); err != nil {
			return err
		}
	}
	return nil
}

// nodes makes one operator for each window, with all functions over it, but without inputs. at tells where each call's result is: in which
// operator, and at which place there.
func (w *windowing) nodes() (nodes []*Window, at [][2]int) {
	for _, c := range w.calls {
		i := slices.IndexFunc(nodes, func(n *Window) bool { return c.isOf(n) })
		if i < 0 {
			i = len(nodes)
			nodes = append(nodes, &Window{Partition: c.partition, Order: c.order})
		}
		at = append(at, [2]int{i, len(nodes[i].Calls)})
		nodes[i].Calls = append(nodes[i].Calls, &c.WindowCall)
	}
	return nodes, at
}

// isOf says whether the call's window is that of n.
func (c *boundCall) isOf(n *Window) bool {
	equal := func(a, b expr.Node) bool { return expr.Deterministic(a) && expr.Equal(a, b) }
	return slices.EqualFunc(c.partition, n.Partition, equal) &&
		slices.EqualFunc(c.order, n.Order, func(a, b access.SortKey) bool { return a.Desc == b.Desc && equal(a.Expr, b.Expr) })
}
