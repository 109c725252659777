package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// hashJoinNode finds matches by equality in a hash table of the right rows. Matches of a left row come in
// the order of the right input.
type hashJoinNode struct {
	joinNode
	keys    []hashKey
	dynamic bool // see strangers
}

// hashKey is one pair of values whose equality makes a match.
type hashKey struct {
	left, right expr.Func
	nullSafe    bool
	collation   value.Collation
	// asFloat: an exact number with a DOUBLE. They compare as floats, so that is what is hashed.
	asFloat bool
}

func compileHashJoin(n *planner.HashJoin) (Node, error) {
	join, err := compileJoin(n.Kind, n.Left, n.Right, n.On)
	if err != nil {
		return nil, err
	}
	j := &hashJoinNode{joinNode: join, dynamic: n.Dynamic}
	for i := range n.LeftKeys {
		k := hashKey{
			left: expr.CompileOperand(n.LeftKeys[i]), right: expr.CompileOperand(n.RightKeys[i]),
			nullSafe: i < len(n.NullSafe) && n.NullSafe[i], collation: collationAt(n.Collation, i),
			asFloat: codec.FormOf(n.LeftKeys[i].Type()) == codec.FormFloat || codec.FormOf(n.RightKeys[i].Type()) == codec.FormFloat,
		}
		j.keys = append(j.keys, k)
	}
	return j, nil
}

func (n *hashJoinNode) Open(f *Frame) Iterator {
	return &hashJoinIter{
		matcher: n.matcher(f),
		node:    n, left: n.left.Open(f), right: n.right.Open(f),
		rows: rowStore{run: f.Run, operator: "hash join", fills: n.rightFills},
	}
}

// chain is the rows of one hash key: positions in rows, linked by hashJoinIter.next.
type chain struct{ first, last int32 }

type hashJoinIter struct {
	matcher
	node        *hashJoinNode
	left, right Iterator
	rows        rowStore
	chains      map[string]int // hash key → position in list
	list        []chain
	next        []int32 // by row: the next one of its chain; -1: none
	built       bool
	at          int32 // the match to be tried next; -1: none
	key         []byte
	strangers   strangers
}

func (it *hashJoinIter) Next(ctx context.Context) ([]value.Value, error) {
	if !it.built {
		left, err := it.left.Next(ctx)
		if err != nil {
			return nil, err // without left rows nothing is read of the right side
		}
		if err := it.build(ctx); err != nil {
			return nil, err
		}
		it.built = true
		if err := it.find(left); err != nil {
			return nil, err
		}
	}
	if len(it.list) == 0 && needsRight(it.kind) {
		return nil, io.EOF
	}
	for {
		if !it.active {
			left, err := it.left.Next(ctx)
			if err != nil {
				return nil, err
			}
			if err := it.find(left); err != nil {
				return nil, err
			}
		}
		for it.active {
			at, err := it.match(ctx)
			if err != nil {
				return nil, err
			}
			if at < 0 {
				break
			}
			it.rows.restore(it.rows.rows[at], it.row)
			if row, err := it.try(); err != nil || row != nil {
				return row, err
			}
		}
		if it.active {
			if row := it.end(); row != nil {
				return row, nil
			}
		}
	}
}

// match gives the row to be tried next, of all in the order of the right side; -1: none.
func (it *hashJoinIter) match(ctx context.Context) (int32, error) {
	at, other := it.at, it.strangers.at
	if other >= 0 && (at < 0 || other < at) {
		it.strangers.advance(other + 1)
		return other, it.strangers.look(ctx)
	}
	if at >= 0 {
		it.at = it.next[at]
	}
	return at, nil
}

// build reads the right side.
func (it *hashJoinIter) build(ctx context.Context) error {
	it.chains = make(map[string]int)
	return drain(ctx, it.right, &it.rows, func(row, _ []value.Value) error {
		n := int32(len(it.rows.rows) - 1)
		it.next = append(it.next, -1)
		ok, err := it.hash(row, false)
		if it.node.dynamic && err == nil {
			it.strangers.add(ok)
		}
		if err != nil || !ok {
			return err
		}
		c, known := it.chains[string(it.key)]
		if !known {
			it.chains[string(it.key)] = len(it.list)
			it.list = append(it.list, chain{n, n})
			return it.rows.hold(int64(len(it.key)) + bytesPerEntry)
		}
		it.next[it.list[c].last] = n
		it.list[c].last = n
		return nil
	})
}

// find begins with a left row.
func (it *hashJoinIter) find(left []value.Value) error {
	it.take(left)
	it.at, it.strangers.at = -1, -1
	ok, err := it.hash(left, true)
	if err != nil || !ok {
		return err
	}
	if it.node.dynamic {
		it.strangers.begin()
	}
	if c, known := it.chains[string(it.key)]; known {
		it.at = it.list[c].first
	}
	return nil
}

// hash makes the row's hash key; not ok when a value is NULL, which equals nothing.
func (it *hashJoinIter) hash(row []value.Value, left bool) (ok bool, err error) {
	it.f.Env.Row = row
	it.key = it.key[:0]
	it.strangers.kinds = it.strangers.kinds[:0]
	for i := range it.node.keys {
		k := &it.node.keys[i]
		f := k.right
		if left {
			f = k.left
		}
		v, err := f(&it.f.Env)
		if err != nil {
			return false, err
		}
		if v.IsNull() && !k.nullSafe {
			return false, nil
		}
		if kind := v.Kind(); k.asFloat && value.Bool <= kind && kind <= value.Decimal {
			v = value.FromFloat(value.ToFloat(v))
		}
		if it.node.dynamic {
			v = it.strangers.note(v)
			it.key = append(it.key, it.strangers.kinds[i]) // a stranger is met once
		}
		it.key = value.AppendHashKey(it.key, v, k.collation)
	}
	return true, nil
}

func (it *hashJoinIter) Close() error {
	it.rows.clear()
	it.chains, it.list, it.next, it.built, it.strangers = nil, nil, nil, true, strangers{at: -1}
	return closeBoth(it.left, it.right)
}
