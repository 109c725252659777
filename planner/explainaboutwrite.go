package planner

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// aboutWrite estimates a plan that writes.
func (e *explainer) aboutWrite(p *Plan) about {
	if done, ok := e.writings[p]; ok {
		return done.about
	}
	whole, byRows := e.tables(p)
	a := about{known: true}
	if len(whole) > 0 {
		a.begin = float64(p.Write.(*Delete).Targets[0].Table.DeleteRequests(whole))
	}
	var w *writing
	if byRows != nil {
		w = &writing{e: e, known: true, places: map[writePlace]*writtenPlace{}, followed: map[*schema.ForeignKey]bool{}}
		source := about{known: true}
		if n := writeSource(byRows.Write); n != nil {
			source = e.aboutNode(n)
		}
		w.write(byRows.Write, source.rows)
		a.rows, a.known = w.rows, source.known
		a.begin += source.requests() + w.requests()
		e.aboutSubqueries(&a, w.rows, func(f func(expr.Node)) { writeExpressions(byRows.Write, f) })
		a.known = a.known && w.known
	}
	e.writings[p] = aboutWriting{a, w}
	return a
}

// aboutWriting is what a write is expected to do.
type aboutWriting struct {
	about
	writing *writing // nil: whole partitions are deleted, and nothing else
}

// aboutWriteLine is what the line of a write says about it; "" and nil if that is not known.
func (e *explainer) aboutWriteLine(p *Plan) (string, *Estimate) {
	if a := e.aboutWrite(p); !a.known {
		return "", nil
	}
	w := e.writings[p].writing
	x := &Estimate{Rows: w.rows, Written: w.entities(), Requests: w.requests()}
	return count(x.Rows, "row") + ", " + countEntities(x.Written) + ", " + count(x.Requests, "request"), x
}

func (w *writing) write(what Write, rows float64) {
	w.rows = rows
	switch what := what.(type) {
	case *Insert:
		w.related = what.Related
		w.insert(what)
	case *Update:
		w.related = what.Related
		for i := range what.Targets {
			t := &what.Targets[i]
			if t.Table.Temporary {
				continue
			}
			w.update(t.Table, t.changed, w.ofTable(t.Table), sourceScan(what.Source, t))
		}
	case *Delete:
		w.related = what.Related
		for i := range what.Targets {
			t := &what.Targets[i]
			if t.Table.Temporary {
				continue
			}
			w.remove(t.Table, t.Children, w.ofTable(t.Table), sourceScan(what.Source, t))
		}
	}
}

// ofTable is the most rows of t that the statement's rows may be.
func (w *writing) ofTable(t *schema.Table) float64 {
	if t.Analyzed() {
		return min(w.rows, float64(t.Statistics.Rows))
	}
	return w.rows
}

// sourceScan is the scan that yields the rows of a target; nil if that cannot be told.
func sourceScan(source Node, t *Target) *access.Scan {
	var found *access.Scan
	walkNodes(source, func(n Node) {
		if s, ok := n.(*access.Scan); ok && s.Table == t.Table && s.Offset == t.Offset {
			found = s
		}
	})
	return found
}

// walkNodes calls f for n and all operators below it, but not in subqueries.
func walkNodes(n Node, f func(Node)) {
	f(n)
	for _, c := range Children(n) {
		walkNodes(c, f)
	}
}

// changed says whether a column of the row gets another value.
func (t *Target) changed(column int) bool {
	return t.changes([]schema.KeyColumn{{Column: column}})
}

func (w *writing) insert(in *Insert) {
	t := in.Table
	partitions := 0.0
	if in.Source == nil {
		w.rows = float64(len(in.Rows))
		if t.Spread != nil && t.Spread.Kind == schema.SpreadByKey {
			partitions = float64(w.valuesOf(in, t.Spread.Columns))
		} else if t.Spread != nil {
			partitions = occupied(float64(t.Layout.Buckets), float64(w.valuesOf(in, t.Spread.Columns)))
		}
	}
	if partitions == 0 {
		partitions = w.partitionsOf(t, w.rows, nil)
	}
	if t.Temporary {
		return // nothing is sent
	}
	w.add(t, w.rows, partitions, float64(t.Copies()+1))
	if in.Replace || in.Ignore || len(in.OnDup) > 0 {
		w.reads += w.rows * float64(uniqueLooks(in))
	}
	w.refer(t, nil, in)
	if in.Replace {
		w.loses(t, nil, w.rows)
	}
}

