package expr

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// JSONTable is JSON_TABLE(X, path COLUMNS (…)): rows made of the elements that a path leads to.
type JSONTable struct {
	Name string // its alias
	X    Node
	rows jsonRows
}

// JSONColumnKind says what a column of JSON_TABLE holds.
type JSONColumnKind uint8

const (
	JSONPathColumn   JSONColumnKind = iota // what a path leads to
	JSONExistsColumn                       // whether it leads anywhere
	JSONOrdinality                         // the number of the row
	JSONNested                             // further rows, of each element that a path leads to
)

// JSONColumn is one element of COLUMNS (…).
type JSONColumn struct {
	Name             string
	Kind             JSONColumnKind
	T                value.Type
	Path             string
	OnEmpty, OnError JSONInstead
	Columns          []JSONColumn // of JSONNested
}

// JSONInstead is what a column holds if it has no value: NULL, a DEFAULT, or an error.
type JSONInstead struct {
	Error   bool
	Default *string // a document
}

// jsonRows is the rows of the elements that a path leads to.
type jsonRows struct {
	path    jsonPath
	columns []jsonColumn
}

type jsonColumn struct {
	JSONColumn
	at             int // in the row
	path           jsonPath
	empty, failing *value.Document // DEFAULTs
	nested         *jsonRows
}

// NewJSONTable makes a JSON_TABLE. Its rows have the columns in the order of the text, with nested columns in their place.
func NewJSONTable(name string, x Node, path string, columns []JSONColumn) (*JSONTable, error) {
	t := &JSONTable{Name: name, X: x}
	width := 0
	return t, t.rows.init(path, columns, &width)
}

// Columns gives the columns of the rows.
func (t *JSONTable) Columns() []JSONColumn { return t.rows.list(nil) }

func (r *jsonRows) list(out []JSONColumn) []JSONColumn {
	for i := range r.columns {
		if c := &r.columns[i]; c.nested != nil {
			out = c.nested.list(out)
		} else {
			out = append(out, c.JSONColumn)
		}
	}
	return out
}

func (r *jsonRows) init(path string, columns []JSONColumn, width *int) (err error) {
	if r.path, err = parsePath(path); err != nil {
		return err
	}
	r.columns = make([]jsonColumn, len(columns))
	for i := range columns {
		c := &r.columns[i]
		c.JSONColumn = columns[i]
		if c.Kind == JSONNested {
			c.nested = &jsonRows{}
			if err := c.nested.init(c.Path, c.Columns, width); err != nil {
				return err
			}
			continue
		}
		c.at = *width
		*width++
		if c.Kind == JSONOrdinality {
			continue
		}
		if c.path, err = parsePath(c.Path); err != nil {
			return err
		}
		if c.empty, err = c.instead(c.OnEmpty); err != nil {
			return err
		}
		if c.failing, err = c.instead(c.OnError); err != nil {
			return err
		}
	}
	return nil
}

// instead reads a DEFAULT.
func (c *jsonColumn) instead(i JSONInstead) (*value.Document, error) {
	if i.Default == nil {
		return nil, nil
	}
	d, err := value.ParseJSON(*i.Default)
	if err != nil || !d.IsScalar() && c.T.Base != value.TypeJSON {
		return nil, sqlerr.New(sqlerr.CodeInvalidDefault, sqlerr.NoPos, "Invalid default value for '%s': DEFAULT of JSON_TABLE takes a text that is JSON, such as '\"a\"' or '1'", c.Name)
	}
	return &d, nil
}

// Compile gives the function that makes the rows of one document. Each row is valid until the next.
func (t *JSONTable) Compile() func(env *Env, emit func(row []value.Value) error) error {
	x := compileElement(t.X)
	width := len(t.Columns())
	return func(env *Env, emit func(row []value.Value) error) error {
		v, err := x(env)
		if err != nil || v.IsNull() {
			return err
		}
		d, err := documentOf("JSON_TABLE", []value.Value{v}, 0)
		if err != nil {
			return err
		}
		f := &jsonFill{t: t, env: env, row: make([]value.Value, width)}
		return f.rows(&t.rows, &d, func() error { return emit(f.row) })
	}
}

