package exec

import (
	"context"
	"io"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// keyedRows passes the rows of a scan, each with the key that orders it. A row is valid until the
// next call.
type keyedRows interface {
	next(ctx context.Context) (row []value.Value, key string, err error)
}

// runSorter mends the order of an ordered scan. Keys cut long texts and continue with a hash, so rows with the same text before
// the cut come in the order of the hash: such a run is collected and sorted. If keys have no order at all, everything is
// one run.
type runSorter struct {
	it    *scanIter
	whole bool
	rows  rowStore // the run, its sort keys before each row
	at    int      // the row to be passed next
	ahead []value.Value
	key   string // of ahead
	more  bool   // ahead is a row that was read but not passed yet
	ended bool
}

func newRunSorter(it *scanIter, whole bool) *runSorter {
	n := it.node
	return &runSorter{it: it, whole: whole, rows: rowStore{
		run: it.f.Run, operator: "sort", fills: n.filled, extra: len(n.order),
	}}
}

func (s *runSorter) next(ctx context.Context) ([]value.Value, error) {
	if s.at < len(s.rows.rows) {
		return s.pass(), nil
	}
	if s.ended {
		return nil, io.EOF
	}
	key := s.key
	if s.more {
		s.rows.restore(s.ahead, s.it.row)
		s.more = false
	} else {
		var err error
		if _, key, err = s.it.in.next(ctx); err != nil {
			return nil, err
		}
	}
	stem := ""
	if !s.whole {
		if len(key) < s.it.node.cutFrom { // its octets, which lie elsewhere in memory, need no look
			return s.it.row, nil
		}
		var cut bool
		if stem, cut = s.it.node.plan.Table.Layout.Stem(key); !cut {
			return s.it.row, nil
		}
	}
	if err := s.collect(ctx, stem); err != nil {
		return nil, err
	}
	return s.pass(), nil
}

func (s *runSorter) pass() []value.Value {
	s.rows.restore(s.rows.rows[s.at], s.it.row)
	s.at++
	return s.it.row
}

// collect reads the run that begins with the scan's row, and one row more, and sorts the run.
func (s *runSorter) collect(ctx context.Context, stem string) error {
	s.rows.clear()
	s.at = 0
	for {
		kept, err := s.rows.add(s.it.row)
		if err != nil {
			return err
		}
		if err := evalKeys(s.it.node.order, s.it.f, s.it.row, kept); err != nil {
			return err
		}
		_, key, err := s.it.in.next(ctx)
		if err == io.EOF {
			s.ended = true
			break
		}
		if err != nil {
			return err
		}
		if !strings.HasPrefix(key, stem) {
			s.ahead = make([]value.Value, s.rows.extra+len(s.rows.fills))
			s.rows.set(s.ahead, s.it.row)
			s.key, s.more = key, true
			break
		}
	}
	sortRows(s.rows.rows, s.it.node.order)
	return nil
}
