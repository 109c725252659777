package exec

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// familyNode joins the rows of a table with those interleaved in it, which come from one range: the copy of a
// parent's row, then its children.
type familyNode struct {
	plan   *planner.FamilyScan
	scan   *scanNode      // of the children; its spans hold the copies too
	parent *codec.Decoder // of the copies; each execution has its own
	// recheck and residual are of the parent, those of scan of each child; on is of both.
	recheck, residual, on   func(*expr.Env) (bool, error)
	parentFills, childFills []int
}

func compileFamilyScan(n *planner.FamilyScan) (Node, error) {
	made, err := compileScan(n.Child)
	if err != nil {
		return nil, err
	}
	scan := made.(*scanNode)
	f := &familyNode{
		plan: n, scan: scan, childFills: scan.filled,
		recheck: CompileCond(n.Parent.Recheck), residual: CompileCond(n.Parent.Residual), on: CompileCond(n.On),
	}
	for _, ordinal := range n.Parent.Columns {
		f.parentFills = append(f.parentFills, n.Parent.Offset+ordinal)
	}
	parents, children := codec.NewCodec(n.Parent.Table), codec.NewCodec(n.Child.Table)
	scan.counted = n
	scan.joined, scan.filled = true, merge(f.parentFills, f.childFills)
	scan.selected = selectBoth(parents.Select(n.Parent.Columns), children.Select(n.Child.Columns))
	scan.decoder = children.Decoder(n.Child.Columns, n.Child.Offset, scan.selected)
	f.parent = parents.Decoder(n.Parent.Columns, n.Parent.Offset, scan.selected)
	return f, nil
}

// selectBoth gives the properties to read for two selections; nil means all.
func selectBoth(a, b []string) []string {
	if a == nil || b == nil {
		return nil
	}
	both := append(slices.Clone(a), b...)
	slices.Sort(both)
	return slices.Compact(both)
}

func (n *familyNode) fills() []int { return n.scan.filled }

func (n *familyNode) Open(f *Frame) Iterator {
	row := make([]value.Value, n.plan.Width())
	it := &familyIter{
		scanIter: scanIter{node: n.scan, f: f, row: row, meter: f.meter(n.scan.counted)},
		match:    matcher{kind: n.plan.Kind, f: f, on: n.on, leftFills: n.parentFills, rightFills: n.childFills, row: row},
		family:   n, parents: *n.parent, parent: make([]value.Value, len(row)),
	}
	it.in = it
	return it
}

// familyIter is the iterator of a familyNode.
type familyIter struct {
	scanIter
	match          matcher
	family         *familyNode
	parents        codec.Decoder
	parent         []value.Value  // the block's row with the current parent
	partition, key string         // of its copy
	ahead          *engine.Entity // the next copy, while the parent before it is passed
}

// next gives the next joined row and the key of its child, or of the parent's copy if it has no child.
func (it *familyIter) next(ctx context.Context) ([]value.Value, string, error) {
	for {
		e := it.ahead
		it.ahead = nil
		if e == nil {
			var err error
			if e, _, err = it.src.NextEntity(ctx); err == io.EOF {
				if row := it.childless(); row != nil {
					return row, it.key, nil
				}
			}
			if err != nil {
				return nil, "", err
			}
		}
		if it.node.plan.Table.IsParentCopy(e.RowKey) {
			if row := it.childless(); row != nil {
				it.ahead = e
				return row, it.key, nil
			}
			if err := it.takeParent(e); err != nil {
				return nil, "", err
			}
			continue
		}
		if !it.match.active || !it.isChild(e) {
			continue // its parent is not wanted; or it has none, and so matches nothing
		}
		if err := it.decoder.DecodeRow(e, it.row); err != nil {
			return nil, "", err
		}
		ok, err := it.satisfies(it.row, it.node.recheck, it.node.residual)
		if err != nil {
			return nil, "", err
		}
		if !ok {
			continue
		}
		if row, err := it.match.try(ctx); err != nil || row != nil {
			return row, e.RowKey, err
		}
	}
}

// childless leaves the current parent. It gives the parent's row if that had no children and such rows are wanted.
func (it *familyIter) childless() []value.Value {
	if !it.match.active {
		return nil
	}
	return it.match.end()
}

// takeParent begins with the parent that e is a copy of, if that parent is wanted.
func (it *familyIter) takeParent(e *engine.Entity) error {
	it.partition, it.key = e.PartitionKey, e.RowKey
	if err := it.parents.DecodeRow(e, it.parent); err != nil {
		return err
	}
	ok, err := it.satisfies(it.parent, it.family.recheck, it.family.residual)
	if ok && err == nil {
		it.match.take(it.parent)
	}
	return err
}

// satisfies checks the conditions on a parent alone or a child alone.
func (it *familyIter) satisfies(row []value.Value, recheck, residual func(*expr.Env) (bool, error)) (bool, error) {
	it.f.Env.Row = row
	if !it.reads.Exact {
		if ok, err := passes(recheck, &it.f.Env); err != nil || !ok {
			return false, err
		}
	}
	return passes(residual, &it.f.Env)
}

// isChild says whether e is a child of the current parent.
func (it *familyIter) isChild(e *engine.Entity) bool {
	rest, ok := strings.CutPrefix(e.RowKey, it.key)
	return ok && e.PartitionKey == it.partition && strings.HasPrefix(rest, string(keymap.Separator))
}
