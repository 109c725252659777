package exec

import (
	"context"
	"errors"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// wholeNode is the right side of a lookup join, read whole if that costs less than lookups.
type wholeNode struct {
	scan  *scanNode
	keys  []hashKey
	on    func(*expr.Env) (bool, error) // besides the keys
	after float64                       // see planner.LookupJoin
}

func compileWhole(n *planner.LookupJoin) (*wholeNode, error) {
	if n.Whole == nil {
		return nil, nil
	}
	right, err := compile(n.Whole.Right)
	if err != nil {
		return nil, err
	}
	scan, ok := right.(*scanNode)
	if !ok {
		return nil, nil
	}
	scan.counted = planner.Children(n)[1] // EXPLAIN ANALYZE shows one of the two
	return &wholeNode{scan: scan, keys: compileHashKeys(n.Whole), on: CompileCond(n.Whole.On), after: n.After}, nil
}

// wholeSide reads the right side part by part, alongside the lookups, and never spends more on it than these have cost or are about
// to. So both together cost at most twice as much as the better one. Cost is counted in reads of one entity.
type wholeSide struct {
	node    *wholeNode
	scan    *scanIter
	rows    Iterator // of scan
	table   hashTable
	meter   engine.Meter
	spent   float64
	ended   bool // table has all rows
	givenUp bool
}

func (n *wholeNode) open(f *Frame) *wholeSide {
	w := &wholeSide{node: n, scan: n.scan.Open(f).(*scanIter), table: newHashTable(f, n.keys, n.scan.filled, false)}
	w.scan.meter = &w.meter
	// If reading without a key is refused, or reading is limited, nothing is read that the statement can do without.
	if n.after > 0 {
		w.givenUp = f.Rt.KeysOnly && !f.X.Plan.AllowScan || f.X.Budget != nil || f.mostEntities() > 0
	}
	return w
}

// wanted says whether to read on when lookups have cost spent and the next ones are likely to cost next. last: no others follow.
func (w *wholeSide) wanted(spent, next float64, last bool) bool {
	if w.ended || w.givenUp || next == 0 {
		return false
	}
	limits := w.scan.f.Rt.Engine.Limits()
	after := w.node.after * float64(limits.PageEntities) / float64(limits.GetEntities)
	return spent+next > after && !(last && spent+next <= 1)
}

// advance reads on until the total cost reaches most.
func (w *wholeSide) advance(ctx context.Context, most float64) error {
	limits := w.scan.f.Rt.Engine.Limits()
	if w.rows == nil {
		w.rows = watch(w.scan, w.scan.f, w.node.scan.counted)
	}
	before := w.spent
	for !w.ended && w.spent <= most {
		row, err := w.rows.Next(ctx)
		if err == nil {
			err = w.table.add(row)
		}
		w.spent = before + cost(&w.meter, limits)
		if err == nil {
			continue
		}
		var full *MemoryError
		switch {
		case err == io.EOF:
			w.ended = true
			err = w.scan.Close()
		case errors.As(err, &full):
			w.givenUp = true
			err = w.close()
		}
		if err != nil || w.givenUp {
			return err
		}
	}
	w.meter.Move(w.scan.f.meter(w.node.scan.counted))
	return nil
}

// cost is what a meter has counted, in reads of one entity.
func cost(m *engine.Meter, l engine.Limits) float64 {
	return max(float64(m.Requests.Load()), float64(m.Scanned.Load())/float64(l.GetEntities))
}

func (w *wholeSide) close() error {
	w.table.clear()
	err := w.scan.Close()
	w.meter.Move(w.scan.f.meter(w.node.scan.counted))
	return err
}
