package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// virtualNode reads a table that is made in memory.
type virtualNode scanNode

func (n *virtualNode) fills() []int { return n.filled }

func (n *virtualNode) Open(f *Frame) Iterator {
	return &virtualIter{node: n, f: f, row: make([]value.Value, n.plan.Total)}
}

type virtualIter struct {
	node  *virtualNode
	f     *Frame
	row   []value.Value
	began bool
	rows  [][]value.Value
	left  int64
}

func (it *virtualIter) Next(ctx context.Context) ([]value.Value, error) {
	n := it.node
	if !it.began {
		it.began = true
		var err error
		if it.left, _, err = n.limit.eval(&it.f.Env); err != nil {
			return nil, err
		}
		wanted, err := it.wanted()
		if err != nil {
			return nil, err
		}
		if it.rows, err = n.plan.Table.Virtual(ctx, wanted); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for it.left > 0 && len(it.rows) > 0 {
		for _, ordinal := range n.plan.Columns {
			if ordinal < len(it.rows[0]) {
				it.row[n.plan.Offset+ordinal] = it.rows[0][ordinal]
			}
		}
		it.rows = it.rows[1:]
		it.f.Env.Row = it.row
		ok, err := passes(n.recheck, &it.f.Env)
		if ok && err == nil {
			ok, err = passes(n.residual, &it.f.Env)
		}
		if err != nil {
			return nil, err
		}
		if ok {
			it.left--
			return it.row, nil
		}
	}
	return nil, io.EOF
}

// wanted are the databases whose rows may satisfy the conditions.
func (it *virtualIter) wanted() (schema.Wanted, error) {
	n := it.node
	wanted := schema.Wanted{Pass: func(database string) (bool, error) {
		for _, ordinal := range n.plan.Table.DatabaseColumns {
			it.row[n.plan.Offset+ordinal] = value.FromString(database)
		}
		it.f.Env.Row = it.row
		return passes(n.of, &it.f.Env)
	}}
	if n.plan.Names == nil {
		return wanted, nil
	}
	wanted.Names = []string{}
	for _, name := range n.names {
		v, err := name(&it.f.Env)
		if err != nil {
			return wanted, err
		}
		switch v.Kind() {
		case value.Null:
		case value.String:
			wanted.Names = append(wanted.Names, v.Text())
		default:
			wanted.Names = nil // compared as a number, say
			return wanted, nil
		}
	}
	return wanted, nil
}

func (it *virtualIter) Close() error {
	it.began, it.rows, it.left = true, nil, 0
	return nil
}
