package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/nearlyfreedb/nearlyfree/internal/csv"
)

// printer prints the rows of one query. They come in parts of at most tableRows rows, so that a large result takes no memory.
type printer interface {
	// part prints some rows; first and last say whether they are the first and the last ones.
	part(w io.Writer, columns []column, rows [][]any, first, last bool) error
}

// tableRows is how many rows are laid out together: a column is as wide as the widest of them.
const tableRows = 1000

// formats are the ways to print rows.
var formats = map[string]printer{
	"table":    tablePrinter{render: table.Writer.Render},
	"markdown": tablePrinter{render: table.Writer.RenderMarkdown, oneTable: true},
	"csv":      csvPrinter{},
	"tsv":      tsvPrinter{},
	"json":     jsonPrinter{},
	"jsonl":    jsonPrinter{lines: true},
	"record":   recordPrinter{},
}

func formatNames() string {
	var names []string
	for name := range formats {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func formatOf(name string) (printer, error) {
	if p, ok := formats[name]; ok {
		return p, nil
	}
	return nil, fmt.Errorf("the format %q is not known; it is one of %s", name, formatNames())
}

// tablePrinter draws a table.
type tablePrinter struct {
	render   func(table.Writer) string
	oneTable bool // its parts must not be visible as such, so only the first has a head
}

func (p tablePrinter) part(w io.Writer, columns []column, rows [][]any, first, last bool) error {
	if len(rows) == 0 && !first {
		return nil
	}
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format = table.FormatOptions{} // names and values as they are
	configs := make([]table.ColumnConfig, len(columns))
	head := make(table.Row, len(columns))
	for i, c := range columns {
		head[i] = printable(c.Name)
		configs[i] = table.ColumnConfig{Number: i + 1}
		if c.Number() {
			configs[i].Align, configs[i].AlignHeader = text.AlignRight, text.AlignRight
		}
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(head)
	for _, row := range rows {
		cells := make(table.Row, len(row))
		for i, v := range row {
			cells[i] = printable(columns[i].text(v))
		}
		t.AppendRow(cells)
	}
	drawn := p.render(t)
	if p.oneTable && !first {
		drawn = strings.Join(strings.Split(drawn, "\n")[2:], "\n")
	}
	_, err := fmt.Fprintln(w, drawn)
	return err
}

// printable keeps a value on its line: characters that a terminal would obey are shown as Go writes them.
func printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || 0x80 <= r && r < 0xa0 }) < 0 {
		return s
	}
	var out strings.Builder
	for _, r := range s {
		if r < ' ' && r != '\n' || r == 0x7f || 0x80 <= r && r < 0xa0 {
			fmt.Fprintf(&out, `\x%02x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// csvPrinter prints RFC 4180. NULL is an empty field, or what null says; an empty text is "".
type csvPrinter struct{ null string }

func (p csvPrinter) part(w io.Writer, columns []column, rows [][]any, first, last bool) error {
	var out []byte
	line := func(field func(i int) []byte) {
		for i := range columns {
			if i > 0 {
				out = append(out, ',')
			}
			out = field(i)
		}
		out = append(out, '\n')
	}
	if first {
		line(func(i int) []byte { return csv.Append(out, columns[i].Name, p.null, ",") })
	}
	for _, row := range rows {
		line(func(i int) []byte {
			if row[i] != nil {
				return csv.Append(out, columns[i].text(row[i]), p.null, ",")
			}
			if p.null == "" && len(columns) == 1 {
				return append(out, `\N`...) // nothing would be an empty line
			}
			return append(out, p.null...)
		})
	}
	_, err := w.Write(out)
	return err
}

// tsvPrinter prints a row a line, as MySQL's client does into a pipe: a tab, a line's end and a backslash in a value are escaped, and
// nothing is quoted. NULL is an empty field.
type tsvPrinter struct{}

var tsvEscapes = strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`, `\`, `\\`)

func (tsvPrinter) part(w io.Writer, columns []column, rows [][]any, first, last bool) error {
	var out strings.Builder
	line := func(field func(i int) string) {
		for i := range columns {
			if i > 0 {
				out.WriteByte('\t')
			}
			tsvEscapes.WriteString(&out, field(i))
		}
		out.WriteByte('\n')
	}
	if first {
		line(func(i int) string { return columns[i].Name })
	}
	for _, row := range rows {
		line(func(i int) string {
			if row[i] == nil {
				return ""
			}
			return columns[i].text(row[i])
		})
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// jsonPrinter prints an array of objects, or an object a line.
type jsonPrinter struct{ lines bool }

func (p jsonPrinter) part(w io.Writer, columns []column, rows [][]any, first, last bool) error {
	var out strings.Builder
	if first && !p.lines {
		out.WriteString("[")
	}
	for r, row := range rows {
		switch {
		case p.lines:
		case first && r == 0:
			out.WriteString("\n  ")
		default:
			out.WriteString(",\n  ")
		}
		out.WriteByte('{')
		for i, c := range columns {
			if i > 0 {
				out.WriteString(", ")
			}
			name, err := json.Marshal(c.Name)
			if err != nil {
				return err
			}
			value, err := c.json(row[i])
			if err != nil {
				return fmt.Errorf("column %s: %w", c.Name, err)
			}
			fmt.Fprintf(&out, "%s: %s", name, value)
		}
		out.WriteByte('}')
		if p.lines {
			out.WriteByte('\n')
		}
	}
	if last && !p.lines {
		if out.Len() > 1 || !first {
			out.WriteByte('\n')
		}
		out.WriteString("]\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// recordPrinter prints a column a line, as \G of MySQL's shell.
type recordPrinter struct{}

func (recordPrinter) part(w io.Writer, columns []column, rows [][]any, first, last bool) error {
	width := 0
	for _, c := range columns {
		width = max(width, text.StringWidthWithoutEscSequences(c.Name))
	}
	var out strings.Builder
	for _, row := range rows {
		for i, c := range columns {
			fmt.Fprintf(&out, "%s%s: %s\n", strings.Repeat(" ", width-text.StringWidthWithoutEscSequences(c.Name)), printable(c.Name), printable(c.text(row[i])))
		}
		out.WriteByte('\n')
	}
	_, err := io.WriteString(w, out.String())
	return err
}
