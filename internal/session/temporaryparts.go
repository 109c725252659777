package session

import (
	"context"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// saysTemporary says whether a statement itself says that it is about temporary tables.
func saysTemporary(stmt dialect.Statement) bool {
	switch stmt := stmt.(type) {
	case *dialect.CreateTable:
		return stmt.Temporary
	case *dialect.DropTable:
		return stmt.Temporary
	}
	return false
}

// apart separates what a statement does to the session's own tables from what it does to those of the store.
func (s *Session) apart(ctx context.Context, parts []part) ([]part, error) {
	if len(parts) == 0 || s.temporary == nil && !saysTemporary(parts[0].stmt) {
		return parts, nil
	}
	var out []part
	for _, p := range parts {
		own, other, err := s.apartOf(ctx, p)
		if err != nil {
			return nil, err
		}
		out = append(append(out, own...), other...)
	}
	return out, nil
}

// apartOf is apart for one part: own is about the session's own tables.
func (s *Session) apartOf(ctx context.Context, p part) (own, other []part, err error) {
	isOwn := func(n *dialect.TableName) bool {
		found, failed := s.temporary.find(ctx, p.database, n.Name)
		if failed != nil {
			err = failed
		}
		return found != nil
	}
	one := func(is bool) {
		if p.temporary = is; is {
			own = []part{p}
		} else {
			other = []part{p}
		}
	}
	switch stmt := p.stmt.(type) {
	case *dialect.CreateTable:
		if one(stmt.Temporary); stmt.Temporary && err == nil {
			s.beside()
		}
	case *dialect.CreateIndex:
		one(isOwn(&stmt.Table))
	case *dialect.DropIndex:
		one(isOwn(&stmt.Table))
	case *dialect.AlterTable:
		one(isOwn(&stmt.Table))
	case *dialect.Truncate:
		one(isOwn(&stmt.Table))
	case *dialect.DropTable:
		if stmt.Temporary && s.temporary == nil {
			return nil, nil, s.noTemporary(p.database, stmt)
		}
		if stmt.Temporary {
			one(true)
			break
		}
		own, other = p.byOwner(stmt.Tables, isOwn, func(names []dialect.TableName) dialect.Statement {
			some := *stmt
			some.Tables = names
			return &some
		})
	case *dialect.MaintainTable:
		own, other = p.byOwner(stmt.Tables, isOwn, func(names []dialect.TableName) dialect.Statement {
			some := *stmt
			some.Tables = names
			return &some
		})
	default:
		one(false)
	}
	return own, other, err
}

// noTemporary is DROP TEMPORARY TABLE in a session that has none.
func (s *Session) noTemporary(database string, stmt *dialect.DropTable) error {
	names := make([]string, len(stmt.Tables))
	for i := range stmt.Tables {
		names[i] = database + "." + stmt.Tables[i].Name
		if stmt.IfExists {
			s.state.Diagnostics.Note(expr.Note, sqlerr.CodeUnknownTable, "Unknown table '%s'", names[i])
		}
	}
	if stmt.IfExists {
		return nil
	}
	return statementError(sqlerr.CodeUnknownTable, "Unknown table '%s'", strings.Join(names, ","))
}

// byOwner splits a statement that names several tables; by makes the statement for some of them.
func (p part) byOwner(names []dialect.TableName, isOwn func(*dialect.TableName) bool, by func([]dialect.TableName) dialect.Statement) (own, other []part) {
	ours := slices.DeleteFunc(slices.Clone(names), func(n dialect.TableName) bool { return !isOwn(&n) })
	theirs := slices.DeleteFunc(slices.Clone(names), func(n dialect.TableName) bool { return isOwn(&n) })
	if len(ours) > 0 {
		own = []part{{database: p.database, stmt: by(ours), pos: ours[0].Pos, temporary: true}}
	}
	if len(theirs) > 0 || len(ours) == 0 {
		other = []part{{database: p.database, stmt: by(theirs), pos: p.pos}}
	}
	return own, other
}
