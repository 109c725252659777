package define

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// partitions takes PARTITION BY RANGE and LIST.
func (d *definer) partitions(def *dialect.Partitioning) error {
	if d.t.IsInterleaved() {
		return sqlerr.NotSupported(def.Pos, "partitions of an interleaved table are")
	}
	ps := &schema.Partitions{Kind: schema.PartitionByRange, Every: int64(def.Every), Unit: def.Unit, Automatic: def.Automatic}
	kind, _, tuple := strings.Cut(def.Kind, " ")
	ps.Tuple = tuple
	if kind == "list" {
		ps.Kind = schema.PartitionByList
	}
	names := def.Columns
	if len(names) == 0 {
		var err error
		if names, ps.Func, err = partitionFunction(def); err != nil {
			return err
		}
	}
	if !tuple && len(names) > 1 {
		return sqlerr.New(sqlerr.CodeSyntax, def.Pos, "PARTITION BY %s takes one column; %s COLUMNS takes several", strings.ToUpper(kind), strings.ToUpper(kind))
	}
	if err := d.partitionColumns(ps, names, def.Pos); err != nil {
		return err
	}
	for _, c := range ps.Columns {
		ps.Codes = append(ps.Codes, d.t.KeymapPart(schema.KeyColumn{Column: c}))
	}
	d.t.Partitions = ps
	for _, ix := range d.t.Indexes {
		if err := d.uniqueInPartition(ix); err != nil {
			return err
		}
	}
	if ps.Every > 0 {
		return d.partitionInterval(def)
	}
	if ps.Automatic && ps.Func != "" {
		return sqlerr.NotSupported(def.Pos, "AUTOMATIC partitions by %s() are", ps.Func)
	}
	if len(def.Parts) == 0 && !ps.Automatic {
		return sqlerr.New(sqlerr.CodePartitionsMissing, def.Pos, "For %s partitions each partition must be defined", strings.ToUpper(kind))
	}
	return d.addPartitions(def.Parts, def.Pos)
}

// partitionFunction reads the expression of RANGE (YEAR(created)): a function that rises with its column, so that
// bounds of its results are bounds of the column.
func partitionFunction(def *dialect.Partitioning) (names []string, function string, err error) {
	if call, ok := def.Expr.(*dialect.Call); ok && len(call.Args) == 1 {
		function = strings.ToUpper(call.Name)
		if col, ok := call.Args[0].(*dialect.Column); ok && (function == "YEAR" || function == "TO_DAYS" || function == "UNIX_TIMESTAMP") {
			return []string{col.Name}, function, nil
		}
	}
	return nil, "", sqlerr.NotSupported(def.Pos, "PARTITION BY %s of anything but a column, YEAR(column), TO_DAYS(column) or UNIX_TIMESTAMP(column) is", strings.ToUpper(def.Kind))
}

func (d *definer) partitionColumns(ps *schema.Partitions, names []string, pos dialect.Pos) error {
	for _, name := range names {
		i := d.find(name)
		if i < 0 {
			return sqlerr.New(sqlerr.CodeUnknownColumn, pos, "Unknown column '%s' in 'partition function'", name)
		}
		t := d.t.Columns[i].Type
		switch {
		case slices.Contains(ps.Columns, i):
			return sqlerr.New(sqlerr.CodeDuplicateColumn, pos, "Duplicate column name '%s'", name)
		case t.Base == value.TypeJSON:
			return sqlerr.NotSupported(pos, "partitions by JSON column '%s' are", name)
		case ps.Func != "" && t.Base != value.TypeDate && t.Base != value.TypeDateTime:
			return sqlerr.NotSupported(pos, "PARTITION BY … (%s(%s)) of a column that is not a date is", ps.Func, name)
		case ps.Func == "UNIX_TIMESTAMP" && (t.Base == value.TypeDate || ps.Kind == schema.PartitionByList):
			return sqlerr.NotSupported(pos, "UNIX_TIMESTAMP(%s) for anything but RANGE of a DATETIME is", name)
		case d.t.Columns[i].Generated != "" && !d.t.Columns[i].Stored:
			return sqlerr.NotSupported(pos, "partitions by virtual column '%s' are", name)
		}
		if len(d.t.Key) > 0 && !slices.ContainsFunc(d.t.Key, func(k schema.KeyColumn) bool { return k.Column == i }) {
			return sqlerr.New(sqlerr.CodePartitionColumn, pos, "A PRIMARY KEY must include all columns in the table's partitioning function")
		}
		ps.Columns = append(ps.Columns, i)
	}
	return nil
}

