package exec

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// scanNode reads a stored table.
type scanNode struct {
	plan     *access.Scan
	decoder  *codec.Decoder // fills the block's row; each execution has its own
	selected []string       // what scans read of an entity
	get      []string       // what point reads read of it
	ids      *codec.Decoder // IndexJoin, and if rows are held: fills a row of the table from an index entry
	filter   *storePredicate
	recheck  func(*expr.Env) (bool, error)
	residual func(*expr.Env) (bool, error)
	of       func(*expr.Env) (bool, error) // of a virtualNode: whether rows of a database are wanted
	names    []expr.Func                   // of a virtualNode: the databases whose rows are wanted
	limit    bounds
	order    []sortKey
	cutFrom  int // length from which keys may be cut, which leaves runs of them out of order; 0: none
	filled   []int
	counted  planner.Node // what its reads are counted as: see Profile
	joined   bool         // entities of two tables, whose order matters; see familyNode
	counts   bool         // read to its end, it has seen all rows of the table
}

// NewIndexCodec makes the codec of the entries of an index of t.
func NewIndexCodec(t *schema.Table, ix *schema.Index) *codec.Codec {
	var columns []int
	for i := range t.Columns {
		if t.Holds(ix, i) {
			columns = append(columns, i)
		}
	}
	return codec.NewCodecOf(t, columns)
}

func compileScan(n *access.Scan) (Node, error) {
	s := &scanNode{
		plan:     n,
		counted:  n,
		recheck:  CompileCond(n.Recheck),
		residual: CompileCond(n.Residual),
		limit:    compileLimit(n.Limit, nil),
		filled:   make([]int, len(n.Columns)),
		counts:   countsAll(n),
	}
	for i, ordinal := range n.Columns {
		s.filled[i] = n.Offset + ordinal
	}
	if n.Table.Virtual != nil {
		s.of, s.names = CompileCond(n.Databases), CompileAll(n.Names)
		return (*virtualNode)(s), nil
	}
	if n.Ordered {
		s.order = compileOrder(n.Order)
		s.cutFrom = n.Table.CutFrom(n.Index)
	}
	rows := codec.NewCodec(n.Table)
	read := rows
	if n.Index != nil {
		read = NewIndexCodec(n.Table, n.Index)
	}
	s.filter = compilePredicate(n.Predicate, read)
	s.selected = read.Select(n.Columns)
	s.get = read.SelectOne(n.Columns)
	if n.IndexJoin {
		id := identity(n.Table)
		s.selected = read.Select(id)
		s.ids = read.Decoder(id, 0, s.selected)
		s.get = rows.SelectOne(n.Columns)
		s.decoder = rows.Decoder(n.Columns, n.Offset, s.get)
		return s, nil
	}
	if n.Index != nil && n.Hold >= access.HoldOrFail {
		id := identity(n.Table)
		s.selected, s.get = read.Select(merge(id, n.Columns)), read.SelectOne(merge(id, n.Columns))
		s.ids = read.Decoder(id, 0, s.selected)
	}
	s.decoder = read.Decoder(n.Columns, n.Offset, s.selected)
	return s, nil
}

// identity are the columns that identify a row of a table and its partition.
func identity(t *schema.Table) []int {
	id := make([]int, len(t.Key))
	for i, p := range t.Key {
		id[i] = p.Column
	}
	return merge(id, t.SpreadBy())
}

// entryOf tells which row an index entry belongs to.
type entryOf struct {
	table *schema.Table
	ids   codec.Decoder
	row   []value.Value
}

func (n *scanNode) entryOf() entryOf {
	return entryOf{n.plan.Table, *n.ids, make([]value.Value, n.plan.Table.RowWidth())}
}

// key gives the key of the row.
func (e *entryOf) key(entry *engine.Entity) (k access.Key, err error) {
	if err := e.ids.DecodeRow(entry, e.row); err != nil {
		return k, err
	}
	row, err := e.table.AppendRowKey(nil, e.row)
	if err != nil {
		return k, err
	}
	in, err := e.table.AppendPartitionKey(nil, e.row)
	if err != nil {
		return k, err
	}
	k.PartitionKey, k.RowKey = string(in), string(row)
	k.Partition, err = e.table.PartitionOf(e.row)
	return k, err
}

// rowOf is entryOf for a transaction.
func (n *scanNode) rowOf() engine.RowOf {
	of := n.entryOf()
	return func(entry *engine.Entity) (table, partitionKey, rowKey string, err error) {
		k, err := of.key(entry)
		if err != nil {
			return "", "", "", err
		}
		return k.Partition.Physical, k.PartitionKey, k.RowKey, nil
	}
}

