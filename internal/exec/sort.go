package exec

import (
	"context"
	"io"
	"math"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// sortNode orders rows; rows of equal keys stay in their order of arrival. If a LIMIT follows, it keeps no more
// rows than that wants.
type sortNode struct {
	input Node
	keys  []sortKey
	limit bounds
}

func (n *sortNode) fills() []int { return n.input.fills() }

func (n *sortNode) Open(f *Frame) Iterator {
	return &sortIter{node: n, f: f, input: n.input.Open(f), rows: rowStore{
		run: f.Run, operator: "sort", fills: n.input.fills(), extra: len(n.keys),
	}}
}

type sortIter struct {
	node   *sortNode
	f      *Frame
	input  Iterator
	rows   rowStore // sort keys before each row
	sorted bool
	at     int
	row    []value.Value
}

func (it *sortIter) Next(ctx context.Context) ([]value.Value, error) {
	if !it.sorted {
		if err := it.sort(ctx); err != nil {
			return nil, err
		}
		it.sorted = true
	}
	if it.at >= len(it.rows.rows) {
		it.rows.clear()
		return nil, io.EOF
	}
	it.rows.restore(it.rows.rows[it.at], it.row)
	it.at++
	return it.row, nil
}

func (it *sortIter) sort(ctx context.Context) error {
	count, offset, err := it.node.limit.eval(&it.f.Env)
	if err != nil {
		return err
	}
	if count <= math.MaxInt32 && offset <= math.MaxInt32 {
		err = it.keepTop(ctx, int(count+offset))
	} else {
		err = it.keepAll(ctx)
	}
	if err != nil {
		return err
	}
	return it.input.Close()
}

func (it *sortIter) keepAll(ctx context.Context) error {
	for {
		row, err := it.input.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if _, err := it.add(row); err != nil {
			return err
		}
	}
	sortRows(it.rows.rows, it.node.keys)
	return nil
}

// add keeps a row with its sort keys. These take memory, too: they may be computed, and longer than the row.
func (it *sortIter) add(row []value.Value) ([]value.Value, error) {
	kept, err := it.rows.add(row)
	if err != nil {
		return nil, err
	}
	if err := it.evalKeys(row, kept); err != nil {
		return nil, err
	}
	return kept, it.rows.hold(TextBytes(kept[:len(it.node.keys)]))
}

// evalKeys puts the row's sort keys in front of its copy.
func (it *sortIter) evalKeys(row, kept []value.Value) error {
	if it.row == nil {
		it.row = make([]value.Value, len(row))
	}
	return evalKeys(it.node.keys, it.f, row, kept)
}

// keepTop keeps the first n rows in a heap whose root is the last of them.
func (it *sortIter) keepTop(ctx context.Context, n int) error {
	if n == 0 {
		return nil
	}
	top := topRows{keys: it.node.keys}
	scratch := make([]value.Value, len(it.node.keys))
	for seq := 0; ; seq++ {
		row, err := it.input.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if len(top.rows) < n {
			kept, err := it.add(row)
			if err != nil {
				return err
			}
			top.rows = append(top.rows, topRow{kept, seq})
			top.up(len(top.rows) - 1)
			continue
		}
		if err := it.evalKeys(row, scratch); err != nil {
			return err
		}
		last := &top.rows[0]
		if compareKeys(scratch, last.kept, it.node.keys) >= 0 {
			continue // of two that are equal, the earlier one stays
		}
		if err := it.rows.hold(TextBytes(scratch) - TextBytes(last.kept[:len(scratch)])); err != nil {
			return err
		}
		copy(last.kept, scratch)
		if err := it.rows.replace(last.kept, row); err != nil {
			return err
		}
		last.seq = seq
		top.down(0)
	}
	slices.SortFunc(top.rows, func(a, b topRow) int { return top.compare(a, b) })
	for i, r := range top.rows {
		it.rows.rows[i] = r.kept
	}
	return nil
}

func (it *sortIter) Close() error {
	it.rows.clear()
	it.sorted = true
	return it.input.Close()
}

// topRow is a row among the first n; seq is its order of arrival.
type topRow struct {
	kept []value.Value
	seq  int
}

// topRows is a heap with the last row at its root.
type topRows struct {
	keys []sortKey
	rows []topRow
}

func (t *topRows) compare(a, b topRow) int {
	if c := compareKeys(a.kept, b.kept, t.keys); c != 0 {
		return c
	}
	return a.seq - b.seq
}

func (t *topRows) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if t.compare(t.rows[parent], t.rows[i]) >= 0 {
			return
		}
		t.rows[parent], t.rows[i] = t.rows[i], t.rows[parent]
		i = parent
	}
}

func (t *topRows) down(i int) {
	for {
		last := i
		for kid := 2*i + 1; kid <= 2*i+2 && kid < len(t.rows); kid++ {
			if t.compare(t.rows[kid], t.rows[last]) > 0 {
				last = kid
			}
		}
		if last == i {
			return
		}
		t.rows[i], t.rows[last] = t.rows[last], t.rows[i]
		i = last
	}
}

// evalKeys computes a row's sort keys into dst, with texts in their collation's form.
func evalKeys(keys []sortKey, f *Frame, row, dst []value.Value) error {
	f.Env.Row = row
	for i := range keys {
		v, err := keys[i].f(&f.Env)
		if err != nil {
			return err
		}
		dst[i] = sortValue(v, keys[i].collation)
	}
	return nil
}

// sortValue is what v is sorted by.
func sortValue(v value.Value, c value.Collation) value.Value {
	if c != value.Binary && v.Kind() == value.String && !v.Counted() {
		v = value.FromString(c.Fold(v.Text()))
	}
	return value.SortKey(v)
}

// compareKeys compares what evalKeys gave for two rows.
func compareKeys(a, b []value.Value, keys []sortKey) int {
	for i := range keys {
		c := value.Order(a[i], b[i], value.Binary)
		if c == 0 {
			continue
		}
		if keys[i].desc {
			return -c
		}
		return c
	}
	return 0
}

// sortRows sorts rows that begin with their keys, stably. It moves positions, which are small and contain no
// pointers, and the rows only at the end.
func sortRows(rows [][]value.Value, keys []sortKey) {
	order := make([]int32, len(rows))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		if c := compareKeys(rows[a], rows[b], keys); c != 0 {
			return c
		}
		return int(a - b)
	})
	sorted := make([][]value.Value, len(rows))
	for i, at := range order {
		sorted[i] = rows[at]
	}
	copy(rows, sorted)
}
