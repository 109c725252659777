package planner

import (
	"math"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// writing is what a write is expected to change, and what it looks at besides the reads of its source.
type writing struct {
	e        *explainer
	related  Related
	known    bool
	rows     float64 // of the statement, without those that follow
	reads    float64
	looks    float64 // at rows that foreign keys tie to the written ones: see engine.Requirement
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

// writtenPlace is what is written in such a place.
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

// requests is how many requests a write takes besides its source: to look at rows, and to write at once, as on Azure (see atOnce). It looks
// twice at what it requires of other places, and announces that before.
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

// occupied is how many of n places are in use when so many things are put into them at random.
func occupied(n, things float64) float64 {
	if n <= 1 {
		return n
	}
	return n * (1 - math.Pow(1-1/n, things))
}

// partitionsOf is how many store partitions so many rows of t, which source yields, lie in; a nil source: they come from anywhere.
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