func (n *scanNode) fills() []int { return n.filled }

func (n *scanNode) Open(f *Frame) Iterator {
	it := &scanIter{node: n, f: f, row: make([]value.Value, n.plan.Total), meter: f.meter(n.counted)}
	it.in = it
	return it
}

// bindFilter makes the filter to send for one execution.
func (n *scanNode) bindFilter(f *Frame) (*engine.Filter, error) {
	if n.filter == nil {
		return nil, nil
	}
	room := filterRoomOf(f.Rt.Engine.Limits())
	return n.filter.bind(&f.Env, &room)
}

// holds maps what a plan says to what a transaction does with the rows that a scan reads.
var holds = [...]engine.Hold{access.HoldAsAll: engine.HoldAsAll, access.HoldNot: engine.HoldNot, access.HoldOrFail: engine.HoldOrFail, access.HoldOrSkip: engine.HoldOrSkip,
	access.HoldOrWait: engine.HoldOrWait}

// entities gives the source of the entities that reads names. limit is how many are likely to be wanted, 0 for all. m counts the
// cost. The source is valid until another scan has the room.
func (n *scanNode) entities(r *Run, reads *access.Reads, filter *engine.Filter, limit int, m *engine.Meter, room *room) source {
	r.noteReads(n.counted, reads)
	hold := holds[n.plan.Hold]
	if hold == engine.HoldOrSkip {
		limit = 0 // how many are skipped is unknown
	}
	var row engine.RowOf
	if n.ids != nil && !n.plan.IndexJoin {
		row = n.rowOf()
	}
	if len(reads.Points) > 0 {
		keys := reads.Points
		if n.plan.Ordered {
			slices.SortFunc(keys, comparePoints)
		}
		room.points = pointSource{run: r, get: engine.Get{Select: n.get, Meter: m, Hold: hold, Row: row}, keys: keys, room: room.values[:0]}
		return &room.points
	}
	scan := engine.Scan{Filter: filter, Select: n.selected, Meter: m, Budget: r.X.Budget, Hold: hold, Row: row}
	if hold == engine.HoldOrWait && n.plan.IndexJoin {
		scan.Hold = engine.HoldAsAll // the rows are waited for
	}
	if len(reads.Spans) == 1 && r.readsItself() {
		scan.Room = &room.engine // else more than one cursor might be given it
	}
	src := n.spans(r, scan, reads.Spans, limit, room)
	if !n.plan.IndexJoin {
		return src
	}
	return &indexJoinSource{
		run: r, entries: src, of: n.entryOf(),
		get: engine.Get{Select: n.get, Meter: m, Hold: hold}, limit: limit,
	}
}

// spans gives the source of entities in spans: one after another if few are wanted, so that no more
// is read than that; otherwise in parallel.
func (n *scanNode) spans(r *Run, scan engine.Scan, spans []access.Span, limit int, room *room) source {
	ordered := n.plan.Ordered || n.joined
	if len(spans) <= 1 {
		room.spans = SpanSource{Run: r, Scan: scan, Spans: spans, Limit: limit, mixed: n.plan.Table.Mixed()}
		return &room.spans
	}
	of := func(spans []access.Span) *SpanSource {
		return &SpanSource{Run: r, Scan: scan, Spans: spans, Limit: limit, mixed: n.plan.Table.Mixed()}
	}
	parts := byPartition(spans)
	if n.plan.PartitionOrder != 0 {
		// One after another they are in order: those after a LIMIT are never opened.
		if n.plan.PartitionOrder < 0 {
			slices.Reverse(parts)
		}
		return of(slices.Concat(parts...))
	}
	if ordered && len(parts) > 1 {
		sources := make([]*SpanSource, len(parts))
		for i, p := range parts {
			sources[i] = of(p)
		}
		return newMergeSource(r, sources)
	}
	if limit > 0 || r.inTurn() == 1 {
		return of(spans)
	}
	sources := make([]*SpanSource, len(spans))
	for i := range spans {
		sources[i] = of(spans[i : i+1])
	}
	return newFanSource(r, sources, ordered)
}

// comparePoints orders keys as an ordered scan passes them.
func comparePoints(a, b access.Key) int {
	if a.RowKey != b.RowKey {
		if a.RowKey < b.RowKey {
			return -1
		}
		return 1
	}
	if a.PartitionKey < b.PartitionKey {
		return -1
	}
	return 1
}
