package serve

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree"
)

// picture is a table's entities in the order of the store, as a bar from left to right. Places are shares of its width, in percent.
type picture struct {
	Of       *survey
	Segments []segment
	Lanes    []lane
}

// segment is a run of entities of one group.
type segment struct {
	X, Width    string
	Label, Kind string
	Title       string
}

// lane is what one scan touches, below the bar.
type lane struct {
	Label, Text string
	Touched     []touched
	Ranges      int
}

type touched struct {
	X, Width, Title string
	Read            string // how much of it was read, if not all; "": all of it, as far as is known
}

func pictureOf(s *survey) *picture {
	p := &picture{Of: s}
	for _, r := range s.Runs {
		what, kind := r.Group.what(s.Table)
		p.Segments = append(p.Segments, segment{
			X: s.percent(r.Begin), Width: s.percent(r.Count), Kind: kind, Label: r.Group.label(s.Table),
			Title: fmt.Sprintf("%s: %s from PartitionKey %s, RowKey %s", what, count(r.Count, "entity"), visible(r.From.PartitionKey), visible(r.From.RowKey)),
		})
	}
	return p
}

// label is a short name of a group.
func (g *group) label(table string) string {
	switch {
	case g.Rows == 0:
		return g.CopiesOf
	case g.Index != "" && g.Table == table:
		return "key " + g.Index
	case g.Index != "":
		return "key " + g.Index + " of " + g.Table
	case g.Table == table:
		return "rows"
	}
	return g.Table
}

func (s *survey) percent(n int64) string {
	if s.Entities == 0 {
		return "0%"
	}
	return strconv.FormatFloat(100*float64(n)/float64(s.Entities), 'f', 3, 64) + "%"
}

// touch draws what a scan reads.
func (p *picture) touch(scan *scanJSON, did *actualJSON) {
	l := lane{Label: scan.Access}
	if scan.Index != "" {
		l.Label += " of key " + scan.Index
	}
	all, points := int64(0), 0
	for i := range scan.Reads {
		r := &scan.Reads[i]
		begin, end := p.Of.bounds(r)
		if r.isPoint() {
			points++
			end = begin + 1
		} else {
			l.Ranges++
		}
		all += end - begin
		l.Touched = append(l.Touched, touched{X: p.Of.percent(begin), Width: p.Of.percent(end - begin), Title: r.text()})
	}
	all = min(all, p.Of.Entities)
	var what []string
	if l.Ranges > 0 {
		what = append(what, count(int64(l.Ranges), "range"))
	}
	if points > 0 {
		what = append(what, count(int64(points), "key"))
	}
	if scan.More > 0 {
		what = append(what, fmt.Sprintf("%s more that are not drawn", grouped(int64(scan.More))))
	}
	l.Text = fmt.Sprintf("%s: %s, %s of the entities", l.Label, strings.Join(what, " and "), percentText(all, p.Of.Entities))
	if unsure := 2 * p.Of.step * int64(l.Ranges); did != nil && did.Entities < all-unsure && points == 0 && scan.More == 0 {
		l.Text += fmt.Sprintf(", of which %s were read", count(did.Entities, "entity"))
		if l.Ranges == 1 {
			l.Touched[0].Read = p.Of.percent(did.Entities)
		}
	}
	p.Lanes = append(p.Lanes, l)
}

// bounds says before how many entities a range begins and ends.
func (s *survey) bounds(r *readJSON) (begin, end int64) {
	if r.PartitionKey == nil {
		begin = s.before(nearlyfree.EntityPlace{Physical: r.Physical, PartitionKey: r.FromPartition})
		if r.ToPartition != "" {
			return begin, s.before(nearlyfree.EntityPlace{Physical: r.Physical, PartitionKey: r.ToPartition})
		}
		return begin, s.before(nearlyfree.EntityPlace{Physical: r.Physical, PartitionKey: highest})
	}
	at := nearlyfree.EntityPlace{Physical: r.Physical, PartitionKey: *r.PartitionKey, RowKey: r.From + r.RowKey}
	begin = s.before(at)
	if at.RowKey = r.To; r.To == "" {
		at.RowKey = highest
	}
	return begin, max(begin, s.before(at))
}

const highest = "\U0010ffff" // behind all keys
