package planner

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// treeKind is what a joinTree is.
type treeKind uint8

const (
	leafTree  treeKind = iota // one source
	innerTree                 // all of kids, joined on conds, in any order
	leftTree                  // kids[0] LEFT JOIN kids[1] ON conds; with a lateral right side, see inner, also JOIN
)

// joinTree is FROM as joins see it. A RIGHT JOIN is a leftTree with its sides exchanged.
type joinTree struct {
	kind  treeKind
	src   *source
	kids  []*joinTree
	conds []expr.Node

	merged bool // it is a derived table that was merged
	inner  bool // a leftTree whose right side is lateral: left rows without a right one are left out
}

// isLateral says whether t is read anew for each row of what precedes it.
func (t *joinTree) isLateral() bool { return t.kind == leafTree && t.src.lateral }

// sources calls f for each source beneath t.
func (t *joinTree) sources(f func(*source)) {
	if t.kind == leafTree {
		f(t.src)
	}
	for _, kid := range t.kids {
		kid.sources(f)
	}
}

// fromClause is a bound FROM, or a part of it.
type fromClause struct {
	tree   *joinTree
	names  []*named
	fields []field
}

// from binds FROM into the query's block.
func (q *selection) from(te dialect.TableExpr) (fromClause, error) {
	switch te := te.(type) {
	case *dialect.TableName:
		return q.fromTable(te)
	case *dialect.Derived:
		return q.fromDerived(te)
	case *dialect.Join:
		return q.fromJoin(te)
	}
	return fromClause{}, sqlerr.NotSupported(sqlerr.NoPos, "this table expression is")
}

func (q *selection) fromTable(n *dialect.TableName) (fromClause, error) {
	if n.Database == "" {
		switch e := q.position.ctes.find(n.Name); {
		case e == nil:
		case e.rows != nil:
			return q.fromRecursive(n, e)
		default:
			return q.fromCTE(n, e.def, e.outer, true)
		}
	}
	t, err := q.b.table(n)
	if err != nil {
		return fromClause{}, err
	}
	q.b.writeDatabase(n)
	if t.IsView() {
		return q.fromView(n, t)
	}
	return q.addTable(t, n)
}

// addTable gives t its place in the block.
func (q *selection) addTable(t *schema.Table, n *dialect.TableName) (fromClause, error) {
	if err := q.roomForTable(); err != nil {
		return fromClause{}, err
	}
	name := n.As
	if name == "" {
		name = n.Name
	}
	if err := checkAlias(n.As); err != nil {
		return fromClause{}, err
	}
	keys, err := q.indexChoice(t, n.Hints)
	if err != nil {
		return fromClause{}, err
	}
	src := &source{name: name, table: t, keys: keys}
	q.block.add(src, t.RowWidth())
	fields := make([]field, 0, len(t.Columns)+1)
	for i, c := range t.Columns {
		if c.State != schema.Public && q.b.earlier == nil { // texts of definitions find it
			continue
		}
		fields = append(fields, field{
			name: c.Name, src: src, ordinal: i, typ: c.Type, nullable: !c.NotNull, hidden: c.Hidden || c.Invisible,
		})
	}
	if t.Virtual == nil && t.Ordinal("etag") == t.ETagOrdinal() {
		fields = append(fields, field{
			name: "ETag", src: src, ordinal: t.ETagOrdinal(), typ: value.Type{Base: value.TypeText}, hidden: !t.IsUndeclared(),
		})
	}
	return oneTable(&joinTree{kind: leafTree, src: src}, &named{name: name, database: q.b.databaseOf(n), fields: fields, src: src}), nil
}

func oneTable(tree *joinTree, n *named) fromClause {
	from := fromClause{tree: tree, names: []*named{n}}
	for _, f := range n.fields {
		if !f.hidden {
			from.fields = append(from.fields, f)
		}
	}
	return from
}

// maxTables bounds the tables of one block: they are counted in a srcSet.
const maxTables = 128

func (q *selection) roomForTable() error {
	if len(q.block.sources) >= maxTables {
		return sqlerr.New(sqlerr.CodeTooManyTables, sqlerr.NoPos, "Too many tables; at most %d can be joined", maxTables)
	}
	return nil
}

// fromSide binds a side of a join. outer: the join may have no row of it.
func (q *selection) fromSide(te dialect.TableExpr, outer bool) (fromClause, error) {
	before := q.outer
	q.outer = before || outer
	defer func() { q.outer = before }()
	return q.from(te)
}

