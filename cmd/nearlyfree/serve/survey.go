package serve

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// survey is the result of reading all entities of a table's physical tables: which groups of entities there are, and where which keys lie.
type survey struct {
	Database, Table string
	Groups          []*group   // in the order of their first keys
	Runs            []*run     // in the order of the store
	Entities, Bytes int64      // of all
	Partitions      int64      // store partitions
	Tables          []*content // what of it is each table's
	physicals       []string   // in their order
	marks           []nearlyfree.EntityPlace
	step            int64 // marks are so many entities apart
	at              time.Time
}

// content is what a table has among the entities of a survey.
type content struct {
	Table         string
	Rows, Entries int64
	Bytes         int64
}

// group is all rows of a table, with the copies among them, or all entries of a key.
type group struct {
	Table, Index string
	Rows, Copies int64 // Rows are rows or entries
	CopiesOf     string
	Bytes        int64
	Examples     []*nearlyfree.Entity
}

// Count is how many entities there are.
func (g *group) Count() int64 { return g.Rows + g.Copies }

// run is a sequence of entities of one group.
type run struct {
	Group        *group
	From         nearlyfree.EntityPlace
	Begin, Count int64
}

const (
	mostExamples = 3
	mostMarks    = 8192
	mostRuns     = 64 // more than can be told apart in a picture
)

var errTooMany = errors.New("there are more entities than are to be read")

// take reads all entities of a table's physical tables. Beyond most of them it gives up with errTooMany; 0: no bound.
func take(ctx context.Context, k *nearlyfree.Connector, database, table string, most int64) (*survey, error) {
	s := &survey{Database: database, Table: table, step: 1}
	groups, tables := map[[2]string]*group{}, map[string]*content{}
	var last nearlyfree.EntityPlace
	var coarse []*run // without regard to store partitions
	for e, err := range k.Entities(ctx, nearlyfree.EntityRange{Database: database, Table: table}) {
		if err != nil {
			return nil, err
		}
		if most > 0 && s.Entities == most {
			return nil, errTooMany
		}
		if len(s.physicals) == 0 || e.Physical != last.Physical {
			s.physicals = append(s.physicals, e.Physical)
			s.Partitions++
		} else if e.PartitionKey != last.PartitionKey {
			s.Partitions++
		}
		key := [2]string{cmp.Or(e.Among, e.Table), e.Index}
		g := groups[key]
		if g == nil {
			g = &group{Table: e.Table, Index: e.Index}
			groups[key] = g
			s.Groups = append(s.Groups, g)
		}
		s.count(g, e, tables)
		coarse = s.extend(coarse, g, e.EntityPlace, last.Physical != e.Physical)
		s.Runs = s.extend(s.Runs, g, e.EntityPlace, last.Physical != e.Physical || last.PartitionKey != e.PartitionKey)
		s.mark(e.EntityPlace)
		s.Entities++
		last = e.EntityPlace
	}
	if len(s.Runs) > mostRuns {
		s.Runs = coarse
	}
	if len(s.Runs) > mostRuns {
		s.Runs = nil
	}
	s.at = time.Now()
	return s, nil
}

// extend takes the next entity into runs. It keeps one more than can be drawn.
func (s *survey) extend(runs []*run, g *group, at nearlyfree.EntityPlace, breaks bool) []*run {
	switch n := len(runs); {
	case n > mostRuns:
		return runs
	case n == 0 || breaks || runs[n-1].Group != g:
		runs = append(runs, &run{Group: g, From: at, Begin: s.Entities})
	}
	runs[len(runs)-1].Count++
	return runs
}

func (s *survey) count(g *group, e *nearlyfree.Entity, tables map[string]*content) {
	s.Bytes += e.Bytes
	g.Bytes += e.Bytes
	if len(g.Examples) < mostExamples {
		g.Examples = append(g.Examples, e)
	}
	t := tables[e.Table]
	if t == nil && e.Table != "" {
		t = &content{Table: e.Table}
		tables[e.Table] = t
		s.Tables = append(s.Tables, t)
	}
	switch {
	case e.Copy:
		g.Copies++
		g.CopiesOf = e.Table
	default:
		g.Rows++
		g.Table = e.Table
	}
	if t == nil {
		return
	}
	t.Bytes += e.Bytes
	if e.Copy || e.Index != "" {
		t.Entries++
	} else {
		t.Rows++
	}
}

// mark keeps the place of each step-th entity.
func (s *survey) mark(p nearlyfree.EntityPlace) {
	if s.Entities%s.step != 0 {
		return
	}
	if len(s.marks) == mostMarks {
		for i := range mostMarks / 2 {
			s.marks[i] = s.marks[2*i]
		}
		s.marks = s.marks[:mostMarks/2]
		if s.step *= 2; s.Entities%s.step != 0 {
			return
		}
	}
	s.marks = append(s.marks, p)
}

// before is about how many entities lie before a place: exactly in small tables, else to one mark.
func (s *survey) before(p nearlyfree.EntityPlace) int64 {
	at, _ := slices.BinarySearchFunc(s.marks, p, s.compare)
	return min(int64(at)*s.step, s.Entities)
}

func (s *survey) compare(a, b nearlyfree.EntityPlace) int {
	if a.Physical != b.Physical {
		return slices.Index(s.physicals, a.Physical) - slices.Index(s.physicals, b.Physical)
	}
	if c := strings.Compare(a.PartitionKey, b.PartitionKey); c != 0 {
		return c
	}
	return strings.Compare(a.RowKey, b.RowKey)
}

// of gives what a table has; nil if it has nothing here.
func (s *survey) of(table string) *content {
	for _, c := range s.Tables {
		if strings.EqualFold(c.Table, table) {
			return c
		}
	}
	return nil
}

// surveys are those that were made recently.
type surveys struct {
	mu    sync.Mutex
	known map[[2]string]*survey
}

func surveyKey(database, table string) [2]string {
	return [2]string{strings.ToLower(database), strings.ToLower(table)}
}

func (s *surveys) get(database, table string) *survey {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[surveyKey(database, table)]
}

func (s *surveys) put(of *survey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[surveyKey(of.Database, of.Table)] = of
}

// forget gives up what may have changed.
func (s *surveys) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.known)
}

const (
	freshSurvey = 10 * time.Second // at home, where a new one is cheap
	mostAtHome  = 200_000          // entities that are read there without being asked
)

// survey gives a survey of a table: an existing one or, at home, a new one if that is quick; nil if a user must ask for it.
func (s *server) survey(ctx context.Context, database, table string) (*survey, error) {
	known := s.surveys.get(database, table)
	if !s.atHome || known != nil && time.Since(known.at) < freshSurvey {
		return known, nil
	}
	return s.measure(ctx, database, table, mostAtHome)
}

// measure makes a survey; nil if there is too much to read.
func (s *server) measure(ctx context.Context, database, table string, most int64) (*survey, error) {
	made, err := take(ctx, s.Connector, database, table, most)
	if errors.Is(err, errTooMany) {
		return s.surveys.get(database, table), nil
	}
	if err != nil {
		return nil, err
	}
	s.surveys.put(made)
	return made, nil
}
