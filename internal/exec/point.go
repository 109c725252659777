package exec

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// pointNode is a whole query that reads one row by its key and passes columns of it, the commonest query
// of all. Its iterator decodes the entity right into the result, with hardly an allocation.
type pointNode struct {
	scan    *access.Scan
	decoder *codec.Decoder
	get     []string
	width   int
}

// pointNodeOf gives the pointNode equivalent to the plan; nil if there is none.
func pointNodeOf(root planner.Node) *pointNode {
	project, ok := root.(*planner.Project)
	if !ok {
		return nil
	}
	scan, ok := project.Input.(*access.Scan)
	if !ok || scan.Access != access.PointRead || scan.IndexJoin || scan.Index != nil || scan.Table.Layout.Raw || scan.Residual != nil || scan.Limit != nil {
		return nil
	}
	columns, dst := make([]int, len(project.Exprs)), make([]int, len(project.Exprs))
	for i, e := range project.Exprs {
		c, ok := e.(*expr.Column)
		if !ok || c.Level != 0 || c.Index < scan.Offset || c.Index >= scan.Offset+scan.Table.RowWidth() {
			return nil
		}
		columns[i], dst[i] = c.Index-scan.Offset, i
	}
	rows := codec.NewCodec(scan.Table)
	get := rows.SelectOne(columns)
	return &pointNode{scan: scan, decoder: rows.DecoderTo(columns, dst, get), get: get, width: len(dst)}
}

// pointIter is the iterator of a pointNode. Small results need no memory of their own.
type pointIter struct {
	node  *pointNode
	f     *Frame
	other Node     // the same plan's general form
	rest  Iterator // set if the arguments make it no point read
	done  bool
	reads access.Reads
	key   [1]access.Key
	row   []value.Value
	space [8]value.Value
	room  [8]engine.Value
}

func (it *pointIter) Next(ctx context.Context) ([]value.Value, error) {
	if it.rest != nil {
		return it.rest.Next(ctx)
	}
	if it.done {
		return nil, io.EOF
	}
	it.done = true
	n := it.node
	it.reads.Points = it.key[:0]
	if err := n.scan.Reads(&it.f.Env, &it.reads); err != nil {
		return nil, err
	}
	if len(it.reads.Spans) > 0 || !it.reads.Exact {
		it.f.AtOneMoment()
		it.rest = it.other.Open(it.f)
		return it.rest.Next(ctx)
	}
	if len(it.reads.Points) == 0 {
		return nil, io.EOF
	}
	get := engine.Get{Select: n.get, Meter: it.f.X.Meter, Hold: holds[n.scan.Hold], Room: it.room[:0]}
	e, found, err := it.f.point(ctx, get, it.reads.Points[0])
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, io.EOF
	}
	if it.row = it.space[:]; n.width > len(it.row) {
		it.row = make([]value.Value, n.width)
	}
	it.row = it.row[:n.width]
	decoder := *n.decoder
	return it.row, decoder.DecodeRow(&e, it.row)
}

func (it *pointIter) Close() error {
	it.done = true
	if it.rest != nil {
		return it.rest.Close()
	}
	return nil
}
