package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// windowNode computes window functions, partition by partition. If its rows come in order it reads no further than the functions
// look ahead, and keeps what they still look back at; otherwise it reads and sorts all of them first.
type windowNode struct {
	plan  *planner.Window
	input Node
	width int       // of an input row
	keys  []sortKey // of the partitions, then of the order in them
	parts int       // how many of these belong to the partitions
	calls []callCode
	extra int // values before each row that is kept: its keys, then the inputs of the functions
}

// callCode is a window function compiled.
type callCode struct {
	plan   *planner.WindowCall
	at     int // of its inputs before a row
	inputs []expr.Func
	warn   func(*expr.Env, []value.Value) error // of the inputs; nil: nothing
}

func compileWindow(n *planner.Window, input Node) *windowNode {
	w := &windowNode{plan: n, input: input, width: n.Input.Width(), parts: len(n.Partition)}
	for _, x := range n.Partition {
		w.keys = append(w.keys, sortKey{f: expr.Compile(x), collation: expr.CollationOf(x)})
	}
	w.keys = append(w.keys, compileOrder(n.Order)...)
	w.extra = len(w.keys)
	for _, c := range n.Calls {
		code := callCode{plan: c, at: w.extra}
		if a := c.Func.Aggregate; a != nil {
			code.inputs, code.warn = a.Compile()
		} else {
			args, otherwise := c.Func.Compile()
			if code.inputs = args; otherwise != nil {
				code.inputs = append(code.inputs, otherwise)
			}
		}
		w.extra += len(code.inputs)
		w.calls = append(w.calls, code)
	}
	return w
}

func (n *windowNode) fills() []int {
	return merge(n.input.fills(), Positions(n.width, n.width+len(n.calls)))
}

func (n *windowNode) Open(f *Frame) Iterator {
	it := &windowIter{node: n, f: f, input: n.input.Open(f), row: make([]value.Value, n.width+len(n.calls))}
	it.all = rowStore{run: f.Run, operator: "window", fills: n.input.fills(), extra: n.extra}
	return it
}

type windowIter struct {
	node  *windowNode
	f     *Frame
	input Iterator
	row   []value.Value

	all     rowStore // all rows, if they must be sorted
	sorted  bool
	next    int             // of all
	ended   bool            // no row follows pending
	pending []value.Value   // the first row of the next partition; nil: not read yet
	p       windowPartition // the current one
	at      int             // its row that is passed next
	frames  []*frameCursor  // of p, one per different frame
	calls   []windowCall    // of p
}

func (it *windowIter) Next(ctx context.Context) ([]value.Value, error) {
	for it.calls == nil || !it.p.has(ctx, it.at) {
		if err := it.p.err; err != nil {
			return nil, err
		}
		if err := it.begin(ctx); err != nil {
			return nil, err
		}
	}
	for _, c := range it.frames {
		if err := c.move(ctx, it.at); err != nil {
			return nil, err
		}
	}
	kept := it.p.row(it.at)
	for i, p := range it.all.fills {
		it.row[p] = kept[it.node.extra+i]
	}
	needed := it.at
	for i, c := range it.calls {
		v, err := c.value(ctx, it.at)
		if err == nil {
			err = it.p.err
		}
		if err != nil {
			return nil, err
		}
		it.row[it.node.width+i] = v
		needed = min(needed, c.needs())
	}
	for _, c := range it.frames {
		needed = min(needed, c.needs())
	}
	it.p.drop(needed)
	it.at++
	return it.row, nil
}

// begin goes on to the next partition; io.EOF if there is none.
func (it *windowIter) begin(ctx context.Context) error {
	it.close()
	it.p.drop(it.p.first + len(it.p.rows))
	if it.pending == nil {
		if err := it.feed(ctx); err != nil {
			return err
		}
	}
	it.p = windowPartition{it: it, key: it.pending[:it.node.parts]}
	it.at, it.frames = 0, nil
	it.calls = make([]windowCall, len(it.node.calls))
	for i := range it.node.calls {
		var err error
		if it.calls[i], err = it.call(&it.node.calls[i]); err != nil {
			return err
		}
	}
	return nil
}

// feed makes pending the next row of all; io.EOF after the last.
func (it *windowIter) feed(ctx context.Context) error {
	if it.ended {
		return io.EOF
	}
	if it.node.plan.Sorted {
		return it.feedSorted(ctx)
	}
	if !it.sorted {
		if err := it.sort(ctx); err != nil {
			return err
		}
	}
	if it.next == len(it.all.rows) {
		it.ended = true
		return io.EOF
	}
	it.pending = it.all.rows[it.next]
	it.next++
	return nil
}

