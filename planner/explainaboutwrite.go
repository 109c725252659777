package planner

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// writing is what a write is expected to change, and what it looks at beside what its source reads.
type writing struct {
	e        *explainer
	related  Related
	known    bool
	rows     float64 // of the statement, without those that follow
	reads    float64
	looks    float64 // at rows that foreign keys tie to those that are written: see engine.Requirement
	apart    bool    // some of them, or of the rows, are not in the one store partition
	children bool    // see atOnce
	places   map[writePlace]*writtenPlace
	followed map[*schema.ForeignKey]bool
}

// writePlace is a physical table, or what a GLOBAL index has in it.
type writePlace struct {
	physical string
	global   *schema.Index
}

// writtenPlace is what is written there.
type writtenPlace struct {
	partitions float64
	entities   float64
	most       float64 // entities of a row
	divided    bool    // the partitions are physical tables
}

// groups is how many entity group transactions it takes.
func (p *writtenPlace) groups() float64 {
	if p.entities <= p.partitions*transactionOps {
		return p.partitions
	}
	fit := max(1, math.Floor(transactionOps/p.most)) * p.most
	return p.partitions * math.Ceil(p.entities/p.partitions/fit)
}

// requests is how many a write takes beside its source: what it looks at, and what it writes at once, as on Azure (see atOnce). What it
// requires of other places it looks at twice, and says so before.
func (w *writing) requests() float64 {
	groups, tables := 0.0, map[string]bool{}
	for at, p := range w.places {
		if p.entities == 0 {
			continue
		}
		groups += p.groups()
		tables[at.physical] = true
		if p.divided && p.partitions > 1 {
			tables[""] = true
		}
	}
	record := 0.0
	if len(tables) > 1 {
		record = 1
	}
	switch n := w.reads + w.looks; {
	case groups == 0:
		return n
	case groups <= 1 && (w.looks == 0 || !w.apart):
		return n + 1
	case w.looks > 0:
		return n + w.looks + 2*groups + record
	case w.children:
		return n + groups
	default:
		return n + 2*groups - 1 + 2*record
	}
}

func (w *writing) entities() (n float64) {
	for _, p := range w.places {
		n += p.entities
	}
	return n
}

// add notes that so many rows of t are written, in so many store partitions, by so many entities each.
func (w *writing) add(t *schema.Table, rows, partitions, each float64) {
	for _, ix := range t.Indexes {
		if ix.Global > 0 && each > 1 {
			w.place(writePlace{t.Physical, ix}, rows, occupied(float64(ix.Global), rows), 1, false)
			each--
		}
	}
	if t.Spread != nil || t.IsDivided() {
		w.apart = true
	}
	w.children = w.children || t.IsExternal() || len(t.Children) > 0
	w.place(writePlace{physical: t.Physical}, rows, partitions, each, t.IsDivided())
}

func (w *writing) place(at writePlace, rows, partitions, each float64, divided bool) {
	p := w.places[at]
	if p == nil {
		p = &writtenPlace{divided: divided}
		w.places[at] = p
	}
	p.partitions = max(p.partitions, min(partitions, max(1, rows)))
	p.entities += rows * each
	p.most = max(p.most, each)
}

// occupied is how many of n places so many things are in that are put there at random.
func occupied(n, things float64) float64 {
	if n <= 1 {
		return n
	}
	return n * (1 - math.Pow(1-1/n, things))
}

// partitionsOf is how many store partitions so many rows of t lie in, which source yields; nil: they come from anywhere.
func (w *writing) partitionsOf(t *schema.Table, rows float64, source *access.Scan) float64 {
	if t.IsDivided() {
		n := float64(len(t.Partitions.List))
		if source != nil {
			if r, err := w.e.reads(source); err == nil && r != nil {
				n = float64(len(partitionsRead(r)))
			}
		}
		return max(1, occupied(n, rows))
	}
	if t.Spread == nil {
		return 1
	}
	if source != nil && source.Keys != nil {
		if r, err := w.e.reads(source); err == nil && r != nil && len(r.Points) > 0 {
			return float64(placesOf(r))
		}
		if n, named := source.Keys.Spread(); named && source.Access > access.PointReads {
			return occupied(n, rows)
		}
	}
	if t.Spread.Kind == schema.SpreadByHash {
		return occupied(float64(t.Layout.Buckets), rows)
	}
	w.known = w.known && t.Analyzed()
	return occupied(access.PartitionsOf(t), rows)
}

// placesOf is how many store partitions the points are in.
func placesOf(r *access.Reads) int {
	seen := map[access.Key]bool{}
	for _, k := range r.Points {
		seen[access.Key{Partition: k.Partition, PartitionKey: k.PartitionKey}] = true
	}
	return len(seen)
}

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

// aboutWriting is what is expected of a write.
type aboutWriting struct {
	about
	writing *writing // nil: whole partitions are deleted, and nothing else
}

// aboutWriteLine is what the line of a write says of it; "" where that is not known.
func (e *explainer) aboutWriteLine(p *Plan) string {
	if a := e.aboutWrite(p); !a.known {
		return ""
	}
	w := e.writings[p].writing
	return count(w.rows, "row") + ", " + countEntities(w.entities()) + ", " + count(w.requests(), "request")
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
			w.update(t.Table, t.changed, w.ofTable(t.Table), sourceScan(what.Source, t))
		}
	case *Delete:
		w.related = what.Related
		for i := range what.Targets {
			t := &what.Targets[i]
			w.remove(t.Table, t.Children, w.ofTable(t.Table), sourceScan(what.Source, t))
		}
	}
}

// ofTable is how many rows of t those of the statement may be at most.
func (w *writing) ofTable(t *schema.Table) float64 {
	if t.Analyzed() {
		return min(w.rows, float64(t.Statistics.Rows))
	}
	return w.rows
}

