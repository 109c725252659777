package expr

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func textAggregates() map[string]*aggregateFunction {
	return map[string]*aggregateFunction{
		"GROUP_CONCAT": {signature: "([DISTINCT] x, … [ORDER BY …] [SEPARATOR text])", doc: "The texts joined, with commas unless SEPARATOR says otherwise; never cut.",
			min: 1, max: 64, typ: func(args []Node) value.Type {
				t := textLike(typesOf(args)...)
				if !t.IsOctets() {
					t.Base = value.TypeText
				}
				return t
			}, gather: newGroupConcat},
		"JSON_ARRAYAGG": {signature: "(x)", doc: "The values as a JSON array, NULL as null; NULL for no rows.", min: 1, max: 1, nulls: true,
			typ: fixed(jsonType), gather: func(*Aggregate) accumulator { return &arrayAgg{} }},
		"JSON_OBJECTAGG": {signature: "(key, x)", doc: "The values as a JSON object; the last value of a key wins. NULL for no rows.", min: 2, max: 2, nulls: true,
			typ: fixed(jsonType), gather: func(*Aggregate) accumulator { return &objectAgg{} }},
	}
}

// groupConcat joins texts; with ORDER BY it keeps the rows until the end.
type groupConcat struct {
	args       int
	separator  string
	order      []AggOrder
	collations []value.Collation
	buf        []byte
	rows       [][]value.Value
	held       int
	any        bool
	octets     bool
}

func newGroupConcat(a *Aggregate) accumulator {
	g := &groupConcat{args: len(a.Args), separator: a.Separator, order: a.OrderBy}
	for _, o := range a.OrderBy {
		g.collations = append(g.collations, CollationOf(o.X))
	}
	return g
}

func (g *groupConcat) add(args []value.Value) error {
	if len(g.order) == 0 {
		return g.join(args)
	}
	row := slices.Clone(args)
	for _, v := range row {
		g.held += valueSize + len(v.Text())
	}
	if g.held > 4*MaxText {
		return &TooLongError{"GROUP_CONCAT"}
	}
	g.rows = append(g.rows, row)
	return nil
}

func (g *groupConcat) join(row []value.Value) error {
	if g.any {
		g.buf = append(g.buf, g.separator...)
	}
	g.any = true
	for _, v := range row[:g.args] {
		g.octets = g.octets || v.Kind() == value.Bytes || v.IsBits()
		g.buf = value.AppendText(g.buf, v)
	}
	if len(g.buf) > MaxText {
		return &TooLongError{"GROUP_CONCAT"}
	}
	return nil
}

func (g *groupConcat) result() (value.Value, error) {
	if len(g.order) > 0 {
		g.buf, g.any = g.buf[:0], false
		slices.SortStableFunc(g.rows, g.compare)
		for _, row := range g.rows {
			if err := g.join(row); err != nil {
				return value.NullValue, err
			}
		}
	}
	if !g.any {
		return value.NullValue, nil
	}
	return chars{octets: g.octets}.value(string(g.buf)), nil
}

func (g *groupConcat) compare(a, b []value.Value) int {
	for i, o := range g.order {
		if c := value.Order(a[g.args+i], b[g.args+i], g.collations[i]); c != 0 {
			if o.Desc {
				return -c
			}
			return c
		}
	}
	return 0
}

func (g *groupConcat) size() int { return g.held + cap(g.buf) }

type arrayAgg struct {
	array *value.JSONArray // nil: of no rows
	held  int
}

func (a *arrayAgg) add(args []value.Value) error {
	e, err := element("JSON_ARRAYAGG", args, 0)
	if err != nil {
		return err
	}
	if a.held += 2*valueSize + len(args[0].Text()); a.held > 4*MaxText {
		return &TooLongError{"JSON_ARRAYAGG"}
	}
	if a.array == nil {
		a.array = &value.JSONArray{}
	}
	a.array.Items = append(a.array.Items, e)
	return nil
}

func (a *arrayAgg) result() (value.Value, error) {
	if a.array == nil {
		return value.NullValue, nil
	}
	return documentValue("JSON_ARRAYAGG", &value.Document{Array: a.array})
}

func (a *arrayAgg) size() int { return a.held }

type objectAgg struct {
	object *value.JSONObject // nil: of no rows
	held   int
}

func (o *objectAgg) add(args []value.Value) error {
	if args[0].IsNull() {
		return errNullKey
	}
	e, err := element("JSON_OBJECTAGG", args, 1)
	if err != nil {
		return err
	}
	if o.object == nil {
		o.object = &value.JSONObject{}
	}
	if o.held += mapEntry + len(args[0].Text()) + len(args[1].Text()); o.held > 4*MaxText {
		return &TooLongError{"JSON_OBJECTAGG"}
	}
	o.object.Add(value.Text(args[0]), e)
	return nil
}

func (o *objectAgg) result() (value.Value, error) {
	if o.object == nil {
		return value.NullValue, nil
	}
	o.object.Arrange()
	return documentValue("JSON_OBJECTAGG", &value.Document{Object: o.object})
}

func (o *objectAgg) size() int { return o.held }
