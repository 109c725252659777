package show

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// informationSchemaTable gives a table of information_schema, made from the definitions of the databases that the statement asks for. Its
// columns are those of MySQL 5.7 that clients use. https://dev.mysql.com/doc/refman/5.7/en/information-schema.html
func (s Seen) informationSchemaTable(name string) (*schema.Table, error) {
	upper := strings.ToUpper(name)
	var v *virtual
	var rows func(ctx context.Context, of schema.Wanted) ([][]value.Value, error)
	switch build := informationSchema[upper]; {
	case upper == "SCHEMATA":
		v, rows = infoSchemata(nil), func(ctx context.Context, of schema.Wanted) ([][]value.Value, error) {
			all, err := s.databases(ctx, of)
			return infoSchemata(all).rows, err
		}
	case upper == "COLLATIONS":
		v = infoCollations(s.Standard)
	case build == nil:
		return nil, &schema.NoTableError{Database: InformationSchema, Name: name}
	case slices.Contains(aboutNothing, upper):
		v = build("", nil)
	default:
		v, rows = build("", nil), func(ctx context.Context, of schema.Wanted) ([][]value.Value, error) {
			return s.rowsOf(ctx, upper, build, of)
		}
	}
	v.table.Database = InformationSchema
	for i, c := range v.table.Columns {
		if slices.Contains(databaseColumns, c.Name) {
			v.table.DatabaseColumns = append(v.table.DatabaseColumns, i)
		}
	}
	t, err := v.done()
	if rows != nil {
		t.Virtual = rows
	}
	return t, err
}

// databaseColumns name the database that a row is about. REFERENCED_TABLE_SCHEMA is not among them: it is NULL if nothing is referred to.
var databaseColumns = []string{"SCHEMA_NAME", "TABLE_SCHEMA", "INDEX_SCHEMA", "CONSTRAINT_SCHEMA", "UNIQUE_CONSTRAINT_SCHEMA"}

// aboutNothing are the tables that do not depend on what is defined.
var aboutNothing = []string{"ENGINES", "ROUTINES", "PARAMETERS", "TRIGGERS", "EVENTS"}

// aboutOwn are the tables that also describe information_schema itself.
var aboutOwn = []string{"TABLES", "COLUMNS"}

// ofOwn makes the rows of a table that describe information_schema itself.
func (s Seen) ofOwn(ctx context.Context, build func(string, []*schema.Table) *virtual, of schema.Wanted) ([][]value.Value, error) {
	if ok, err := wants(of, InformationSchema); !ok {
		return nil, err
	}
	var own []*schema.Table
	for _, name := range virtualTables(InformationSchema) {
		t, err := Visible(ctx, s).Table(InformationSchema, name)
		if err != nil {
			return nil, err
		}
		own = append(own, t)
	}
	v := build(InformationSchema, own)
	return v.rows, v.err
}

// wants says whether a statement asks about a database.
func wants(of schema.Wanted, name string) (bool, error) {
	if of.Names != nil && !slices.ContainsFunc(of.Names, func(n string) bool { return strings.EqualFold(n, name) }) {
		return false, nil
	}
	return of.Pass(name)
}

// databases are those that a statement asks about, information_schema first.
func (s Seen) databases(ctx context.Context, of schema.Wanted) ([]Database, error) {
	pass := func(name string) (bool, error) { return wants(of, name) }
	all, err := s.Databases(ctx, pass)
	if err != nil {
		return nil, err
	}
	ok, err := pass(InformationSchema)
	if ok {
		all = append([]Database{{InformationSchema, value.Binary}}, all...)
	}
	return all, err
}

