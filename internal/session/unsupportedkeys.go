package session

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// leaveOut refuses a definition with FULLTEXT or SPATIAL keys, or with columns of geometries. With skip_unsupported_keys it warns that the keys
// are left out, and makes the columns BLOB, as which a dump has their values.
func (s *Session) leaveOut(stmt dialect.Statement) (dialect.Statement, error) {
	var keys []dialect.UnsupportedKey
	var err error
	switch old := stmt.(type) {
	case *dialect.CreateTable:
		made := *old // a statement that is kept is not changed
		made.Columns, keys = slices.Clone(old.Columns), old.Unsupported
		for i := range made.Columns {
			err = cmp.Or(err, s.geometry(&made.Columns[i]))
		}
		stmt = &made
	case *dialect.AlterTable:
		made := *old
		made.Actions, keys = slices.Clone(old.Actions), old.Unsupported
		for i := range made.Actions {
			if made.Actions[i].Kind == dialect.OrderRows {
				s.state.Diagnostics.Note(expr.Warning, sqlerr.CodeUnknownError, "ORDER BY ignored as there is a user-defined clustered index in the table '%s'", sqlerr.Brief(old.Table.Name))
			}
			err = cmp.Or(err, s.geometry(&made.Actions[i].Column))
		}
		stmt = &made
	}
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if !s.skipKeys {
			return nil, sqlerr.New(sqlerr.CodeNotSupported, k.Pos, "a %s key is not supported: SET skip_unsupported_keys = 1 leaves such keys out", k.Kind)
		}
		s.state.Diagnostics.Note(expr.Warning, sqlerr.CodeNotSupported, "%s", strings.TrimSpace(k.Kind+" KEY "+sqlerr.Brief(k.Name))+" is left out")
	}
	return stmt, nil
}

// geometry makes a column of geometries BLOB, or refuses it.
func (s *Session) geometry(c *dialect.ColumnDef) error {
	if !c.Type.Spatial() {
		return nil
	}
	name := sqlerr.Brief(c.Name)
	if !s.skipKeys {
		return sqlerr.New(sqlerr.CodeNotSupported, c.Pos, "Column '%s': the type %s is not supported: use BLOB; SET skip_unsupported_keys = 1 makes such columns BLOB", name, c.Type.Name)
	}
	s.state.Diagnostics.Note(expr.Warning, sqlerr.CodeNotSupported, "%s (BLOB instead) of column '%s' is left out", c.Type.Name, name)
	c.Type = dialect.TypeName{Name: "BLOB"}
	return nil
}
