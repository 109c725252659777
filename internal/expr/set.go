package expr

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Set is the rows that IN looks for a row among: those of its list, or of a subquery. Rows are found by hash wherever equal
// values, as they compare, can be given equal octets; else they are compared one after the other. What is added must not
// change; when all is, Find may be called from many goroutines.
type Set struct {
	collations []value.Collation
	rows       [][]value.Value
	nulls      [][]value.Value    // those of rows that hold a NULL
	classes    []class            // by column: of all values that are not NULL
	unread     []value.Value      // by column: a text that reads as no number; NULL without
	ints       map[int64]struct{} // the commonest set, one column of Ints, which are their own keys; nil: it is another one

	making sync.Mutex
	tables atomic.Pointer[[]setTable] // by the forms of their columns; made when they are first of use
}

// setTable is the rows without NULLs by what their values are in these forms.
type setTable struct {
	forms []form
	keys  map[string]struct{}
}

// NewSet makes a set of rows whose columns compare by these collations.
func NewSet(collations []value.Collation) *Set {
	s := &Set{collations: collations, classes: make([]class, len(collations)), unread: make([]value.Value, len(collations))}
	if len(collations) == 1 {
		s.ints = map[int64]struct{}{}
	}
	return s
}

// Add adds a row, which is kept.
func (s *Set) Add(row []value.Value) {
	s.rows = append(s.rows, row)
	null := false
	for i, v := range row {
		null = null || v.IsNull()
		s.classes[i] |= classOf(v)
		if (v.Kind() == value.String || v.Kind() == value.Bytes) && !value.ReadsAsNumber(v) {
			s.unread[i] = v
		}
	}
	if null {
		s.nulls = append(s.nulls, row)
	}
	switch {
	case s.ints == nil || null:
	case row[0].Kind() == value.Int:
		s.ints[row[0].Int()] = struct{}{}
	default:
		s.ints = nil
	}
}

// Find says whether x is in the set: 1, 0, or NULL if that depends on a NULL.
func (s *Set) Find(env *Env, x []value.Value) (value.Value, error) {
	t, err := s.find(env, x)
	return truthValues[t], err
}

func (s *Set) find(env *Env, x []value.Value) (truth, error) {
	if s.ints != nil && x[0].Kind() == value.Int {
		if _, ok := s.ints[x[0].Int()]; ok {
			return isTrue, nil
		}
		return s.compare(env, x, s.nulls)
	}
	var space [4]form
	forms := space[:0]
	var octets [64]byte
	key := octets[:0]
	for i, v := range x {
		if v.IsNull() {
			return s.findNull(env, x)
		}
		if err := s.warn(env, i, v); err != nil {
			return isUnknown, err
		}
		of, by, ok := s.classes[i].match(classOf(v))
		if !ok {
			return s.compare(env, x, s.rows)
		}
		forms = append(forms, of)
		key = by.append(key, v, s.collations[i])
	}
	if _, ok := s.table(forms)[string(key)]; ok {
		return isTrue, nil
	}
	return s.compare(env, x, s.nulls)
}

// warn warns of a text that is compared with a number, which a lookup by octets does not do.
func (s *Set) warn(env *Env, column int, v value.Value) error {
	const numbers = classInt | classDecimal | classFloat
	switch {
	case s.classes[column]&numbers != 0:
		return env.Number(v)
	case numeric(v.Kind()):
		return env.Number(s.unread[column])
	}
	return nil
}

// findNull is find for a row with a NULL: a NULL never certainly equals anything.
func (s *Set) findNull(env *Env, x []value.Value) (truth, error) {
	if len(x) > 1 || len(s.rows) == 0 {
		return s.compare(env, x, s.rows)
	}
	return isUnknown, nil
}

// table gives the keys of the rows in these forms.
func (s *Set) table(forms []form) map[string]struct{} {
	if keys := s.made(forms); keys != nil {
		return keys
	}
	s.making.Lock()
	defer s.making.Unlock()
	if keys := s.made(forms); keys != nil {
		return keys
	}
	keys := make(map[string]struct{}, len(s.rows))
	var key []byte
	for _, row := range s.rows {
		key = key[:0]
		for i, v := range row {
			key = forms[i].append(key, v, s.collations[i]) // a NULL has a key that no other value has
		}
		keys[string(key)] = struct{}{}
	}
	var tables []setTable
	if before := s.tables.Load(); before != nil {
		tables = slices.Clone(*before)
	}
	tables = append(tables, setTable{slices.Clone(forms), keys})
	s.tables.Store(&tables)
	return keys
}

func (s *Set) made(forms []form) map[string]struct{} {
	if tables := s.tables.Load(); tables != nil {
		for i := range *tables {
			if t := &(*tables)[i]; slices.Equal(t.forms, forms) {
				return t.keys
			}
		}
	}
	return nil
}

