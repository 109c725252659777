package planner

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
)

// PricePerRequest is what a request costs in dollars, in a cheap region with locally redundant storage.
const PricePerRequest = 0.00036 / 10_000

// Explanation is a plan in words.
type Explanation struct {
	Lines []ExplainedLine // each operator before those whose rows it takes
	Least int             // requests
	// About is how many requests are expected, if IsAbout. Unanalyzed are tables for which ANALYZE TABLE would tell more.
	About   float64
	IsAbout bool
	// Formula is what the requests are made up of, if their number is not known: "1 + 1 for each a.id"; "" if it tells nothing.
	Formula    string
	Unanalyzed []string
	Warnings   []string // what reads much for few rows, and what would help
	Did        *Actual  // what a run of the statement has done in all; nil: it did not run
}

// ExplainedLine is an operator, or what introduces a subquery.
type ExplainedLine struct {
	Depth int
	Parts []string // what it does, and how
	Of    Node     // nil for a line that is not an operator that yields rows
	About string   // what it is expected to yield; "" where ANALYZE TABLE has not run
	// Estimate is About as numbers; nil if About is "".
	Estimate *Estimate
	Did      *Actual // what it has done in a run; nil: the statement did not run
	// Reads are what a scan reads, as far as that is known before it runs. After a run they are what was read, up to MostReads; MoreReads is how
	// many more there were.
	Reads     access.Reads
	MoreReads int
}

// Text gives a line for each operator, below the operator that it feeds and two blanks deeper.
func (x *Explanation) Text() []string {
	out := make([]string, 0, len(x.Lines)+1)
	for _, l := range x.Lines {
		out = append(out, strings.Repeat("  ", l.Depth)+l.whole())
	}
	return append(append(out, x.total()), x.warnings()...)
}

// Tree is Text as a drawing.
func (x *Explanation) Tree() []string {
	out := make([]string, 0, len(x.Lines)+1)
	for i, l := range x.Lines {
		var b strings.Builder
		for depth := 1; depth <= l.Depth; depth++ {
			switch last := !x.goesOn(i, depth); {
			case depth < l.Depth && last:
				b.WriteString("   ")
			case depth < l.Depth:
				b.WriteString("│  ")
			case last:
				b.WriteString("└─ ")
			default:
				b.WriteString("├─ ")
			}
		}
		out = append(out, b.String()+l.whole())
	}
	return append(append(out, x.total()), x.warnings()...)
}

// goesOn says whether another line of this depth follows line i before a line of lesser depth.
func (x *Explanation) goesOn(i, depth int) bool {
	for _, l := range x.Lines[i+1:] {
		if l.Depth <= depth {
			return l.Depth == depth
		}
	}
	return false
}

func (x *Explanation) total() string {
	text := fmt.Sprintf("requests ≥ %d", x.Least)
	if about := x.aboutText(); about != "" {
		text += "  about " + about
	}
	if x.Formula != "" {
		text += "  as " + x.Formula
	}
	if len(x.Unanalyzed) > 0 {
		text += "  no statistics: ANALYZE TABLE " + strings.Join(x.Unanalyzed, ", ")
	}
	if x.Did != nil {
		text += "  did: " + x.Did.wholeText()
	}
	return text
}

// aboutText is the estimate of the whole statement.
func (x *Explanation) aboutText() string {
	if !x.IsAbout {
		return ""
	}
	return count(x.About, "request") + fmt.Sprintf(", $%.2f for a million", x.About*PricePerRequest*1e6)
}

func (x *Explanation) warnings() []string {
	out := make([]string, len(x.Warnings))
	for i, w := range x.Warnings {
		out[i] = "warning: " + w
	}
	return out
}

func (l *ExplainedLine) whole() string {
	text := strings.Join(l.Parts, "  ")
	if l.About != "" {
		text += "  about " + l.About
	}
	if l.Did != nil {
		text += "  did: " + l.Did.didText()
	}
	return text
}

// explained is a line in JSON, with the lines below it.
type explained struct {
	Operator string       `json:"operator"`
	How      []string     `json:"how,omitempty"`
	About    string       `json:"about,omitempty"`
	Did      string       `json:"did,omitempty"`
	Scan     *scanFigures `json:"scan,omitempty"`
	Estimate *Estimate    `json:"estimate,omitempty"`
	Actual   *Actual      `json:"actual,omitempty"`
	Inputs   []*explained `json:"inputs,omitempty"`
}

// JSON is Text as one JSON document.
func (x *Explanation) JSON() string {
	var doc struct {
		Plan          []*explained  `json:"plan"`
		LeastRequests int           `json:"least_requests"`
		About         string        `json:"about,omitempty"`
		Formula       string        `json:"formula,omitempty"`
		Unanalyzed    []string      `json:"no_statistics,omitempty"`
		Warnings      []string      `json:"warnings,omitempty"`
		Did           string        `json:"did,omitempty"`
		Estimate      *totalFigures `json:"estimate,omitempty"`
		Actual        *Actual       `json:"actual,omitempty"`
	}
	doc.LeastRequests = x.Least
	if x.IsAbout {
		doc.Estimate = &totalFigures{x.About, x.About * PricePerRequest}
	}
	if doc.Actual = x.Did; x.Did != nil {
		doc.Did = x.Did.wholeText()
	}
	doc.About, doc.Formula, doc.Unanalyzed, doc.Warnings = x.aboutText(), x.Formula, x.Unanalyzed, x.Warnings
	var above []*explained // the lines that the next line may be below
	for _, l := range x.Lines {
		at := &explained{Operator: l.Parts[0], How: l.Parts[1:], About: l.About, Scan: l.figures(), Estimate: l.Estimate, Actual: l.Did}
		if l.Did != nil {
			at.Did = l.Did.didText()
		}
		if above = above[:l.Depth]; l.Depth == 0 {
			doc.Plan = append(doc.Plan, at)
		} else {
			parent := above[l.Depth-1]
			parent.Inputs = append(parent.Inputs, at)
		}
		above = append(above, at)
	}
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	_ = e.Encode(doc) // texts and numbers alone
	return out.String()
}
