package planner

import (
	"fmt"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// Estimate is what an operator, or a statement, is expected to yield and to take. It is what About says, as numbers.
type Estimate struct {
	Rows     float64 `json:"rows"`
	Requests float64 `json:"requests"`
	Written  float64 `json:"written,omitempty"` // entities
	Times    float64 `json:"times,omitempty"`   // how often it runs; the other fields are for each run; 0: once
}

// totalFigures are the Estimate of a statement.
type totalFigures struct {
	Requests float64 `json:"requests"`
	Dollars  float64 `json:"dollars"`
}

// Actual is what an operator, or a statement, has done.
type Actual struct {
	Runs     int64         `json:"runs,omitempty"` // 0: of a statement, or of an operator that was never needed
	Rows     int64         `json:"rows"`
	Requests int64         `json:"requests"`
	Retries  int64         `json:"retries,omitempty"`
	Entities int64         `json:"entities"` // that it read
	Written  int64         `json:"written,omitempty"`
	Bytes    int64         `json:"bytes,omitempty"`
	Time     time.Duration `json:"nanoseconds"`
}

// scanFigures say which table a scan reads, and what of it.
type scanFigures struct {
	Database string     `json:"database"`
	Table    string     `json:"table"`
	Index    string     `json:"index,omitempty"` // whose entries it reads; "": it reads rows
	Access   string     `json:"access"`
	Reads    []readKeys `json:"reads,omitempty"`
	More     int        `json:"more_reads,omitempty"` // that are not listed
}

// readKeys is an entity, a range of one store partition, or several whole store partitions. A range excludes its end; "" is no end.
type readKeys struct {
	Physical      string  `json:"physical"`
	PartitionKey  *string `json:"partition_key,omitempty"`
	RowKey        string  `json:"row_key,omitempty"`
	From          string  `json:"from,omitempty"`
	To            string  `json:"to,omitempty"`
	FromPartition string  `json:"from_partition,omitempty"`
	ToPartition   string  `json:"to_partition,omitempty"`
}

// MostReads bounds the keys and ranges that FORMAT=JSON lists of a scan.
const MostReads = 200

// figures say what an operator reads; nil if it is not a scan of a store.
func (l *ExplainedLine) figures() *scanFigures {
	var s *access.Scan
	switch n := l.Of.(type) {
	case *access.Scan:
		s = n
	case *FamilyScan:
		s = n.Child
	}
	if s == nil || s.Access == access.VirtualScan {
		return nil
	}
	f := &scanFigures{Database: schema.DatabaseName(s.Table.Database), Table: s.Table.Name, Access: accessNames[s.Access]}
	if s.Index != nil && s.Index.Child == "" {
		f.Index = s.Index.Name
	}
	for _, k := range l.Reads.Points {
		f.Reads = append(f.Reads, readKeys{Physical: k.Partition.Physical, PartitionKey: &k.PartitionKey, RowKey: k.RowKey})
	}
	for _, sp := range l.Reads.Spans {
		r := readKeys{Physical: sp.Partition.Physical, From: sp.From, To: sp.To}
		if sp.All {
			r.FromPartition, r.ToPartition = sp.PartitionKeys.From, sp.PartitionKeys.To
		} else {
			r.PartitionKey = &sp.PartitionKey
		}
		f.Reads = append(f.Reads, r)
	}
	f.More = l.MoreReads + max(0, len(f.Reads)-MostReads)
	f.Reads = f.Reads[:min(len(f.Reads), MostReads)]
	return f
}

// estimate is About as numbers; nil if About is "".
func (e *explainer) estimate(n Node, times float64) *Estimate {
	if e.aboutLine(n, times) == "" {
		return nil
	}
	a := e.aboutNode(n)
	return &Estimate{Rows: a.rows, Requests: a.requests(), Times: times}
}

// didText says what an operator has done.
func (a *Actual) didText() string {
	if a.Runs == 0 {
		return "nothing"
	}
	var parts []string
	if a.Runs > 1 {
		parts = append(parts, fmt.Sprint("runs ", a.Runs))
	}
	parts = append(parts, fmt.Sprint("rows ", a.Rows))
	if a.Requests > 0 {
		parts = append(parts, a.readText()...)
	}
	return strings.Join(append(parts, "time "+a.timeText()), ", ")
}

// wholeText says what a statement has done.
func (a *Actual) wholeText() string {
	parts := append([]string{fmt.Sprint("rows ", a.Rows)}, a.readText()...)
	if a.Written > 0 {
		parts = append(parts, fmt.Sprint("entities written ", a.Written))
	}
	return strings.Join(append(parts, "time "+a.timeText(), fmt.Sprintf("$%.2f for a million", a.dollars()*1e6)), ", ")
}

func (a *Actual) dollars() float64 { return float64(a.Requests) * PricePerRequest }

func (a *Actual) readText() []string {
	requests := fmt.Sprint("requests ", a.Requests)
	if a.Retries > 0 {
		requests += fmt.Sprintf(" (%d again)", a.Retries)
	}
	parts := []string{requests, fmt.Sprint("entities read ", a.Entities)}
	if a.Bytes > 0 {
		parts = append(parts, fmt.Sprint("bytes ", a.Bytes))
	}
	return parts
}

// timeText rounds to three digits.
func (a *Actual) timeText() string {
	unit := time.Duration(1)
	for a.Time/unit >= 1000 {
		unit *= 10
	}
	return a.Time.Round(unit).String()
}
