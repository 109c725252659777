package exec

import (
	"errors"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// memo holds the results of a correlated subquery, by the values of the outer columns that it uses. After many runs, the subquery
// is answered for all values at once, if that costs no more than its runs so far.
type memo struct {
	known map[string]value.Value
	held  int64
	key   []byte

	runs   int
	next   int   // the number of runs at which whole is next tried
	spent  int64 // by the runs, in entities
	tried  int64 // the cost of the last attempt to read whole when it was given up
	whole  map[string]value.Value
	absent value.Value // for keys that whole lacks
}

// maxMemo is the size in bytes of the remembered results of a subquery. Beyond it, remembering starts afresh.
const maxMemo = 8 << 20

// firstWhole is how often a subquery that reads by key runs before answering it for all values at once is tried.
const firstWhole = 8

// remembered gives the result of compute for the row of env and for x, which is compared with the subquery's rows.
func (r *Run) remembered(env *expr.Env, s *expr.Subquery, x []value.Value, compute func() (value.Value, error)) (value.Value, error) {
	slot := r.slotOf(s)
	if slot.memo == nil {
		slot.memo = &memo{known: map[string]value.Value{}, next: firstWhole}
		if w := s.Whole; w != nil && !w.ByKey {
			slot.memo.next = 1
		}
	}
	m := slot.memo
	if m.whole == nil && m.runs == m.next && s.Whole != nil {
		if err := r.tryWhole(m, env, s); err != nil {
			return value.NullValue, err
		}
	}
	if m.whole != nil {
		return m.ofWhole(env, s.Whole), nil
	}
	m.key = m.key[:0]
	for _, c := range s.Refs {
		m.key = value.AppendIdentity(m.key, outer(env, c))
	}
	for _, v := range x {
		m.key = value.AppendIdentity(m.key, v)
	}
	if v, ok := m.known[string(m.key)]; ok {
		return v, nil
	}
	key := string(m.key) // compute may get here again
	before := r.cost()
	v, err := compute()
	if err != nil {
		return v, err
	}
	m.runs++
	m.spent += r.cost() - before
	m.keep(r, key, v)
	return v, nil
}

// keep remembers v if there is room for it.
func (m *memo) keep(r *Run, key string, v value.Value) {
	size := int64(len(key)+len(v.Text())) + BytesPerValue + bytesPerEntry
	if m.held+size > maxMemo {
		m.drop(r)
	}
	m.held += size
	if r.Charge(size, "subquery") != nil {
		m.drop(r)
		return
	}
	m.known[key] = v
}

func (m *memo) drop(r *Run) {
	r.release(m.held)
	m.known, m.held = map[string]value.Value{}, 0
}

// outer is the value of a column in the row of env or of an enclosing one.
func outer(env *expr.Env, c *expr.Column) value.Value {
	for range c.Level {
		env = env.Outer
	}
	return env.Row[c.Index]
}

// cost is what the statement has cost so far, in entities.
func (r *Run) cost() int64 {
	m := r.X.Meter
	if r.X.Profile != nil {
		m = &engine.Meter{}
		r.X.Profile.AddTo(m)
	}
	if m == nil {
		return 0
	}
	return m.Scanned.Load() + m.Requests.Load()*r.entitiesPerRequest()
}

// entitiesPerRequest is how many entities can be read for the cost of a request itself.
func (r *Run) entitiesPerRequest() int64 {
	if t, ok := r.Rt.Engine.(engine.Transactor); ok && t.Snapshots() {
		return 32 // in this process
	}
	return 1000
}

// errTooDear ends an attempt to answer a subquery for all values at once.
var errTooDear = errors.New("the subquery reads too much to be answered at once")

// tryWhole answers s for all outer values, unless that costs more than the runs so far. In that case it is tried again after twice
// as many runs, so that both ways together cost no more than a few times the better one.
func (r *Run) tryWhole(m *memo, env *expr.Env, s *expr.Subquery) error {
	m.next *= 2
	if r.X.Pins || r.X.Plan.ForUpdate {
		return nil // what is read must not change
	}
	inner := &Run{Rt: r.Rt, X: r.X, store: r.store, ctx: r.ctx, requests: r.requests, around: r}
	inner.most = m.spent
	if !s.Whole.ByKey {
		inner.most *= 2 // a run reads everything, or has the store do so
	}
	if most := r.mostEntities(); most > 0 {
		inner.most = min(inner.most, (most-r.entities.Load())/2)
	}
	if b := r.X.Budget; b != nil {
		inner.most = min(inner.most, b.Left()/2*access.PageEntities)
	}
	inner.most = max(1, inner.most)
	if about := s.Whole.Entities * (1 + float64(r.entitiesPerRequest())/access.PageEntities); float64(inner.most) < about || inner.most <= m.tried {
		return nil
	}
	inner.begun = r.cost()
	whole := &wholeReader{run: inner, w: s.Whole, rows: map[string]value.Value{}, exists: s.Kind == expr.ExistsSubquery}
	absent := value.FromBool(false)
	err := whole.read()
	if err == nil && !whole.exists {
		absent, err = whole.empty()
	}
	if err == nil {
		m.drop(r)
		m.whole, m.absent = whole.rows, absent
		return nil
	}
	r.release(whole.held)
	m.tried = r.cost() - inner.begun
	var known *sqlerr.Error
	var memory *MemoryError
	if errors.Is(err, errTooDear) || errors.As(err, &memory) || errors.As(err, &known) {
		return nil // possibly from rows that no run would read
	}
	return err
}

// ofWhole looks the outer values up.
func (m *memo) ofWhole(env *expr.Env, w *expr.Whole) value.Value {
	m.key = m.key[:0]
	for i, c := range w.Keys {
		v := outer(env, c)
		if v.IsNull() {
			return m.absent
		}
		m.key = value.AppendHashKey(m.key, v, w.Collations[i])
	}
	if v, ok := m.whole[string(m.key)]; ok {
		return v
	}
	return m.absent
}

// wholeReader reads a subquery's results for all outer values.
type wholeReader struct {
	run    *Run
	w      *expr.Whole
	exists bool
	rows   map[string]value.Value
	held   int64
	key    []byte
}

func (h *wholeReader) read() (err error) {
	it, err := h.open(h.w.Plan)
	if err != nil {
		return err
	}
	defer func() {
		if err2 := it.Close(); err == nil {
			err = err2
		}
	}()
	for {
		row, err := it.Next(h.run.ctx)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = h.add(row)
		}
		if err != nil {
			return err
		}
	}
}

