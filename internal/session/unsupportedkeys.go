package session

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// leaveOut refuses a definition with FULLTEXT or SPATIAL keys, or, with skip_unsupported_keys, warns that they are left out.
func (s *Session) leaveOut(stmt dialect.Statement) error {
	var keys []dialect.UnsupportedKey
	switch stmt := stmt.(type) {
	case *dialect.CreateTable:
		keys = stmt.Unsupported
	case *dialect.AlterTable:
		keys = stmt.Unsupported
	}
	for _, k := range keys {
		if !s.skipKeys {
			return sqlerr.New(sqlerr.CodeNotSupported, k.Pos, "a %s key is not supported: SET skip_unsupported_keys = 1 leaves such keys out", k.Kind)
		}
		s.state.Diagnostics.Note(expr.Warning, sqlerr.CodeNotSupported, "%s", strings.TrimSpace(k.Kind+" KEY "+sqlerr.Brief(k.Name))+" is left out")
	}
	return nil
}
