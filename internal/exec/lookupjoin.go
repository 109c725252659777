package exec

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// lookupJoinNode reads the matches of left rows by key, for a batch of left rows at a time. It reads each key of the batch
// once, and several in parallel. The batches grow, because the first may satisfy a LIMIT above. It switches to reading
// the right side whole when that is likely to cost less; see wholeSide.
type lookupJoinNode struct {
	joinNode
	scan  *scanNode  // right
	first int        // left rows of the first batch, at most
	whole *wholeNode // nil: there is no other way
}

func compileLookupJoin(n *planner.LookupJoin) (Node, error) {
	join, err := compileJoin(n.Kind, n.Left, n.Right, n.On)
	if err != nil {
		return nil, err
	}
	right, _ := join.right.(operator)
	scan, ok := right.Node.(*scanNode)
	if !ok {
		return nil, fmt.Errorf("table %s cannot be read by key", n.Right.Table.Name)
	}
	whole, err := compileWhole(n)
	if err != nil {
		return nil, err
	}
	if whole != nil {
		scan.counted = whole.scan.counted
		join.rightFills = merge(join.rightFills, whole.scan.filled)
		if n.Kind == planner.InnerJoin || n.Kind == planner.LeftJoin {
			join.filled = merge(join.filled, join.rightFills)
		}
	}
	return &lookupJoinNode{joinNode: join, scan: scan, first: max(1, int(math.Ceil(min(n.Rows, maxPointBatch)))), whole: whole}, nil
}

func (n *lookupJoinNode) Open(f *Frame) Iterator {
	it := &lookupJoinIter{
		matcher: n.matcher(f),
		node:    n, left: n.left.Open(f),
		batch: rowStore{run: f.Run, operator: "join", fills: n.leftFills},
		known: make(map[string]*lookup),
	}
	if n.whole != nil {
		it.whole = n.whole.open(f)
	}
	return it
}

// maxKnownRows limits the rows that are kept for left rows of later batches.
const maxKnownRows = 10_000

// minWholeBatch is how many left rows are looked up by key before the right side is read whole.
const minWholeBatch = 8

type lookupJoinIter struct {
	matcher
	node      *lookupJoinNode
	left      Iterator
	batch     rowStore  // left rows
	lookups   []*lookup // aligned with batch
	known     map[string]*lookup
	fresh     []lookup // not used yet
	knownRows int
	reads     access.Reads
	key       []byte
	size      int
	leftRow   []value.Value
	next      int // of batch, to be taken next
	match     int // of the current lookup's rows, to be tried next
	ended     bool
	whole     *wholeSide // nil: there is none
	meter     engine.Meter
	rooms     lookupRooms
	filter    *engine.Filter // of all lookups: nothing in it depends on the left row
	bound     bool           // filter is made
	rightRow  []value.Value  // of the right side alone, for its conditions
	spent     float64        // on lookups, in reads of one entity
	planned   float64        // what they were expected to cost
}

func (it *lookupJoinIter) Next(ctx context.Context) ([]value.Value, error) {
	for {
		if !it.active {
			if err := it.nextLeft(ctx); err != nil {
				return nil, err
			}
		}
		if row, err := it.nextRow(ctx, it); err != nil || row != nil {
			return row, err
		}
	}
}

// nextLeft begins with the next left row; io.EOF after the last.
func (it *lookupJoinIter) nextLeft(ctx context.Context) (err error) {
	for it.next >= len(it.batch.rows) {
		switch {
		case it.byHash() && it.whole.table.matchesNone() && needsRight(it.kind), it.ended:
			return io.EOF
		case it.byHash():
			row, err := it.left.Next(ctx)
			if err != nil {
				return err
			}
			return it.find(row)
		}
		if err := it.read(ctx); err != nil {
			return err
		}
	}
	it.batch.restore(it.batch.rows[it.next], it.leftRow)
	it.next++
	return it.find(it.leftRow)
}

// byHash says whether all matches are in memory.
func (it *lookupJoinIter) byHash() bool { return it.whole != nil && it.whole.ended }

// find begins with the matches of a left row.
func (it *lookupJoinIter) find(left []value.Value) error {
	it.take(left)
	it.match = 0
	if it.byHash() {
		return it.whole.table.find(left)
	}
	return nil
}

// nextMatch puts the next right row of the current left one into it.row.
func (it *lookupJoinIter) nextMatch(ctx context.Context) (some bool, err error) {
	if it.byHash() {
		return it.whole.table.next(ctx, it.row)
	}
	rows := &it.lookups[it.next-1].rows
	if it.match == len(rows.rows) {
		return false, nil
	}
	rows.restore(rows.rows[it.match], it.row)
	it.match++
	return true, nil
}

