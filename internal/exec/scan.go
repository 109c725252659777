package exec

import (
	"context"
	"io"
	"math"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// scanIter is the iterator of a scanNode.
type scanIter struct {
	node    *scanNode
	f       *Frame
	in      keyedRows     // the scan itself, or an iterator that makes other rows of its entities
	row     []value.Value // the block's row; only this table's place in it is set
	decoder codec.Decoder
	reads   access.Reads
	src     source // nil before the first Next
	key     [1]access.Key
	room    *room // of src
	recheck func(*expr.Env) (bool, error)
	runs    *runSorter // nil if keys alone give the order, or none is wanted
	left    int64      // rows that may still be wanted
	seen    int64      // rows that were read
	meter   *engine.Meter
}

func (it *scanIter) Next(ctx context.Context) (row []value.Value, err error) {
	if it.src == nil {
		if err := it.start(); err != nil {
			return nil, err
		}
	}
	if it.left == 0 {
		return nil, io.EOF
	}
	if it.runs != nil {
		row, err = it.runs.next(ctx)
	} else {
		row, _, err = it.in.next(ctx)
	}
	if err != nil {
		it.left = 0
		if err == io.EOF && it.node.counts && !it.node.joined && it.f.X.Tx == nil {
			it.f.Rt.Counts.note(it.node.plan.Table, it.seen)
		}
		return nil, err
	}
	if it.left--; it.left == 0 {
		err = it.end()
	}
	return row, err
}

// end closes the source, and passes its memory on to another scan.
func (it *scanIter) end() error {
	err := it.src.Close()
	if it.room != nil {
		it.room.empty()
		rooms.Put(it.room)
		it.src, it.room = noSource{}, nil
	}
	return err
}

// start computes what is to be read.
func (it *scanIter) start() error {
	n := it.node
	it.src = noSource{} // until the real one is there
	count, _, err := n.limit.eval(&it.f.Env)
	if err != nil || count == 0 {
		return err
	}
	it.reads.Points = it.key[:0]
	if err := n.plan.Reads(&it.f.Env, &it.reads); err != nil {
		return err
	}
	filter, err := n.bindFilter(it.f)
	if err != nil {
		return err
	}
	it.left = count
	it.decoder = *n.decoder
	// Rows of an index join may have changed since their entry was read.
	if !it.reads.Exact || n.plan.IndexJoin {
		it.recheck = n.recheck
	}
	sorted := n.plan.Ordered && it.reads.Unordered
	limit := 0
	if it.reads.Exact && n.residual == nil && !sorted && count < math.MaxInt32/2 {
		limit = int(count)
		if it.reads.Copies || n.joined {
			limit *= 2 // half of the entities may be copies
		}
	}
	if sorted || n.cutFrom > 0 {
		it.runs = newRunSorter(it, sorted)
	}
	it.room = rooms.Get().(*room)
	it.src = n.entities(it.f.Run, &it.reads, filter, limit, it.meter, it.room)
	return nil
}

// next gives the next row that satisfies the conditions, and the key that orders it.
func (it *scanIter) next(ctx context.Context) ([]value.Value, string, error) {
	for {
		e, key, err := it.src.NextEntity(ctx)
		if err != nil {
			return nil, "", err
		}
		if err := it.decoder.DecodeRow(e, it.row); err == codec.ErrOtherForm {
			continue
		} else if err != nil {
			return nil, "", err
		}
		it.seen++
		if it.recheck == nil && it.node.residual == nil {
			return it.row, key, nil
		}
		it.f.Env.Row = it.row
		ok, err := passes(it.recheck, &it.f.Env)
		if ok && err == nil {
			ok, err = passes(it.node.residual, &it.f.Env)
		}
		if err != nil {
			return nil, "", err
		}
		if ok {
			return it.row, key, nil
		}
	}
}

// passes evaluates a condition that may be missing.
func passes(cond func(*expr.Env) (bool, error), env *expr.Env) (bool, error) {
	if cond == nil {
		return true, nil
	}
	return cond(env)
}

func (it *scanIter) Close() error {
	it.left = 0
	if it.src == nil {
		it.src = noSource{}
	}
	return it.end()
}