// partitionInterval checks INTERVAL (n unit), by which partitions are made as rows arrive.
func (d *definer) partitionInterval(def *dialect.Partitioning) error {
	ps := d.t.Partitions
	if ps.Kind != schema.PartitionByRange || len(ps.Columns) != 1 || ps.Func != "" {
		return sqlerr.New(sqlerr.CodeSyntax, def.Pos, "INTERVAL is for PARTITION BY RANGE (column)")
	}
	if len(def.Parts) > 0 {
		return sqlerr.NotSupported(def.Pos, "partitions with names beside INTERVAL are")
	}
	t := d.t.Columns[ps.Columns[0]].Type
	switch {
	case t.IsInteger() && ps.Unit == "":
	case (t.Base == value.TypeDate || t.Base == value.TypeDateTime) && ps.Unit != "" && (ps.Unit != "HOUR" || t.Base == value.TypeDateTime):
	default:
		return sqlerr.New(sqlerr.CodeWrongArguments, def.Pos, "Incorrect INTERVAL for '%s': a number for a column of integers, a number with HOUR, DAY, WEEK, MONTH, QUARTER or YEAR for dates", d.t.Columns[ps.Columns[0]].Name)
	}
	return nil
}

// addPartitions adds partitions after the existing ones.
func (d *definer) addPartitions(defs []dialect.PartitionDef, pos dialect.Pos) error {
	ps := d.t.Partitions
	if ps.Every > 0 {
		return sqlerr.NotSupported(pos, "adding partitions to a table that makes them as rows arrive is")
	}
	for i := range defs {
		def := &defs[i]
		if err := checkPartition(def, pos); err != nil {
			return err
		}
		if ps.Named(def.Name) != nil {
			return sqlerr.New(sqlerr.CodePartitionName, pos, "Duplicate partition name %s", def.Name)
		}
		p := &schema.Partition{Name: def.Name}
		add := d.addRange
		if ps.Kind == schema.PartitionByList {
			add = d.addList
		}
		if err := add(p, def, pos); err != nil {
			return err
		}
		ps.List = append(ps.List, p)
	}
	if len(ps.List) > schema.MaxPartitions {
		return sqlerr.New(sqlerr.CodeTooManyPartitions, pos, "Too many partitions (including subpartitions) were defined; at most %d", schema.MaxPartitions)
	}
	return nil
}

// checkPartition refuses options of a partition that promise what is not done.
func checkPartition(def *dialect.PartitionDef, pos dialect.Pos) error {
	if def.Options["COMMENT"] != "" {
		return sqlerr.NotSupported(pos, "a COMMENT of partition %s (write it into the table's COMMENT) is", def.Name)
	}
	return CheckOptions(def.Options)
}

func (d *definer) addRange(p *schema.Partition, def *dialect.PartitionDef, pos dialect.Pos) error {
	ps := d.t.Partitions
	if len(def.In) > 0 || !def.Max && len(def.LessThan) == 0 {
		return sqlerr.New(sqlerr.CodeSyntax, pos, "partition %s: RANGE partitions have VALUES LESS THAN (…)", p.Name)
	}
	var span keymap.Span
	if n := len(ps.List); n > 0 {
		last := ps.List[n-1].Spans[0]
		if last.To == "" {
			return sqlerr.New(sqlerr.CodePartitionMaxLast, pos, "MAXVALUE can only be used in last partition definition")
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
		if code != (keymap.Span{}) && code.From <= span.From {
			return sqlerr.New(sqlerr.CodePartitionOrder, pos, "VALUES LESS THAN value must be strictly increasing for each partition")
		}
		p.Values, span.To = "LESS THAN ("+text+")", code.From
	}
	p.Spans = []keymap.Span{span}
	return nil
}

func (d *definer) addList(p *schema.Partition, def *dialect.PartitionDef, pos dialect.Pos) error {
	ps := d.t.Partitions
	if len(def.In) == 0 {
		return sqlerr.New(sqlerr.CodeSyntax, pos, "partition %s: LIST partitions have VALUES IN (…)", p.Name)
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
				return sqlerr.New(sqlerr.CodePartitionTwice, pos, "Multiple definition of same constant in list partitioning")
			}
		}
		texts = append(texts, text)
		p.Spans = append(p.Spans, span)
	}
	slices.SortFunc(p.Spans, func(a, b keymap.Span) int { return strings.Compare(a.From, b.From) })
	p.Values = "IN (" + strings.Join(texts, ", ") + ")"
	return nil
}

