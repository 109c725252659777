package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// ScanRefusedError says which tables a statement would read without a key.
type ScanRefusedError struct{ Reasons []ScanReason }

// ScanReason is one such table.
type ScanReason struct {
	Table      string
	What       string   // "the whole table", "a whole partition", "the whole index surname"
	Conditions []string // those that no key serves, as SQL
	Index      []string // columns of an index that would serve; nil where none would
	Partition  []string // columns of PARTITION BY KEY: no key serves anything before conditions name the partition
}

func (e *ScanRefusedError) Error() string {
	var b strings.Builder
	for i, r := range e.Reasons {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(r.String())
	}
	b.WriteString(". The hint /*+ allow_scan */ allows it")
	return b.String()
}

// String is the reason in words.
func (r ScanReason) String() string {
	s := fmt.Sprintf("the statement reads %s of %s", r.What, r.Table)
	if len(r.Conditions) == 0 {
		return s + ": it has no condition that a key could serve"
	}
	s += ": no key serves " + strings.Join(r.Conditions, " AND ")
	switch {
	case len(r.Partition) > 0:
		s += fmt.Sprintf(" in all partitions; name one by an equality on %s", strings.Join(r.Partition, " and "))
	case len(r.Index) > 0:
		s += fmt.Sprintf("; an index on (%s) would", strings.Join(r.Index, ", "))
	}
	return s
}

// CheckScans gives a *ScanRefusedError that names each table that is read without a key, or nil. The caller decides whether
// that is an error, a warning or all right; the hint allow_scan (AllowScan) overrules it. A scan with a pushed LIMIT does not
// count, nor does one of a table in memory.
func (p *Plan) CheckScans() error {
	var e ScanRefusedError
	for _, s := range p.scans(false) {
		what := ""
		switch {
		case s.Table.Temporary: // no request reads it
		case s.Limit != nil || s.Index != nil && s.Index.Child != "": // the copies lie among the rows of another table
		case s.Access == access.TableScan:
			what = "the whole table"
		case s.Access == access.PartitionScan && s.Table.Spread == nil:
			what = "the whole table"
		case s.Access == access.PartitionScan:
			what = "whole partitions"
		case s.Access == access.RangeScan && s.Keys.Depth() == 0:
			what = "the whole index " + s.Index.Name
		}
		if what == "" {
			continue
		}
		r := ScanReason{Table: s.Table.Name, What: what, Index: usefulIndex(s)}
		if p := s.Table.Spread; s.Access == access.TableScan && p != nil && p.Kind == schema.SpreadByKey {
			for _, c := range p.Columns {
				r.Partition = append(r.Partition, s.Table.Columns[c].Name)
			}
		}
		for _, n := range expr.Conjuncts(s.Residual) {
			r.Conditions = append(r.Conditions, expr.String(n))
		}
		e.Reasons = append(e.Reasons, r)
	}
	if len(e.Reasons) == 0 {
		return nil
	}
	return &e
}

// usefulIndex gives the columns of an index that would serve the conditions which are checked row by row: first those that must
// equal something, then one with a range. It leaves out columns of binary types, and those that only an OR combines with
// others.
func usefulIndex(s *access.Scan) []string {
	if s.Table.IsExternal() {
		return nil // it can have none
	}
	c := &access.Constrainer{Table: s.Table, Offset: s.Offset}
	var equal, ranged []string
	for _, n := range expr.Conjuncts(s.Residual) {
		ordinal, t := c.Test(n)
		if t == nil {
			continue
		}
		name := s.Table.Columns[ordinal].Name
		switch {
		case slices.Contains(equal, name) || slices.Contains(ranged, name):
		case t.IsPoint():
			equal = append(equal, name)
		default:
			ranged = append(ranged, name)
		}
	}
	if len(ranged) > 0 {
		return append(equal, ranged[0])
	}
	return equal
}
