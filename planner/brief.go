package planner

import (
	"slices"
	"strings"
)

// Brief is the plan in one line, for logs: what is written, and how each table is read.
func (p *Plan) Brief() string {
	var parts []string
	for _, s := range p.scans(false) {
		text := accessNames[s.Access] + " " + scanName(s)
		if s.IndexJoin {
			text += " then rows by key"
		}
		if !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	reads := strings.Join(parts, "; ")
	verb := ""
	switch w := p.Write.(type) {
	case nil:
		return reads
	case *Insert:
		verb = insertName(w)
	case *Update:
		verb = ignoring("update", w.Ignore)
	case *Delete:
		verb = ignoring("delete", w.Ignore)
	}
	var tables []string
	for _, t := range Written(p.Write) {
		tables = append(tables, t.Name)
	}
	verb += " " + strings.Join(tables, ", ")
	if reads == "" {
		return verb
	}
	return verb + ": " + reads
}
