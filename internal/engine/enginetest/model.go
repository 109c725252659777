package enginetest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// modelEntity is what the model knows about an entity.
type modelEntity struct {
	props props
	etag  string // as last read; "" when not read since it was written
}

// model is a table as a map, by PartitionKey and RowKey.
type model struct {
	*fixture
	rnd      *rand.Rand
	entities map[[2]string]modelEntity
	stale    []string // ETags that no entity has any more
	step     string
}

// testModel runs random operations on an engine and a map, and compares them.
func testModel(f *fixture) {
	const seeds, steps = 4, 120
	for seed := range uint64(seeds) {
		f.table = f.newTable()
		m := &model{fixture: f, rnd: rand.New(rand.NewPCG(seed, 1)), entities: map[[2]string]modelEntity{}}
		for i := range steps {
			m.step = fmt.Sprintf("seed %d, step %d", seed, i)
			switch m.rnd.IntN(6) {
			case 0, 1, 2:
				m.commitOne()
			case 3:
				m.getOne()
			default:
				m.scanOne()
			}
		}
		m.compare(m.scan(engine.Scan{AllPartitions: true}), engine.Scan{AllPartitions: true})
	}
}

func (m *model) pk() string { return []string{"a", "b", "ab"}[m.rnd.IntN(3)] }

func (m *model) rk() string {
	return []string{"", "1", "12", "2", "x!", "x", "ä"}[m.rnd.IntN(7)] + []string{"", "1", "!z"}[m.rnd.IntN(3)]
}

func (m *model) value() engine.Value {
	switch m.rnd.IntN(6) {
	case 0:
		return i32(int32(m.rnd.IntN(5)))
	case 1:
		return i64(int64(m.rnd.IntN(5)))
	case 2:
		return boolean(m.rnd.IntN(2) == 0)
	case 3:
		return engine.Value{}
	}
	return str([]string{"", "a", "b", "ab"}[m.rnd.IntN(4)])
}

func (m *model) props() props {
	p := props{}
	for _, name := range []string{"A", "B", "C", "D"} {
		if m.rnd.IntN(3) > 0 {
			p[name] = m.value()
		}
	}
	return p
}

// commitOne commits a few operations, which may fail, and does the same to the model.
func (m *model) commitOne() {
	pk := m.pk()
	c := engine.Commit{Table: m.table, PartitionKey: pk}
	after := maps.Clone(m.entities)
	used := map[string]bool{}
	want, wantOp := engine.CodeOther, -1
	for range 1 + m.rnd.IntN(4) {
		rk := m.rk()
		if used[rk] {
			continue
		}
		used[rk] = true
		o := op(engine.OpKind(m.rnd.IntN(5)), pk, rk, m.props())
		key := [2]string{pk, rk}
		old, exists := m.entities[key]
		if o.Kind == engine.Replace || o.Kind == engine.Merge || o.Kind == engine.Delete {
			switch n := m.rnd.IntN(4); {
			case n == 0 && len(m.stale) > 0:
				o.IfMatch = m.stale[m.rnd.IntN(len(m.stale))]
			case n == 1:
				o.IfMatch = old.etag
			}
		}
		c.Ops = append(c.Ops, o)
		if wantOp < 0 {
			if failure, fails := outcome(o, exists, old.etag); fails {
				want, wantOp = failure, len(c.Ops)-1
			}
		}
		switch o.Kind {
		case engine.Delete:
			delete(after, key)
		case engine.Merge:
			p := maps.Clone(old.props)
			if p == nil {
				p = props{}
			}
			for name, v := range given(o) {
				p[name] = v
			}
			after[key] = modelEntity{props: p}
		default:
			after[key] = modelEntity{props: given(o)}
		}
	}
	err := m.e.Commit(m.ctx, c)
	if wantOp >= 0 {
		var e *engine.Error
		if !errors.As(err, &e) || e.Code != want || e.Op != wantOp {
			m.Fatalf("%s: commit %+v: got %v, want code %d at operation %d", m.step, c.Ops, err, want, wantOp)
		}
		return
	}
	if err != nil {
		m.Fatalf("%s: commit %+v: %v", m.step, c.Ops, err)
	}
	for key, e := range m.entities {
		if e.etag != "" && after[key].etag != e.etag {
			m.stale = append(m.stale, e.etag)
		}
	}
	m.entities = after
}

// given gives the properties that an operation names and that are not absent.
func given(o engine.Op) props {
	p := props{}
	for i, v := range o.Entity.Values {
		if v.Type != engine.Absent {
			p[o.Entity.Names[i]] = v
		}
	}
	return p
}

