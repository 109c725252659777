package planner

import (
	"slices"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// spreadBy are the columns that say where a row lies: those that every unique key must have, as only there
// a second row can be noticed.
func (t *Table) spreadBy() []int {
	var out []int
	if t.Partition != nil {
		out = t.Partition.Columns
	}
	if t.Parts != nil {
		out = append(out[:len(out):len(out)], t.Parts.Columns...)
	}
	return out
}

// parts takes PARTITION BY RANGE and LIST.
func (d *definer) parts(def *dialect.Partitioning) error {
	if d.t.Inside != nil {
		return notSupported(def.Pos, "partitions of a table INSIDE another one are")
	}
	ps := &Parts{Kind: PartsByRange, Every: int64(def.Every), Unit: def.Unit, Automatic: def.Automatic}
	kind, _, tuple := strings.Cut(def.Kind, " ")
	ps.Tuple = tuple
	if kind == "list" {
		ps.Kind = PartsByList
	}
	names := def.Columns
	if len(names) == 0 {
		var err error
		if names, ps.Func, err = partFunction(def); err != nil {
			return err
		}
	}
	if !tuple && len(names) > 1 {
		return newError(codeSyntax, def.Pos, "PARTITION BY %s takes one column; %s COLUMNS takes several", strings.ToUpper(kind), strings.ToUpper(kind))
	}
	if err := d.partColumns(ps, names, def.Pos); err != nil {
		return err
	}
	for _, c := range ps.Columns {
		ps.codes = append(ps.codes, d.t.keymapPart(KeyPart{Column: c}))
	}
	d.t.Parts = ps
	for _, ix := range d.t.Indexes {
		if err := d.uniqueInPartition(ix); err != nil {
			return err
		}
	}
	if ps.Every > 0 {
		return d.partInterval(def)
	}
	if ps.Automatic && ps.Func != "" {
		return notSupported(def.Pos, "AUTOMATIC partitions by %s() are", ps.Func)
	}
	if len(def.Parts) == 0 && !ps.Automatic {
		return newError(codePartitionsMissing, def.Pos, "For %s partitions each partition must be defined", strings.ToUpper(kind))
	}
	return d.addParts(def.Parts, def.Pos)
}

// partFunction reads the expression of RANGE (YEAR(created)): a function that rises with its column, so that
// bounds of its results are bounds of the column.
func partFunction(def *dialect.Partitioning) (names []string, function string, err error) {
	if call, ok := def.Expr.(*dialect.Call); ok && len(call.Args) == 1 {
		function = strings.ToUpper(call.Name)
		if col, ok := call.Args[0].(*dialect.Column); ok && (function == "YEAR" || function == "TO_DAYS" || function == "UNIX_TIMESTAMP") {
			return []string{col.Name}, function, nil
		}
	}
	return nil, "", notSupported(def.Pos, "PARTITION BY %s of something else than a column, YEAR(column), TO_DAYS(column) or UNIX_TIMESTAMP(column) is", strings.ToUpper(def.Kind))
}

func (d *definer) partColumns(ps *Parts, names []string, pos dialect.Pos) error {
	for _, name := range names {
		i := d.find(name)
		if i < 0 {
			return newError(codeUnknownColumn, pos, "Unknown column '%s' in 'partition function'", name)
		}
		t := d.t.Columns[i].Type
		switch {
		case slices.Contains(ps.Columns, i):
			return newError(codeDuplicateColumn, pos, "Duplicate column name '%s'", name)
		case t.Base == value.TypeJSON:
			return notSupported(pos, "partitions by JSON column '%s' are", name)
		case ps.Func != "" && t.Base != value.TypeDate && t.Base != value.TypeDateTime:
			return notSupported(pos, "PARTITION BY … (%s(%s)) of a column that is no date is", ps.Func, name)
		case ps.Func == "UNIX_TIMESTAMP" && (t.Base == value.TypeDate || ps.Kind == PartsByList):
			return notSupported(pos, "UNIX_TIMESTAMP(%s) for anything but RANGE of a DATETIME is", name)
		case d.t.Columns[i].Generated != "" && !d.t.Columns[i].Stored:
			return notSupported(pos, "partitions by virtual column '%s' are", name)
		}
		if len(d.t.Key) > 0 && !slices.ContainsFunc(d.t.Key, func(k KeyPart) bool { return k.Column == i }) {
			return newError(codePartitionColumn, pos, "A PRIMARY KEY must include all columns in the table's partitioning function")
		}
		ps.Columns = append(ps.Columns, i)
	}
	return nil
}

// partInterval checks INTERVAL (n unit), by which parts are made as rows arrive.
func (d *definer) partInterval(def *dialect.Partitioning) error {
	ps := d.t.Parts
	if ps.Kind != PartsByRange || len(ps.Columns) != 1 || ps.Func != "" {
		return newError(codeSyntax, def.Pos, "INTERVAL is for PARTITION BY RANGE (column)")
	}
	if len(def.Parts) > 0 {
		return notSupported(def.Pos, "partitions with names beside INTERVAL are")
	}
	t := d.t.Columns[ps.Columns[0]].Type
	switch {
	case isInteger(t) && ps.Unit == "":
	case (t.Base == value.TypeDate || t.Base == value.TypeDateTime) && ps.Unit != "" && (ps.Unit != "HOUR" || t.Base == value.TypeDateTime):
	default:
		return newError(codeWrongArguments, def.Pos, "Incorrect INTERVAL for '%s': a number for a column of integers, a number with HOUR, DAY, WEEK, MONTH, QUARTER or YEAR for dates", d.t.Columns[ps.Columns[0]].Name)
	}
	return nil
}

// addParts adds parts behind those that there are.
func (d *definer) addParts(defs []dialect.PartitionDef, pos dialect.Pos) error {
	ps := d.t.Parts
	if ps.Every > 0 {
		return notSupported(pos, "adding partitions to a table that makes them as rows arrive is")
	}
	for i := range defs {
		def := &defs[i]
		if ps.named(def.Name) != nil {
			return newError(codePartitionName, pos, "Duplicate partition name %s", def.Name)
		}
		p := &Part{Name: def.Name}
		add := d.addRange
		if ps.Kind == PartsByList {
			add = d.addList
		}
		if err := add(p, def, pos); err != nil {
			return err
		}
		ps.List = append(ps.List, p)
	}
	if len(ps.List) > MaxParts {
		return newError(codeTooManyPartitions, pos, "Too many partitions (including subpartitions) were defined; at most %d", MaxParts)
	}
	return nil
}

func (d *definer) addRange(p *Part, def *dialect.PartitionDef, pos dialect.Pos) error {
	ps := d.t.Parts
	if len(def.In) > 0 || !def.Max && len(def.LessThan) == 0 {
		return newError(codeSyntax, pos, "partition %s: RANGE partitions have VALUES LESS THAN (…)", p.Name)
	}
	var span CodeSpan
	if n := len(ps.List); n > 0 {
		last := ps.List[n-1].Spans[0]
		if last.To == "" {
			return newError(codePartitionMaxLast, pos, "MAXVALUE can only be used in last partition definition")
		}
		span.From = last.To
	}
	if def.Max {
		p.Values = "LESS THAN MAXVALUE"
	} else {
		code, text, err := d.bound(def.LessThan, pos)
		if err != nil {
			return err
		}
		if code != (CodeSpan{}) && code.From <= span.From {
			return newError(codePartitionOrder, pos, "VALUES LESS THAN value must be strictly increasing for each partition")
		}
		p.Values, span.To = "LESS THAN ("+text+")", code.From
	}
	p.Spans = []CodeSpan{span}
	return nil
}

func (d *definer) addList(p *Part, def *dialect.PartitionDef, pos dialect.Pos) error {
	ps := d.t.Parts
	if len(def.In) == 0 {
		return newError(codeSyntax, pos, "partition %s: LIST partitions have VALUES IN (…)", p.Name)
	}
	var texts []string
	for _, e := range def.In {
		list := []dialect.Expr{e}
		if tuple, ok := e.(*dialect.Tuple); ok {
			list = tuple.List
		}
		span, text, err := d.bound(list, pos)
		if err != nil {
			return err
		}
		if len(list) > 1 {
			text = "(" + text + ")"
		}
		for _, other := range append(ps.List[:len(ps.List):len(ps.List)], p) {
			if slices.Contains(other.Spans, span) {
				return newError(codePartitionTwice, pos, "Multiple definition of same constant in list partitioning")
			}
		}
		texts = append(texts, text)
		p.Spans = append(p.Spans, span)
	}
	slices.SortFunc(p.Spans, func(a, b CodeSpan) int { return strings.Compare(a.From, b.From) })
	p.Values = "IN (" + strings.Join(texts, ", ") + ")"
	return nil
}

// bound gives the codes that the values of a partition's definition stand for: those From … To equal them,
// those below From are less. A MAXVALUE, nil, is above all.
func (d *definer) bound(list []dialect.Expr, pos dialect.Pos) (span CodeSpan, text string, err error) {
	ps := d.t.Parts
	if len(list) != len(ps.Columns) {
		return span, "", newError(codeSyntax, pos, "a partition by %d columns has so many values", len(ps.Columns))
	}
	var texts []string
	var from, to []byte
	for i, e := range list {
		if i > 0 {
			from, to = append(from, keymap.Separator), append(to, keymap.Separator)
		}
		if e == nil {
			// What stands behind MAXVALUE does not matter: there is no value that ties with it.
			texts = append(texts, "MAXVALUE")
			if i == 0 {
				return CodeSpan{}, strings.Join(texts, ", "), nil
			}
			above := string(from[:len(from)-1]) + behind
			return CodeSpan{From: above, To: above}, strings.Join(texts, ", "), nil
		}
		v, err := d.constant(e, pos)
		if err != nil {
			return span, "", err
		}
		low, high := v, v
		if ps.Func != "" && !v.IsNull() {
			if low, high, err = d.partDates(v, pos); err != nil {
				return span, "", err
			}
		} else if low, err = d.t.Columns[ps.Columns[i]].Type.Convert(v); err != nil {
			return span, "", newError(codePartitionValue, pos, "Partition column values of incorrect type: %v", err)
		} else {
			high = low
			v = low
		}
		texts = append(texts, literalSQL(v))
		if from, _, err = keymap.AppendValue(from, low, ps.codes[i]); err != nil {
			return span, "", err
		}
		if to, _, err = keymap.AppendValue(to, high, ps.codes[i]); err != nil {
			return span, "", err
		}
	}
	span = CodeSpan{From: string(from), To: string(to)} // the code of NULL is "", which is no end
	if ps.Func == "" || span.From == "" {
		span.To = span.From + behind
	}
	return span, strings.Join(texts, ", "), nil
}

// constant computes a value of a partition's definition.
func (d *definer) constant(e dialect.Expr, pos dialect.Pos) (value.Value, error) {
	c := &context{b: &builder{plan: &Plan{}, seen: map[*Table]bool{}}, clause: "partition function"}
	if hasSubquery(e) {
		return value.NullValue, newError(codeSyntax, pos, "the values of a partition are constants")
	}
	n, err := c.expression(e)
	if err != nil {
		return value.NullValue, err
	}
	if !expr.Deterministic(n) {
		return value.NullValue, newError(codeSyntax, pos, "the values of a partition are constants")
	}
	return expr.Compile(n)(&expr.Env{Session: &expr.Session{}})
}

// partDates gives the dates at which the table's function reaches v, and v + 1: NULL where no date does.
func (d *definer) partDates(v value.Value, pos dialect.Pos) (low, high value.Value, err error) {
	ps := d.t.Parts
	t := d.t.Columns[ps.Columns[0]].Type
	whole, err := value.Type{Base: value.TypeBigInt}.Convert(v)
	if err != nil {
		return low, high, newError(codePartitionValue, pos, "VALUES value for partition must have type INT")
	}
	at := func(n int64) (value.Value, error) {
		ticks, ok := ticksAt(ps.Func, n)
		if !ok {
			return value.NullValue, newError(codePartitionValue, pos, "%s never is %d: dates go from year 1 to 9999", ps.Func, n)
		}
		return dateOf(t, ticks), nil
	}
	if low, err = at(whole.Int()); err != nil {
		return low, high, err
	}
	if high, err = at(whole.Int() + 1); err != nil {
		return low, value.NullValue, nil
	}
	return low, high, nil
}

// daysToYear1 is TO_DAYS('0001-01-01').
const daysToYear1 = 366

// ticksAt gives the time at which a rising function of dates reaches n.
func ticksAt(function string, n int64) (ticks int64, ok bool) {
	if n > 1<<40 || n < -1<<40 {
		return 0, false
	}
	var at time.Time
	switch function {
	case "YEAR":
		at = time.Date(int(min(max(n, -1), 20000)), 1, 1, 0, 0, 0, 0, time.UTC)
	case "TO_DAYS":
		at = value.TimeFromTicks(0).AddDate(0, 0, int(min(max(n-daysToYear1, -1), 4_000_000)))
	default:
		at = time.Unix(n, 0)
	}
	ticks, err := value.TicksFromTime(at)
	return ticks, err == nil
}

func dateOf(t value.Type, ticks int64) value.Value {
	if t.Base == value.TypeDate {
		return value.FromDate(ticks - ticks%value.TicksPerDay)
	}
	return value.FromTicks(ticks)
}
