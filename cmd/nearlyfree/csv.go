package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// csvReader reads RFC 4180. Package encoding/csv does not tell "" from nothing, which is NULL, and changes ends of lines in quotes.
type csvReader struct {
	in   *bufio.Reader
	line int // that was read last

	lines []string // of the record
}

// csvField is a field; quoted says that it stood in quotes.
type csvField struct {
	text   string
	quoted bool
}

// errCSV is what is wrong with one record; the next one can be read.
type errCSV struct {
	why  string
	text string // of the record, as far as it was read
}

func (e *errCSV) Error() string { return e.why }

// read gives a record that is not empty, and the line where it begins.
func (r *csvReader) read() (fields []csvField, line int, err error) {
	rest := ""
	for rest == "" {
		r.lines = r.lines[:0]
		if rest, err = r.more(); err != nil {
			return nil, 0, err
		}
		if strings.TrimRight(rest, "\r\n") == "" {
			rest = ""
		}
	}
	line = r.line
	for {
		if !strings.HasPrefix(rest, `"`) {
			n := strings.IndexByte(rest, ',')
			if n < 0 {
				return append(fields, csvField{text: strings.TrimSuffix(strings.TrimSuffix(rest, "\n"), "\r")}), line, nil
			}
			fields = append(fields, csvField{text: rest[:n]})
			rest = rest[n+1:]
			continue
		}
		var text string
		if text, rest, err = r.quoted(rest[1:]); err != nil {
			return nil, line, err
		}
		fields = append(fields, csvField{text, true})
		switch {
		case strings.HasPrefix(rest, ","):
			rest = rest[1:]
		case strings.TrimRight(rest, "\r\n") == "":
			return fields, line, nil
		default:
			return nil, line, &errCSV{fmt.Sprintf("behind a quote that closes stands %.20q: a quote in a field is written twice", rest), strings.Join(r.lines, "")}
		}
	}
}

// quoted reads up to the quote that closes, over lines.
func (r *csvReader) quoted(rest string) (text, behind string, err error) {
	var b strings.Builder
	begun := r.line
	for {
		n := strings.IndexByte(rest, '"')
		switch {
		case n < 0:
			b.WriteString(rest)
			if rest, err = r.more(); err == io.EOF {
				return "", "", &errCSV{fmt.Sprintf("a quote of line %d is not closed", begun), strings.Join(r.lines, "")}
			} else if err != nil {
				return "", "", err
			}
		case strings.HasPrefix(rest[n+1:], `"`):
			b.WriteString(rest[:n+1])
			rest = rest[n+2:]
		default:
			b.WriteString(rest[:n])
			return b.String(), rest[n+1:], nil
		}
	}
}

// more reads a line.
func (r *csvReader) more() (string, error) {
	line, err := r.in.ReadString('\n')
	if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
		return "", err
	}
	r.line++
	r.lines = append(r.lines, line)
	return line, nil
}

// appendCSV writes a field. What would be read as NULL, or as several fields, is put in quotes.
func appendCSV(out []byte, text, null string) []byte {
	if text != "" && text != null && text != `\N` && text[0] != ' ' && !strings.ContainsAny(text, ",\"\r\n") {
		return append(out, text...)
	}
	out = append(out, '"')
	out = append(out, strings.ReplaceAll(text, `"`, `""`)...)
	return append(out, '"')
}