// sourceScan is the scan that yields the rows of a target; nil where that is not plain to see.
func sourceScan(source Node, t *Target) *access.Scan {
	var found *access.Scan
	walkNodes(source, func(n Node) {
		if s, ok := n.(*access.Scan); ok && s.Table == t.Table && s.Offset == t.Offset {
			found = s
		}
	})
	return found
}

// walkNodes calls f for n and all below it, subqueries apart.
func walkNodes(n Node, f func(Node)) {
	f(n)
	for _, c := range Children(n) {
		walkNodes(c, f)
	}
}

// changed says whether a row's column gets another value.
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
	w.add(t, w.rows, partitions, float64(t.Copies()+1))
	if in.Replace || in.Ignore || len(in.OnDup) > 0 {
		w.reads += w.rows * float64(uniqueLooks(in))
	}
	w.refer(t, nil, in)
	if in.Replace {
		w.loses(t, nil, w.rows)
	}
}

// uniqueLooks is how many keys of a new row are looked for where another row may have them.
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

// valuesOf is how many values the rows of VALUES have in some columns, as they are written; rows with NULL in one do not count.
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

// update notes rows of which some columns are set.
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
		case slices.ContainsFunc(columnsOf(t), func(c int) bool { return sets(c) && t.Holds(ix, c) }):
			each++
		}
	}
	partitions := w.partitionsOf(t, rows, source)
	if moves && slices.ContainsFunc(t.SpreadBy(), sets) {
		partitions *= 2
	}
	if len(t.Children) > 0 && source != nil && source.Index != nil {
		w.reads += rows // the row itself tells whether others came to live in it
	}
	w.add(t, rows, partitions, each)
	w.referOf(t, sets, rows)
	w.loses(t, sets, rows)
}

func columnsOf(t *schema.Table) []int {
	columns := make([]int, len(t.Columns))
	for i := range columns {
		columns[i] = i
	}
	return columns
}

// remove notes rows that go, with those inside them.
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
			w.reads += rows
			continue
		}
		inside := rows * w.perParent(c.Table, t)
		w.reads += max(rows, inside/access.PageEntities)
		w.removeIn(c.Table, c.Children, inside, partitions)
	}
	w.loses(t, nil, rows)
}

// perParent is how many rows of child there are for one of parent.
func (w *writing) perParent(child, parent *schema.Table) float64 {
	if !child.Analyzed() || !parent.Analyzed() {
		w.known = false
		return 1
	}
	return float64(child.Statistics.Rows) / float64(parent.Statistics.Rows)
}

// refer notes the looks for the rows that new ones refer to, each once.
func (w *writing) refer(t *schema.Table, sets func(column int) bool, in *Insert) {
	if w.related == nil {
		return
	}
	if in.Source != nil {
		w.referOf(t, sets, w.rows)
		return
	}
	w.eachReferred(t, sets, func(k *schema.ForeignKey) float64 { return float64(w.valuesOf(in, k.Columns)) })
}

// referOf is refer of rows whose values are not known.
func (w *writing) referOf(t *schema.Table, sets func(column int) bool, rows float64) {
	w.eachReferred(t, sets, func(k *schema.ForeignKey) float64 {
		n := rows
		if r, ok := w.related[strings.ToLower(k.Parent)]; ok && r.Table.Analyzed() {
			n = occupied(float64(r.Table.Statistics.Rows), n)
		}
		return n
	})
}

func (w *writing) eachReferred(t *schema.Table, sets func(column int) bool, looks func(*schema.ForeignKey) float64) {
	if w.related == nil {
		return
	}
	for i := range t.ForeignKeys {
		k := &t.ForeignKeys[i]
		r, ok := w.related[strings.ToLower(k.Parent)]
		if !ok || k.NotEnforced || sets != nil && !slices.ContainsFunc(k.Columns, sets) {
			continue
		}
		if n := looks(k); n > 0 {
			w.looks += n
			w.beside(t, r.Table)
		}
	}
}

// beside notes that rows of one table are looked for where those of another one are written.
func (w *writing) beside(a, b *schema.Table) {
	w.apart = w.apart || a.Physical != b.Physical || a.Spread != nil || b.Spread != nil
}

// loses notes the looks for rows that refer to some that go or, with sets, get another key, and what becomes of those.
func (w *writing) loses(t *schema.Table, sets func(column int) bool, rows float64) {
	for _, r := range w.related {
		child := r.Table
		for i := range child.ForeignKeys {
			k := &child.ForeignKeys[i]
			if !k.RefersTo(t.Name) || w.followed[k] || sets != nil && !slices.ContainsFunc(k.RefColumns, func(c string) bool { return sets(t.Ordinal(c)) }) {
				continue
			}
			w.followed[k] = true
			w.beside(t, child)
			spans := 1.0
			if child.Spread != nil && slices.ContainsFunc(child.Spread.Columns, func(c int) bool { return !slices.Contains(k.Columns, c) }) {
				spans = max(1, float64(child.Layout.Buckets))
			}
			action := k.OnDelete
			if sets != nil {
				action = k.OnUpdate
			}
			if !action.Changes() {
				w.looks += rows * spans
				continue
			}
			follow := rows * w.perParent(child, t)
			w.looks += max(rows*spans, follow/access.PageEntities)
			if ix, ok := child.KeyFrom(k.Columns); ok && ix != nil && ix.Copy != schema.CopyRow {
				w.reads += follow
			}
			if action == schema.Cascade && sets == nil {
				w.remove(child, r.Children, follow, nil)
			} else {
				w.update(child, func(c int) bool { return slices.Contains(k.Columns, c) }, follow, nil)
			}
		}
	}
}