// jsonFill makes rows of a document.
type jsonFill struct {
	t   *JSONTable
	env *Env
	row []value.Value
}

// rows puts each element that a path leads to into its columns, and calls done for each row of it.
func (f *jsonFill) rows(r *jsonRows, d *value.Document, done func() error) error {
	for n, at := range r.path.lookup(d) {
		nested := false
		for i := range r.columns {
			c := &r.columns[i]
			var err error
			switch {
			case c.nested != nil:
				f.clear(c.nested)
			case c.Kind == JSONOrdinality:
				f.row[c.at] = value.FromInt(int64(n) + 1)
			default:
				f.row[c.at], err = f.value(c, at.d)
			}
			if err != nil {
				return err
			}
		}
		for i := range r.columns {
			c := &r.columns[i]
			if c.nested == nil {
				continue
			}
			err := f.rows(c.nested, at.d, func() error {
				nested = true
				return done()
			})
			if err != nil {
				return err
			}
			f.clear(c.nested)
		}
		if !nested {
			if err := done(); err != nil {
				return err
			}
		}
	}
	return nil
}

// clear makes the columns of nested rows NULL.
func (f *jsonFill) clear(r *jsonRows) {
	for i := range r.columns {
		if c := &r.columns[i]; c.nested != nil {
			f.clear(c.nested)
		} else {
			f.row[c.at] = value.NullValue
		}
	}
}

// value gives a column's value of an element.
func (f *jsonFill) value(c *jsonColumn, d *value.Document) (value.Value, error) {
	found := c.path.lookup(d)
	if c.Kind == JSONExistsColumn {
		exists := int64(0)
		if len(found) > 0 {
			exists = 1
		}
		v, _, err := f.env.Store(c.T, value.FromInt(exists))
		return v, err
	}
	switch len(found) {
	case 0:
		if c.OnEmpty.Error {
			return value.NullValue, sqlerr.New(sqlerr.CodeJSONTableMissing, sqlerr.NoPos, "Missing value for JSON_TABLE column '%s'", c.Name)
		}
		if c.empty == nil {
			return value.NullValue, nil
		}
		return f.stored(c, c.empty)
	case 1:
		d = found[0].d
	default:
		all := &value.JSONArray{}
		for _, at := range found {
			all.Items = append(all.Items, *at.d)
		}
		d = &value.Document{Array: all}
	}
	v, err := f.stored(c, d)
	switch {
	case err == nil || c.OnError.Error:
		return v, err
	case c.failing != nil:
		return f.stored(c, c.failing)
	}
	return value.NullValue, nil
}

// stored is a document as a value of the column's type.
func (f *jsonFill) stored(c *jsonColumn, d *value.Document) (value.Value, error) {
	switch {
	case c.T.Base == value.TypeJSON:
		return documentValue("JSON_TABLE", d)
	case !d.IsScalar():
		return value.NullValue, sqlerr.New(sqlerr.CodeJSONTableScalar, sqlerr.NoPos, "Can't store an array or an object in the scalar column '%s' of JSON_TABLE '%s'.", c.Name, f.t.Name)
	case d.Scalar.IsNull():
		return value.NullValue, nil
	}
	v := d.Scalar
	if c.T.IsText() {
		text, _ := d.JSON(MaxText)
		var err error
		if v, err = evalJSONUnquote(nil, []value.Value{text}); err != nil {
			return v, err
		}
	}
	out, _, err := f.env.Store(c.T, v)
	if err != nil {
		return value.NullValue, sqlerr.New(sqlerr.CodeJSONTableRange, sqlerr.NoPos, "Value is out of range for JSON_TABLE's column '%s'", c.Name)
	}
	return out, nil
}

// String is the table as EXPLAIN shows it.
func (t *JSONTable) String() string {
	columns := t.Columns()
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Name
	}
	return String(t.X) + "  columns " + strings.Join(names, ", ")
}
