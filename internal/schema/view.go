package schema

import (
	"strings"
	"sync"
)

// View is a query that stands for a table. Names in it are fully qualified, so that it keeps its meaning whatever columns the tables
// get.
type View struct {
	Query   string
	Columns []string // the names of its columns
	// TempTable: it is computed separately, and never merged into the query that names it.
	TempTable  bool
	Check      CheckOption
	Merge      bool // ALGORITHM = MERGE and SQL SECURITY INVOKER were said; neither changes anything
	Invoker    bool
	Updatable  bool // as of its creation
	ANSIQuotes bool // quotes in Query enclose names

	bound boundView
}

// CheckOption says which rows written through a view must be rows of it.
type CheckOption uint8

const (
	Unchecked     CheckOption = iota
	LocalCheck                // of the view itself, and of views below it that check
	CascadedCheck             // of the view and of all below it
)

func (c CheckOption) String() string {
	return [...]string{"NONE", "LOCAL", "CASCADED"}[c]
}

// boundView keeps what the planner makes of Query, for all statements.
type boundView struct {
	once  sync.Once
	query any
	err   error
}

// Bound gives the result of read for the view. read is called once, because a definition does not change.
func (v *View) Bound(read func(*View) (any, error)) (any, error) {
	v.bound.once.Do(func() { v.bound.query, v.bound.err = read(v) })
	return v.bound.query, v.bound.err
}

// clone gives a copy that can be changed.
func (v *View) clone() *View {
	if v == nil {
		return nil
	}
	return &View{Query: v.Query, Columns: v.Columns, TempTable: v.TempTable, Check: v.Check, Merge: v.Merge, Invoker: v.Invoker, Updatable: v.Updatable, ANSIQuotes: v.ANSIQuotes}
}

// IsView says whether the table is a query.
func (t *Table) IsView() bool { return t.View != nil }

// ViewDefiner is the definer of every view: there is one user.
const ViewDefiner = "nearlyfree@localhost"

// CreateViewSQL gives the statement that recreates a view, as SHOW CREATE VIEW prints it.
func CreateViewSQL(t *Table) string {
	v, algorithm, security := t.View, "UNDEFINED", "DEFINER"
	switch {
	case v.Merge:
		algorithm = "MERGE"
	case v.TempTable:
		algorithm = "TEMPTABLE"
	}
	if v.Invoker {
		security = "INVOKER"
	}
	names := make([]string, len(v.Columns))
	for i, name := range v.Columns {
		names[i] = QuoteName(name)
	}
	sql := "CREATE ALGORITHM=" + algorithm + " DEFINER=`nearlyfree`@`localhost` SQL SECURITY " + security + " VIEW " + QuoteName(t.Name) +
		" (" + strings.Join(names, ", ") + ") AS " + v.Query
	if v.Check != Unchecked {
		sql += " WITH " + v.Check.String() + " CHECK OPTION"
	}
	return sql
}