// rowsOf makes the rows of a table that describes the definitions of databases.
func (s Seen) rowsOf(ctx context.Context, name string, build func(string, []*schema.Table) *virtual, of schema.Wanted) (rows [][]value.Value, err error) {
	s.Source = s.Now()
	if slices.Contains(aboutOwn, name) {
		if rows, err = s.ofOwn(ctx, build, of); err != nil {
			return nil, err
		}
	}
	var names []string
	if of.Names != nil {
		for _, n := range of.Names {
			if !IsVirtual(n) && !slices.ContainsFunc(names, func(other string) bool { return strings.EqualFold(other, n) }) {
				names = append(names, n)
			}
		}
		slices.Sort(names)
	} else {
		all, err := s.Databases(ctx, of.Pass)
		if err != nil {
			return nil, err
		}
		for _, d := range all {
			names = append(names, d.Name)
		}
	}
	for _, n := range names {
		snapshot, err := s.Snapshot(ctx, n)
		var none *schema.NoDatabaseError
		if errors.As(err, &none) {
			continue // it is gone since
		}
		if err != nil {
			return nil, err
		}
		err = snapshot.Catalog().With(ctx, func(now *catalog.Snapshot) error {
			tables, err := s.tables(ctx, now, name)
			if catalog.IsMoved(err) {
				s.Forget()
			}
			if err != nil {
				return err
			}
			var v *virtual
			if name == "TABLES" {
				v, err = infoTablesOf(ctx, now, s.Name(now), tables)
			} else {
				v = build(s.Name(now), tables)
				err = v.err
			}
			if err == nil {
				rows = append(rows, v.rows...)
			}
			return err
		})
		if err != nil && !errors.As(err, &none) {
			return nil, err
		}
	}
	return rows, nil
}

// tables gives the tables of a database that a table of information_schema describes.
func (s Seen) tables(ctx context.Context, now *catalog.Snapshot, name string) ([]*schema.Table, error) {
	switch name {
	case "TABLES", "STATISTICS", "TABLE_CONSTRAINTS", "KEY_COLUMN_USAGE", "PARTITIONS":
		return now.Everything(ctx)
	case "COLUMNS":
		tables, err := now.Seen(ctx)
		if err != nil {
			return nil, err
		}
		return allWithColumns(tables, Visible(ctx, s))
	}
	own, err := now.Tables(ctx)
	if err == nil && name == "REFERENTIAL_CONSTRAINTS" {
		return s.withParents(ctx, own)
	}
	return own, err
}

// withParents also gives the tables of other databases that foreign keys of the given ones refer to.
func (s Seen) withParents(ctx context.Context, own []*schema.Table) ([]*schema.Table, error) {
	all, known := slices.Clip(own), map[string]bool{}
	for _, t := range own {
		for k := range t.AllForeignKeys() {
			if k.To().IsOwn() || known[t.Beside(k.To())] {
				continue
			}
			known[t.Beside(k.To())] = true
			from, err := s.Snapshot(ctx, k.Database)
			var none *schema.NoDatabaseError
			if errors.As(err, &none) {
				continue
			}
			if err != nil {
				return nil, err
			}
			parent, err := from.Table(ctx, k.Parent)
			var missing *schema.NoTableError
			if errors.As(err, &missing) {
				continue
			}
			if err != nil {
				return nil, err
			}
			all = append(all, parent)
		}
	}
	return all, nil
}

