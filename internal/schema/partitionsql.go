package schema

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// LiteralSQL writes a value as a literal of its kind.
func LiteralSQL(v value.Value) string {
	switch v.Kind() {
	case value.Null:
		return "NULL"
	case value.Int, value.Uint, value.Float, value.Decimal, value.Bool:
		if !v.IsBits() {
			return value.Text(v)
		}
		return expr.String(expr.NewConst(v))
	case value.Bytes:
		return expr.String(expr.NewConst(v))
	}
	return quoteText(value.Text(v))
}

// PartitionMethod is how a table is partitioned, as information_schema shows it: "RANGE COLUMNS" and "`a`,`b`". The method
// is "" if the table is not partitioned.
func (t *Table) PartitionMethod() (method, expression string) {
	names := func(columns []int) string {
		out := make([]string, len(columns))
		for i, c := range columns {
			out[i] = QuoteName(t.Columns[c].Name)
		}
		return strings.Join(out, ", ")
	}
	switch ps := t.Partitions; {
	case ps != nil:
		method = "RANGE"
		if ps.Kind == PartitionByList {
			method = "LIST"
		}
		if ps.Tuple {
			method += " COLUMNS"
		}
		expression = names(ps.Columns)
		if ps.Func != "" {
			expression = ps.Func + "(" + expression + ")"
		}
	case t.Spread != nil:
		return "KEY", names(t.Spread.Columns)
	}
	return method, expression
}

// Interval is the text of INTERVAL (…); "" if partitions are declared.
func (ps *Partitions) Interval() string {
	if ps.Every == 0 {
		return ""
	}
	return "INTERVAL (" + ps.everyText() + ")"
}

// partitionClause writes PARTITION BY.
func (t *Table) partitionClause() string {
	ps := t.Partitions
	method, expression := t.PartitionMethod()
	s := "PARTITION BY " + method + " (" + expression + ")"
	if ps.Every > 0 {
		return s + " " + ps.Interval()
	}
	if ps.Automatic {
		s += " AUTOMATIC"
	}
	var lines []string
	for _, p := range ps.List {
		if !p.Made {
			lines = append(lines, "\n  PARTITION "+QuoteName(p.Name)+" VALUES "+p.Values)
		}
	}
	if lines == nil {
		return s
	}
	return s + " (" + strings.Join(lines, ",") + "\n)"
}
