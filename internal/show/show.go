// Package show makes the tables that tell of definitions: what SHOW and DESCRIBE give, and information_schema.
package show

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Result gives the result of SHOW or DESCRIBE as a table; LIKE is applied, WHERE is left to the caller. given are the rows of SHOW VARIABLES,
// STATUS, PROCESSLIST, WARNINGS and ERRORS, which only the session knows.
func Result(ctx context.Context, s Seen, show *dialect.Show, given [][]value.Value) (*schema.Table, error) {
	if show.Like != nil && show.What == "databases" {
		return s.showDatabases(ctx, *show.Like)
	}
	v, err := s.result(ctx, show, given)
	if err != nil {
		return nil, err
	}
	if show.Like != nil {
		if err := v.like(*show.Like); err != nil {
			return nil, err
		}
	}
	return v.done()
}

// like keeps the rows whose first column is like pattern, ignoring case.
func (v *virtual) like(pattern string) error {
	match, err := matching(pattern)
	if err != nil {
		return err
	}
	var kept [][]value.Value
	for _, row := range v.rows {
		ok, err := match(row[0])
		if err != nil {
			return err
		}
		if ok {
			kept = append(kept, row)
		}
	}
	v.rows = kept
	return nil
}

// matching gives a function that says whether a value is like pattern, ignoring case.
func matching(pattern string) (func(value.Value) (bool, error), error) {
	text := value.Type{Base: value.TypeText, Collation: value.NoCase}
	n, err := expr.NewLike(&expr.Column{Index: 0, T: text}, expr.NewConst(value.FromString(pattern)), '\\', false)
	if err != nil {
		return nil, err
	}
	match := expr.CompileCond(n)
	return func(v value.Value) (bool, error) { return match(&expr.Env{Row: []value.Value{v}}) }, nil
}

func (s Seen) result(ctx context.Context, show *dialect.Show, given [][]value.Value) (*virtual, error) {
	switch show.What {
	case "tables", "columns", "index", "create table", "create view", "table status":
		return s.ofDatabase(ctx, show)
	case "create database":
		return s.showCreateDatabase(ctx, show.From)
	case "databases":
		return s.allDatabases(ctx, anyName)
	case "variables":
		v := newVirtual("variables", "Variable_name", "Value")
		v.rows = given
		return v, nil
	case "status":
		v := newVirtual("status", "Variable_name", "Value")
		v.rows = given
		return v, nil
	case "warnings", "errors":
		v := newVirtual("warnings", "Level", "Code#", "Message")
		v.rows = given
		return v, nil
	case "count warnings", "count errors":
		v := newVirtual("warnings", "@@session."+strings.TrimSuffix(strings.TrimPrefix(show.What, "count "), "s")+"_count#")
		v.rows = given
		return v, nil
	case "engines":
		v := newVirtual("engines", "Engine", "Support", "Comment", "Transactions", "XA", "Savepoints")
		v.add(engineName, "DEFAULT", "Tables of Azure Table Storage", "YES", "NO", "YES")
		return v, nil
	case "collation":
		v := newVirtual("collation", "Collation", "Charset", "Id#", "Default", "Compiled", "Sortlen#", "Pad_attribute")
		addCollations(v, s.Standard)
		return v, nil
	case "charset", "character set":
		v := newVirtual("charset", "Charset", "Description", "Default collation", "Maxlen#")
		v.add("utf8mb4", "UTF-8 Unicode", s.Standard.String(), 4)
		return v, nil
	case "triggers", "events", "procedure status", "function status", "plugins", "open tables":
		return s.nothing(ctx, show.What, cmp.Or(show.From, s.Database))
	case "grants":
		return showGrants(show.From)
	case "processlist":
		v := newVirtual("processlist", "Id#", "User", "Host", "db", "Command", "Time#", "State", "Info")
		v.rows = given
		return v, nil
	}
	return nil, sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "SHOW %s is not supported", strings.ToUpper(show.What))
}

// ofDatabase gives what SHOW tells about one database: the one after FROM, or the table's.
func (s Seen) ofDatabase(ctx context.Context, show *dialect.Show) (v *virtual, err error) {
	database := cmp.Or(show.From, show.Table.Database, s.Database)
	switch {
	case database == "":
		return nil, ErrNoDatabase()
	case IsVirtual(database):
		return s.ofVirtual(ctx, show, database)
	}
	var snapshot *catalog.Snapshot
	if show.Table.Name != "" {
		snapshot, err = s.Temporary(ctx, database, show.Table.Name)
	}
	if snapshot == nil && err == nil {
		snapshot, err = s.Snapshot(ctx, database)
	}
	if err != nil {
		return nil, err
	}
	err = snapshot.Catalog().With(ctx, func(now *catalog.Snapshot) error {
		switch show.What {
		case "tables":
			v, err = s.showTables(ctx, now, show.Full)
		case "columns":
			v, err = s.showColumns(ctx, now, show)
		case "index":
			v, err = showIndex(ctx, now, show)
		case "table status":
			v, err = showTableStatus(ctx, now)
		default:
			v, err = s.showCreate(ctx, now, show)
		}
		return err
	})
	return v, err
}

func (s Seen) showTables(ctx context.Context, now *catalog.Snapshot, full bool) (*virtual, error) {
	tables, err := now.Everything(ctx)
	if err != nil {
		return nil, err
	}
	columns := []string{"Tables_in_" + s.Name(now)}
	if full {
		columns = append(columns, "Table_type")
	}
	v := newVirtual("tables", columns...)
	for _, t := range tables {
		if full {
			v.add(t.Name, tableType(t))
		} else {
			v.add(t.Name)
		}
	}
	return v, nil
}