var informationSchema = map[string]func(database string, tables []*schema.Table) *virtual{
	"TABLES":                  infoTables,
	"COLUMNS":                 infoColumns,
	"STATISTICS":              infoStatistics,
	"TABLE_CONSTRAINTS":       infoConstraints,
	"KEY_COLUMN_USAGE":        infoKeyColumns,
	"ENGINES":                 infoEngines,
	"REFERENTIAL_CONSTRAINTS": infoReferences,
	"PARTITIONS":              infoPartitions,
	"CHECK_CONSTRAINTS":       infoChecks,
	"VIEWS":                   infoViews,
	"ROUTINES": empty("ROUTINES", "SPECIFIC_NAME", "ROUTINE_CATALOG", "ROUTINE_SCHEMA", "ROUTINE_NAME", "ROUTINE_TYPE", "DATA_TYPE", "CHARACTER_MAXIMUM_LENGTH#",
		"CHARACTER_OCTET_LENGTH#", "NUMERIC_PRECISION#", "NUMERIC_SCALE#", "DATETIME_PRECISION#", "CHARACTER_SET_NAME", "COLLATION_NAME", "DTD_IDENTIFIER",
		"ROUTINE_BODY", "ROUTINE_DEFINITION", "EXTERNAL_NAME", "EXTERNAL_LANGUAGE", "PARAMETER_STYLE", "IS_DETERMINISTIC", "SQL_DATA_ACCESS", "SQL_PATH",
		"SECURITY_TYPE", "CREATED@", "LAST_ALTERED@", "SQL_MODE", "ROUTINE_COMMENT", "DEFINER", "CHARACTER_SET_CLIENT", "COLLATION_CONNECTION", "DATABASE_COLLATION"),
	"PARAMETERS": empty("PARAMETERS", "SPECIFIC_CATALOG", "SPECIFIC_SCHEMA", "SPECIFIC_NAME", "ORDINAL_POSITION#", "PARAMETER_MODE", "PARAMETER_NAME", "DATA_TYPE",
		"CHARACTER_MAXIMUM_LENGTH#", "CHARACTER_OCTET_LENGTH#", "NUMERIC_PRECISION#", "NUMERIC_SCALE#", "DATETIME_PRECISION#", "CHARACTER_SET_NAME",
		"COLLATION_NAME", "DTD_IDENTIFIER", "ROUTINE_TYPE"),
	"TRIGGERS": empty("TRIGGERS", "TRIGGER_CATALOG", "TRIGGER_SCHEMA", "TRIGGER_NAME", "EVENT_MANIPULATION", "EVENT_OBJECT_CATALOG", "EVENT_OBJECT_SCHEMA",
		"EVENT_OBJECT_TABLE", "ACTION_ORDER#", "ACTION_CONDITION", "ACTION_STATEMENT", "ACTION_ORIENTATION", "ACTION_TIMING", "ACTION_REFERENCE_OLD_TABLE",
		"ACTION_REFERENCE_NEW_TABLE", "ACTION_REFERENCE_OLD_ROW", "ACTION_REFERENCE_NEW_ROW", "CREATED@", "SQL_MODE", "DEFINER", "CHARACTER_SET_CLIENT",
		"COLLATION_CONNECTION", "DATABASE_COLLATION"),
	"EVENTS": empty("EVENTS", "EVENT_CATALOG", "EVENT_SCHEMA", "EVENT_NAME", "DEFINER", "TIME_ZONE", "EVENT_BODY", "EVENT_DEFINITION", "EVENT_TYPE",
		"EXECUTE_AT@", "INTERVAL_VALUE", "INTERVAL_FIELD", "SQL_MODE", "STARTS@", "ENDS@", "STATUS", "ON_COMPLETION", "CREATED@", "LAST_ALTERED@",
		"LAST_EXECUTED@", "EVENT_COMMENT", "ORIGINATOR#", "CHARACTER_SET_CLIENT", "COLLATION_CONNECTION", "DATABASE_COLLATION"),
}

func empty(name string, columns ...string) func(string, []*schema.Table) *virtual {
	return func(string, []*schema.Table) *virtual { return newVirtual(name, columns...) }
}

func infoSchemata(all []Database) *virtual {
	v := newVirtual("SCHEMATA", "CATALOG_NAME", "SCHEMA_NAME", "DEFAULT_CHARACTER_SET_NAME", "DEFAULT_COLLATION_NAME", "SQL_PATH")
	for _, d := range all {
		v.add("def", d.Name, "utf8mb4", d.Collation.String(), nil)
	}
	return v
}

// infoPartitions has a line for each partition. TABLESPACE_NAME is its physical table.
func infoPartitions(database string, tables []*schema.Table) *virtual {
	v := newVirtual("PARTITIONS", "TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "PARTITION_NAME", "SUBPARTITION_NAME", "PARTITION_ORDINAL_POSITION#",
		"PARTITION_METHOD", "PARTITION_EXPRESSION", "PARTITION_DESCRIPTION", "TABLE_ROWS#", "TABLESPACE_NAME")
	for _, t := range tables {
		if t.IsView() {
			continue
		}
		method, expression := t.PartitionMethod()
		if !t.IsDivided() {
			if method == "" {
				v.add("def", database, t.Name, nil, nil, nil, nil, nil, nil, nil, t.Physical)
			} else {
				v.add("def", database, t.Name, nil, nil, nil, method, expression, nil, nil, t.Physical)
			}
			continue
		}
		for i, p := range t.Partitions.List {
			description := p.Values
			if description == "" {
				description = t.Partitions.Interval()
			}
			v.add("def", database, t.Name, p.Name, nil, i+1, method, expression, description, nil, p.Physical)
		}
	}
	return v
}

