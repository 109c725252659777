package session

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/show"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// defineDatabase runs CREATE, ALTER and DROP DATABASE; is is false for other statements. affected is MySQL's: the number of tables dropped.
func (s *Session) defineDatabase(ctx context.Context, stmt dialect.Statement, m *engine.Meter) (is bool, affected int, err error) {
	switch stmt := stmt.(type) {
	case *dialect.CreateDatabase:
		return true, 1, s.createDatabase(ctx, stmt, m)
	case *dialect.AlterDatabase:
		return true, 1, s.alterDatabase(ctx, stmt, m)
	case *dialect.DropDatabase:
		affected, err = s.dropDatabase(ctx, stmt, m)
		return true, affected, err
	}
	return false, 0, nil
}

// checkDatabaseName refuses invalid names, and those that belong to the system.
func checkDatabaseName(name string) error {
	switch {
	case name == "" || strings.HasSuffix(name, " ") || !utf8.ValidString(name) || strings.ContainsRune(name, 0):
		return statementError(sqlerr.CodeWrongDatabaseName, "Incorrect database name '%s'", sqlerr.Brief(name))
	case define.CheckName(name, sqlerr.NoPos) != nil:
		return sqlerr.TooLongName(sqlerr.NoPos, name)
	case show.IsVirtual(name):
		return deniedDatabase(name)
	}
	return nil
}

func deniedDatabase(name string) error {
	return statementError(sqlerr.CodeDatabaseDenied, "Access denied for user 'nearlyfree'@'localhost' to database '%s'", name)
}

// place gives the database of a name, whether it exists or not.
func (s *Session) place(name string) *Schema {
	if home := s.db.home(); strings.EqualFold(name, home.Name) {
		return home
	}
	return &Schema{name, s.db.Open(storedName(name))}
}

func (s *Session) createDatabase(ctx context.Context, stmt *dialect.CreateDatabase, m *engine.Meter) error {
	if err := checkDatabaseName(stmt.Name); err != nil {
		return err
	}
	collation, err := define.DatabaseCollation(stmt.DatabaseOptions)
	if err != nil {
		return err
	}
	in := s.place(stmt.Name)
	end, err := in.Catalog.BeginDefine(ctx)
	if err != nil {
		return err
	}
	defer end()
	now, err := in.Catalog.Latest(ctx)
	if err != nil {
		return err
	}
	err = &catalog.DatabaseExistsError{Name: stmt.Name}
	if !s.db.isThere(in, now) {
		err = in.Catalog.CreateDatabase(ctx, stmt.Name, collation, m)
	}
	var exists *catalog.DatabaseExistsError
	if errors.As(err, &exists) && stmt.IfNot {
		s.state.Diagnostics.Note(expr.Note, sqlerr.CodeDatabaseExists, "%s", err)
		return nil
	}
	return err
}

func (s *Session) alterDatabase(ctx context.Context, stmt *dialect.AlterDatabase, m *engine.Meter) error {
	name := stmt.Name
	if name == "" {
		name = s.in.Name
	}
	switch {
	case name == "":
		return show.ErrNoDatabase()
	case show.IsVirtual(name):
		return deniedDatabase(name)
	}
	collation, err := define.DatabaseCollation(stmt.DatabaseOptions)
	if err != nil {
		return err
	}
	in, _, err := s.db.existing(ctx, name)
	if err != nil {
		return err
	}
	end, err := in.Catalog.BeginDefine(ctx)
	if err != nil {
		return err
	}
	defer end()
	return in.Catalog.AlterDatabase(ctx, collation, m)
}

