// Package csv reads and writes comma-separated values, also with another separator, as databases do: what is in quotes is a text, and nothing, or \N, is NULL.
package csv

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Reader reads RFC 4180. Package encoding/csv does not tell "" from nothing, which is NULL, and changes ends of lines in quotes.
type Reader struct {
	// Separator is what stands between fields: a comma, unless it is set before the first record is read.
	Separator string

	in   *bufio.Reader
	line int // that was read last

	lines []string // of the record
}

// NewReader reads what in has, behind a byte order mark.
func NewReader(in io.Reader) *Reader { return &Reader{Separator: ",", in: WithoutMark(in)} }

// WithoutMark passes over a byte order mark.
func WithoutMark(in io.Reader) *bufio.Reader {
	b := bufio.NewReaderSize(in, 1<<16)
	if head, _ := b.Peek(3); string(head) == "\uFEFF" {
		b.Discard(3)
	}
	return b
}

// Field is a field; Quoted says that it stood in quotes.
type Field struct {
	Text   string
	Quoted bool
}

// IsNull says whether the field is NULL: nothing, \N, or what stands for NULL besides.
func (f Field) IsNull(null string) bool {
	return !f.Quoted && (f.Text == "" || f.Text == null || f.Text == `\N`)
}

// Error is what is wrong with one record; the next one can be read.
type Error struct {
	Why  string
	Text string // of the record, as far as it was read
}

func (e *Error) Error() string { return e.Why }

// Read gives a record that is not empty, and the line where it begins.
func (r *Reader) Read() (fields []Field, line int, err error) {
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
			n := strings.Index(rest, r.Separator)
			if n < 0 {
				return append(fields, Field{Text: strings.TrimSuffix(strings.TrimSuffix(rest, "\n"), "\r")}), line, nil
			}
			fields = append(fields, Field{Text: rest[:n]})
			rest = rest[n+len(r.Separator):]
			continue
		}
		var text string
		if text, rest, err = r.quoted(rest[1:]); err != nil {
			return nil, line, err
		}
		fields = append(fields, Field{text, true})
		switch {
		case strings.HasPrefix(rest, r.Separator):
			rest = rest[len(r.Separator):]
		case strings.TrimRight(rest, "\r\n") == "":
			return fields, line, nil
		default:
			return nil, line, &Error{fmt.Sprintf("%.20q follows a closing quote: a quote within a field is written twice", rest), strings.Join(r.lines, "")}
		}
	}
}

// quoted reads up to the quote that closes, over lines.
func (r *Reader) quoted(rest string) (text, behind string, err error) {
	var b strings.Builder
	begun := r.line
	for {
		n := strings.IndexByte(rest, '"')
		switch {
		case n < 0:
			b.WriteString(rest)
			if rest, err = r.more(); err == io.EOF {
				return "", "", &Error{fmt.Sprintf("a quote of line %d is not closed", begun), strings.Join(r.lines, "")}
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
func (r *Reader) more() (string, error) {
	line, err := r.in.ReadString('\n')
	if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
		return "", err
	}
	r.line++
	r.lines = append(r.lines, line)
	return line, nil
}

// Append writes a field. What would be read as NULL, or as several fields, is put in quotes.
func Append(out []byte, text, null, separator string) []byte {
	if text != "" && text != null && text != `\N` && text[0] != ' ' && !strings.ContainsAny(text, "\"\r\n") && !strings.Contains(text, separator) {
		return append(out, text...)
	}
	out = append(out, '"')
	out = append(out, strings.ReplaceAll(text, `"`, `""`)...)
	return append(out, '"')
}
