package session

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// leaveOut refuses a definition with FULLTEXT or SPATIAL keys, with keys over expressions, with geometry columns, or with zero dates as
// defaults. With skip_unsupported_keys it warns that the keys and defaults are left out, and makes the columns BLOB, the form in which
// a dump has their values.
func (s *Session) leaveOut(stmt dialect.Statement) (dialect.Statement, error) {
	var keys []dialect.UnsupportedKey
	var err error
	switch old := stmt.(type) {
	case *dialect.CreateTable:
		made := *old // a cached statement must not be changed
		made.Columns, keys = slices.Clone(old.Columns), old.Unsupported
		for i := range made.Columns {
			err = cmp.Or(err, s.leaveOutOf(&made.Columns[i]))
		}
		stmt = &made
	case *dialect.AlterTable:
		made := *old
		made.Actions, keys = slices.Clone(old.Actions), old.Unsupported
		for i := range made.Actions {
			if made.Actions[i].Kind == dialect.OrderRows {
				s.state.Diagnostics.Note(expr.Warning, sqlerr.CodeUnknownError, "ORDER BY ignored as there is a user-defined clustered index in the table '%s'", sqlerr.Brief(old.Table.Name))
			}
			err = cmp.Or(err, s.leaveOutOf(&made.Actions[i].Column))
		}
		stmt = &made
	}
	for i := range keys {
		err = cmp.Or(err, s.leaveOutKey(&keys[i]))
	}
	if err != nil {
		return nil, err
	}
	return stmt, nil
}

func (s *Session) leaveOutKey(k *dialect.UnsupportedKey) error {
	name := sqlerr.Brief(k.Name)
	switch {
	case k.Expr != "" && !(s.skipKeys && !k.Unique):
		return overExpression(k)
	case !s.skipKeys:
		return sqlerr.New(sqlerr.CodeNotSupported, k.Pos, "a %s key is not supported: SET skip_unsupported_keys = 1 leaves such keys out", k.Kind)
	}
	s.leftOut("%s", strings.Join(strings.Fields(k.Kind+" KEY "+name+" "+sqlerr.Brief(k.Expr)), " "))
	return nil
}

// overExpression refuses a key. A UNIQUE one is never left out, because rows that it refuses would be written.
func overExpression(k *dialect.UnsupportedKey) error {
	kind, skip := "key", "; SET skip_unsupported_keys = 1 leaves such keys out"
	if k.Unique {
		kind, skip = "UNIQUE key", ""
	}
	if k.Name != "" {
		kind += " '" + sqlerr.Brief(k.Name) + "'"
	}
	e := sqlerr.Brief(k.Expr)
	way := "add a generated column, x … AS " + e + ", and a key over that"
	if strings.HasSuffix(strings.ToUpper(strings.TrimRight(k.Expr, ") ")), " ARRAY") {
		way = "put the values into a table of their own"
	}
	return sqlerr.New(sqlerr.CodeNotSupported, k.Pos, "the %s over the expression %s is not supported: %s%s", kind, e, way, skip)
}

// leaveOutOf removes what is unsupported from a column, or refuses it.
func (s *Session) leaveOutOf(c *dialect.ColumnDef) error { return cmp.Or(s.geometry(c), s.zeroDate(c)) }

// geometry makes a geometry column BLOB, or refuses it.
func (s *Session) geometry(c *dialect.ColumnDef) error {
	if !c.Type.Spatial() {
		return nil
	}
	name := sqlerr.Brief(c.Name)
	if !s.skipKeys {
		return sqlerr.New(sqlerr.CodeNotSupported, c.Pos, "Column '%s': the type %s is not supported: use BLOB; SET skip_unsupported_keys = 1 makes such columns BLOB", name, c.Type.Name)
	}
	s.leftOut("%s (BLOB instead) of column '%s'", c.Type.Name, name)
	c.Type = dialect.TypeName{Name: "BLOB"}
	return nil
}

// zeroDate removes a default that is the zero date, and NOT NULL: rows of a dump that have the zero date have NULL here.
func (s *Session) zeroDate(c *dialect.ColumnDef) error {
	l, ok := c.Default.(*dialect.Literal)
	isDate := c.Type.Name == "DATE" || c.Type.Name == "DATETIME" || c.Type.Name == "TIMESTAMP"
	if !ok || !isDate || l.Kind != dialect.StringLiteral && l.Kind != dialect.IntLiteral || strings.Trim(l.Text, "0-:. ") != "" || l.Text == "" {
		return nil
	}
	name := sqlerr.Brief(c.Name)
	if !s.skipKeys {
		return sqlerr.New(sqlerr.CodeInvalidDefault, c.Pos, "Invalid default value for '%s': there are no zero dates here: use NULL; SET skip_unsupported_keys = 1 leaves such defaults out", name)
	}
	what := "DEFAULT " + c.DefaultText
	if c.NotNull {
		what = "NOT NULL " + what
	}
	s.leftOut("%s of column '%s'", what, name)
	c.Default, c.DefaultText, c.NotNull = nil, "", false
	return nil
}

// leftOut warns about what is left out. The command lists it.
func (s *Session) leftOut(format string, args ...any) {
	s.state.Diagnostics.Note(expr.Warning, sqlerr.CodeNotSupported, format+" is left out", args...)
}
