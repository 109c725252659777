package schema

import (
	"strconv"
	"strings"
)

// createExternalSQL writes the statement that defines an external table.
func createExternalSQL(t *Table) string {
	var b strings.Builder
	b.WriteString("CREATE EXTERNAL TABLE " + QuoteName(t.Name) + " (")
	sep := "\n  "
	for _, c := range t.Columns {
		if c.Hidden {
			continue
		}
		b.WriteString(sep + t.columnSQL(c))
		if c.Source != SourceKey && c.Property != c.Name {
			b.WriteString(" PROPERTY " + quoteText(c.Property))
		}
		if c.Edm != "" {
			b.WriteString(" EDM " + c.Edm)
		}
		sep = ",\n  "
	}
	for c := range t.PublicChecks() {
		b.WriteString(sep + c.SQL())
	}
	b.WriteString("\n) LOCATION " + quoteText(t.Physical))
	b.WriteString("\nPARTITION KEY " + quoteText(t.templateText(t.External.Partition)))
	b.WriteString("\nROW KEY " + quoteText(t.templateText(t.External.Row)))
	if t.Comment != "" {
		b.WriteString("\nCOMMENT " + quoteText(t.Comment))
	}
	return b.String()
}

func (t *Table) templateText(segments []Segment) string {
	var b strings.Builder
	for _, p := range segments {
		if p.Text != "" {
			b.WriteString(braces.Replace(p.Text))
			continue
		}
		b.WriteString("{" + t.Columns[p.Column].Name)
		if p.Form != FormPlain {
			b.WriteString(":" + string(" DRN"[p.Form]))
			if p.Digits > 0 {
				b.WriteString(strconv.Itoa(p.Digits))
			}
		}
		b.WriteString("}")
	}
	return b.String()
}

var braces = strings.NewReplacer("{", "{{", "}", "}}")
