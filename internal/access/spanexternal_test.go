package access

import (
	"fmt"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// TestManyPartitions: lists of partitions and of rows multiply, up to a bound. Beyond it the rows become one range.
func TestManyPartitions(t *testing.T) {
	tab, err := schema.NewUndeclaredTable("Log", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	list := func(column, n int) expr.Node {
		in := &expr.In{X: &expr.Column{Index: column, T: tab.Columns[column].Type}}
		for i := range n {
			in.List = append(in.List, expr.NewConst(value.FromString(fmt.Sprintf("%04d", i))))
		}
		return in
	}
	for _, test := range []struct {
		partitions, rows int
		points, spans    int
		first            Span
	}{
		{3000, 1, 3000, 0, Span{}},
		{1, 3000, 0, 1, Span{PartitionKey: "0000", Span: keymap.Span{From: "0000", To: "2999 "}}},
		{40, 50, 2000, 0, Span{}},
		{100, 30, 0, 100, Span{PartitionKey: "0000", Span: keymap.Span{From: "0000", To: "0029 "}}},
	} {
		p, err := Choose(Request{Table: tab, Total: tab.RowWidth(), Conds: []expr.Node{list(0, test.partitions), list(1, test.rows)}})
		if err != nil {
			t.Fatal(err)
		}
		var r Reads
		if err := p.Scan.Reads(&expr.Env{}, &r); err != nil {
			t.Fatal(err)
		}
		if len(r.Points) != test.points || len(r.Spans) != test.spans || r.Exact != (test.spans == 0) {
			t.Errorf("%d partitions, %d rows: %d points, %d spans, exact %v", test.partitions, test.rows, len(r.Points), len(r.Spans), r.Exact)
		}
		if len(r.Spans) > 0 {
			first := r.Spans[0]
			if first.Partition = nil; first != test.first {
				t.Errorf("%d partitions, %d rows: first %+v", test.partitions, test.rows, first)
			}
		}
	}
}
