package define

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// collationOf is the collation that CHARACTER SET and COLLATE give: the named collation; the database's if there is only a
// character set, because these have none of their own here; else otherwise.
func (d *definer) collationOf(charset, collate string, otherwise value.Collation) (value.Collation, error) {
	charset, collate = strings.ToLower(charset), strings.ToLower(collate)
	switch {
	case charset == "binary":
		return 0, sqlerr.NotSupported(sqlerr.NoPos, "CHARACTER SET binary (use VARBINARY or BLOB) is")
	case charset != "" && charset != "default" && !value.IsCharset(charset):
		return 0, sqlerr.New(sqlerr.CodeUnknownCharset, sqlerr.NoPos, "Unknown character set: '%s' (all text is utf8mb4)", charset)
	case collate != "" && collate != "default":
		return schema.CollationNamed(collate)
	case charset != "" || collate != "":
		return d.collation, nil
	}
	return otherwise, nil
}

// CheckCharset refuses a character set that MySQL does not have.
func CheckCharset(name string) error {
	if name = strings.ToLower(name); !value.IsCharset(name) && name != "binary" && name != "default" {
		return sqlerr.New(sqlerr.CodeUnknownCharset, sqlerr.NoPos, "Unknown character set: '%s' (all text is utf8mb4)", name)
	}
	return nil
}

// columnType is the type that a column is declared with.
func (d *definer) columnType(def *dialect.ColumnDef) (value.Type, error) {
	collation, err := d.collationOf(def.Type.Charset, def.Type.Collate, d.t.Collation)
	if err != nil {
		return value.Type{}, err
	}
	if n := def.Type.Args; def.Type.Name == "BIT" && len(n) == 1 {
		switch {
		case n[0] == 0:
			return value.Type{}, sqlerr.New(sqlerr.CodeInvalidFieldSize, def.Pos, "Invalid size for column '%s'.", def.Name)
		case n[0] > 64:
			return value.Type{}, sqlerr.New(sqlerr.CodeDisplayWidth, def.Pos, "Display width out of range for column '%s' (max = 64)", def.Name)
		}
	}
	t, err := value.NewType(def.Type.Name, def.Type.Args, def.Type.Members, def.Type.Unsigned, collation)
	switch {
	case err != nil:
		return value.Type{}, sqlerr.New(sqlerr.CodeSyntax, def.Pos, "Column '%s': %s", def.Name, err)
	case !t.IsText() && def.Type.Collate != "":
		return value.Type{}, sqlerr.New(sqlerr.CodeSyntax, def.Pos, "Column '%s': type %s has no collation", def.Name, t.Declared)
	case (t.Base == value.TypeChar || t.Base == value.TypeBinary) && t.Length == 0 && len(def.Type.Args) == 0:
		unbounded := "TEXT"
		if t.Base == value.TypeBinary {
			unbounded = "BLOB"
		}
		return value.Type{}, sqlerr.New(sqlerr.CodeSyntax, def.Pos, "Column '%s': %s needs a length, such as %s(255); %s needs none", def.Name, t, t, unbounded)
	}
	return t, nil
}

// DatabaseCollation is a database's collation for new tables; "": that of the data source name.
func DatabaseCollation(o dialect.DatabaseOptions) (string, error) {
	if err := checkOption("ENCRYPTION", o.Encryption, strings.ToLower(o.Encryption)); err != nil {
		return "", err
	}
	d := &definer{}
	c, err := d.collationOf(o.Charset, o.Collate, d.collation)
	if err != nil || o.Collate == "" || strings.EqualFold(o.Collate, "default") {
		return "", err
	}
	return c.String(), nil
}
