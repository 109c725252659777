package planner

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// charsets are MySQL's character sets. All text is UTF-8 here, which holds what each of them holds.
var charsets = map[string]bool{}

func init() {
	for _, name := range strings.Fields(`utf8mb4 utf8mb3 utf8 ascii latin1 ucs2 utf16 utf16le utf32 armscii8 big5 cp1250 cp1251 cp1256 cp1257 cp850 cp852
		cp866 cp932 dec8 eucjpms euckr gb18030 gb2312 gbk geostd8 greek hebrew hp8 keybcs2 koi8r koi8u latin2 latin5 latin7 macce macroman sjis swe7
		tis620 ujis`) {
		charsets[name] = true
	}
}

// collationOf is what CHARACTER SET and COLLATE say: the collation by name; the database's where there is a character set
// alone, as these have none of their own here; else otherwise.
func (d *definer) collationOf(charset, collate string, otherwise value.Collation) (value.Collation, error) {
	charset, collate = strings.ToLower(charset), strings.ToLower(collate)
	switch {
	case charset == "binary":
		return 0, notSupported(noPos, "CHARACTER SET binary, which makes VARBINARY of VARCHAR and BLOB of TEXT, is")
	case charset != "" && charset != "default" && !charsets[charset]:
		return 0, newError(codeUnknownCharset, noPos, "Unknown character set: '%s' (all text is utf8mb4)", charset)
	case collate != "" && collate != "default":
		return CollationNamed(collate)
	case charset != "" || collate != "":
		return d.collation, nil
	}
	return otherwise, nil
}

// CheckCharset refuses a character set that MySQL does not have.
func CheckCharset(name string) error {
	if name = strings.ToLower(name); !charsets[name] && name != "binary" && name != "default" {
		return newError(codeUnknownCharset, noPos, "Unknown character set: '%s' (all text is utf8mb4)", name)
	}
	return nil
}

// castCharset makes of the type of a cast to a character set that of the values which it gives here: texts, or octets. Another
// character set would give other octets of the same characters.
func castCharset(t *dialect.TypeName) error {
	switch t.Charset {
	case "", "default", "utf8mb4", "utf8mb3", "utf8":
		return nil
	case "binary":
		t.Name, t.Charset = "BINARY", ""
		return nil
	}
	if charsets[t.Charset] {
		return notSupported(noPos, "a cast to CHARACTER SET %s, other than utf8mb4 and binary, is", t.Charset)
	}
	return newError(codeUnknownCharset, noPos, "Unknown character set: '%s'", t.Charset)
}

// CollationNamed finds a collation by its name, in any case.
func CollationNamed(name string) (value.Collation, error) {
	if c, ok := value.CollationNamed(name); ok {
		return c, nil
	}
	var names []string
	for _, c := range value.Collations() {
		names = append(names, c.String())
	}
	return 0, newError(codeUnknownCollation, noPos, "Unknown collation: '%s' (there are %s)", name, value.Whole(strings.Join(names, ", ")))
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
			return value.Type{}, newError(codeInvalidFieldSize, def.Pos, "Invalid size for column '%s'.", def.Name)
		case n[0] > 64:
			return value.Type{}, newError(codeDisplayWidth, def.Pos, "Display width out of range for column '%s' (max = 64)", def.Name)
		}
	}
	t, err := value.NewType(def.Type.Name, def.Type.Args, def.Type.Members, def.Type.Unsigned, collation)
	switch {
	case err != nil:
		return value.Type{}, newError(codeSyntax, def.Pos, "Column '%s': %s", def.Name, err)
	case !isText(&t) && def.Type.Collate != "":
		return value.Type{}, newError(codeSyntax, def.Pos, "Column '%s': type %s has no collation", def.Name, t.Declared)
	case (t.Base == value.TypeChar || t.Base == value.TypeBinary) && t.Length == 0 && len(def.Type.Args) == 0:
		unbounded := "TEXT"
		if t.Base == value.TypeBinary {
			unbounded = "BLOB"
		}
		return value.Type{}, newError(codeSyntax, def.Pos, "Column '%s': %s needs a length, as %s(255) has; %s has none", def.Name, t, t, unbounded)
	}
	return t, nil
}