func infoColumns(database string, tables []*schema.Table) *virtual {
	v := newVirtual("COLUMNS", "TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "COLUMN_NAME", "ORDINAL_POSITION#", "COLUMN_DEFAULT",
		"IS_NULLABLE", "DATA_TYPE", "CHARACTER_MAXIMUM_LENGTH#", "CHARACTER_OCTET_LENGTH#", "NUMERIC_PRECISION#", "NUMERIC_SCALE#",
		"DATETIME_PRECISION#", "CHARACTER_SET_NAME", "COLLATION_NAME", "COLUMN_TYPE", "COLUMN_KEY", "EXTRA", "PRIVILEGES",
		"COLUMN_COMMENT", "GENERATION_EXPRESSION", "SRS_ID#")
	for _, t := range tables {
		shown, err := shownColumns(t)
		if err != nil {
			v.err = err
			break
		}
		for i, c := range shown {
			length, octets, precision, scale, fsp := columnSizes(c.Type)
			collation := collationName(c.Type)
			var charset any
			if collation != nil {
				charset = "utf8mb4"
			}
			v.add("def", database, t.Name, c.Name, i+1, c.byDefault, !c.NotNull, dataType(c.kind), length, octets, precision,
				scale, fsp, charset, collation, c.kind, c.key, c.extra, c.privileges, c.Comment, c.Generated, nil)
		}
	}
	return v
}

func infoStatistics(database string, tables []*schema.Table) *virtual {
	v := newVirtual("STATISTICS", "TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "NON_UNIQUE#", "INDEX_SCHEMA", "INDEX_NAME",
		"SEQ_IN_INDEX#", "COLUMN_NAME", "COLLATION", "CARDINALITY#", "SUB_PART#", "PACKED", "NULLABLE", "INDEX_TYPE", "COMMENT", "INDEX_COMMENT", "IS_GLOBAL",
		"IS_VISIBLE", "EXPRESSION")
	for _, t := range tables {
		for _, p := range indexParts(t) {
			v.add("def", database, t.Name, nonUnique(p.unique), database, p.name, p.seq, p.column.Name, p.collation(), p.cardinality, p.subPart(), nil,
				p.null(), "BTREE", p.state, p.comment, p.global, "YES", nil)
		}
	}
	return v
}

func infoConstraints(database string, tables []*schema.Table) *virtual {
	v := newVirtual("TABLE_CONSTRAINTS", "CONSTRAINT_CATALOG", "CONSTRAINT_SCHEMA", "CONSTRAINT_NAME", "TABLE_SCHEMA", "TABLE_NAME", "CONSTRAINT_TYPE", "ENFORCED")
	for _, t := range tables {
		for _, p := range indexParts(t) {
			if !p.unique || p.seq > 1 {
				continue
			}
			kind := "UNIQUE"
			if p.name == "PRIMARY" {
				kind = "PRIMARY KEY"
			}
			v.add("def", database, p.name, database, t.Name, kind, "YES")
		}
		for c := range t.PublicChecks() {
			v.add("def", database, c.Name, database, t.Name, "CHECK", yesNo(!c.NotEnforced))
		}
		for k := range t.AllForeignKeys() {
			v.add("def", database, k.Name, database, t.Name, "FOREIGN KEY", yesNo(!k.NotEnforced))
		}
	}
	return v
}