// read takes the next batch of left rows and reads their matches.
func (it *lookupJoinIter) read(ctx context.Context) error {
	todo, err := it.takeBatch(ctx)
	if err != nil {
		return err
	}
	planned := it.requests(todo)
	if changed, err := it.changeOver(ctx, planned); err != nil || changed {
		return err
	}
	err = it.f.Each(ctx, len(todo), func(ctx context.Context, i int) error {
		room := it.rooms.take(it.node.scan.plan.Total)
		defer it.rooms.give(room)
		return it.lookUp(ctx, todo[i], room)
	})
	it.planned += planned
	it.spent += cost(&it.meter, it.f.Rt.Engine.Limits())
	it.meter.Move(it.f.meter(it.node.scan.counted))
	if err != nil {
		return err
	}
	for _, l := range todo {
		if err := it.check(l); err != nil {
			return err
		}
		it.f.noteRows(it.node.scan.counted, len(l.rows.rows))
		it.knownRows += 1 + len(l.rows.rows)
	}
	return nil
}

// takeBatch takes the next batch of left rows, and gives the lookups that are new.
func (it *lookupJoinIter) takeBatch(ctx context.Context) (todo []*lookup, err error) {
	it.batch.clear()
	it.lookups, it.next = it.lookups[:0], 0
	if it.knownRows > maxKnownRows {
		it.forget()
	}
	it.size = it.f.nextBatch(it.size)
	switch {
	case it.whole != nil && it.node.whole.after == 0:
		it.size = max(it.size, minWholeBatch)
	case it.lookups == nil:
		it.size = min(it.size, it.node.first)
	}
	for len(it.lookups) < it.size {
		row, err := it.left.Next(ctx)
		if err == io.EOF {
			it.ended = true
			break
		}
		if err != nil {
			return nil, err
		}
		if it.leftRow == nil {
			it.leftRow = make([]value.Value, len(row))
		}
		if _, err := it.batch.add(row); err != nil {
			return nil, err
		}
		l, isNew, err := it.lookup(row)
		if err != nil {
			return nil, err
		}
		it.lookups = append(it.lookups, l)
		if isNew {
			todo = append(todo, l)
		}
	}
	return todo, nil
}

// changeOver reads on in the whole right side if that costs no more than the lookups. It says whether the join now runs by hash.
// planned is how many requests the next lookups take at least.
func (it *lookupJoinIter) changeOver(ctx context.Context, planned float64) (bool, error) {
	if it.whole == nil {
		return false, nil
	}
	next := planned
	if it.planned > 0 {
		next *= it.spent / it.planned
	}
	if !it.whole.wanted(it.spent, next, it.ended) {
		return false, nil
	}
	if err := it.whole.advance(ctx, it.spent+next); err != nil || !it.whole.ended {
		return false, err
	}
	it.forget()
	it.on = it.node.whole.on
	return true, nil
}

// requests is how many requests lookups take at least if they find anything.
func (it *lookupJoinIter) requests(todo []*lookup) float64 {
	n := 0
	for _, l := range todo {
		n += len(l.reads.Points) + len(l.reads.Spans)
	}
	if it.node.scan.plan.IndexJoin {
		n *= 2
	}
	return float64(n)
}

// lookup gives the lookup of a left row, which is new if no earlier row had the same keys.
func (it *lookupJoinIter) lookup(row []value.Value) (l *lookup, isNew bool, err error) {
	right := it.node.scan
	it.f.Env.Row = row
	if err := right.plan.Reads(&it.f.Env, &it.reads); err != nil {
		return nil, false, err
	}
	it.key = appendReads(it.key[:0], &it.reads)
	if l := it.known[string(it.key)]; l != nil {
		return l, false, nil
	}
	if len(it.fresh) == 0 {
		it.fresh = make([]lookup, it.size)
	}
	l, it.fresh = &it.fresh[0], it.fresh[1:]
	*l = lookup{reads: it.reads, rows: rowStore{run: it.f.Run, operator: "join", fills: right.filled}}
	l.reads.Points, l.reads.Spans = slices.Clone(it.reads.Points), slices.Clone(it.reads.Spans)
	if !it.bound {
		if it.filter, err = right.bindFilter(it.f); err != nil {
			return nil, false, err
		}
		it.bound = true
	}
	it.known[string(it.key)] = l
	return l, true, nil
}

// forget drops all rows that were read.
func (it *lookupJoinIter) forget() {
	for _, l := range it.known {
		l.rows.clear()
	}
	clear(it.known)
	it.knownRows = 0
}

func (it *lookupJoinIter) Close() error {
	it.forget()
	it.batch.clear()
	it.lookups, it.next, it.ended, it.active = nil, 0, true, false
	err := it.left.Close()
	if it.whole != nil {
		if err2 := it.whole.close(); err == nil {
			err = err2
		}
	}
	return err
}
