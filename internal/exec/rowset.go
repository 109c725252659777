package exec

import "github.com/nearlyfreedb/nearlyfree/internal/value"

var isTrue, isFalse = value.FromInt(1), value.FromInt(0)

// rowSet is the rows of an IN subquery: by hash, and those that hold a NULL apart.
type rowSet struct {
	rows      rowStore
	collation value.Collation
	keys      map[string]struct{}
	nulls     [][]value.Value // rows that hold a NULL
	classes   []class         // by column: of all values that are not NULL
	key       []byte
}

func newRowSet(r *run, width int, c value.Collation) *rowSet {
	return &rowSet{
		rows:      rowStore{run: r, operator: "subquery", fills: positions(0, width)},
		collation: c, keys: make(map[string]struct{}), classes: make([]class, width),
	}
}

// add adds a row that has been kept.
func (s *rowSet) add(_, kept []value.Value) error {
	for i, v := range kept {
		s.classes[i] |= classOf(v.Kind())
	}
	key, null := s.hash(kept)
	if null {
		s.nulls = append(s.nulls, kept)
		return nil
	}
	if _, ok := s.keys[string(key)]; ok {
		return nil
	}
	s.keys[string(key)] = struct{}{}
	return s.rows.hold(int64(len(key)) + bytesPerEntry)
}

func (s *rowSet) hash(row []value.Value) (key []byte, null bool) {
	s.key = s.key[:0]
	for _, v := range row {
		null = null || v.IsNull()
		s.key = value.AppendHashKey(s.key, v, s.collation)
	}
	return s.key, null
}

// find says whether x is in the set: 1, 0, or NULL where that hangs on a NULL.
func (s *rowSet) find(x []value.Value) (value.Value, error) {
	key, null := s.hash(x)
	if null || !s.hashable(x) {
		return s.search(x, s.rows.rows)
	}
	if _, ok := s.keys[string(key)]; ok {
		return isTrue, nil
	}
	return s.search(x, s.nulls)
}

// search is find by comparison with each of these rows.
func (s *rowSet) search(x []value.Value, rows [][]value.Value) (value.Value, error) {
	out := isFalse
	for _, row := range rows {
		equal, unknown, err := equalRows(x, row, s.collation)
		if err != nil {
			return value.NullValue, err
		}
		if equal {
			return isTrue, nil
		}
		if unknown {
			out = value.NullValue
		}
	}
	return out, nil
}

// hashable says whether values of x equal those of the set just when their hash keys do.
func (s *rowSet) hashable(x []value.Value) bool {
	for i, v := range x {
		switch c := s.classes[i] | classOf(v.Kind()); {
		case c&^(classInt|classDecimal) == 0, c&^(classInt|classFloat) == 0,
			c == classText, c == classBytes, c == classTime, c == classDuration, c == classUUID:
		default:
			return false
		}
	}
	return true
}

// equalRows compares two rows: unknown when it hangs on a NULL.
func equalRows(a, b []value.Value, collation value.Collation) (equal, unknown bool, err error) {
	for i := range a {
		if a[i].IsNull() || b[i].IsNull() {
			unknown = true
			continue
		}
		c, err := value.Compare(a[i], b[i], collation)
		if err != nil || c != 0 {
			return false, false, err
		}
	}
	return !unknown, unknown, nil
}

// class groups kinds by how their values compare with each other. Classes are bits.
type class uint8

const (
	classInt class = 1 << iota
	classDecimal
	classFloat
	classText
	classBytes
	classTime
	classDuration
	classUUID
)

// classOf gives 0 for NULL; JSON, which compares by its content, is of two classes.
func classOf(k value.Kind) class {
	switch k {
	case value.Null:
		return 0
	case value.Bool, value.Int, value.Uint:
		return classInt
	case value.Decimal:
		return classDecimal
	case value.Float:
		return classFloat
	case value.String:
		return classText
	case value.Bytes:
		return classBytes
	case value.Time, value.Date:
		return classTime
	case value.Duration:
		return classDuration
	case value.UUID:
		return classUUID
	}
	return classText | classBytes
}