// feedSorted is feed for an input that comes in order.
func (it *windowIter) feedSorted(ctx context.Context) error {
	row, err := it.input.Next(ctx)
	if err != nil {
		it.ended = it.ended || err == io.EOF
		return err
	}
	kept := make([]value.Value, it.node.extra+len(it.all.fills))
	it.all.set(kept, row)
	if err := it.compute(row, kept); err != nil {
		return err
	}
	it.pending = kept
	return it.f.Charge(keptBytes(kept), it.all.operator)
}

func keptBytes(kept []value.Value) int64 {
	return BytesPerRow + int64(len(kept))*BytesPerValue + TextBytes(kept)
}

// sort reads all rows and sorts them.
func (it *windowIter) sort(ctx context.Context) error {
	err := drain(ctx, it.input, &it.all, func(row, kept []value.Value) error {
		if err := it.compute(row, kept); err != nil {
			return err
		}
		return it.all.hold(TextBytes(kept[:it.node.extra]))
	})
	if err != nil {
		return err
	}
	sortRows(it.all.rows, it.node.keys)
	it.sorted = true
	return nil
}

// compute puts the keys of a row and the inputs of the functions in front of its copy.
func (it *windowIter) compute(row, kept []value.Value) error {
	if err := evalKeys(it.node.keys, it.f, row, kept); err != nil {
		return err
	}
	for i := range it.node.calls {
		c := &it.node.calls[i]
		inputs := kept[c.at : c.at+len(c.inputs)]
		for j, f := range c.inputs {
			v, err := f(&it.f.Env)
			if err != nil {
				return err
			}
			inputs[j] = v
		}
		if c.warn != nil {
			if err := c.warn(&it.f.Env, inputs); err != nil {
				return err
			}
		}
	}
	return nil
}

// close ends the functions of a partition.
func (it *windowIter) close() {
	for _, c := range it.calls {
		if c != nil {
			c.close()
		}
	}
	it.calls = nil
}

func (it *windowIter) Close() error {
	it.close()
	it.p.drop(it.p.first + len(it.p.rows))
	it.all.clear()
	it.pending, it.ended = nil, true
	return it.input.Close()
}

// windowPartition is the rows of a partition that were read and are still needed.
type windowPartition struct {
	it    *windowIter
	key   []value.Value
	first int // the row that rows begins with
	rows  [][]value.Value
	whole bool  // its last row was read
	err   error // of the read that failed
}

// has says whether the partition has row i, reading it if necessary.
func (p *windowPartition) has(ctx context.Context, i int) bool {
	for !p.whole && p.err == nil && i >= p.first+len(p.rows) {
		it := p.it
		if it.pending == nil {
			if err := it.feed(ctx); err == io.EOF {
				p.whole = true
				break
			} else if err != nil {
				p.err = err
				break
			}
		}
		if compareKeys(it.pending, p.key, it.node.keys[:it.node.parts]) != 0 {
			p.whole = true
			break
		}
		p.rows = append(p.rows, it.pending)
		it.pending = nil
	}
	return i < p.first+len(p.rows)
}

// count is how many rows the partition has.
func (p *windowPartition) count(ctx context.Context) int {
	for i := p.first + len(p.rows); p.has(ctx, i); i++ {
	}
	return p.first + len(p.rows)
}

// upTo is i, or the number of rows if that is less.
func (p *windowPartition) upTo(ctx context.Context, i int) int {
	if i > 0 && !p.has(ctx, i-1) {
		return p.count(ctx)
	}
	return max(i, 0)
}

// row gives what is kept of a row that was read.
func (p *windowPartition) row(i int) []value.Value { return p.rows[i-p.first] }

// arePeers says whether two rows are peers in the order.
func (p *windowPartition) arePeers(i, j int) bool {
	n := p.it.node
	return compareKeys(p.row(i)[n.parts:], p.row(j)[n.parts:], n.keys[n.parts:]) == 0
}

// drop releases the rows before a given one.
func (p *windowPartition) drop(before int) {
	n := min(before-p.first, len(p.rows))
	if n <= 0 {
		return
	}
	if p.it.node.plan.Sorted {
		var bytes int64
		for _, kept := range p.rows[:n] {
			bytes += keptBytes(kept)
		}
		p.it.f.release(bytes)
	}
	clear(p.rows[:n])
	p.rows, p.first = p.rows[n:], p.first+n
}
