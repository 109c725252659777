package tests

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
)

// wild makes a statement of octets: each says what comes next. Where none is left the first choice is taken, which ends.
type wild struct{ octets []byte }

func (w *wild) choose(n int) int {
	if len(w.octets) == 0 {
		return 0
	}
	c := int(w.octets[0])
	w.octets = w.octets[1:]
	return c % n
}

func (w *wild) pick(all ...string) string { return all[w.choose(len(all))] }

func (w *wild) statement() string {
	switch w.choose(10) {
	case 1:
		return "INSERT INTO u (s) " + w.query(3)
	case 2:
		return "UPDATE t SET s = LEFT(" + w.expression(4) + ", 10) WHERE " + w.expression(2)
	case 3:
		return "SET @v = " + w.expression(5)
	case 4:
		return w.query(2) + w.pick(" UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT ") + w.query(2)
	case 5:
		return "WITH r AS " + w.query(3) + " " + strings.ReplaceAll(w.query(2), "FROM t", "FROM t JOIN r")
	default:
		return w.query(4)
	}
}

// query is a SELECT of one column n or s, from t under the name t.
func (w *wild) query(depth int) string {
	var b strings.Builder
	b.WriteString("SELECT ")
	if w.choose(6) == 1 {
		b.WriteString("DISTINCT ")
	}
	grouped := w.choose(4) == 1
	if grouped {
		b.WriteString(w.aggregate(depth))
	} else {
		b.WriteString(w.expression(depth))
	}
	b.WriteString(" AS s FROM t")
	if w.choose(4) == 1 {
		b.WriteString(" JOIN (SELECT n AS m, s AS s2 FROM t) b")
		if w.choose(2) == 1 {
			b.WriteString(" ON " + w.expression(depth-1))
		}
	}
	if w.choose(2) == 1 {
		b.WriteString(" WHERE " + w.expression(depth-1))
	}
	if grouped && w.choose(2) == 1 {
		b.WriteString(" GROUP BY " + w.expression(depth-1))
		if w.choose(3) == 1 {
			b.WriteString(" HAVING " + w.aggregate(1))
		}
	}
	if w.choose(3) == 1 {
		b.WriteString(" ORDER BY " + w.expression(depth-1) + w.pick("", " DESC"))
	}
	if w.choose(3) == 1 {
		b.WriteString(" LIMIT " + w.pick("1", "10", "1000000"))
	}
	return "(" + b.String() + ")"
}

func (w *wild) number() string {
	return w.pick("1", "0", "2", "7", "100", "1000 + t.n", "30000", "1000000", "16000000", "4294967296", "9223372036854775807", "-1", "1.5", "1e300")
}

// expression is one of t, no deeper than depth.
func (w *wild) expression(depth int) string {
	kind := w.choose(12)
	switch {
	case depth <= 0 || kind == 0 || len(w.octets) == 0:
		switch w.choose(5) {
		case 0:
			return w.number()
		case 1:
			return w.pick("t.n", "t.s", "@v", "NULL")
		case 2:
			return w.pick("'x'", "'é'", "'2024-01-31'", "'[1, [2, 3]]'", `'{"a": [1, {"a": 2}]}'`, "'(x+)+y'", "'x{1,100}'", "'%x%'", "'10:00:00'", "'%W %M %Y'")
		case 3:
			return w.pick("'$'", "'$.a'", "'$[*]'", "'$**.a'", "'$.a[last]'", "'one'", "'all'", "','", "'utf8mb4'")
		default:
			return "REPEAT(" + w.pick("t.s", "'[1,'", "'a,'", "'\\''", "'\"'", "'é'", "'(a'") + ", " + w.number() + ")"
		}
	case kind == 1:
		return "(" + w.expression(depth-1) + w.pick(" + ", " * ", " / ", " DIV ", " = ", " < ", " AND ", " OR ", " || ", " LIKE ", " REGEXP ", " MEMBER OF", " | ", " << ") + "(" + w.expression(depth-1) + "))"
	case kind == 2:
		return "CASE " + w.expression(depth-1) + " WHEN " + w.expression(depth-1) + " THEN " + w.expression(depth-1) + " ELSE " + w.expression(depth-1) + " END"
	case kind == 3:
		return "CAST(" + w.expression(depth-1) + " AS " + w.pick("CHAR", "SIGNED", "JSON", "DECIMAL(65, 30)", "BINARY", "DATETIME(6)", "CHAR(200)") + ")"
	case kind == 4:
		return w.expression(depth-1) + w.pick(" IN ", " NOT IN ") + w.query(depth-1)
	case kind == 5:
		return w.query(depth - 1)
	default:
		return w.call(scalars, depth)
	}
}

func (w *wild) aggregate(depth int) string { return w.call(aggregates, depth) }

func (w *wild) call(all []*expr.Function, depth int) string {
	f := all[(w.choose(256)<<8+w.choose(256))%len(all)]
	most := f.Max
	if most < 0 {
		most = f.Min + 4
	}
	args := make([]string, f.Min+w.choose(most-f.Min+1))
	for i := range args {
		args[i] = w.expression(depth - 1)
	}
	return f.Name + "(" + strings.Join(args, ", ") + ")"
}

var scalars, aggregates = callable(expr.Functions()), expr.Aggregates()

// callable leaves out what takes as long as it is told to.
func callable(all []*expr.Function) []*expr.Function {
	var list []*expr.Function
	for _, f := range all {
		switch f.Name {
		case "SLEEP", "BENCHMARK", "GET_LOCK", "INTERVAL": // INTERVAL is also a unit's word
		default:
			list = append(list, f)
		}
	}
	return list
}