// compare is find by comparing with each of these rows.
func (s *Set) compare(env *Env, x []value.Value, rows [][]value.Value) (truth, error) {
	out := isFalse
	for _, row := range rows {
		t, err := equalRows(env, x, row, s.collations)
		if err != nil || t == isTrue {
			return t, err
		}
		if t == isUnknown {
			out = isUnknown
		}
	}
	return out, nil
}

// IsQuantified says whether n is X Op ANY (…) or X Op ALL (…), and not IN.
func (n *Subquery) IsQuantified() bool { return n.Kind == InSubquery && (n.Op != Eq || n.All) }

// Quantify compares x with a row of an InSubquery: what is known after it, and whether more rows can change that. before is what was known
// before; see None.
func (n *Subquery) Quantify(env *Env, x, row []value.Value, before value.Value) (known value.Value, done bool, err error) {
	var t truth
	if len(x) == 1 {
		t, err = compare(env, n.Op, x[0], row[0], n.Collations[0])
	} else {
		t, err = equalRows(env, x, row[:len(x)], n.Collations)
	}
	switch {
	case err != nil:
		return value.NullValue, true, err
	case t == truthOf(!n.All):
		return truthValues[t], true, nil
	case t == isUnknown:
		return value.NullValue, false, nil
	}
	return before, false, nil
}

// None is what an InSubquery gives for no rows: nothing is among them, and every condition on all of them holds.
func (n *Subquery) None() value.Value { return truthValues[truthOf(n.All)] }

func equalRows(env *Env, a, b []value.Value, collations []value.Collation) (truth, error) {
	out := isTrue
	for i := range a {
		t, err := compare(env, Eq, a[i], b[i], collations[i])
		if err != nil || t == isFalse {
			return isFalse, err
		}
		if t == isUnknown {
			out = isUnknown
		}
	}
	return out, nil
}

// class groups kinds by how their values compare with each other. Classes are bits.
type class uint16

const (
	classInt class = 1 << iota
	classDecimal
	classFloat
	classText
	classMember // of an ENUM or SET: a text, with numbers a number
	classBytes
	classHex // a hexadecimal literal: octets, with numbers a number
	classTime
	classDuration
	classUUID
	classJSON // compares by its content
)

// classOf gives 0 for NULL.
func classOf(v value.Value) class {
	switch v.Kind() {
	case value.Null:
		return 0
	case value.Bool, value.Int, value.Uint:
		return classInt
	case value.Decimal:
		return classDecimal
	case value.Float:
		return classFloat
	case value.String:
		if v.Counted() {
			return classMember
		}
		return classText
	case value.Bytes:
		if v.Counted() {
			return classHex
		}
		return classBytes
	case value.Time, value.Date:
		return classTime
	case value.Duration:
		return classDuration
	case value.UUID:
		return classUUID
	}
	return classJSON
}

// match gives the form in which values of these classes are kept, and that in which one of class x is looked for, so
// that the octets are equal just when the values are; not ok where there is none. See value.Compare.
func (all class) match(x class) (of, by form, ok bool) {
	const (
		exact  = classInt | classDecimal
		number = exact | classText | classMember | classHex // with integers all are numbers
		text   = classText | classMember
		octets = classBytes | classHex
	)
	only := func(c class) bool { return all&^c == 0 }
	switch {
	case x == classInt && only(number): // exactly; a text as the number that it reads as
		return formNumber, formNumber, true
	case x == classInt && only(classFloat), x == classFloat && only(exact|classFloat|classText):
		return formFloat, formFloat, true
	case x&(classMember|classHex) != 0 && only(exact):
		return formNumber, formNumber, true
	case x == classText && only(classInt):
		return formNumber, formNumber, true
	case x == classText && only(classDecimal|classFloat):
		return formFloat, formFloat, true
	case x == classDecimal && only(exact):
		return formNumber, formNumber, true
	case x == classDecimal && only(classFloat|classText):
		return formFloat, formFloat, true
	case x&text != 0 && only(text):
		return formText, formText, true
	case (x&octets != 0 || only(octets)) && (all|x)&^(octets|text|classUUID) == 0:
		return formOctets, formOctets, true
	case x&(classTime|classDuration|classUUID|classJSON) != 0 && only(x):
		return formOctets, formOctets, true
	}
	return 0, 0, false
}

// form is how a value is made octets.
type form uint8

const (
	formNumber form = iota // a number as it is; a text as it compares with an integer
	formFloat              // a number as the nearest float, as a text
	formText               // by the collation
	formOctets             // as it is
)

func (f form) append(dst []byte, v value.Value, c value.Collation) []byte {
	switch k := v.Kind(); {
	case f == formOctets:
		c = value.Binary
	case f == formText:
	case f == formNumber && (k == value.String || k == value.Bytes):
		v = value.NumberBeside(v, value.Int)
	case k == value.String, f == formFloat && value.Bool <= k && k <= value.Decimal:
		v = value.FromFloat(value.ToFloat(v))
	}
	return value.AppendHashKey(dst, v, c)
}