func infoKeyColumns(database string, tables []*schema.Table) *virtual {
	v := newVirtual("KEY_COLUMN_USAGE", "CONSTRAINT_CATALOG", "CONSTRAINT_SCHEMA", "CONSTRAINT_NAME", "TABLE_CATALOG", "TABLE_SCHEMA",
		"TABLE_NAME", "COLUMN_NAME", "ORDINAL_POSITION#", "POSITION_IN_UNIQUE_CONSTRAINT#", "REFERENCED_TABLE_SCHEMA",
		"REFERENCED_TABLE_NAME", "REFERENCED_COLUMN_NAME")
	for _, t := range tables {
		for _, p := range indexParts(t) {
			if p.unique {
				v.add("def", database, p.name, "def", database, t.Name, p.column.Name, p.seq, nil, nil, nil, nil)
			}
		}
		for k := range t.AllForeignKeys() {
			for i, c := range k.Columns {
				v.add("def", database, k.Name, "def", database, t.Name, t.Columns[c].Name, i+1, i+1, cmp.Or(k.Database, database), k.Parent, k.RefColumns[i])
			}
		}
	}
	return v
}

func infoReferences(database string, tables []*schema.Table) *virtual {
	v := newVirtual("REFERENTIAL_CONSTRAINTS", "CONSTRAINT_CATALOG", "CONSTRAINT_SCHEMA", "CONSTRAINT_NAME", "UNIQUE_CONSTRAINT_CATALOG",
		"UNIQUE_CONSTRAINT_SCHEMA", "UNIQUE_CONSTRAINT_NAME", "MATCH_OPTION", "UPDATE_RULE", "DELETE_RULE", "TABLE_NAME", "REFERENCED_TABLE_NAME")
	for _, t := range tables {
		if !strings.EqualFold(schema.DatabaseName(t.Database), database) {
			continue // a parent
		}
		for k := range t.AllForeignKeys() {
			v.add("def", database, k.Name, "def", cmp.Or(k.Database, database), referredKey(tables, t.Beside(k.To()), k), "NONE", k.OnUpdate.String(), k.OnDelete.String(), t.Name, k.Parent)
		}
	}
	return v
}

// referredKey is the name of the unique key that a foreign key refers to; NULL if there is none.
func referredKey(tables []*schema.Table, parent string, k *schema.ForeignKey) any {
	for _, t := range tables {
		if t.FullName() != parent {
			continue
		}
		columns := make([]int, len(k.RefColumns))
		for i, name := range k.RefColumns {
			columns[i] = t.Ordinal(name)
		}
		if ix, ok := t.UniqueKeyOf(columns); ok && ix != nil {
			return ix.Name
		} else if ok {
			return "PRIMARY"
		}
	}
	return nil
}

func infoChecks(database string, tables []*schema.Table) *virtual {
	v := newVirtual("CHECK_CONSTRAINTS", "CONSTRAINT_CATALOG", "CONSTRAINT_SCHEMA", "CONSTRAINT_NAME", "CHECK_CLAUSE")
	for _, t := range tables {
		for c := range t.PublicChecks() {
			v.add("def", database, c.Name, c.Text)
		}
	}
	return v
}

func infoCollations(standard value.Collation) *virtual {
	v := newVirtual("COLLATIONS", "COLLATION_NAME", "CHARACTER_SET_NAME", "ID#", "IS_DEFAULT", "IS_COMPILED", "SORTLEN#", "PAD_ATTRIBUTE")
	addCollations(v, standard)
	return v
}

// addCollations adds a line for each collation, by name.
func addCollations(v *virtual, standard value.Collation) {
	list := value.Collations()
	slices.SortFunc(list, func(a, b value.Collation) int { return strings.Compare(a.String(), b.String()) })
	for _, c := range list {
		isDefault, pad := "", "NO PAD"
		if c == standard {
			isDefault = "Yes"
		}
		if c.Pads() {
			pad = "PAD SPACE"
		}
		v.add(c.String(), "utf8mb4", c.ID(), isDefault, "Yes", 1, pad)
	}
}

// engineName is the name that programs written for MySQL expect, with its transactions and foreign keys: some skip tables of other engines.
const engineName = "InnoDB"

func infoEngines(string, []*schema.Table) *virtual {
	v := newVirtual("ENGINES", "ENGINE", "SUPPORT", "COMMENT", "TRANSACTIONS", "XA", "SAVEPOINTS")
	v.add(engineName, "DEFAULT", "Tables of Azure Table Storage", "YES", "NO", "YES")
	return v
}