func (q *selection) fromJoin(j *dialect.Join) (fromClause, error) {
	j = beforeLateral(j)
	left, err := q.fromSide(j.Left, j.Kind == dialect.RightJoin)
	if err != nil {
		return fromClause{}, err
	}
	right, err := q.fromRight(j, left)
	if err != nil {
		return fromClause{}, err
	}
	for _, l := range left.names {
		for _, r := range right.names {
			if l.is(r.database, r.name) {
				return fromClause{}, sqlerr.New(sqlerr.CodeNonUniqueTable, sqlerr.NoPos, "Not unique table/alias: '%s'", r.name)
			}
		}
	}
	switch j.Kind {
	case dialect.LeftJoin:
		right.tree.sources(func(s *source) { s.nullable = true })
	case dialect.RightJoin:
		left.tree.sources(func(s *source) { s.nullable = true })
	}
	joined := fromClause{names: append(append([]*named(nil), left.names...), right.names...)}

	using := j.Using
	if j.Natural {
		using = commonNames(left.fields, right.fields)
	}
	conds, fields, err := q.mergeColumns(left.fields, right.fields, using, j.Kind == dialect.RightJoin)
	if err != nil {
		return fromClause{}, err
	}
	joined.fields = fields
	if j.On != nil {
		c := q.context("on clause")
		c.scope = &scope{block: q.block, names: joined.names, fields: joined.fields,
			parent: q.scope.parent, sameRow: q.scope.sameRow, frame: q.scope.frame}
		on, err := c.condition(j.On)
		if err != nil {
			return fromClause{}, err
		}
		conds = append(conds, expr.Conjuncts(on)...)
	}
	joined.tree = &joinTree{kind: innerTree, kids: []*joinTree{left.tree, right.tree}, conds: conds}
	if right.tree.isLateral() {
		joined.tree.kind, joined.tree.inner = leftTree, j.Kind != dialect.LeftJoin
		return joined, nil
	}
	switch j.Kind {
	case dialect.LeftJoin:
		joined.tree.kind = leftTree
	case dialect.RightJoin:
		joined.tree.kind = leftTree
		joined.tree.kids[0], joined.tree.kids[1] = right.tree, left.tree
	}
	return joined, nil
}

// commonNames are the names that NATURAL JOIN joins by, in the order of the left table.
func commonNames(left, right []field) []string {
	var names []string
	for _, l := range left {
		for _, r := range right {
			if strings.EqualFold(l.name, r.name) {
				names = append(names, l.name)
				break
			}
		}
	}
	return names
}

// mergeColumns makes the conditions of USING (names) and the columns of the join. The merged columns come first; they are those of the side
// whose rows are all kept, in its order. That side's other columns follow, then the other side's.
func (q *selection) mergeColumns(left, right []field, names []string, rightJoin bool) (conds []expr.Node, fields []field, err error) {
	if len(names) == 0 {
		return nil, append(left, right...), nil // left is a part of this join alone
	}
	merged := func(fs []field, f *field) bool {
		for i := range fs {
			if fs[i].src == f.src && fs[i].ordinal == f.ordinal {
				return true
			}
		}
		return false
	}
	var leftMerged, rightMerged []field
	for _, name := range names {
		l, err := uniqueField(left, name)
		if err != nil {
			return nil, nil, err
		}
		r, err := uniqueField(right, name)
		if err != nil {
			return nil, nil, err
		}
		eq, err := expr.NewCompare(expr.Eq, q.b.localColumn(q.scope.value(l)), q.b.localColumn(q.scope.value(r)))
		if err != nil {
			return nil, nil, err
		}
		conds = append(conds, eq)
		leftMerged, rightMerged = append(leftMerged, *l), append(rightMerged, *r)
	}
	first, second, firstMerged, secondMerged := left, right, leftMerged, rightMerged
	if rightJoin {
		first, second, firstMerged, secondMerged = right, left, rightMerged, leftMerged
	}
	take := func(from, merges []field, wanted bool) {
		for i := range from {
			if merged(merges, &from[i]) == wanted {
				fields = append(fields, from[i])
			}
		}
	}
	take(first, firstMerged, true)
	take(first, firstMerged, false)
	take(second, secondMerged, false)
	return conds, fields, nil
}

func uniqueField(fields []field, name string) (*field, error) {
	var found *field
	for i := range fields {
		if strings.EqualFold(fields[i].name, name) {
			if found != nil {
				return nil, sqlerr.New(sqlerr.CodeNonUniqueColumn, sqlerr.NoPos, "Column '%s' in from clause is ambiguous", name)
			}
			found = &fields[i]
		}
	}
	if found == nil {
		return nil, sqlerr.New(sqlerr.CodeUnknownColumn, sqlerr.NoPos, "Unknown column '%s' in 'from clause'", name)
	}
	return found, nil
}
