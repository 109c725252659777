package schema

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// Grows says whether partitions of t are made as rows arrive.
func (t *Table) Grows() bool { return t.IsDivided() && t.Partitions.Grows() }

func (ps *Partitions) everyText() string {
	s := strconv.FormatInt(ps.Every, 10)
	if ps.Unit != "" {
		s += " " + ps.Unit
	}
	return s
}

// GrowPartitions adds the missing partitions for rows with these values of the dividing column to a table that makes
// them as rows arrive; and the one after the newest, if that is new. opening: they may not be written to yet. The table
// is a Clone.
func (t *Table) GrowPartitions(missing [][]value.Value, opening bool) error {
	if err := t.Init(); err != nil {
		return err
	}
	ps := t.Partitions
	var newest *Partition
	if len(ps.List) > 0 {
		newest = ps.List[len(ps.List)-1]
	}
	for _, values := range missing {
		code, err := ps.AppendCode(nil, func(i int) value.Value { return values[i] })
		if err != nil {
			return err
		}
		if ps.Find(string(code)) != nil {
			continue
		}
		if len(ps.List) == MaxPartitions {
			return sqlerr.New(sqlerr.CodeTooManyPartitions, sqlerr.NoPos, "Too many partitions: table %s has %d, and a row needs another one; drop old ones, or choose %s", t.Name, MaxPartitions, ps.fewer())
		}
		add := t.addPartition
		if ps.Automatic {
			add = t.addValue
		}
		if err := add(values, opening); err != nil {
			return err
		}
	}
	if ps.Every == 0 || len(ps.List) == 0 || ps.List[len(ps.List)-1] == newest {
		return nil
	}
	return t.addNext(opening)
}

// GrowAhead is called when rows lie in the newest writable partition, of that physical name. It gives a definition with the
// partition after it, or with those opened that mayOpen allows, so that the first row there need not wait; nil if there is
// nothing to do.
func (t *Table) GrowAhead(newest string, opening bool, mayOpen func(*Partition) bool) (*Table, error) {
	ps := t.Partitions
	if p := ps.newest(); p == nil || p.Physical != newest {
		return nil, nil // another process was faster
	}
	if !ps.List[len(ps.List)-1].Opening {
		if _, ok := t.nextBegin(); !ok {
			return nil, nil
		}
		next := t.Clone()
		if err := next.Init(); err != nil {
			return nil, err
		}
		return next, next.addNext(opening)
	}
	var next *Table
	for i, p := range ps.List {
		if !p.Opening || !mayOpen(p) {
			continue
		}
		if next == nil {
			next = t.Clone()
		}
		next.Partitions.List[i].Opening = false
	}
	return next, nil
}

// nextBegin gives the value with which the partition after the newest begins, if the column has such values and there is
// room for a partition.
func (t *Table) nextBegin() (v value.Value, ok bool) {
	ps := t.Partitions
	end := ps.List[len(ps.List)-1].Spans[0].To
	if end == "" || len(ps.List) == MaxPartitions {
		return v, false
	}
	v, _, err := keymap.DecodeValue(end, ps.Codes[0])
	if err == nil {
		_, err = t.Columns[ps.Columns[0]].Type.Convert(v)
	}
	return v, err == nil
}

// addNext adds the partition after the newest, if there can be one.
func (t *Table) addNext(opening bool) error {
	v, ok := t.nextBegin()
	if !ok {
		return nil
	}
	return t.addPartition([]value.Value{v}, opening)
}

// fewer says what to do to get fewer partitions than one for each interval or value.
func (ps *Partitions) fewer() string {
	if ps.Automatic {
		return "PARTITION BY KEY, which needs none"
	}
	return "a longer INTERVAL"
}

// addPartition adds the partition of an INTERVAL that contains a value.
func (t *Table) addPartition(values []value.Value, opening bool) error {
	ps := t.Partitions
	p, err := t.partitionFor(values[0])
	if err != nil {
		return err
	}
	p.Opening = opening
	at, _ := slices.BinarySearchFunc(ps.List, p.Spans[0].From, func(q *Partition, from string) int { return strings.Compare(q.Spans[0].From, from) })
	ps.List = slices.Insert(ps.List, at, p)
	return ps.init(t)
}

// addValue adds the partition of a list that has only these values.
func (t *Table) addValue(values []value.Value, opening bool) error {
	ps := t.Partitions
	code, err := ps.AppendCode(nil, func(i int) value.Value { return values[i] })
	if err != nil {
		return err
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = LiteralSQL(v)
	}
	text := strings.Join(texts, ", ")
	if len(values) > 1 {
		text = "(" + text + ")"
	}
	ps.List = append(ps.List, &Partition{
		Name: ps.freeName(values), Values: "IN (" + text + ")", Made: true, Opening: opening,
		Spans: []keymap.Span{{From: string(code), To: string(code) + Behind}},
	})
	return ps.init(t)
}

