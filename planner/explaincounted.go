package planner

import (
	"math"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// Counted is how many rows a table had when all of it was last read. The plan was made without it.
type Counted struct {
	Rows float64
	How  string // "counted by a scan 3 minutes ago"
}

// count asks for the rows of tables that were never analyzed.
func (e *explainer) count(p *Plan, counted func(*schema.Table) *Counted) {
	e.counts = map[*schema.Table]*Counted{}
	for _, s := range p.Scans() {
		t := s.Table
		if s.Access == access.VirtualScan || t.Analyzed() {
			continue
		}
		if c := counted(t); c != nil {
			e.counts[t], e.analyzed = c, true
		}
	}
}

// aboutCounted is aboutScan for a table whose rows were counted. The count tells what it takes to read all of them, or some by their keys, but
// nothing about other parts of them.
func (e *explainer) aboutCounted(s *access.Scan, c *Counted) about {
	a := about{counted: c.How, known: true}
	switch {
	case s.Access <= access.PointReads:
		a.rows, a.each = min(s.Rows, c.Rows), s.Requests
		return a.held()
	case !s.ReadsAll():
		return about{}
	}
	entities := c.Rows
	if a.rows = entities; s.Residual != nil {
		a.rows *= s.Rows / max(1, s.Entities)
	}
	if s.Limit != nil {
		a.rows = min(a.rows, e.wanted(s.Limit))
		entities = a.rows
	}
	a.each = max(math.Ceil(entities/access.PageEntities), float64(e.scanRequests(s, s.Limit == nil)))
	if s.IndexJoin {
		a.each += entities
	}
	if s.Limit != nil {
		return a.held()
	}
	return a
}
