package planner

import (
	"iter"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// block is one layout of rows: the sources whose values lie side by side in it.
type block struct {
	sources []*source
	width   int
}

// source is a table or a derived table of a block.
type source struct {
	index    int // in block.sources
	name     string
	offset   int // of its values in the block's row
	nullable bool
	used     []bool // by ordinal: what the statement refers to
	forWrite bool   // whole rows with their ETags are wanted
	hold     access.Hold
	keys     *access.IndexChoice

	table   *schema.Table // stored or virtual; nil: derived
	input   *relation
	narrow  narrowing  // of input
	ways    []narrowed // what it gave
	lateral bool       // input is to be read for each row of the sources before it
}

func (k *block) add(s *source, width int) {
	s.index = len(k.sources)
	s.used = make([]bool, width)
	k.sources = append(k.sources, s)
	s.offset = k.width
	k.width += width
}

// keepUsed remembers which columns of the block are used. The returned function forgets those used since.
func (k *block) keepUsed() func() {
	kept := make([][]bool, len(k.sources))
	for i, s := range k.sources {
		kept[i] = append([]bool(nil), s.used...)
	}
	return func() {
		for i := range kept {
			copy(k.sources[i].used, kept[i])
		}
	}
}

// use notes that the statement refers to the columns of n.
func (k *block) use(n expr.Node) {
	expr.Columns(n, func(c *expr.Column) {
		for _, s := range k.sources {
			if i := c.Index - s.offset; c.Level == 0 && i >= 0 && i < len(s.used) {
				s.used[i] = true
			}
		}
	})
}

// need lists the ordinals of s that the statement refers to.
func (s *source) need() []int {
	var need []int
	for i, used := range s.used {
		if used {
			need = append(need, i)
		}
	}
	return need
}

// field is a column that a name may mean.
type field struct {
	name     string
	src      *source
	ordinal  int
	typ      value.Type
	nullable bool
	hidden   bool // found by its name only, not by *
	// computed is what a merged derived table computes from the row; nil: the field is a column of src. The src of a computed field is in no
	// block and only tells it from other fields.
	computed expr.Node
}

// named is a table of FROM under its name. The fields of a derived table that was merged into the block
// lie in the sources beneath it.
type named struct {
	name, database string
	fields         []field
	src            *source // the table itself; nil for a derived table
	merged         *merged // what a derived table is made of that was merged into the block; nil for others
}

// has says whether f is a column of n.
func (n *named) has(f *field) bool {
	return slices.ContainsFunc(n.fields, func(own field) bool { return own.src == f.src && own.ordinal == f.ordinal })
}

// frame is a query level: the query blocks that see the same enclosing rows.
type frame struct {
	correlated bool           // refers to an enclosing query's row
	refs       []*expr.Column // what it refers to; Level 0 is the row of the query around it
}

// refer notes that the level refers to c.
func (f *frame) refer(c *expr.Column) {
	f.correlated = true
	for _, r := range f.refs {
		if r.Index == c.Index && r.Level == c.Level {
			return
		}
	}
	f.refs = append(f.refs, c)
}

// scope is where names are looked up: the tables of one FROM, then the enclosing query's.
type scope struct {
	block   *block
	names   []*named
	fields  []field // what * and a bare name mean; a column merged by USING appears once
	parent  *scope
	sameRow bool // parent's rows and these are parts of one row: a subquery that became a join
	frame   *frame
	grouped *grouping // set while expressions over groups are bound
	outputs []output  // the select list, while HAVING and ORDER BY are bound: their subqueries see its names
}

// keepRefs remembers what is referred to, here and in enclosing queries. The returned function forgets what was added since.
func (s *scope) keepRefs() func() {
	var undo []func()
	for ; s != nil; s = s.parent {
		undo = append(undo, s.block.keepUsed())
		if f := s.frame; f != nil {
			kept := *f
			undo = append(undo, func() { *f = kept })
		}
	}
	return func() {
		for _, u := range undo {
			u()
		}
	}
}

// enclosing is the scope outside of this query level, which a derived table inside it sees.
func (s *scope) enclosing() *scope {
	for s.sameRow {
		s = s.parent
	}
	return s.parent
}

// lookup finds what c means in s alone.
func (s *scope) lookup(c *dialect.Column, clause string) (*field, error) {
	if c.Table != "" {
		return s.lookupQualified(c, clause)
	}
	var found *field
	for i := range s.fields {
		f := &s.fields[i]
		if !strings.EqualFold(f.name, c.Name) {
			continue
		}
		if found != nil && !(found.src == f.src && found.ordinal == f.ordinal) {
			return nil, sqlerr.New(sqlerr.CodeNonUniqueColumn, c.Pos, "Column '%s' in %s is ambiguous", c.Name, clause)
		}
		found = f
	}
	if found != nil {
		return found, nil
	}
	for _, n := range s.names {
		for i := range n.fields {
			f := &n.fields[i]
			if !f.hidden || !strings.EqualFold(f.name, c.Name) {
				continue
			}
			if found != nil {
				return nil, sqlerr.New(sqlerr.CodeNonUniqueColumn, c.Pos, "Column '%s' in %s is ambiguous", c.Name, clause)
			}
			found = f
		}
	}
	return found, nil
}

func (s *scope) lookupQualified(c *dialect.Column, clause string) (*field, error) {
	var found *field
	for _, n := range s.names {
		if !n.is(c.Database, c.Table) {
			continue
		}
		for i := range n.fields {
			f := &n.fields[i]
			if !strings.EqualFold(f.name, c.Name) {
				continue
			}
			if found != nil {
				return nil, sqlerr.New(sqlerr.CodeNonUniqueColumn, c.Pos, "Column '%s' in %s is ambiguous", columnText(c), clause)
			}
			found = f
		}
	}
	return found, nil
}

// is says whether database.name, as written, means n.
func (n *named) is(database, name string) bool {
	return strings.EqualFold(n.name, name) && (database == "" || strings.EqualFold(n.database, database))
}

// named is the table of FROM that a name means; nil: none.
func (s *scope) named(name *dialect.TableName) *named {
	for _, n := range s.names {
		if n.is(name.Database, name.Name) {
			return n
		}
	}
	return nil
}

// nameOf is the table of FROM that has a field.
func (s *scope) nameOf(f *field) *named {
	for _, n := range s.names {
		if n.has(f) {
			return n
		}
	}
	return nil
}

// resolve finds what c means, here or in an enclosing query. A name from outside of this query level makes the level correlated.
func (s *scope) resolve(c *dialect.Column, clause string) (expr.Node, error) {
	level := 0
	for at := s; at != nil; at = at.parent {
		f, err := at.lookup(c, clause)
		if err != nil {
			return nil, err
		}
		if f != nil && f.computed != nil {
			return s.computed(at, level, f, c)
		}
		var col *expr.Column
		if f != nil {
			col = at.column(f)
		} else if level > 0 {
			col = at.output(c)
		}
		if col != nil {
			if level > 0 && at.grouped != nil {
				if col, err = at.grouped.outerColumn(col, c); err != nil {
					return nil, err
				}
			}
			if col.Level = level; level > 0 && f != nil && f.src.name != "" {
				col.Name = f.src.name + "." + f.name // so that it is told apart from the query's own
			}
			s.crossed(at, col)
			return col, nil
		}
		if !at.sameRow {
			level++
		}
	}
	return nil, unknownColumn(c, clause).orNear(s.columnNames(c))
}

// computed is f, which was found in at, so many levels out.
func (s *scope) computed(at *scope, level int, f *field, c *dialect.Column) (expr.Node, error) {
	n := at.value(f)
	if level == 0 {
		return n, nil
	}
	var err error
	outward := func(x expr.Node) expr.Node {
		col, ok := x.(*expr.Column)
		if !ok {
			return x
		}
		out := *col
		out.Level += level
		s.crossed(at, &out)
		return &out
	}
	if g := at.grouped; g != nil {
		if i := g.find(n); i >= 0 {
			return outward(&expr.Column{Index: i, Name: c.Name, T: n.Type(), Nullable: true}), nil
		}
		n = expr.Rewrite(n, func(x expr.Node) expr.Node {
			col, ok := x.(*expr.Column)
			if !ok || col.Level > 0 || err != nil {
				return x
			}
			var group *expr.Column
			if group, err = g.outerColumn(col, c); err != nil {
				return x
			}
			return group
		})
	}
	return expr.Rewrite(n, outward), err
}

// columnNames are the names that c may be a misspelling of: the columns of the tables that it can mean.
func (s *scope) columnNames(c *dialect.Column) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := s; at != nil; at = at.parent {
			for _, n := range at.names {
				if c.Table != "" && !n.is(c.Database, c.Table) {
					continue
				}
				for i := range n.fields {
					if f := &n.fields[i]; !f.hidden && !yield(f.name) {
						return
					}
				}
			}
		}
	}
}