// freeName names a partition after its values: p, their letters and digits, and a number if that name is
// taken.
func (ps *Partitions) freeName(values []value.Value) string {
	const most = 40
	name := []byte("p")
	for i, v := range values {
		text := "null"
		if !v.IsNull() {
			text = strings.ToLower(value.Text(value.Plain(v)))
		}
		if i > 0 {
			name = append(name, '_')
		}
		for j := 0; j < len(text) && len(name) < most; j++ {
			switch c := text[j]; {
			case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
				name = append(name, c)
			case name[len(name)-1] != '_':
				name = append(name, '_')
			}
		}
	}
	free := string(name)
	for n := 2; ps.Named(free) != nil; n++ {
		free = string(name) + "_" + strconv.Itoa(n)
	}
	return free
}

// partitionFor makes the partition of a value.
func (t *Table) partitionFor(v value.Value) (*Partition, error) {
	ps := t.Partitions
	col := t.Columns[ps.Columns[0]]
	var low, high value.Value
	var name string
	if ps.Unit == "" {
		low, high, name = numberPartition(v, ps.Every)
	} else {
		low, high, name = datePartition(col.Type, v.Ticks(), ps.Unit, ps.Every)
	}
	p := &Partition{Name: name, Made: true, Spans: make([]keymap.Span, 1)}
	from, _, err := keymap.AppendValue(nil, low, ps.Codes[0])
	if err != nil {
		return nil, err
	}
	p.Spans[0].From = string(from)
	if !high.IsNull() {
		to, _, err := keymap.AppendValue(nil, high, ps.Codes[0])
		if err != nil {
			return nil, err
		}
		p.Spans[0].To = string(to)
	}
	return p, nil
}

// numberPartition gives the multiples of every between which v lies; high is NULL if there is none.
func numberPartition(v value.Value, every int64) (low, high value.Value, name string) {
	if v.Kind() == value.Uint {
		n := v.Uint() - v.Uint()%uint64(every)
		if n <= math.MaxUint64-uint64(every) {
			high = value.FromUint(n + uint64(every))
		}
		return value.FromUint(n), high, "p" + strconv.FormatUint(n, 10)
	}
	n := v.Int() - mod(v.Int(), every)
	if n > v.Int() { // below the least integer
		n = math.MinInt64
	}
	if n <= math.MaxInt64-every {
		high = value.FromInt(n - mod(n, every) + every)
	}
	return value.FromInt(n), high, "p" + strings.ReplaceAll(strconv.FormatInt(n, 10), "-", "_")
}

// mod is the remainder that is never negative.
func mod(n, m int64) int64 { return (n%m + m) % m }

// datePartition gives the begin and end of the period that contains a time; high is NULL at the end of time.
func datePartition(t value.Type, ticks int64, unit string, every int64) (low, high value.Value, name string) {
	at := value.TimeFromTicks(ticks)
	layout := "p20060102"
	var begin, end int64
	var ok bool
	switch unit {
	case "HOUR", "DAY", "WEEK":
		size := every * value.TicksPerDay
		switch unit {
		case "HOUR":
			size, layout = every*value.TicksPerDay/24, "p2006010215"
		case "WEEK":
			size *= 7 // 0001-01-01 was a Monday
		}
		begin = ticks - ticks%size
		end, ok = begin+size, begin+size <= value.MaxTicks
	default:
		months := every
		switch unit {
		case "QUARTER":
			months, layout = 3*every, "p200601"
		case "YEAR":
			months, layout = 12*every, "p2006"
		default:
			layout = "p200601"
		}
		n := int64(at.Year())*12 + int64(at.Month()) - 1
		n -= n % months
		begin, _ = monthTicks(n)
		end, ok = monthTicks(n + months)
	}
	if ok {
		high = DateOf(t, end)
	}
	return DateOf(t, begin), high, value.TimeFromTicks(begin).Format(layout)
}

// monthTicks is when the n-th month since year 0 begins, but not before the beginning of time.
func monthTicks(n int64) (ticks int64, ok bool) {
	if n < 12 {
		return 0, true
	}
	year, ok := TicksAt("YEAR", n/12)
	if !ok {
		return 0, false
	}
	ticks, err := value.TicksFromTime(value.TimeFromTicks(year).AddDate(0, int(n%12), 0))
	return ticks, err == nil
}
