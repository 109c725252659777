package serve

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// planJSON is what EXPLAIN FORMAT=JSON gives.
type planJSON struct {
	Plan          []*operatorJSON `json:"plan"`
	LeastRequests int64           `json:"least_requests"`
	Formula       string          `json:"formula"`
	NoStatistics  []string        `json:"no_statistics"`
	Warnings      []string        `json:"warnings"`
	Estimate      *struct {
		Requests float64 `json:"requests"`
		Dollars  float64 `json:"dollars"`
	} `json:"estimate"`
	Actual *actualJSON `json:"actual"`
}

type operatorJSON struct {
	Operator string          `json:"operator"`
	How      []string        `json:"how"`
	About    string          `json:"about"`
	Scan     *scanJSON       `json:"scan"`
	Estimate *estimateJSON   `json:"estimate"`
	Actual   *actualJSON     `json:"actual"`
	Inputs   []*operatorJSON `json:"inputs"`
}

type scanJSON struct {
	Database string     `json:"database"`
	Table    string     `json:"table"`
	Index    string     `json:"index"`
	Access   string     `json:"access"`
	Reads    []readJSON `json:"reads"`
	More     int        `json:"more_reads"`
}

type readJSON struct {
	Physical      string  `json:"physical"`
	PartitionKey  *string `json:"partition_key"`
	RowKey        string  `json:"row_key"`
	From          string  `json:"from"`
	To            string  `json:"to"`
	FromPartition string  `json:"from_partition"`
	ToPartition   string  `json:"to_partition"`
}

func (r *readJSON) isPoint() bool { return r.RowKey != "" }

func (r *readJSON) text() string {
	switch {
	case r.PartitionKey == nil && r.FromPartition == "" && r.ToPartition == "":
		return "all store partitions"
	case r.PartitionKey == nil:
		return fmt.Sprintf("store partitions from %s to %s", visible(r.FromPartition), visible(r.ToPartition))
	case r.isPoint():
		return visible(*r.PartitionKey + " / " + r.RowKey)
	}
	return visible(fmt.Sprintf("%s / from %s to before %s", *r.PartitionKey, r.From, r.To))
}

type estimateJSON struct {
	Rows     float64 `json:"rows"`
	Requests float64 `json:"requests"`
	Written  float64 `json:"written"`
	Times    float64 `json:"times"`
}

type actualJSON struct {
	Runs     int64         `json:"runs"`
	Rows     int64         `json:"rows"`
	Requests int64         `json:"requests"`
	Retries  int64         `json:"retries"`
	Entities int64         `json:"entities"`
	Written  int64         `json:"written"`
	Bytes    int64         `json:"bytes"`
	Time     time.Duration `json:"nanoseconds"`
}

// Dollars is what it cost.
func (a *actualJSON) Dollars() float64 { return float64(a.Requests) * dollarsARequest }

// planView is a plan as a tree, a line for each operator.
type planView struct {
	planJSON
	Lines    []planLine
	Ran      bool
	Pictures []*picture
	Unseen   []string // tables for which it is not known where their keys lie
}

type planLine struct {
	Depth        int
	Guides       []string // what is drawn before the operator: a vertical line, a blank, a branch, the last branch
	Operator     string
	How          []string
	Scan         *scanJSON
	Estimate     *estimateJSON
	Actual       *actualJSON
	Bar          *bar
	RowsAbout    string
	RequestAbout string
	Off          bool // the estimate of the rows is ten times too low or too high
}

// bar is how many entities a scan has read, relative to the most of any scan, and for how many rows.
type bar struct {
	Read, Returned           string
	Entities, Rows           int64
	Requests, EntitiesATimes int64
}

// viewOfPlan reads what EXPLAIN FORMAT=JSON gives.
func viewOfPlan(text string) (*planView, error) {
	v := &planView{}
	if err := json.Unmarshal([]byte(text), &v.planJSON); err != nil {
		return nil, fmt.Errorf("the plan cannot be read: %w", err)
	}
	v.Ran = v.Actual != nil
	for _, o := range v.Plan {
		v.add(o, 0, nil)
	}
	most := int64(1)
	for _, l := range v.Lines {
		if l.Scan != nil && l.Actual != nil {
			most = max(most, l.Actual.Entities, l.Actual.Rows)
		}
	}
	for i := range v.Lines {
		if l := &v.Lines[i]; l.Scan != nil && l.Actual != nil {
			l.Bar = &bar{Entities: l.Actual.Entities, Rows: l.Actual.Rows, Read: share(l.Actual.Entities, most), Returned: share(min(l.Actual.Rows, l.Actual.Entities), most)}
		}
	}
	return v, nil
}

func share(n, of int64) string {
	return strconv.FormatFloat(100*float64(n)/float64(of), 'f', 2, 64) + "%"
}

// add takes in an operator and those below it. last says, for each operator above and for this one, whether it is the last child.
func (v *planView) add(o *operatorJSON, depth int, last []bool) {
	l := planLine{Depth: depth, Operator: o.Operator, Scan: o.Scan, Estimate: o.Estimate, Actual: o.Actual}
	for _, how := range o.How {
		if !strings.HasPrefix(how, "requests ") { // these have a column of their own
			l.How = append(l.How, how)
		}
	}
	for i, end := range last {
		switch {
		case i < len(last)-1 && end:
			l.Guides = append(l.Guides, "blank")
		case i < len(last)-1:
			l.Guides = append(l.Guides, "line")
		case end:
			l.Guides = append(l.Guides, "last")
		default:
			l.Guides = append(l.Guides, "branch")
		}
	}
	if e := o.Estimate; e != nil {
		times := max(1, e.Times)
		l.RowsAbout = aboutText(e.Rows * times)
		if o.Scan != nil || e.Written > 0 {
			l.RequestAbout = aboutText(math.Ceil(e.Requests*times - 0.01))
		}
		if a := o.Actual; a != nil {
			rows := e.Rows * times
			l.Off = float64(a.Rows) > 10*max(rows, 1) || rows > 10*max(float64(a.Rows), 1)
		}
	}
	v.Lines = append(v.Lines, l)
	for i, in := range o.Inputs {
		v.add(in, depth+1, append(last[:len(last):len(last)], i == len(o.Inputs)-1))
	}
}

// readWhole gives the scans that read a table without a key.
func (v *planView) readWhole() (scans []*scanJSON) {
	for _, l := range v.Lines {
		if l.Scan != nil && (l.Scan.Access == "partition scan" || l.Scan.Access == "table scan") && !l.limited() {
			scans = append(scans, l.Scan)
		}
	}
	return scans
}

func (l *planLine) limited() bool {
	for _, how := range l.How {
		if strings.HasPrefix(how, "limit ") {
			return true
		}
	}
	return false
}