// output is the element of the select list that a bare name in a subquery of HAVING or ORDER BY means; nil if there is none, or if it is neither
// a plain column nor an aggregate.
func (s *scope) output(c *dialect.Column) *expr.Column {
	for _, o := range s.outputs {
		if col, ok := o.node.(*expr.Column); ok && c.Table == "" && col.Level == 0 && col.Index < windowBase && strings.EqualFold(o.name, c.Name) {
			out := *col
			return &out
		}
	}
	return nil
}

// crossed notes col, which was found at another level, in the frames of the levels from s up to that one, exclusive.
func (s *scope) crossed(at *scope, col *expr.Column) {
	level := col.Level
	for ; s != at; s = s.parent {
		if !s.sameRow {
			level--
			ref := *col
			ref.Level = level
			s.frame.refer(&ref)
		}
	}
}

// value is what f holds in a row of s.
func (s *scope) value(f *field) expr.Node {
	if f.computed != nil {
		s.block.use(f.computed)
		return f.computed
	}
	return s.column(f)
}

// column is the bound column of f.
func (s *scope) column(f *field) *expr.Column {
	f.src.used[f.ordinal] = true
	name := f.name
	if len(s.block.sources) > 1 && f.src.name != "" {
		name = f.src.name + "." + name
	}
	return &expr.Column{
		Index:    f.src.offset + f.ordinal,
		Name:     name,
		T:        f.typ,
		Nullable: f.nullable || f.src.nullable,
	}
}
