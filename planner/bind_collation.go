package planner

import (
	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// castCharset turns CHARACTER SET in the type of a cast into a type of texts or of bytes. It refuses other character sets, which would encode
// the same characters in other bytes.
func castCharset(t *dialect.TypeName) error {
	switch t.Charset {
	case "", "default", "utf8mb4", "utf8mb3", "utf8":
		return nil
	case "binary":
		t.Name, t.Charset = "BINARY", ""
		return nil
	}
	if value.IsCharset(t.Charset) {
		return sqlerr.NotSupported(sqlerr.NoPos, "a cast to CHARACTER SET %s, other than utf8mb4 and binary, is", t.Charset)
	}
	return sqlerr.New(sqlerr.CodeUnknownCharset, sqlerr.NoPos, "Unknown character set: '%s'", t.Charset)
}