func (s *Session) dropDatabase(ctx context.Context, stmt *dialect.DropDatabase, m *engine.Meter) (tables int, err error) {
	if show.IsVirtual(stmt.Name) {
		return 0, deniedDatabase(stmt.Name)
	}
	in := s.place(stmt.Name)
	end, err := in.Catalog.BeginDefine(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	now, err := in.Catalog.Latest(ctx)
	if err != nil {
		return 0, err
	}
	did := false
	if s.db.isThere(in, now) || now.IsDropped() { // in the second case something of it may be left
		if tables, did, err = s.definer(in).DropDatabase(ctx, &s.state, m); err != nil {
			return 0, err
		}
	}
	if !did {
		err := statementError(sqlerr.CodeNoDatabaseToDrop, "Can't drop database '%s'; database doesn't exist", stmt.Name)
		if stmt.IfExists {
			s.state.Diagnostics.Note(expr.Note, sqlerr.CodeNoDatabaseToDrop, "%s", err)
			return 0, nil
		}
		return 0, err
	}
	if s.in.Catalog == in.Catalog && !show.IsVirtual(s.in.Name) {
		s.enter(s.db.none)
	}
	return tables, nil
}

// part is what a statement does to the tables of one database.
type part struct {
	database  string
	stmt      dialect.Statement
	pos       dialect.Pos // of a name in it
	temporary bool        // its tables are the session's own
}

// ifExists says whether the part does nothing if the database does not exist.
func (p *part) ifExists() bool {
	switch stmt := p.stmt.(type) {
	case *dialect.DropTable:
		return stmt.IfExists
	case *dialect.DropView:
		return stmt.IfExists
	}
	return false
}

// databaseOf is the database of a table: the current one if its name says none.
func (s *Session) databaseOf(n *dialect.TableName) string {
	return cmp.Or(n.Database, s.in.Name)
}

// byDatabase splits a statement by the databases of the tables that it changes.
func (s *Session) byDatabase(ctx context.Context, stmt dialect.Statement) (parts []part, err error) {
	of := s.databaseOf
	var dropped []dialect.TableName
	switch stmt := stmt.(type) {
	case *dialect.CreateTable:
		own := *stmt
		if stmt.Like != nil {
			own.Like = &dialect.TableName{Database: of(stmt.Like), Name: stmt.Like.Name, Pos: stmt.Like.Pos}
		}
		parts = []part{{database: of(&stmt.Table), stmt: &own, pos: stmt.Table.Pos}}
	case *dialect.CreateView:
		parts = []part{{database: of(&stmt.View), stmt: stmt, pos: stmt.View.Pos}}
	case *dialect.CreateIndex:
		parts = []part{{database: of(&stmt.Table), stmt: stmt, pos: stmt.Table.Pos}}
	case *dialect.DropIndex:
		parts = []part{{database: of(&stmt.Table), stmt: stmt, pos: stmt.Table.Pos}}
	case *dialect.AlterTable:
		parts = []part{{database: of(&stmt.Table), stmt: stmt, pos: stmt.Table.Pos}}
	case *dialect.Truncate:
		parts = []part{{database: of(&stmt.Table), stmt: stmt, pos: stmt.Table.Pos}}
	case *dialect.DropTable:
		dropped = stmt.Tables
		parts = partsOf(dropped, of, false, func(names []dialect.TableName) dialect.Statement {
			own := *stmt
			own.Tables = names
			return &own
		})
	case *dialect.DropView:
		dropped = stmt.Views
		parts = partsOf(dropped, of, false, func(names []dialect.TableName) dialect.Statement {
			own := *stmt
			own.Views = names
			return &own
		})
	case *dialect.MaintainTable:
		parts = partsOf(stmt.Tables, of, true, func(names []dialect.TableName) dialect.Statement {
			own := *stmt
			own.Tables = names
			return &own
		})
	case *dialect.RenameTable:
		parts = s.renames(stmt)
	default:
		parts = []part{{database: s.in.Name, stmt: stmt, pos: sqlerr.NoPos}}
	}
	for _, p := range parts {
		if p.database == "" {
			return nil, show.ErrNoDatabase()
		}
		if show.IsVirtual(p.database) {
			return nil, deniedDatabase(p.database)
		}
	}
	if parts, err = s.apart(ctx, parts); err == nil && len(parts) > 1 && !parts[0].ifExists() {
		err = s.areThere(ctx, dropped, of)
	}
	return parts, err
}

// renames splits RENAME TABLE. Its renames are done in order, so only neighbours in one database are done together.
func (s *Session) renames(stmt *dialect.RenameTable) (parts []part) {
	for i := range stmt.From {
		database, to := s.databaseOf(&stmt.From[i]), stmt.To[i]
		to.Database = s.databaseOf(&to)
		if n := len(parts) - 1; n >= 0 && strings.EqualFold(parts[n].database, database) {
			own := parts[n].stmt.(*dialect.RenameTable)
			own.From, own.To = append(own.From, stmt.From[i]), append(own.To, to)
			continue
		}
		parts = append(parts, part{database: database, stmt: &dialect.RenameTable{From: stmt.From[i : i+1 : i+1], To: []dialect.TableName{to}}, pos: stmt.From[i].Pos})
	}
	return parts
}

type group struct {
	database string
	names    []dialect.TableName
}

// partsOf splits a statement that names several tables; by makes the statement for some of them.
func partsOf(names []dialect.TableName, of func(*dialect.TableName) string, ordered bool, by func([]dialect.TableName) dialect.Statement) (parts []part) {
	for _, g := range groups(names, of, ordered) {
		parts = append(parts, part{database: g.database, stmt: by(g.names), pos: g.names[0].Pos})
	}
	return parts
}

// groups groups names by their databases; ordered: only adjacent names.
func groups(names []dialect.TableName, of func(*dialect.TableName) string, ordered bool) (out []group) {
	for i := range names {
		database, at := of(&names[i]), -1
		for j := range out {
			if strings.EqualFold(out[j].database, database) && (!ordered || j == len(out)-1) {
				at = j
			}
		}
		if at < 0 {
			out, at = append(out, group{database: database}), len(out)
		}
		out[at].names = append(out[at].names, names[i])
	}
	return out
}

// at gives the error of a missing database a position in the statement.
func at(pos dialect.Pos, err error) error {
	var none *schema.NoDatabaseError
	if errors.As(err, &none) {
		return sqlerr.New(sqlerr.CodeUnknownDatabase, pos, "Unknown database '%s'", sqlerr.Brief(none.Name))
	}
	return err
}

// areThere makes sure that everything DROP names in several databases exists, before any of it is dropped.
func (s *Session) areThere(ctx context.Context, names []dialect.TableName, of func(*dialect.TableName) string) error {
	var missing []string
	from := s.source(s.in, nil)
	for i := range names {
		if own, err := from.Temporary(ctx, of(&names[i]), names[i].Name); own != nil || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		now, err := from.Snapshot(ctx, of(&names[i]))
		if err != nil {
			return at(names[i].Pos, err)
		}
		err = now.Catalog().With(ctx, func(now *catalog.Snapshot) error {
			_, err := now.Table(ctx, names[i].Name)
			return err
		})
		var none *schema.NoTableError
		if errors.As(err, &none) {
			missing = append(missing, of(&names[i])+"."+names[i].Name)
		} else if err != nil {
			return err
		}
	}
	if len(missing) > 0 {
		return statementError(sqlerr.CodeUnknownTable, "Unknown table '%s'", strings.Join(missing, ","))
	}
	return nil
}
