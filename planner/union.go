package planner

import (
	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// union plans left UNION, EXCEPT or INTERSECT [ALL] right, with ORDER BY and LIMIT of the whole.
func (b *builder) union(u *dialect.Union, at position) (*queryPlan, error) {
	ctes, err := at.ctes.with(u.With)
	if err != nil {
		return nil, err
	}
	inner := position{parent: at.parent, frame: at.frame, ctes: ctes}
	arms, err := b.arms(u, inner)
	if err != nil {
		return nil, err
	}
	columns, err := unionColumns(arms)
	if err != nil {
		return nil, err
	}
	end, err := b.ending(columns, u.OrderBy, u.Limit, position{frame: at.frame, ctes: ctes})
	if err != nil {
		return nil, err
	}
	out := united(u, arms, columns, end)
	out.narrow = b.narrowUnion(u, arms, columns, end)
	return out, nil
}

// united makes one result of arms, which are planned.
func united(u *dialect.Union, arms []*queryPlan, columns []ResultColumn, end ending) *queryPlan {
	out := &queryPlan{columns: columns}
	var inputs []Node
	for _, arm := range arms {
		inputs = append(inputs, converted(arm, out.columns))
		out.rows += arm.rows
		out.requests += arm.requests
	}
	var node Node
	switch {
	case u.Op != dialect.UnionOp:
		node = &SetMatch{Left: inputs[0], Right: inputs[1], Intersect: u.Op == dialect.IntersectOp, All: u.All, Columns: out.columns}
		out.rows = arms[0].rows
	case u.All:
		node = &Concat{Inputs: inputs, Columns: out.columns}
	default:
		distinct := &Distinct{Input: &Concat{Inputs: inputs, Columns: out.columns}}
		for _, c := range out.columns {
			distinct.Collation = append(distinct.Collation, c.Type.Collation)
		}
		node = distinct
	}
	out.root = end.of(node)
	return out
}

// ending is the ORDER BY and LIMIT of a result of several queries.
type ending struct {
	keys  []access.SortKey
	limit *Limit // nil: none
}

// of puts the ending over the rows of n.
func (e ending) of(n Node) Node {
	if len(e.keys) > 0 {
		sort := &Sort{Input: n, Keys: e.keys}
		if e.limit != nil && e.limit.Count != nil {
			sort.Limit, sort.Offset = e.limit.Count, e.limit.Offset
		}
		n = sort
	}
	if e.limit != nil {
		n = &Limit{Input: n, Count: e.limit.Count, Offset: e.limit.Offset}
	}
	return n
}

// ending binds ORDER BY and LIMIT. They see only the result's columns.
func (b *builder) ending(columns []ResultColumn, orderBy []dialect.Order, count *dialect.Limit, at position) (ending, error) {
	scope := &scope{block: &block{}, frame: at.frame}
	c := &context{b: b, scope: scope, ctes: at.ctes, clause: "order clause"}
	src := &source{}
	scope.block.add(src, len(columns))
	var outputs []output
	for i, col := range columns {
		scope.fields = append(scope.fields, field{name: col.Name, src: src, ordinal: i, typ: col.Type, nullable: col.Nullable})
		outputs = append(outputs, output{name: col.Name, node: scope.column(&scope.fields[i])})
	}
	limit, err := c.limit(count)
	if err != nil {
		return ending{}, err
	}
	end := ending{limit: limit}
	for _, o := range orderBy {
		n, err := orderExpression(c, outputs, o.Expr)
		if err != nil {
			return ending{}, err
		}
		end.keys = append(end.keys, access.SortKey{Expr: n, Desc: o.Desc})
	}
	return end, nil
}

// arms plans the queries that u combines. A chain of UNIONs of the same kind is one list, and so is UNION ALL to the left of a UNION.
func (b *builder) arms(u *dialect.Union, at position) ([]*queryPlan, error) {
	var chain []dialect.Query
	var left dialect.Query = u
	for {
		l, ok := left.(*dialect.Union)
		if !ok || l != u && (u.Op != dialect.UnionOp || l.Op != u.Op || l.All != u.All && u.All ||
			len(l.OrderBy) > 0 || l.Limit != nil || len(l.With) > 0) {
			break
		}
		chain = append(chain, l.Right)
		left = l.Left
	}
	chain = append(chain, left)
	var arms []*queryPlan
	for i := len(chain) - 1; i >= 0; i-- {
		arm, err := b.query(chain[i], at)
		if err != nil {
			return nil, err
		}
		if len(arms) > 0 && len(arm.columns) != len(arms[0].columns) {
			return nil, sqlerr.New(sqlerr.CodeUnionColumns, sqlerr.NoPos, "The used SELECT statements have a different number of columns")
		}
		arms = append(arms, arm)
	}
	return arms, nil
}

// unionColumns gives the columns of the whole: the first arm's names, types that hold all arms' values.
func unionColumns(arms []*queryPlan) ([]ResultColumn, error) {
	columns := append([]ResultColumn(nil), arms[0].columns...)
	for i := range columns {
		types := make([]value.Type, len(arms))
		for j, arm := range arms {
			types[j] = arm.columns[i].Type
			columns[i].Nullable = columns[i].Nullable || arm.columns[i].Nullable
		}
		columns[i].Type = expr.UnifyTypes(types...)
		if columns[i].Type.Coercion == value.Mixed {
			return nil, sqlerr.New(sqlerr.CodeCollationMixes, sqlerr.NoPos, "Illegal mix of collations for operation 'UNION'")
		}
	}
	return columns, nil
}

// converted is the arm with its values cast if their type is of another kind than the whole's.
func converted(arm *queryPlan, columns []ResultColumn) Node {
	project := &Project{Input: arm.root}
	changed := false
	for i, c := range arm.columns {
		col := &expr.Column{Index: i, Name: c.Name, T: c.Type, Nullable: c.Nullable}
		n := heldAs(col, columns[i].Type)
		changed = changed || n != expr.Node(col)
		project.Exprs = append(project.Exprs, n)
		project.Names = append(project.Names, columns[i].Name)
	}
	if !changed {
		return arm.root
	}
	return project
}

// heldAs is n cast to the type of a column of the whole if its type's values are of another kind.
func heldAs(n expr.Node, to value.Type) expr.Node {
	if n.Type().Base == value.TypeBit && (to.IsText() || to.IsOctets()) {
		n = &expr.Cast{X: n, To: value.Type{Base: value.TypeBigInt, Unsigned: true}} // among texts it is the digits of its number
	}
	of := n.Type()
	if of.Base != value.TypeUnknown && to.Base != value.TypeUnknown && (storage(of) != storage(to) || otherDigitsShown(of, to) || expr.MayCount(n)) {
		if cast, err := expr.NewCast(n, to); err == nil {
			return cast
		}
	}
	return n
}

// otherDigitsShown says whether values of one type show other digits after the point than those of the whole.
func otherDigitsShown(from, to value.Type) bool {
	switch to.Base {
	case value.TypeDecimal:
		return from.Scale != to.Scale
	case value.TypeDateTime, value.TypeTime:
		return to.Precision >= 0 && from.Precision != to.Precision
	}
	return false
}

// storage is the kind of value that an expression of the type has, as far as a UNION must make them alike.
func storage(t value.Type) value.Kind {
	switch k := t.Kind(); k {
	case value.Null, value.Bool, value.Uint:
		return value.Int
	case value.JSON, value.UUID:
		return value.String
	default:
		return k
	}
}
