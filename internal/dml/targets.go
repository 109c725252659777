package dml

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// targets are the rows that an UPDATE or DELETE changes. All are read before the first is written, so that a
// statement never meets its own writes.
type targets struct {
	tables []*target
	source exec.Node
	some   bool // a LIMIT picks some of the rows
	once   bool // the statement also reads one of the tables elsewhere, for example in a subquery, which would see its writes
}

// target is a table whose rows are changed.
type target struct {
	*planner.Target
	rows *RowWriter
	from *schema.Index // the index whose entries are read; nil: rows
	as   string        // targets that differ in it may change the same row; among targets with the same one a row is changed once
}

// again says whether the statement may be run again after some of its rows were written. Another run would pick other rows for
// a LIMIT, and would see the statement's own changes, as a join with another table that it changes does.
func (t *targets) again() bool { return !t.some && !t.once && len(t.tables) == 1 }

// readsElsewhere says whether a statement reads the table that it writes in more than one place.
func readsElsewhere(p *planner.Plan, t *schema.Table) bool {
	scans := 0
	for _, s := range p.Scans() {
		if isSameTable(s.Table, t) {
			scans++
		}
	}
	return scans > 1
}

// isSameTable says whether two tables, perhaps under two aliases, have the same rows.
func isSameTable(a, b *schema.Table) bool { return a.Physical == b.Physical && a.RowName == b.RowName }

func compileTargets(p *planner.Plan, list []planner.Target, source planner.Node) (*targets, error) {
	n, err := exec.Compile(source)
	if err != nil {
		return nil, err
	}
	out := &targets{source: n, some: limited(source)}
	for i := range list {
		t := &target{Target: &list[i], rows: NewRowWriter(list[i].Table, list[i].Children...)}
		// If WHERE is never true there is no scan, and there are no rows either.
		if scan := scanAt(source, t.Offset); scan != nil && !scan.IndexJoin {
			t.from = scan.Index
		}
		out.tables, out.once = append(out.tables, t), out.once || readsElsewhere(p, t.Table)
	}
	return out, nil
}

// scanAt finds the scan that fills the rows' place; nil if there is none.
func scanAt(n planner.Node, offset int) *access.Scan {
	switch n := n.(type) {
	case *access.Scan:
		if n.Offset == offset {
			return n
		}
		return nil
	case *planner.Derived:
		return nil // below it rows have other places
	}
	for _, kid := range planner.Children(n) {
		if s := scanAt(kid, offset); s != nil {
			return s
		}
	}
	return nil
}

// limited says whether n contains a LIMIT.
func limited(n planner.Node) bool {
	switch n := n.(type) {
	case *planner.Limit:
		return true
	case *access.Scan:
		return n.Limit != nil
	}
	return slices.ContainsFunc(planner.Children(n), limited)
}

// met recognizes repeated ids. A single one takes no map.
type met struct {
	first string
	all   map[string]bool // nil before the second one
}

func (m *met) again(id string) bool {
	if m.first == "" {
		m.first = id
		return false
	}
	if m.all == nil {
		m.all = map[string]bool{m.first: true}
	}
	known := m.all[id]
	m.all[id] = true
	return known
}

// targetRow is a row to be changed.
type targetRow struct {
	of     *target
	number int    // from 1
	id     string // see rowID
	old    Stored
	whole  []value.Value // the row of the source, for expressions
}

// each gives the rows one after another, each row of a target once, copied: those of the first target as they are read, then those
// of the others.
func (t *targets) each(ctx context.Context, w *Writer, do func(r *targetRow) error) error {
	it := t.source.Open(&w.frame)
	defer it.Close()
	later := make([][]*targetRow, len(t.tables))
	var seen met // a join may give a row more than once
	number := 0
	give := func(r *targetRow) error {
		number++
		r.number = number
		return do(r)
	}
	for {
		row, err := it.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := w.Charge(exec.BytesPerRow+int64(len(row))*exec.BytesPerValue+exec.TextBytes(row), "write"); err != nil {
			return err
		}
		whole := append([]value.Value(nil), row...)
		for i, of := range t.tables {
			r := &targetRow{of: of, whole: whole}
			r.old = Stored{Row: rowAt(whole, of.Offset, of.Table), from: of.from}
			etag := r.old.Row[of.Table.ETagOrdinal()]
			if etag.IsNull() {
				continue // an outer join found none
			}
			r.old.Etag = etag.Text()
			if r.id, err = r.old.identify(of.Table); err != nil {
				return err
			}
			if seen.again(of.as + r.id) {
				continue
			}
			if i > 0 {
				later[i] = append(later[i], r)
			} else if err := give(r); err != nil {
				return err
			}
		}
	}
	for _, rows := range later {
		for _, r := range rows {
			if err := give(r); err != nil {
				return err
			}
		}
	}
	return nil
}