// tableType is what SHOW FULL TABLES and information_schema call a table or a view.
func tableType(t *schema.Table) string {
	switch {
	case t.IsView():
		return "VIEW"
	case t.Virtual != nil:
		return "SYSTEM VIEW"
	}
	return "BASE TABLE"
}

func (s Seen) showColumns(ctx context.Context, now *catalog.Snapshot, show *dialect.Show) (*virtual, error) {
	t, err := now.Find(ctx, show.Table.Name)
	if err != nil {
		return nil, err
	}
	if t, err = withColumns(t, Visible(ctx, s)); err != nil {
		return nil, err
	}
	return columnsOf(t, show.Full)
}

// columnsOf is SHOW COLUMNS of a table.
func columnsOf(t *schema.Table, full bool) (*virtual, error) {
	columns := []string{"Field", "Type", "Null", "Key", "Default", "Extra"}
	if full {
		columns = []string{"Field", "Type", "Collation", "Null", "Key", "Default", "Extra", "Privileges", "Comment"}
	}
	v := newVirtual("columns", columns...)
	shown, err := shownColumns(t)
	if err != nil {
		return nil, err
	}
	for _, c := range shown {
		if full {
			v.add(c.Name, c.kind, collationName(c.Type), !c.NotNull, c.key, c.byDefault, c.extra, c.privileges, c.Comment)
		} else {
			v.add(c.Name, c.kind, !c.NotNull, c.key, c.byDefault, c.extra)
		}
	}
	return v, nil
}

// indexPart is one line of SHOW INDEX and of STATISTICS.
type indexPart struct {
	name    string
	unique  bool
	seq     int
	column  *schema.Column
	part    schema.KeyColumn
	state   string
	comment string
	global  bool

	cardinality any // NULL without ANALYZE TABLE
}

// indexParts gives the columns of all keys of t, the primary key first.
func indexParts(t *schema.Table) []indexPart {
	var parts []indexPart
	add := func(name string, unique bool, key []schema.KeyColumn, state, comment string, global bool) {
		for i, p := range key {
			if c := t.Columns[p.Column]; c.Listed() {
				var cardinality any
				if n, known := t.Cardinality(key, i+1, unique); known {
					cardinality = int64(n)
				}
				parts = append(parts, indexPart{name, unique, i + 1, c, p, state, comment, global, cardinality})
			}
		}
	}
	add("PRIMARY", true, t.Key, "", "", false)
	for _, ix := range t.Indexes {
		state := ""
		switch ix.State {
		case schema.DeleteOnly:
			state = "delete-only: being built or dropped, rows add no entries"
		case schema.WriteOnly:
			state = "write-only: being filled, not read yet"
		}
		comment := ix.Comment
		if ix.Child != "" {
			comment = "stored parent copies, among the rows of " + ix.Child
		}
		add(ix.Name, ix.Unique, ix.Key, state, comment, ix.Global > 0)
	}
	return parts
}

func (p *indexPart) collation() string {
	if p.part.Desc {
		return "D"
	}
	return "A"
}

func (p *indexPart) subPart() any {
	if p.part.Prefix == 0 {
		return nil
	}
	return p.part.Prefix
}

func (p *indexPart) null() string {
	if p.column.NotNull {
		return ""
	}
	return "YES"
}

func nonUnique(unique bool) int {
	if unique {
		return 0
	}
	return 1
}

func showIndex(ctx context.Context, s *catalog.Snapshot, show *dialect.Show) (*virtual, error) {
	t, err := s.Find(ctx, show.Table.Name)
	if err != nil {
		return nil, err
	}
	v := newVirtual("index", "Table", "Non_unique#", "Key_name", "Seq_in_index#", "Column_name", "Collation", "Cardinality#",
		"Sub_part#", "Packed", "Null", "Index_type", "Comment", "Index_comment", "Visible", "Expression")
	note := ""
	if slices.ContainsFunc(t.Indexes, func(ix *schema.Index) bool { return ix.State != schema.Public }) {
		rows, ok, err := s.Progress(ctx, t)
		if err != nil {
			return nil, err
		}
		if ok {
			note = ", " + sqlerr.Count(int(rows), "row") + " so far"
		}
	}
	for _, p := range indexParts(t) {
		if p.state != "" {
			p.state += note
		}
		v.add(t.Name, nonUnique(p.unique), p.name, p.seq, p.column.Name, p.collation(), p.cardinality, p.subPart(), nil, p.null(), "BTREE", p.state, p.comment, "YES", nil)
	}
	return v, nil
}

func (s Seen) showCreate(ctx context.Context, now *catalog.Snapshot, show *dialect.Show) (*virtual, error) {
	t, err := now.Find(ctx, show.Table.Name)
	if err != nil {
		return nil, err
	}
	if t.IsUndeclared() {
		return nil, sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "SHOW CREATE TABLE of '%s', which has no definition, is not supported: DESCRIBE shows what its entities have", t.Name)
	}
	if t.IsView() {
		v := newVirtual("create view", "View", "Create View", "character_set_client", "collation_connection")
		v.add(t.Name, schema.CreateViewSQL(t), "utf8mb4", t.Collation.String())
		return v, nil
	}
	if show.What == "create view" {
		return nil, sqlerr.New(sqlerr.CodeWrongObject, sqlerr.NoPos, "'%s.%s' is not VIEW", s.Name(now), t.Name)
	}
	v := newVirtual("create table", "Table", "Create Table")
	v.add(t.Name, schema.CreateTableSQL(t))
	return v, nil
}
