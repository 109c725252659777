package exec

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// hashKey is one pair of values whose equality makes a match.
type hashKey struct {
	left, right expr.Func
	nullSafe    bool
	collation   value.Collation
	// asFloat: an exact number with a DOUBLE. They compare as floats, so they are hashed as floats.
	asFloat bool
}

func compileHashKeys(n *planner.HashJoin) []hashKey {
	keys := make([]hashKey, len(n.LeftKeys))
	for i := range keys {
		keys[i] = hashKey{
			left: expr.CompileOperand(n.LeftKeys[i]), right: expr.CompileOperand(n.RightKeys[i]),
			nullSafe: i < len(n.NullSafe) && n.NullSafe[i], collation: collationAt(n.Collation, i),
			asFloat: codec.FormOf(n.LeftKeys[i].Type()) == codec.FormFloat || codec.FormOf(n.RightKeys[i].Type()) == codec.FormFloat,
		}
	}
	return keys
}

// hashTable keeps right rows of a join by the values that must be equal. The matches of a left row come in the order in which they
// were added.
type hashTable struct {
	f         *Frame
	keys      []hashKey
	dynamic   bool // see strangers
	rows      rowStore
	chains    map[string]int // hash key → position in list
	list      []chain
	after     []int32 // by row: the next one in its chain; -1: none
	at        int32   // the match to try next; -1: none
	key       []byte
	strangers strangers
}

// chain is the rows of one hash key: positions in rows, linked by hashTable.after.
type chain struct{ first, last int32 }

func newHashTable(f *Frame, keys []hashKey, fills []int, dynamic bool) hashTable {
	return hashTable{
		f: f, keys: keys, dynamic: dynamic, rows: rowStore{run: f.Run, operator: "hash join", fills: fills}, chains: map[string]int{},
		at: -1, strangers: strangers{at: -1},
	}
}

// add keeps a right row.
func (t *hashTable) add(row []value.Value) error {
	if _, err := t.rows.add(row); err != nil {
		return err
	}
	n := int32(len(t.rows.rows) - 1)
	t.after = append(t.after, -1)
	ok, err := t.hash(row, false)
	if t.dynamic && err == nil {
		t.strangers.add(ok)
	}
	if err != nil || !ok {
		return err
	}
	c, known := t.chains[string(t.key)]
	if !known {
		t.chains[string(t.key)] = len(t.list)
		t.list = append(t.list, chain{n, n})
		return t.rows.hold(int64(len(t.key)) + bytesPerEntry)
	}
	t.after[t.list[c].last] = n
	t.list[c].last = n
	return nil
}

// matchesNone says whether no left row has a match.
func (t *hashTable) matchesNone() bool { return len(t.list) == 0 }

// find begins with the matches of a left row.
func (t *hashTable) find(left []value.Value) error {
	t.at, t.strangers.at = -1, -1
	ok, err := t.hash(left, true)
	if err != nil || !ok {
		return err
	}
	if t.dynamic {
		t.strangers.begin()
	}
	if c, known := t.chains[string(t.key)]; known {
		t.at = t.list[c].first
	}
	return nil
}

// next copies the right row to try next into its positions of dst, in the order of the right side.
func (t *hashTable) next(ctx context.Context, dst []value.Value) (some bool, err error) {
	at, other := t.at, t.strangers.at
	switch {
	case other >= 0 && (at < 0 || other < at):
		at = other
		t.strangers.advance(other + 1)
		if err := t.strangers.look(ctx); err != nil {
			return false, err
		}
	case at < 0:
		return false, nil
	default:
		t.at = t.after[at]
	}
	t.rows.restore(t.rows.rows[at], dst)
	return true, nil
}

// hash makes the row's hash key; not ok if a value is NULL, which equals nothing.
func (t *hashTable) hash(row []value.Value, left bool) (ok bool, err error) {
	t.f.Env.Row = row
	t.key = t.key[:0]
	t.strangers.kinds = t.strangers.kinds[:0]
	for i := range t.keys {
		k := &t.keys[i]
		f := k.right
		if left {
			f = k.left
		}
		v, err := f(&t.f.Env)
		if err != nil {
			return false, err
		}
		if v.IsNull() && !k.nullSafe {
			return false, nil
		}
		if kind := v.Kind(); k.asFloat && value.Bool <= kind && kind <= value.Decimal {
			v = value.FromFloat(value.ToFloat(v))
		}
		if t.dynamic {
			v = t.strangers.note(v)
			t.key = append(t.key, t.strangers.kinds[i]) // so that a stranger is met only once
		}
		t.key = value.AppendHashKey(t.key, v, k.collation)
	}
	return true, nil
}

// clear drops all rows.
func (t *hashTable) clear() {
	t.rows.clear()
	t.chains, t.list, t.after, t.at, t.strangers = nil, nil, nil, -1, strangers{at: -1}
}
