package dialect

import "strings"

// typeSynonyms are the types named by several words, and the one word for each.
var typeSynonyms = []struct {
	words []string
	name  string
}{
	{[]string{"DOUBLE", "PRECISION"}, "DOUBLE"},
	{[]string{"CHARACTER", "VARYING"}, "VARCHAR"},
	{[]string{"CHAR", "VARYING"}, "VARCHAR"},
	{[]string{"NATIONAL", "CHARACTER", "VARYING"}, "VARCHAR"},
	{[]string{"NATIONAL", "CHAR", "VARYING"}, "VARCHAR"},
	{[]string{"NATIONAL", "VARCHAR"}, "VARCHAR"},
	{[]string{"NATIONAL", "CHARACTER"}, "CHAR"},
	{[]string{"NATIONAL", "CHAR"}, "CHAR"},
	{[]string{"NCHAR", "VARYING"}, "VARCHAR"},
	{[]string{"NCHAR", "VARCHAR"}, "VARCHAR"},
	{[]string{"NVARCHAR"}, "VARCHAR"},
	{[]string{"NCHAR"}, "CHAR"},
	{[]string{"CHARACTER"}, "CHAR"},
	{[]string{"LONG", "VARCHAR"}, "MEDIUMTEXT"},
	{[]string{"LONG", "VARBINARY"}, "MEDIUMBLOB"},
	{[]string{"LONG"}, "MEDIUMTEXT"},
	{[]string{"SIGNED", "INTEGER"}, "SIGNED"},
	{[]string{"SIGNED", "INT"}, "SIGNED"},
	{[]string{"UNSIGNED", "INTEGER"}, "UNSIGNED"},
	{[]string{"UNSIGNED", "INT"}, "UNSIGNED"},
}

// typeIn reads the tokens lo to hi-1 as a type.
func (p *parser) typeIn(lo, hi int) *TypeName {
	saved := p.pos
	p.pos = lo
	t := p.typeName()
	if p.err == nil && p.pos != hi {
		p.unexpected(p.pos)
	}
	if p.err == nil {
		p.pos = saved
	}
	return &t
}

var spatialTypes = set(`GEOMETRY POINT LINESTRING POLYGON MULTIPOINT MULTILINESTRING MULTIPOLYGON GEOMETRYCOLLECTION GEOMCOLLECTION`)

// Spatial says whether it is a geometry type: these are read, and refused unless they are left out.
func (t TypeName) Spatial() bool { return spatialTypes[t.Name] }

func (t TypeName) isText() bool {
	return strings.HasSuffix(t.Name, "CHAR") || strings.HasSuffix(t.Name, "TEXT") || t.Name == "ENUM" || t.Name == "SET"
}

// typeName passes a type with what belongs to it alone: length, members, UNSIGNED, CHARACTER SET.
func (p *parser) typeName() TypeName {
	t := TypeName{}
	for _, s := range typeSynonyms {
		if p.accept(s.words...) {
			t.Name = s.name
			break
		}
	}
	if t.Name == "" {
		// SET, JSON's friends and BINARY are reserved as names, not as types.
		if w := p.tok(); w.kind == tokWord && (!reserved[w.word] || w.word == "SET" || w.word == "BINARY") {
			t.Name = w.word
			p.pos++
		} else {
			p.fail(p.pos, "expected a type")
			return t
		}
	}
	if p.accept("(") {
		for p.err == nil {
			if t.Name == "ENUM" || t.Name == "SET" {
				t.Members = append(t.Members, p.str())
			} else {
				t.Args = append(t.Args, p.integer())
			}
			if !p.accept(",") {
				break
			}
		}
		p.expect(")")
	}
	for p.err == nil {
		switch {
		case t.isText() && p.accept("BINARY"): // MySQL's old word for the collation that goes by code points
			t.Collate = "utf8mb4_bin"
		case t.isText() && t.Name != "ENUM" && t.Name != "SET" && p.accept("ASCII"): // its old word for this one
			t.Charset = "latin1"
		case p.accept("UNSIGNED"):
			t.Unsigned = true
		case p.accept("SIGNED"):
		case p.accept("ZEROFILL"): // the display of numbers is not stored, nor is the width
			t.Unsigned = true
		case p.accept("CHARACTER", "SET"), p.accept("CHARSET"):
			t.Charset = p.word()
		case p.is("WITH", "TIME", "ZONE"), p.is("WITHOUT", "TIME", "ZONE"):
			p.unsupported(p.pos, p.tok().word+" TIME ZONE")
		default:
			return t
		}
	}
	return t
}

// word passes a name, a string or BINARY, and returns it in lower case.
func (p *parser) word() string {
	if p.tok().kind == tokString {
		return lower(p.str())
	}
	if p.accept("BINARY") {
		return "binary"
	}
	return lower(p.ident())
}