// outcome says how an operation fails, given what exists.
func outcome(o engine.Op, exists bool, etag string) (engine.Code, bool) {
	switch {
	case o.Kind == engine.Upsert, o.Kind == engine.Insert && !exists:
		return 0, false
	case o.Kind == engine.Insert:
		return engine.CodeExists, true
	case !exists:
		return engine.CodeNotFound, true
	case o.IfMatch != "" && o.IfMatch != etag:
		return engine.CodeStale, true
	}
	return 0, false
}

func (m *model) getOne() {
	key := [2]string{m.pk(), m.rk()}
	want, exists := m.entities[key]
	if !exists {
		m.missing(key[0], key[1])
		return
	}
	e := m.get(key[0], key[1])
	m.learn(key, e)
	m.same(e, key[0], key[1], want.props)
}

// learn notes the ETag that an entity has.
func (m *model) learn(key [2]string, e engine.Entity) {
	known := m.entities[key]
	if known.etag != "" && known.etag != e.ETag {
		m.Fatalf("%s: entity %q had the ETag %q, and has %q with no write", m.step, key, known.etag, e.ETag)
	}
	known.etag = e.ETag
	m.entities[key] = known
}

func (m *model) scanOne() {
	s := engine.Scan{Table: m.table, PartitionKey: m.pk()}
	if m.rnd.IntN(3) == 0 {
		s = engine.Scan{Table: m.table, AllPartitions: true, FromPartition: []string{"", "a", "ab"}[m.rnd.IntN(3)], ToPartition: []string{"", "ab", "b", "c"}[m.rnd.IntN(4)]}
	} else {
		if m.rnd.IntN(2) == 0 {
			s.From = m.rk()
		}
		if m.rnd.IntN(2) == 0 {
			s.To = m.rk()
		}
	}
	if m.rnd.IntN(2) == 0 {
		s.Filter = m.filter(2)
	}
	if m.rnd.IntN(3) == 0 {
		s.Select = [][]string{{}, {"A"}, {"B", "A"}, {"A", "B", "C", "D"}, {"E", "C"}}[m.rnd.IntN(5)]
	}
	if m.rnd.IntN(3) == 0 && (s.Filter == nil || m.has(ExactFilters)) {
		s.Limit = 1 + m.rnd.IntN(6)
	}
	m.compare(m.scan(s), s)
}

func (m *model) filter(depth int) *engine.Filter {
	if depth > 0 && m.rnd.IntN(2) == 0 {
		f := &engine.Filter{Op: engine.FilterOp(m.rnd.IntN(2))}
		for range 1 + m.rnd.IntN(3) {
			f.Kids = append(f.Kids, m.filter(depth-1))
		}
		return f
	}
	f := &engine.Filter{Op: comparisons[m.rnd.IntN(len(comparisons))], Property: []string{"A", "B", "C", "D", "E", "RowKey"}[m.rnd.IntN(6)]}
	for f.Value.Type == engine.Absent {
		f.Value = m.value()
	}
	if f.Property == "RowKey" {
		f.Value = str(m.rk())
	}
	return f
}

// compare compares the result of a scan with the model.
func (m *model) compare(got []engine.Entity, s engine.Scan) {
	var want [][2]string
	for key, e := range m.entities {
		o := op(engine.Insert, key[0], key[1], e.props)
		if inRange(key, s) && (s.Filter == nil || matches(s.Filter, &o.Entity)) {
			want = append(want, key)
		}
	}
	slices.SortFunc(want, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	if s.Limit > 0 && len(want) > s.Limit {
		want = want[:s.Limit]
	}
	next := 0
	for _, e := range got {
		key := [2]string{e.PartitionKey, e.RowKey}
		if next < len(want) && want[next] == key {
			next++
		} else if m.has(ExactFilters) || s.Filter == nil {
			m.Fatalf("%s: scan %+v gives %q, want %q", m.step, s, keysOf(got), want)
		}
		known, exists := m.entities[key]
		if !exists || !inRange(key, s) {
			m.Fatalf("%s: scan %+v gives %q, which is not there", m.step, s, key)
		}
		m.learn(key, e)
		m.same(e, key[0], key[1], selected(known.props, s.Select))
	}
	if next < len(want) {
		m.Fatalf("%s: scan %+v gives %q, want %q", m.step, s, keysOf(got), want)
	}
}

func inRange(key [2]string, s engine.Scan) bool {
	if s.AllPartitions {
		return key[0] >= s.FromPartition && (s.ToPartition == "" || key[0] < s.ToPartition)
	}
	return key[0] == s.PartitionKey && key[1] >= s.From && (s.To == "" || key[1] < s.To)
}
