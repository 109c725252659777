package sqlite

import "fmt"

// source is what FROM names: a table or a query.
type source struct {
	alias   string // "" where columns are named alone
	columns []column
	key     []string // the columns that make a row one; none where nothing does
	indexes [][]int  // ordinals of the columns of its keys and indexes
}

// scope is the names that an expression sees.
type scope struct {
	sources []source
	outer   *scope
}

// alias gives a new one.
func (g *generator) alias() string {
	g.aliases++
	return fmt.Sprintf("x%d", g.aliases)
}

func (s source) column(c column) sql {
	if s.alias == "" {
		return both("%s", c.name)
	}
	return both("%s.%s", s.alias, c.name)
}

// inside runs f with only what s names, or with what is around it too.
func (g *generator) inside(s *scope, f func()) {
	before := g.scope
	g.scope = s
	f()
	g.scope = before
}

// column gives a column of the kind: of the scope, or now and then of one around it.
func (g *generator) column(k kind) (sql, bool) {
	s := g.scope
	if s == nil {
		return sql{}, false
	}
	for s.outer != nil && g.one(3) {
		s = s.outer
	}
	var all []sql
	for _, from := range s.sources {
		for _, c := range from.columns {
			if c.kind == k || k == text && c.kind == word {
				all = append(all, from.column(c))
			}
		}
	}
	if len(all) == 0 {
		return sql{}, false
	}
	return pick(g, all...), true
}

// key gives the columns that make a row of the scope one; nil where there are none.
func (g *generator) key() []sql {
	var all []sql
	for _, from := range g.scope.sources {
		if from.key == nil {
			return nil
		}
		for _, name := range from.key {
			all = append(all, from.column(column{name: name}))
		}
	}
	return all
}

// index picks a key or an index of the scope: the ordinals of its columns, none where there is no such one.
func (g *generator) index() (source, []int) {
	if len(g.scope.sources) == 0 {
		return source{}, nil
	}
	from := pick(g, g.scope.sources...)
	if len(from.indexes) == 0 {
		return from, nil
	}
	return from, pick(g, from.indexes...)
}
