package schema

import (
	"slices"
	"strconv"
	"strings"
)

// CreateTableSQL writes the statement that defines t: dialect.Parse and Define make the same table from it, except that rows are then
// stored by a primary key that ALTER TABLE had added.
func CreateTableSQL(t *Table) string {
	if t.IsExternal() {
		return createExternalSQL(t)
	}
	var b strings.Builder
	b.WriteString("CREATE ")
	if t.Temporary {
		b.WriteString("TEMPORARY ")
	}
	b.WriteString("TABLE " + QuoteName(t.Name) + " (")
	first := true
	line := func(s string) {
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.WriteString("\n  " + s)
	}
	for _, c := range t.Columns {
		if c.Listed() {
			line(t.columnSQL(c))
		}
	}
	if len(t.Key) > 0 && !t.HidesKey() {
		line("PRIMARY KEY " + t.KeySQL(t.Key))
	}
	for _, ix := range t.Indexes {
		if ix.Child == "" && !t.pends(ix) { // the definition of the other table implies the copies
			line(t.indexSQL(ix))
		}
	}
	for k := range t.AllForeignKeys() {
		line(t.ForeignKeySQL(k))
	}
	for c := range t.PublicChecks() {
		line(c.SQL())
	}
	b.WriteString("\n)")
	if t.FirstAutoIncrement > 0 {
		b.WriteString(" AUTO_INCREMENT=" + strconv.FormatInt(t.FirstAutoIncrement, 10))
	}
	b.WriteString(" COLLATE=" + t.Collation.String())
	if t.Comment != "" {
		b.WriteString(" COMMENT=" + quoteText(t.Comment))
	}
	if t.IsInterleaved() {
		b.WriteString(" INTERLEAVE IN PARENT " + QuoteName(t.Interleaved.Parent))
		if t.Interleaved.WithParent {
			b.WriteString(" WITH PARENT")
		}
		return b.String() // its partitions are its parent's
	}
	if p := t.Spread; p != nil {
		names := make([]string, len(p.Columns))
		for i, c := range p.Columns {
			names[i] = QuoteName(t.Columns[c].Name)
		}
		b.WriteString("\nPARTITION BY KEY (" + strings.Join(names, ", ") + ")")
		if p.Kind == SpreadByHash {
			b.WriteString(" PARTITIONS " + strconv.Itoa(p.Count))
		}
	}
	if t.IsDivided() {
		b.WriteString("\n" + t.partitionClause())
	}
	return b.String()
}

// pends says whether an index is over a column that is not public.
func (t *Table) pends(ix *Index) bool {
	return slices.ContainsFunc(ix.Key, func(p KeyColumn) bool { return t.Columns[p.Column].State != Public })
}

func (t *Table) columnSQL(c *Column) string {
	s := QuoteName(c.Name) + " " + c.Type.String()
	if c.Type.IsText() && c.Type.Collation != t.Collation {
		s += " COLLATE " + c.Type.Collation.String()
	}
	if c.Generated != "" {
		s += " GENERATED ALWAYS AS (" + c.Generated + ")"
		if c.Stored {
			s += " STORED"
		} else {
			s += " VIRTUAL"
		}
	}
	if c.NotNull {
		s += " NOT NULL"
	}
	if c.HasDefault {
		s += " DEFAULT " + c.Default
	}
	if c.OnUpdate != "" {
		s += " ON UPDATE " + c.OnUpdate
	}
	if c.AutoIncrement {
		s += " AUTO_INCREMENT"
	}
	if c.Invisible {
		s += " /*!80023 INVISIBLE */"
	}
	if c.Comment != "" {
		s += " COMMENT " + quoteText(c.Comment)
	}
	return s
}

// KeySQL writes the columns of a key, in parentheses.
func (t *Table) KeySQL(parts []KeyColumn) string {
	list := make([]string, len(parts))
	for i, p := range parts {
		list[i] = QuoteName(t.Columns[p.Column].Name)
		if p.Prefix > 0 {
			list[i] += "(" + strconv.Itoa(p.Prefix) + ")"
		}
		if p.Desc {
			list[i] += " DESC"
		}
	}
	return "(" + strings.Join(list, ", ") + ")"
}

func (t *Table) indexSQL(ix *Index) string {
	s := "KEY " + QuoteName(ix.Name)
	switch {
	case ix.IsPrimary():
		s = "PRIMARY KEY"
	case ix.Unique:
		s = "UNIQUE " + s
	}
	s += " " + t.KeySQL(ix.Key)
	if ix.Global > 0 {
		s += " GLOBAL"
	}
	switch ix.Copy {
	case CopyInclude:
		list := make([]string, len(ix.Include))
		for i, c := range ix.Include {
			list[i] = QuoteName(t.Columns[c].Name)
		}
		s += " INCLUDE (" + strings.Join(list, ", ") + ")"
	case CopyKeys:
		if ix.Global == 0 { // what others may choose, it has
			s += " COPY KEYS"
		}
	}
	if ix.Comment != "" {
		s += " COMMENT " + quoteText(ix.Comment)
	}
	return s
}

// QuoteName writes a name in backticks.
func QuoteName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

var textEscapes = strings.NewReplacer(`\`, `\\`, "'", "''")

func quoteText(s string) string { return "'" + textEscapes.Replace(s) + "'" }
