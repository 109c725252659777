package planner

import (
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// outerSide is a semi-join turned round: its distinct values come first, and the other tables are read by them.
//
//	a SEMI JOIN b ON b.x = a.id  →  (SELECT DISTINCT x FROM b) d JOIN a ON a.id = d.x
//
// It pays if b is a few rows and a has a key on id. It must not fire for an ANTI JOIN, or if the match is more than equalities of values that
// DISTINCT tells apart in the same way, because a row of a must meet at most one value.
type outerSide struct {
	src       *source
	conds     []expr.Node // of the join
	tree      *joinTree
	own       []expr.Node // of b alone
	keys      []expr.Node
	collation []value.Collation
}

// outerSide gives the outer side that p can be turned into, and gives it a place in the row; nil if p cannot be.
func (j *joiner) outerSide(p semiJoin) *outerSide {
	if p.kind != SemiJoin {
		return nil
	}
	inner := p.tree.set()
	var outer srcSet
	for _, s := range j.block.sources {
		if !inner.has(s.index) {
			outer.add(s.index)
		}
	}
	own, linking := j.split(p.conds, inner)
	d := &outerSide{tree: p.tree, own: own}
	var lefts []expr.Node
	for _, c := range linking {
		l, r, ok := j.equality(c, outer, inner)
		if !ok || c.(*expr.Compare).Op != expr.Eq {
			return nil
		}
		lefts = append(lefts, l)
		d.keys = append(d.keys, r)
		d.collation = append(d.collation, c.(*expr.Compare).Collation)
	}
	if len(lefts) == 0 || len(j.block.sources) >= maxTables {
		return nil
	}
	d.src = &source{name: "matches"}
	j.block.add(d.src, len(d.keys))
	for i, l := range lefts {
		key := &expr.Column{Index: d.src.offset + i, Name: expr.String(d.keys[i]), T: d.keys[i].Type(), Nullable: true}
		d.conds = append(d.conds, &expr.Compare{Op: expr.Eq, L: l, R: key, Collation: d.collation[i]})
	}
	return d
}

// plan builds the operators that yield the distinct values.
func (d *outerSide) plan(j *joiner) error {
	rel, err := j.tree(j.simplify(d.tree, d.own), d.own, nil, nil)
	if err != nil {
		return err
	}
	project := &Project{Input: rel.node, Exprs: d.keys}
	for _, k := range d.keys {
		project.Names = append(project.Names, expr.String(k))
	}
	d.src.input = &relation{
		node: &Distinct{Input: project, Collation: d.collation},
		rows: rel.rows, requests: rel.requests,
	}
	return nil
}
