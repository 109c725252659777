package ddl

import (
	"context"
	"errors"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// keptRows is how many of the rows that ANALYZE TABLE reads it keeps until the end, each with equal probability, to derive common
// values and histograms.
const keptRows = 20_000

// collector makes statistics of the rows that it is shown.
type collector struct {
	table   *schema.Table
	writer  *dml.Writer // what is kept counts as memory of the statement
	decoder *codec.Decoder
	row     []value.Value
	columns []*columnCollector
	begins  []*beginCollector
	read    int64 // rows
	bytes   int64
	random  *rand.Rand
}

type columnCollector struct {
	column   int
	part     keymap.Part
	kept     []string // codes, "" for NULL
	nulls    int64
	code     []byte // of the row that was added last
	distinct distinctCount
}

// beginCollector counts the combinations of values of columns.
type beginCollector struct {
	columns []int
	columnCollector
}

func newCollector(x *definition, ctx context.Context, t *schema.Table) *collector {
	c := &collector{table: t, writer: x.writer(ctx), row: make([]value.Value, t.RowWidth()), random: rand.New(rand.NewPCG(1, 2))}
	c.decoder = codec.NewCodec(t).Decoder(exec.Positions(0, len(t.Columns)), 0, nil)
	seed := maphash.MakeSeed()
	for _, i := range t.StatisticsColumns() {
		c.columns = append(c.columns, &columnCollector{column: i, part: t.StatisticsPart(i), distinct: distinctCount{seed: seed}})
	}
	for _, columns := range t.KeyBegins() {
		c.begins = append(c.begins, &beginCollector{columns, columnCollector{distinct: distinctCount{seed: seed}}})
	}
	return c
}

// add takes a row into account.
func (c *collector) add(e *engine.Entity) error {
	err := c.decoder.DecodeRow(e, c.row)
	if errors.Is(err, codec.ErrOtherForm) {
		return nil
	}
	if err != nil {
		return err
	}
	c.read++
	c.bytes += entityBytes(e)
	at := int64(-1)
	if c.read > keptRows {
		if at = c.random.Int64N(c.read); at >= keptRows {
			at = -2
		}
	}
	var buf [128]byte
	for _, col := range c.columns {
		v := c.row[col.column]
		code, _, err := keymap.AppendValue(buf[:0], v, col.part)
		if err != nil {
			return err
		}
		col.code = append(col.code[:0], code...)
		if v.IsNull() {
			col.nulls++
		} else {
			col.distinct.add(code)
		}
		if err := c.keep(col, code, at); err != nil {
			return err
		}
	}
	for _, b := range c.begins {
		b.code = b.code[:0]
		for _, col := range c.columns {
			if slices.Contains(b.columns, col.column) {
				b.code = append(append(b.code, col.code...), 0) // codes contain no such octet
			}
		}
		b.distinct.add(b.code)
		if err := c.keep(&b.columnCollector, b.code, at); err != nil {
			return err
		}
	}
	return nil
}

// keep stores a code at a place of the sample; at -1 it appends it, at -2 it does not keep it.
func (c *collector) keep(col *columnCollector, code []byte, at int64) error {
	switch {
	case at == -1:
		if err := c.writer.Charge(int64(len(code)+16), "ANALYZE TABLE"); err != nil {
			return err
		}
		col.kept = append(col.kept, string(code))
	case at >= 0:
		col.kept[at] = string(code)
	}
	return nil
}

// statistics sums up the rows seen, of a table with about so many; all: these are all of them.
func (c *collector) statistics(rows float64, all bool) *schema.Statistics {
	t := c.table
	s := &schema.Statistics{Rows: int64(math.Round(max(rows, float64(c.read)))), Columns: map[string]*schema.ColumnStatistics{}}
	if !all {
		s.Read = c.read
	}
	if c.read == 0 {
		return s
	}
	s.RowBytes = c.bytes / c.read
	for _, col := range c.columns {
		found := col.statistics(float64(s.Rows), float64(c.read), all)
		if _, unique := t.UniqueKeyOf([]int{col.column}); unique {
			found.Distinct = float64(s.Rows) * (1 - found.Null)
		}
		found.Type = t.StatisticsType(col.column)
		s.Columns[t.StatisticsName(col.column)] = found
	}
	for _, b := range c.begins {
		if s.Together == nil {
			s.Together = map[string]float64{}
		}
		s.Together[t.KeyBeginName(b.columns)] = b.values(float64(s.Rows), all)
	}
	return s
}

// values estimates the number of different values in a table with so many rows.
func (c *columnCollector) values(rows float64, all bool) float64 {
	if all {
		return c.distinct.count()
	}
	counts := map[string]int{}
	for _, code := range c.kept {
		counts[code]++
	}
	once := 0.0
	for _, n := range counts {
		if n == 1 {
			once++
		}
	}
	return duj1(float64(len(c.kept)), rows, float64(len(counts)), once)
}

func (c *columnCollector) statistics(rows, read float64, all bool) *schema.ColumnStatistics {
	s := &schema.ColumnStatistics{Null: float64(c.nulls) / read}
	values := slices.DeleteFunc(c.kept, func(code string) bool { return code == "" })
	if len(values) == 0 {
		return s
	}
	slices.Sort(values)
	type run struct {
		code  string
		count int
	}
	var runs []run
	once := 0.0 // values found in one kept row
	for i := 0; i < len(values); {
		n := i + 1
		for n < len(values) && values[n] == values[i] {
			n++
		}
		if n == i+1 {
			once++
		}
		runs = append(runs, run{values[i], n - i})
		i = n
	}
	kept, distinct := float64(len(values)), float64(len(runs))
	if all {
		s.Distinct = c.distinct.count()
	} else {
		s.Distinct = duj1(kept, rows*(1-s.Null), distinct, once)
	}
	// Common values occur in more rows than a part of the histogram may be wrong by, and in more than the average value.
	least := max(2, 1.25*kept/max(1, s.Distinct))
	if len(runs) <= schema.MostCommonValues {
		least = 1
	}
	common := slices.DeleteFunc(slices.Clone(runs), func(r run) bool { return float64(r.count) < least })
	slices.SortStableFunc(common, func(a, b run) int { return b.count - a.count })
	common = common[:min(len(common), schema.MostCommonValues)]
	isCommon := map[string]bool{}
	for _, r := range common {
		isCommon[r.code] = true
		s.Common = append(s.Common, schema.CommonValue{Code: r.code, Share: float64(r.count) / kept * (1 - s.Null)})
	}
	rest := slices.DeleteFunc(values, func(code string) bool { return isCommon[code] })
	if len(rest) == 0 {
		return s
	}
	parts := min(schema.HistogramParts, len(rest))
	for i := range parts {
		s.Bounds = append(s.Bounds, rest[i*len(rest)/parts])
	}
	s.Bounds = append(s.Bounds, rest[len(rest)-1])
	return s
}

// duj1 estimates how many different values so many rows have, given that kept of them, drawn at random, have distinct values, once
// of which occur in one row only. It is the estimator Duj1 of Haas and Stokes (Estimating the Number of Classes in a Finite
// Population, 1998), which PostgreSQL uses, too.
func duj1(kept, rows, distinct, once float64) float64 {
	if kept >= rows {
		return distinct
	}
	return min(rows, max(distinct, kept*distinct/(kept-once+once*kept/rows)))
}

// distinctCount counts different texts: exactly up to mostDistinct, and beyond that within a few hundredths, by counting only
// those whose hash ends in enough zeros (Wegman's adaptive sampling).
type distinctCount struct {
	seed   maphash.Seed
	hashes map[uint64]struct{}
	zeros  uint
}

const mostDistinct = 4096

func (d *distinctCount) add(text []byte) {
	h := maphash.Bytes(d.seed, text)
	if h&(1<<d.zeros-1) != 0 {
		return
	}
	if d.hashes == nil {
		d.hashes = map[uint64]struct{}{}
	}
	d.hashes[h] = struct{}{}
	for len(d.hashes) > mostDistinct {
		d.zeros++
		for h := range d.hashes {
			if h&(1<<d.zeros-1) != 0 {
				delete(d.hashes, h)
			}
		}
	}
}

func (d *distinctCount) count() float64 { return math.Ldexp(float64(len(d.hashes)), int(d.zeros)) }
