package ddl

import (
	"context"
	"math/big"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// sampler reads pages of a range of keys, and estimates the number of rows: of RowKeys in one store partition, or of all
// PartitionKeys of a physical table. It reads some pages from the beginning, because small tables end soon; then pages farther and
// farther away, until the range ends; then, each time, one in the middle of the gap between two pages that has most rows. That number
// is estimated from the two pages and from how far their keys lie apart (keymap.Scale). A table without a gap was read whole.
type sampler struct {
	*definition
	table     *schema.Table
	collector *collector
	physical  string
	all       bool   // of all store partitions: keys are PartitionKeys
	partition string // the only one
	span      keymap.Span
	budget    int // requests
	spent     func() int

	letters string // of keys
	least   string // the first key
	partly  bool   // a store partition was not read to its end
	pages   []*samplePage
}

// samplePage is what was read of keys From ≤ k < To.
type samplePage struct {
	keymap.Span
	rows  float64
	until string // where its last row lies; To, where it is known that none follows in the part that was read
}

const (
	sequential  = 10 // most pages that are read from the beginning
	samplePageN = 1000
	noEnd       = "\U0010FFFF" // after all PartitionKeys
)

// run reads until everything is read or the budget is spent.
func (s *sampler) run(ctx context.Context) (rows float64, whole bool, err error) {
	end := s.spent() + s.budget
	left := func() int { return end - s.spent() }
	lo, hi := s.span.From, s.span.To
	if s.all {
		lo, hi = "", noEnd
	}
	first := &samplePage{Span: keymap.Span{From: lo, To: lo}}
	for n := 0; n == 0 || first.To < hi && n < min(sequential, s.budget/4); n++ {
		p, err := s.page(ctx, first.To, hi, left())
		if err != nil {
			return 0, false, err
		}
		first.To, first.until, first.rows = p.To, p.until, first.rows+p.rows
	}
	s.pages = []*samplePage{first}
	for last := first; last.To < hi && left() > 0; last = s.pages[len(s.pages)-1] {
		at := s.beyond(last.To)
		if at <= last.To || at >= hi {
			s.pages = append(s.pages, &samplePage{Span: keymap.Span{From: hi, To: hi}})
			break
		}
		p, err := s.page(ctx, at, hi, left())
		if err != nil {
			return 0, false, err
		}
		s.pages = append(s.pages, p)
	}
	for left() > 0 {
		i, most := s.largestGap()
		if i < 0 {
			break
		}
		at, to := s.pages[i].To, s.pages[i+1].From
		if most > samplePageN {
			at = s.middle(at, to)
		}
		p, err := s.page(ctx, at, to, left())
		if err != nil {
			return 0, false, err
		}
		s.pages = slices.Insert(s.pages, i+1, p)
	}
	whole = s.pages[len(s.pages)-1].To >= hi && !s.partly
	for i, p := range s.pages {
		rows += p.rows
		if i > 0 && s.pages[i-1].To < p.From {
			whole = false
			rows += s.gap(s.scale(), i-1)
		}
	}
	return rows, whole, nil
}

// page reads some 1,000 entities with keys of at least from and below to.
func (s *sampler) page(ctx context.Context, from, to string, budget int) (*samplePage, error) {
	if s.all {
		return s.partitions(ctx, from, to, budget)
	}
	p := &samplePage{Span: keymap.Span{From: from, To: to}, until: to}
	scan := engine.Scan{Table: s.physical, PartitionKey: s.partition, From: from, To: to, Limit: samplePageN, Meter: s.meter}
	seen, last := 0, ""
	err := engine.Each(ctx, s.Runtime.Engine, scan, func(e *engine.Entity) error {
		seen++
		last = e.RowKey
		s.see(last)
		if s.table.IsParentCopy(last) {
			return nil
		}
		p.rows++
		return s.collector.add(e)
	})
	if seen == samplePageN {
		p.To = keymap.PointSpan(last).To
	}
	if seen == samplePageN || to == s.span.To {
		p.until = last
	}
	return p, err
}

// partitions is page for keys of store partitions. A store partition that is not read to its end is left to the next page, unless it
// alone is more than a page: then a sampler reads it.
func (s *sampler) partitions(ctx context.Context, from, to string, budget int) (*samplePage, error) {
	p := &samplePage{Span: keymap.Span{From: from, To: to}, until: to}
	scan := engine.Scan{Table: s.physical, AllPartitions: true, FromPartition: from, ToPartition: to, Limit: samplePageN, Meter: s.meter}
	if to == noEnd {
		scan.ToPartition = ""
	}
	rows := s.table.RowSpan()
	seen, first, last, row := 0, "", "", ""
	var open []engine.Entity // of the last partition
	take := func() error {
		for i := range open {
			p.rows++
			if err := s.collector.add(&open[i]); err != nil {
				return err
			}
		}
		open = open[:0]
		return nil
	}
	err := engine.Each(ctx, s.Runtime.Engine, scan, func(e *engine.Entity) error {
		if seen++; seen == 1 {
			first = e.PartitionKey
		}
		if e.PartitionKey != last {
			if err := take(); err != nil {
				return err
			}
			last = e.PartitionKey
			s.see(last)
		}
		row = e.RowKey
		if rows.Contains(row) && !s.table.IsParentCopy(row) {
			kept := *e
			kept.Names, kept.Values = slices.Clone(e.Names), slices.Clone(e.Values)
			open = append(open, kept)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	switch {
	case seen < samplePageN:
		if to == noEnd {
			p.until = last
		}
		return p, take()
	case first != last:
		p.To, p.until = last, last
		return p, nil
	}
	p.To, p.until = keymap.PointSpan(last).To, last
	if err := take(); err != nil {
		return nil, err
	}
	if row = max(keymap.PointSpan(row).To, rows.From); row >= rows.To || budget < 2 {
		return p, nil
	}
	in := &sampler{definition: s.definition, table: s.table, collector: s.collector, physical: s.physical, partition: last,
		span: keymap.Span{From: row, To: rows.To}, budget: min(budget-1, sequential), spent: s.spent}
	more, whole, err := in.run(ctx)
	p.rows, s.partly = p.rows+more, s.partly || !whole
	return p, err
}

// see notes the letters of a key.
func (s *sampler) see(key string) {
	if s.least == "" || key < s.least {
		s.least = key
	}
	for i := range len(key) {
		if !slices.Contains([]byte(s.letters), key[i]) {
			s.letters += key[i : i+1]
		}
	}
}

// scale is the scale of all keys seen, without their common prefix.
func (s *sampler) scale() *keymap.Scale { return keymap.NewScale(s.letters) }

// place is how far a key of the range is from its beginning.
func (s *sampler) place(scale *keymap.Scale, key string) *big.Int {
	if s.all {
		if key == noEnd {
			return scale.Top()
		}
		return scale.Place(key)
	}
	n := s.lead()
	switch {
	case len(key) >= n && key[:n] == s.span.From[:n]:
		return scale.Place(key[n:])
	case key < s.span.From:
		return new(big.Int)
	}
	return scale.Top()
}

// lead is the length of the common prefix of all keys of the range.
func (s *sampler) lead() int {
	if s.all {
		return 0
	}
	return len(s.table.RowSpan().From)
}

func (s *sampler) key(scale *keymap.Scale, place *big.Int) string {
	if s.all {
		return scale.Key(place)
	}
	return s.span.From[:s.lead()] + scale.Key(place)
}

// beyond is a key four times as far from the beginning of what was read as the end of that.
func (s *sampler) beyond(end string) string {
	scale := s.scale()
	from, to := s.place(scale, s.least), s.place(scale, end)
	at := new(big.Int).Sub(to, from)
	at.Mul(at, big.NewInt(4)).Add(at, from)
	if at.Cmp(scale.Top()) >= 0 {
		return noEnd
	}
	return s.key(scale, at)
}

// middle is a key between two others; lo if there is none.
func (s *sampler) middle(lo, hi string) string {
	scale := s.scale()
	sum := new(big.Int).Add(s.place(scale, lo), s.place(scale, hi))
	if at := s.key(scale, sum.Rsh(sum, 1)); lo < at && at < hi {
		return at
	}
	return lo
}

// largestGap is the gap with most rows, after page i; -1 if there is none.
func (s *sampler) largestGap() (i int, rows float64) {
	scale := s.scale()
	i = -1
	for k := range len(s.pages) - 1 {
		if s.pages[k].To >= s.pages[k+1].From {
			continue
		}
		if n := s.gap(scale, k); i < 0 || n > rows {
			i, rows = k, n
		}
	}
	return i, rows
}

// gap estimates how many rows are between pages i and i+1, assuming that they are as dense there as in these two. If nothing follows
// the gap, the rows end somewhere in it, on average in the middle.
func (s *sampler) gap(scale *keymap.Scale, i int) float64 {
	before, behind := s.pages[i], s.pages[i+1]
	width := func(from, to string) *big.Int { return new(big.Int).Sub(s.place(scale, to), s.place(scale, from)) }
	begin := before.From
	if i == 0 {
		begin = s.least
	}
	rows, over := before.rows, width(begin, before.until)
	if behind.rows > 0 {
		rows += behind.rows
		over.Add(over, width(behind.From, behind.until))
	} else {
		rows /= 2
	}
	if over.Sign() <= 0 {
		return 0
	}
	times, _ := new(big.Rat).SetFrac(width(before.To, behind.From), over).Float64()
	return rows * times
}
