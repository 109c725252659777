package planner

import (
	"maps"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// joiner turns a block's joinTree into operators.
type joiner struct {
	block     *block
	forUpdate bool                       // rows that are read are protected from others' changes
	analyzed  bool                       // all tables have statistics
	seek      float64                    // see reads
	paths     []lookupPath               // already looked for
	implied   map[expr.Node]*expr.Column // conditions that follow from others, and the columns they are on: see imply
}

// joiner makes the operators of a block that is bound.
func (b *builder) joiner(block *block) *joiner {
	j := &joiner{block: block, forUpdate: b.plan.ForUpdate, analyzed: true}
	for _, s := range block.sources {
		j.analyzed = j.analyzed && (s.table == nil || s.table.Virtual != nil || s.table.Analyzed())
	}
	if j.analyzed && b.plan.Most == (Most{}) { // else plans minimize requests
		j.seek = b.opt.Seek
	}
	return j
}

// reads is the cost of a scan: its requests. If requests are not waited for, and all tables have statistics, it is the work done instead, in
// units of a request for a page: keys found and entities passed.
func (j *joiner) reads(s *access.Scan) float64 {
	if j.seek == 0 {
		return s.Requests
	}
	return (s.Seeks*j.seek + s.Entities) / access.PageEntities
}

// semiJoin is a subquery of WHERE that became a join: it keeps the rows that have a match (SemiJoin) or have none (AntiJoin).
type semiJoin struct {
	kind  JoinKind
	tree  *joinTree
	conds []expr.Node
}

// plan joins the tables of tree on the conditions where, then on semiJoins. order and limit say in which order, and how many, rows are wanted.
func (j *joiner) plan(tree *joinTree, where []expr.Node, semiJoins []semiJoin, order []access.SortKey, limit expr.Node) (*relation, error) {
	tree, where = j.block.factorTree(tree), j.block.factored(where, tree.set())
	where, fixed := j.splitFixed(where)
	if anyFalse(fixed) {
		return j.nothing(tree.set()), nil
	}
	if len(semiJoins) > 0 || !deterministic(fixed) {
		limit = nil
	}
	// The outer sides get their places in the row before any operator is made, because every operator must know its width.
	outers := make([]*outerSide, len(semiJoins))
	for i, p := range semiJoins {
		outers[i] = j.outerSide(p)
	}
	best, err := j.withSemiJoins(tree, where, semiJoins, order, limit)
	if err != nil {
		return nil, err
	}
	for i, d := range outers {
		if d == nil {
			continue
		}
		if err := d.plan(j); err != nil {
			return nil, err
		}
		turned := &joinTree{kind: innerTree, kids: []*joinTree{tree, {kind: leafTree, src: d.src}}, conds: d.conds}
		rest := append(append([]semiJoin(nil), semiJoins[:i]...), semiJoins[i+1:]...)
		rel, err := j.withSemiJoins(turned, where, rest, order, nil)
		if err != nil {
			return nil, err
		}
		if rel.requests < best.requests {
			best = rel
		}
	}
	return best.gated(fixed), nil
}

func (j *joiner) withSemiJoins(tree *joinTree, where []expr.Node, semiJoins []semiJoin, order []access.SortKey, limit expr.Node) (*relation, error) {
	tree, where, known := j.imply(j.simplify(tree, where), where)
	where, late := splitLate(tree, where, semiJoins)
	if len(late) > 0 {
		limit = nil
	}
	rel, err := j.tree(tree, where, order, limit)
	for _, p := range semiJoins {
		if err != nil {
			return nil, err
		}
		own, _ := j.split(p.conds, p.tree.set())
		inner, added := j.implyIn(j.simplify(p.tree, own), p.conds, maps.Clone(known))
		rel, err = j.match(p.kind, rel, inner, append(slices.Clone(p.conds), added...))
	}
	if err != nil {
		return nil, err
	}
	return rel.filtered(late), nil
}

// splitLate takes out of where the conditions that run a subquery for each row. They are checked last, on the rows that joins leave:
//
//	a JOIN b ON … WHERE a.x > (SELECT … a.id …)  →  filter a.x > (SELECT …) of a JOIN b
//
// It must not fire if nothing is joined: such a condition may determine which rows of the table are read.
func splitLate(tree *joinTree, where []expr.Node, semiJoins []semiJoin) (rest, late []expr.Node) {
	if tree.kind == leafTree && len(semiJoins) == 0 {
		return where, nil
	}
	for _, c := range where {
		if runsEachRow(c) {
			late = append(late, c)
		} else {
			rest = append(rest, c)
		}
	}
	return rest, late
}

// runsEachRow says whether n has a correlated subquery.
func runsEachRow(n expr.Node) bool {
	each := false
	expr.Walk(n, func(n expr.Node) bool {
		s, ok := n.(*expr.Subquery)
		each = each || ok && s.Correlated
		return !each
	})
	return each
}

// nothing is a relation without rows.
func (j *joiner) nothing(set srcSet) *relation {
	return &relation{node: &Values{Total: j.block.width}, set: set, rows: 1, ordered: true}
}

// anyFalse says whether one of the conditions is known never to be true.
func anyFalse(conds []expr.Node) bool {
	for _, cond := range conds {
		if c, ok := cond.(*expr.Const); ok && !isTrue(c) && value.ReadsAsNumber(c.V) {
			return true
		}
	}
	return false
}

func deterministic(conds []expr.Node) bool {
	return !slices.ContainsFunc(conds, func(c expr.Node) bool { return !expr.Deterministic(c) })
}

// splitFixed separates the conditions that have no column of the block.
func (j *joiner) splitFixed(where []expr.Node) (rest, fixed []expr.Node) {
	for _, cond := range where {
		switch c, constant := cond.(*expr.Const); {
		case constant && isTrue(c) && value.ReadsAsNumber(c.V): // other texts cause a warning where they are computed
		case j.block.refers(cond).empty():
			fixed = append(fixed, cond)
		default:
			rest = append(rest, cond)
		}
	}
	return rest, fixed
}

// tree joins what is beneath t on t's own conditions and conds.
func (j *joiner) tree(t *joinTree, conds []expr.Node, order []access.SortKey, limit expr.Node) (*relation, error) {
	switch t.kind {
	case leafTree:
		return j.leaf(t.src, conds, order, limit)
	case leftTree:
		return j.left(t, conds, order, limit)
	}
	return j.inner(t, conds, order, limit)
}

// leaf reads one source.
func (j *joiner) leaf(s *source, conds []expr.Node, order []access.SortKey, limit expr.Node) (*relation, error) {
	rel := &relation{}
	rel.set.add(s.index)
	switch {
	case s.table == nil:
		input, rest, err := s.narrowed(conds)
		if err != nil {
			return nil, err
		}
		rel.node = &Derived{Input: input.node, Name: s.name, Offset: s.offset, Total: j.block.width}
		rel.rows, rel.requests = input.rows, input.requests
		return rel.filtered(rest), nil
	case s.table.Virtual != nil:
		scan := &access.Scan{
			Table: s.table, Alias: s.name, Offset: s.offset, Total: j.block.width,
			Access: access.VirtualScan, Residual: expr.Conjunction(conds), Columns: s.need(), Rows: virtualRows,
		}
		scan.Databases, scan.Names = s.aboutDatabases(conds)
		rel.node = scan
		rel.rows = virtualRows
		return rel, nil
	}
	path, err := access.Choose(j.request(s, conds, order, limit))
	if err != nil {
		return nil, err
	}
	path.Scan.Hold = s.hold
	rel.node, rel.ordered = path.Scan, path.Ordered && len(order) > 0
	rel.rows, rel.requests = path.Scan.Rows, j.reads(path.Scan)
	return rel, nil
}

// aboutDatabases gives the conditions that read no columns of s but those that name a database. names are the only databases that satisfy all
// conditions; nil: any may.
func (s *source) aboutDatabases(conds []expr.Node) (about expr.Node, names []expr.Node) {
	isName := func(n expr.Node) bool {
		c, ok := n.(*expr.Column)
		return ok && c.Level == 0 && slices.Contains(s.table.DatabaseColumns, c.Index-s.offset)
	}
	var out []expr.Node
	for _, c := range conds {
		is := expr.Deterministic(c) && !expr.HasSubquery(c)
		expr.Columns(c, func(of *expr.Column) { is = is && isName(of) })
		if is {
			out = append(out, c)
		}
		switch c := c.(type) {
		case *expr.Compare:
			switch {
			case c.Op != expr.Eq:
			case isName(c.L) && expr.IsConst(c.R):
				names = []expr.Node{c.R}
			case isName(c.R) && expr.IsConst(c.L):
				names = []expr.Node{c.L}
			}
		case *expr.In:
			if !c.Not && names == nil && isName(c.X) && !slices.ContainsFunc(c.List, func(n expr.Node) bool { return !expr.IsConst(n) }) {
				names = c.List
			}
		}
	}
	return expr.Conjunction(out), names
}

// virtualRows is the assumed size of a table of information_schema.
const virtualRows = 100

func (j *joiner) request(s *source, conds []expr.Node, order []access.SortKey, limit expr.Node) access.Request {
	return access.Request{
		Table: s.table, Alias: s.name, Offset: s.offset, Total: j.block.width,
		Conds: conds, Need: s.need(), Order: order, Limit: limit, ForWrite: s.forWrite, Keys: s.keys, Near: j.seek > 0,
	}
}

// split sorts conditions by what they need: columns of set alone, or others.
func (j *joiner) split(conds []expr.Node, set srcSet) (own, rest []expr.Node) {
	for _, c := range conds {
		if refs := j.block.refers(c); refs.within(set) && !refs.empty() {
			own = append(own, c)
		} else {
			rest = append(rest, c)
		}
	}
	return own, rest
}

// left plans a LEFT JOIN with conditions above it. Conditions on the left side alone are moved there. The others are checked after the join,
// which makes the NULLs that they may see. Each left row yields a row, so no more left rows are wanted than rows of the join.
func (j *joiner) left(t *joinTree, conds []expr.Node, order []access.SortKey, limit expr.Node) (*relation, error) {
	above, behind := j.split(conds, t.kids[0].set())
	within := j.orderWithin(order, t.kids[0].set())
	if len(behind) > 0 || t.inner {
		limit = nil
	}
	joined := limit
	if len(within) != len(order) {
		limit = nil
	}
	rel, err := j.tree(t.kids[0], above, within, limit)
	if err != nil {
		return nil, err
	}
	if t.kids[1].isLateral() {
		kind := LeftJoin
		if t.inner {
			kind = InnerJoin
		}
		return j.apply(kind, rel, t.kids[1].src, t.conds).filtered(behind), nil
	}
	rel, err = j.match(LeftJoin, rel, t.kids[1], t.conds)
	if err != nil {
		return nil, err
	}
	if l, r := t.kids[0], t.kids[1]; l.kind == leafTree && r.kind == leafTree {
		f := j.family(familyJoin{kind: LeftJoin, parent: l.src, child: r.src, on: t.conds, above: above, order: order, limit: joined})
		if f != nil && f.requests < rel.requests {
			rel = f
		}
	}
	return rel.filtered(behind), nil
}

// orderWithin is order if all of its columns are of set, else none.
func (j *joiner) orderWithin(order []access.SortKey, set srcSet) []access.SortKey {
	for _, k := range order {
		if !j.block.refers(k.Expr).within(set) {
			return nil
		}
	}
	return order
}

// match joins left with the tree right on conds by the cheapest way: by key, by hash, or pair by pair.
func (j *joiner) match(kind JoinKind, left *relation, right *joinTree, conds []expr.Node) (*relation, error) {
	set := right.set()
	own, on := j.split(conds, set)
	for right.kind == innerTree && len(right.kids) == 1 {
		own = append(own, right.conds...)
		right = right.kids[0]
	}
	hash, err := j.tree(right, own, nil, nil)
	if err != nil {
		return nil, err
	}
	held := j.hold(kind, left, hash, on)
	if right.kind == leafTree {
		lookup, err := j.lookup(kind, left, right.src, own, on, hash, held)
		if err != nil {
			return nil, err
		}
		if lookup != nil {
			return lookup, nil
		}
	}
	return held, nil
}

// hold joins left with right, which is held in memory: by hash if some condition is an equality, else pair by pair.
func (j *joiner) hold(kind JoinKind, left, right *relation, on []expr.Node) *relation {
	out := left.combine(kind, right.rows)
	out.set = left.set.union(right.set)
	out.requests = left.requests + right.requests
	hash := &HashJoin{Kind: kind, Left: left.node, Right: right.node}
	equality := j.equality
	if !slices.ContainsFunc(on, func(c expr.Node) bool { _, _, ok := equality(c, left.set, right.set); return ok }) {
		equality, hash.Dynamic = j.dynamicEquality, true
	}
	var rest []expr.Node
	for _, c := range on {
		l, r, ok := equality(c, left.set, right.set)
		if !ok {
			rest = append(rest, c)
			continue
		}
		eq := c.(*expr.Compare)
		hash.LeftKeys, hash.RightKeys = append(hash.LeftKeys, l), append(hash.RightKeys, r)
		hash.NullSafe = append(hash.NullSafe, eq.Op == expr.NullEq)
		hash.Collation = append(hash.Collation, eq.Collation)
	}
	if len(hash.LeftKeys) == 0 {
		out.node = &LoopJoin{Kind: kind, Left: left.node, Right: right.node, On: expr.Conjunction(on), Rows: out.rows}
		return out
	}
	if kind == InnerJoin || kind == LeftJoin {
		out.rows = max(1, min(left.rows, right.rows))
		if rows, known := j.block.matched(left, right, hash.LeftKeys, hash.RightKeys); known {
			out.rows = rows
		}
		if kind == LeftJoin {
			out.rows = max(out.rows, left.rows)
		}
	}
	hash.On, hash.Rows = expr.Conjunction(rest), out.rows
	if hash.Dynamic {
		hash.On = expr.Conjunction(on) // dynamic matches may turn out not to be equal
	}
	out.node = hash
	return out
}

// equality recognizes left expression = right expression, of types that can be matched by hash.
func (j *joiner) equality(c expr.Node, left, right srcSet) (l, r expr.Node, ok bool) {
	eq, is := c.(*expr.Compare)
	if !is || eq.Op != expr.Eq && eq.Op != expr.NullEq || !sameKind(eq.L.Type(), eq.R.Type()) ||
		!expr.Deterministic(c) {
		return nil, nil, false
	}
	return j.sides(eq, left, right)
}

// dynamicEquality recognizes an equality of columns one of which is a property of undeclared type. Only the values tell how they are compared.
func (j *joiner) dynamicEquality(c expr.Node, left, right srcSet) (l, r expr.Node, ok bool) {
	eq, is := c.(*expr.Compare)
	if !is || eq.Op != expr.Eq {
		return nil, nil, false
	}
	a, isA := eq.L.(*expr.Column)
	b, isB := eq.R.(*expr.Column)
	if !isA || !isB || a.T.Base != value.TypeUnknown && b.T.Base != value.TypeUnknown || !isDynamic(a.T.Base) || !isDynamic(b.T.Base) {
		return nil, nil, false
	}
	return j.sides(eq, left, right)
}

// isDynamic says whether the kind of each value of the type decides how it is compared.
func isDynamic(b value.Base) bool {
	return b == value.TypeUnknown || b == value.TypeDouble || isPlainBase(b)
}

// sides gives the operands of an equality, the one of left first.
func (j *joiner) sides(eq *expr.Compare, left, right srcSet) (l, r expr.Node, ok bool) {
	a, b := j.block.refers(eq.L), j.block.refers(eq.R)
	switch {
	case a.empty() || b.empty():
	case a.within(left) && b.within(right):
		return eq.L, eq.R, true
	case a.within(right) && b.within(left):
		return eq.R, eq.L, true
	}
	return nil, nil, false
}

// combine begins the relation of r joined with matches rows for each of its rows, in whose order the result comes.
func (r *relation) combine(kind JoinKind, matches float64) *relation {
	out := &relation{set: r.set, requests: r.requests, ordered: r.ordered}
	switch kind {
	case InnerJoin:
		out.rows = max(1, r.rows*matches)
	case LeftJoin:
		out.rows = r.rows * max(1, matches)
	default:
		out.rows = max(1, r.rows/2)
	}
	return out
}

// costOf weighs requests, which are billed and waited for, against rows that are read and held.
func costOf(requests, rows float64) float64 { return requests + rows/access.PageEntities }

func isTrue(c *expr.Const) bool {
	truth, null := value.Truth(c.V)
	return truth && !null
}