// uniqueLooks is how many keys of a new row are looked up because another row may have them.
func uniqueLooks(in *Insert) int {
	made := func(key []schema.KeyColumn) bool {
		return slices.ContainsFunc(key, func(p schema.KeyColumn) bool {
			c := in.Table.Columns[p.Column]
			return (c.AutoIncrement || c.Hidden) && !slices.Contains(in.Columns, p.Column)
		})
	}
	n := 0
	if !made(in.Table.Key) {
		n = 1
	}
	for _, ix := range in.Table.Indexes {
		if ix.Unique && ix.State != schema.DeleteOnly && !made(ix.Key) {
			n++
		}
	}
	return n
}

// valuesOf is how many different values the rows of VALUES have in some columns, as written; rows with NULL in one of them do not count.
func (w *writing) valuesOf(in *Insert, columns []int) int {
	seen := map[string]bool{}
	for i, row := range in.Rows {
		var texts []string
		for _, c := range columns {
			text := "default"
			switch at := slices.Index(in.Columns, c); {
			case at >= 0 && row[at] != nil:
				text = w.e.text(row[at])
			case in.Table.Columns[c].AutoIncrement || in.Table.Columns[c].Hidden:
				text = strconv.Itoa(i)
			}
			texts = append(texts, text)
		}
		if !slices.Contains(texts, "NULL") {
			seen[strings.Join(texts, ", ")] = true
		}
	}
	return len(seen)
}

// update notes rows that get other values in some columns.
func (w *writing) update(t *schema.Table, sets func(column int) bool, rows float64, source *access.Scan) {
	setsKey := func(key []schema.KeyColumn) bool {
		return slices.ContainsFunc(key, func(p schema.KeyColumn) bool { return sets(p.Column) })
	}
	each := 1.0
	moves := setsKey(t.Key)
	if moves {
		each = 2
	}
	for _, ix := range t.Indexes {
		switch {
		case moves, setsKey(ix.Key):
			each += 2
		case holdsOf(t, ix, sets):
			each++
		}
	}
	partitions := w.partitionsOf(t, rows, source)
	if moves && slices.ContainsFunc(t.SpreadBy(), sets) {
		partitions *= 2
	}
	if len(t.Children) > 0 && source != nil && source.Index != nil {
		w.reads += rows // the row itself tells whether rows now live inside it
	}
	w.add(t, rows, partitions, each)
	w.referOf(t, sets, rows)
	w.loses(t, sets, rows)
}

// holdsOf says whether an index entry holds a column that is set.
func holdsOf(t *schema.Table, ix *schema.Index, sets func(column int) bool) bool {
	for c := range t.Columns {
		if sets(c) && t.Holds(ix, c) {
			return true
		}
	}
	return false
}

// remove notes rows that are deleted, with those inside them.
func (w *writing) remove(t *schema.Table, children []schema.Family, rows float64, source *access.Scan) {
	partitions := w.partitionsOf(t, rows, source)
	if len(children) > 0 && source != nil && source.Index != nil {
		w.reads += rows
	}
	w.removeIn(t, children, rows, partitions)
}

func (w *writing) removeIn(t *schema.Table, children []schema.Family, rows, partitions float64) {
	w.add(t, rows, partitions, float64(t.Copies()+1))
	for _, c := range children {
		if !c.Table.Interleaved.Cascade {
			w.reads += looksInside(t, rows, partitions, 0)
			continue
		}
		inside := rows * w.perParent(c.Table, t)
		w.reads += max(looksInside(t, rows, partitions, inside), inside/access.PageEntities)
		w.removeIn(c.Table, c.Children, inside, partitions)
	}
	w.loses(t, nil, rows)
}

// perParent is how many rows child has for each row of parent.
func (w *writing) perParent(child, parent *schema.Table) float64 {
	if !child.Analyzed() || !parent.Analyzed() {
		w.known = false
		return 1
	}
	return float64(child.Statistics.Rows) / float64(parent.Statistics.Rows)
}
