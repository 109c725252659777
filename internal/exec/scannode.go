package exec

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// scanNode reads a stored table.
type scanNode struct {
	plan     *planner.Scan
	decoder  *Decoder // fills the block's row; of each execution, a copy
	selected []string // what scans read of an entity
	get      []string // what point reads do
	ids      *Decoder // Fetch: fills a row of the table from an index entry
	filter   *storeFilter
	recheck  func(*expr.Env) (bool, error)
	residual func(*expr.Env) (bool, error)
	limit    bounds
	order    []sortKey
	cuts     bool // keys may be cut, which leaves runs of them out of order
	stem     func(key string) (stem string, cut bool)
	filled   []int
	joined   bool // entities of two tables, whose order matters; see familyNode
}

// NewIndexCodec makes the codec of the entries of an index of t.
func NewIndexCodec(t *planner.Table, ix *planner.Index) *Codec {
	var columns []int
	for i := range t.Columns {
		if t.Holds(ix, i) {
			columns = append(columns, i)
		}
	}
	return NewCodecOf(t, columns)
}

func compileScan(n *planner.Scan) (node, error) {
	s := &scanNode{
		plan:     n,
		recheck:  compileCond(n.Recheck),
		residual: compileCond(n.Residual),
		limit:    compileLimit(n.Limit, nil),
		filled:   make([]int, len(n.Columns)),
	}
	for i, ordinal := range n.Columns {
		s.filled[i] = n.Offset + ordinal
	}
	if n.Table.Virtual != nil {
		return (*virtualNode)(s), nil
	}
	if n.Ordered {
		s.order = compileOrder(n.Order)
		s.cuts, s.stem = cutKeys(n), stemOf
		if n.Table.Foreign != nil {
			s.cuts, s.stem = true, foreignStem
		}
	}
	rows := NewCodec(n.Table)
	read := rows
	if n.Index != nil {
		read = NewIndexCodec(n.Table, n.Index)
	}
	s.filter = compileFilter(n.Filter, read)
	s.selected = read.Select(n.Columns)
	s.get = read.selectOne(n.Columns)
	if n.Fetch {
		id := make([]int, len(n.Table.Key))
		for i, p := range n.Table.Key {
			id[i] = p.Column
		}
		if n.Table.Parts != nil {
			id = append(id, n.Table.Parts.Columns...)
		}
		slices.Sort(id)
		id = slices.Compact(id)
		s.selected = read.Select(id)
		s.ids = read.Decoder(id, 0, s.selected)
		s.get = rows.selectOne(n.Columns)
		s.decoder = rows.Decoder(n.Columns, n.Offset, s.get)
		return s, nil
	}
	s.decoder = read.Decoder(n.Columns, n.Offset, s.selected)
	return s, nil
}

// cutKeys says whether a part of the keys that are read may be cut.
func cutKeys(n *planner.Scan) bool {
	is := func(p planner.KeyPart) bool { return p.Cut > 0 }
	return slices.ContainsFunc(n.Table.Key, is) || n.Index != nil && slices.ContainsFunc(n.Index.Parts, is)
}

func (n *scanNode) fills() []int { return n.filled }

func (n *scanNode) open(f *frame) Iterator {
	it := &scanIter{node: n, f: f, row: make([]value.Value, n.plan.Total)}
	it.in = it
	return it
}

// bindFilter makes the filter to send at one execution.
func (n *scanNode) bindFilter(f *frame) (*engine.Filter, error) {
	if n.filter == nil {
		return nil, nil
	}
	room := filterRoomOf(f.rt.Engine.Limits())
	return n.filter.bind(&f.env, &room)
}

// entities gives the source of what reads name. limit is how many are likely to be wanted, 0 for all.
func (n *scanNode) entities(r *run, reads *planner.Reads, filter *engine.Filter, limit int) source {
	if len(reads.Points) > 0 {
		keys := reads.Points
		if n.plan.Ordered {
			slices.SortFunc(keys, comparePoints)
		}
		return &pointSource{run: r, get: engine.Get{Table: n.plan.Table.Physical, Select: n.get, Meter: r.x.Meter}, keys: keys}
	}
	scan := engine.Scan{Table: n.plan.Table.Physical, Filter: filter, Select: n.selected, Meter: r.x.Meter}
	src := n.spans(r, scan, reads.Spans, limit)
	if !n.plan.Fetch {
		return src
	}
	return &fetchSource{
		run: r, entries: src, table: n.plan.Table, ids: *n.ids, row: make([]value.Value, n.plan.Table.RowWidth()),
		get: engine.Get{Table: n.plan.Table.Physical, Select: n.get, Meter: r.x.Meter}, limit: limit,
	}
}

// spans gives the source of entities in spans: one after the other when a few are wanted, so that no more
// is read than that; otherwise side by side.
func (n *scanNode) spans(r *run, scan engine.Scan, spans []planner.Span, limit int) source {
	ordered := n.plan.Ordered || n.joined
	of := func(spans []planner.Span) *spanSource {
		return &spanSource{run: r, scan: scan, spans: spans, limit: limit, mixed: n.plan.Table.Mixed()}
	}
	if len(spans) <= 1 {
		return of(spans)
	}
	parts := byPartition(spans)
	if n.plan.PartOrder != 0 && spans[0].Part != nil {
		// One after the other they are in order: those behind a LIMIT are never opened.
		if n.plan.PartOrder < 0 {
			slices.Reverse(parts)
		}
		return of(slices.Concat(parts...))
	}
	if ordered && len(parts) > 1 {
		sources := make([]*spanSource, len(parts))
		for i, p := range parts {
			sources[i] = of(p)
		}
		return newMergeSource(r, sources)
	}
	if limit > 0 || r.parallel() == 1 {
		return of(spans)
	}
	sources := make([]*spanSource, len(spans))
	for i := range spans {
		sources[i] = of(spans[i : i+1])
	}
	return newFanSource(r, sources, ordered)
}

// comparePoints orders keys as an ordered scan passes them.
func comparePoints(a, b planner.Key) int {
	if a.Row != b.Row {
		if a.Row < b.Row {
			return -1
		}
		return 1
	}
	if a.Partition < b.Partition {
		return -1
	}
	return 1
}