func (h *wholeReader) open(plan any) (Iterator, error) {
	made, err := programOf(plan.(*planner.Plan))
	if err != nil {
		return nil, err
	}
	f := new(Frame)
	f.InitEnv(h.run, nil)
	return made.root.Open(f), nil
}

// add keeps a row: the keys, then the value. A NULL among the keys equals nothing.
func (h *wholeReader) add(row []value.Value) error {
	h.key = h.key[:0]
	n := len(h.w.Keys)
	for i, v := range row[:n] {
		if v.IsNull() {
			return nil
		}
		h.key = value.AppendHashKey(h.key, v, h.w.Collations[i])
	}
	if _, twice := h.rows[string(h.key)]; twice {
		if h.exists {
			return nil
		}
		return errSubqueryRows
	}
	v := value.FromBool(true)
	if !h.exists {
		v = row[n]
	}
	size := int64(len(h.key)+len(v.Text())) + BytesPerValue + bytesPerEntry
	h.held += size
	if err := h.run.Charge(size, "subquery"); err != nil {
		return err
	}
	h.rows[string(h.key)] = v
	return nil
}

// empty gives the value for keys that no row has.
func (h *wholeReader) empty() (v value.Value, err error) {
	if h.w.Empty == nil {
		return value.NullValue, nil
	}
	it, err := h.open(h.w.Empty)
	if err != nil {
		return v, err
	}
	defer it.Close()
	row, err := it.Next(h.run.ctx)
	if err != nil {
		return v, err
	}
	return row[0], nil
}