// bound gives the codes for the values of a partition's definition: codes in From … To equal them, codes
// below From are less. A MAXVALUE, nil, is above all.
func (d *definer) bound(list []dialect.Expr, pos dialect.Pos) (span keymap.Span, text string, err error) {
	ps := d.t.Partitions
	if len(list) != len(ps.Columns) {
		return span, "", sqlerr.New(sqlerr.CodeSyntax, pos, "a partition by %d columns needs as many values", len(ps.Columns))
	}
	var texts []string
	var from, to []byte
	for i, e := range list {
		if i > 0 {
			from, to = append(from, keymap.Separator), append(to, keymap.Separator)
		}
		if e == nil {
			// What follows MAXVALUE does not matter: no value ties with it.
			texts = append(texts, "MAXVALUE")
			if i == 0 {
				return keymap.Span{}, strings.Join(texts, ", "), nil
			}
			above := string(from[:len(from)-1]) + schema.Behind
			return keymap.Span{From: above, To: above}, strings.Join(texts, ", "), nil
		}
		v, err := d.constant(e, pos)
		if err != nil {
			return span, "", err
		}
		low, high := v, v
		if ps.Func != "" && !v.IsNull() {
			if low, high, err = d.partitionDates(v, pos); err != nil {
				return span, "", err
			}
		} else if low, err = d.t.Columns[ps.Columns[i]].Type.Convert(v); err != nil {
			return span, "", sqlerr.New(sqlerr.CodePartitionValue, pos, "Partition column values of incorrect type: %v", err)
		} else {
			high = low
			v = low
		}
		texts = append(texts, schema.LiteralSQL(v))
		if from, _, err = keymap.AppendValue(from, low, ps.Codes[i]); err != nil {
			return span, "", err
		}
		if to, _, err = keymap.AppendValue(to, high, ps.Codes[i]); err != nil {
			return span, "", err
		}
	}
	span = keymap.Span{From: string(from), To: string(to)} // the code of NULL is "", which is no end
	if ps.Func == "" || span.From == "" {
		span.To = span.From + schema.Behind
	}
	return span, strings.Join(texts, ", "), nil
}

// constant computes a value of a partition's definition.
func (d *definer) constant(e dialect.Expr, pos dialect.Pos) (value.Value, error) {
	n, err := planner.BindConstant(e, "partition function", pos)
	if err != nil {
		return value.NullValue, err
	}
	if !expr.Deterministic(n) {
		return value.NullValue, sqlerr.New(sqlerr.CodeSyntax, pos, "the values of a partition are constants")
	}
	return expr.Compile(n)(&expr.Env{Session: &expr.Session{}})
}

// partitionDates gives the dates at which the table's function reaches v, and v + 1: NULL if no date does.
func (d *definer) partitionDates(v value.Value, pos dialect.Pos) (low, high value.Value, err error) {
	ps := d.t.Partitions
	t := d.t.Columns[ps.Columns[0]].Type
	whole, err := value.Type{Base: value.TypeBigInt}.Convert(v)
	if err != nil {
		return low, high, sqlerr.New(sqlerr.CodePartitionValue, pos, "VALUES value for partition must have type INT")
	}
	at := func(n int64) (value.Value, error) {
		ticks, ok := schema.TicksAt(ps.Func, n)
		if !ok {
			return value.NullValue, sqlerr.New(sqlerr.CodePartitionValue, pos, "%s never is %d: dates go from year 1 to 9999", ps.Func, n)
		}
		return schema.DateOf(t, ticks), nil
	}
	if low, err = at(whole.Int()); err != nil {
		return low, high, err
	}
	if high, err = at(whole.Int() + 1); err != nil {
		return low, value.NullValue, nil
	}
	return low, high, nil
}
