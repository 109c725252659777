package schema

import (
	"math"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// Statistics are what ANALYZE TABLE has found out about the rows of a table. They date from when it ran, and no result depends
// on them: only plans and EXPLAIN use them.
type Statistics struct {
	Rows     int64  `json:"rows"`
	RowBytes int64  `json:"row_bytes,omitempty"` // average size of an entity that holds a row
	Read     int64  `json:"read,omitempty"`      // how many rows were read; 0: all of them
	Requests int64  `json:"requests"`            // requests that ANALYZE took
	At       string `json:"at,omitempty"`        // the day
	// Columns are the columns of the keys and indexes, by StatisticsName.
	Columns map[string]*ColumnStatistics `json:"columns,omitempty"`
	// Together is how many combinations of values the first columns of keys and indexes have, by KeyBeginName.
	Together map[string]float64 `json:"together,omitempty"`
}

// ColumnStatistics is what was found out about one column. Its values are codes (StatisticsPart).
type ColumnStatistics struct {
	Type     string        `json:"type"`           // of the column at the time: with another type this means nothing
	Distinct float64       `json:"distinct"`       // number of values, except NULL
	Null     float64       `json:"null,omitempty"` // the share of rows with NULL
	Common   []CommonValue `json:"common,omitempty"`
	// Bounds divide the values that are not common into parts of equally many rows: the least, those between two parts, the greatest.
	Bounds []string `json:"bounds,omitempty"`
}

// CommonValue is a value that many rows have.
type CommonValue struct {
	Code  string  `json:"code"`
	Share float64 `json:"share"` // of all rows
}

// Limits of what statistics hold of a column.
const (
	MostCommonValues = 20
	HistogramParts   = 32

	statisticsCut = 40 // units of the code of a text
)

// Analyzed says whether anything is known of the rows. A table that was empty does not count: it is likely to get rows.
func (t *Table) Analyzed() bool { return t.Statistics != nil && t.Statistics.Rows > 0 }

// StatisticsPart is how the values of a column are written in statistics.
func (t *Table) StatisticsPart(column int) keymap.Part {
	p := keymap.Part{Type: t.Columns[column].Type}
	if keymap.Cuttable(p.Type) {
		p.Cut = statisticsCut
	}
	return p
}

// StatisticsName is a column's name in statistics: its property, which no other column ever had.
func (t *Table) StatisticsName(column int) string {
	if c := t.Columns[column]; t.External == nil {
		return c.Property
	}
	return t.Columns[column].Name
}

// StatisticsType is the type by which statistics of a column are checked to be still valid.
func (t *Table) StatisticsType(column int) string {
	typ := t.Columns[column].Type
	return typ.String() + " " + typ.Collation.String()
}

// StatisticsOf is what is known of a column; nil: nothing.
func (t *Table) StatisticsOf(column int) *ColumnStatistics {
	if t.Statistics == nil || column < 0 || column >= len(t.Columns) {
		return nil
	}
	if c := t.Statistics.Columns[t.StatisticsName(column)]; c != nil && c.Type == t.StatisticsType(column) {
		return c
	}
	return nil
}

// StatisticsColumns are the columns that statistics cover: those of keys and indexes, and those that determine where rows are stored.
func (t *Table) StatisticsColumns() []int {
	columns := t.SpreadBy()
	for _, p := range t.Key {
		columns = append(columns, p.Column)
	}
	for _, ix := range t.Indexes {
		for _, p := range ix.Key {
			columns = append(columns, p.Column)
		}
	}
	slices.Sort(columns)
	return slices.Compact(columns)
}

// KeyBegins are the beginnings, of two or more columns, of keys and indexes, except those that no two rows share.
func (t *Table) KeyBegins() (all [][]int) {
	seen := map[string]bool{}
	add := func(key []KeyColumn, unique bool) {
		var columns []int
		for i, p := range key {
			columns = append(columns, p.Column)
			name := t.KeyBeginName(columns)
			if i == 0 || unique && i == len(key)-1 || seen[name] {
				continue
			}
			seen[name] = true
			all = append(all, slices.Clone(columns))
		}
	}
	add(t.Key, true)
	for _, ix := range t.Indexes {
		add(ix.Key, ix.Unique)
	}
	return all
}

// KeyBeginName is the name of several columns together in statistics, in any order.
func (t *Table) KeyBeginName(columns []int) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = t.StatisticsName(c)
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// DistinctTogether is how many combinations of values columns have; 0 if unknown.
func (t *Table) DistinctTogether(columns []int) float64 {
	if t.Statistics == nil || slices.ContainsFunc(columns, func(c int) bool { return t.StatisticsOf(c) == nil }) {
		return 0
	}
	return t.Statistics.Together[t.KeyBeginName(columns)]
}

// Cardinality is about how many values the first n columns of a key have together.
func (t *Table) Cardinality(key []KeyColumn, n int, unique bool) (values float64, known bool) {
	if t.Statistics == nil {
		return 0, false
	}
	rows := float64(t.Statistics.Rows)
	if unique && n == len(key) {
		return rows, true
	}
	product := 1.0
	columns := make([]int, n)
	for i, p := range key[:n] {
		columns[i] = p.Column
		c := t.StatisticsOf(p.Column)
		if c == nil {
			return 0, false
		}
		product *= max(1, c.Distinct)
	}
	if together := t.DistinctTogether(columns); together > 0 {
		product = together
	}
	return min(rows, math.Round(product)), true
}

// ShareOfOne is the share of rows that have one given value, on average.
func (c *ColumnStatistics) ShareOfOne() float64 { return (1 - c.Null) / max(1, c.Distinct) }

// ShareOf is the share of rows that have the value of a code.
func (c *ColumnStatistics) ShareOf(code string) float64 {
	if code == "" {
		return c.Null
	}
	for _, v := range c.Common {
		if v.Code == code {
			return v.Share
		}
	}
	return c.rest() / max(1, c.Distinct-float64(len(c.Common)))
}

// rest is the share of rows whose value is none of the common ones.
func (c *ColumnStatistics) rest() float64 {
	rest := 1 - c.Null
	for _, v := range c.Common {
		rest -= v.Share
	}
	return max(0, rest)
}

// ShareBetween is the share of rows with values whose codes are from lo to below hi.
func (c *ColumnStatistics) ShareBetween(lo, hi string) float64 {
	share := 0.0
	for _, v := range c.Common {
		if lo <= v.Code && v.Code < hi {
			share += v.Share
		}
	}
	if lo == "" {
		share += c.Null
	}
	return min(1, share+c.rest()*max(0, c.place(hi)-c.place(lo)))
}

// place is the share of the values that are not common that lie below a code.
func (c *ColumnStatistics) place(code string) float64 {
	if len(c.Bounds) < 2 {
		if len(c.Bounds) == 1 && code > c.Bounds[0] {
			return 1
		}
		return 0
	}
	parts := float64(len(c.Bounds) - 1)
	i, _ := slices.BinarySearch(c.Bounds, code) // the first bound that is not below
	switch {
	case i == 0:
		return 0
	case i == len(c.Bounds):
		return 1
	}
	return math.Min(1, (float64(i-1)+keymap.Between(c.Bounds[i-1], c.Bounds[i], code))/parts)
}
