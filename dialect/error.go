package dialect

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Error says why a text was refused, and where: for a mistake, or for syntax that is known but not supported.
type Error struct {
	Message      string // what is wrong, or what to use instead of the feature
	Pos          int    // offset in bytes into SQL
	Line, Column int    // from 1; Column counts characters
	Near         string // the word or mark at Pos, cut to 40 bytes; "" at the end of the text
	Unsupported  string // "window functions", "FULL JOIN"; "" for a mistake in the text
	SQL          string // the text that was refused
}

// newError is an error about sql[pos:end].
func newError(sql string, pos, end int, msg string) *Error {
	e := &Error{Message: msg, Pos: pos, SQL: sql}
	e.Line, e.Column = Place(sql, pos)
	e.Near = brief(sql[pos:end])
	return e
}

// brief is the part of a word that an error repeats.
func brief(word string) string {
	const most = 40
	if len(word) > most {
		word = strings.ToValidUTF8(word[:most], "") + "…"
	}
	return word
}

// Error is one line: the line and column, the word there, and what is wrong with it.
func (e *Error) Error() string {
	where := "line " + strconv.Itoa(e.Line) + ", column " + strconv.Itoa(e.Column)
	near := " at the end of the text"
	if e.Near != "" {
		near = " near " + strconv.Quote(e.Near)
	}
	if e.Unsupported != "" {
		s := "not supported: " + e.Unsupported + ", at " + where + near
		if e.Message != "" {
			s += "; " + e.Message
		}
		return s
	}
	return "syntax error at " + where + near + ": " + e.Message
}

// Caret is the line of the text where the error is, and below it a ^ at the place; see [Caret].
func (e *Error) Caret() string { return Caret(e.SQL, e.Pos) }

// Place is the line and the column, both from 1, of an offset into a text; columns count characters.
func Place(sql string, pos int) (line, column int) {
	head := sql[:pos]
	start := strings.LastIndexByte(head, '\n') + 1
	return 1 + strings.Count(head, "\n"), 1 + utf8.RuneCountInString(head[start:])
}

// Caret is the line of a text at an offset, and below it a ^ at the place. For a long line it shows only what is within 60 bytes of the place.
func Caret(sql string, pos int) string {
	from := strings.LastIndexByte(sql[:pos], '\n') + 1
	to := len(sql)
	if n := strings.IndexByte(sql[pos:], '\n'); n >= 0 {
		to = pos + n
	}
	var pre, post string
	if pos-from > 60 {
		from, pre = pos-60, "…"
	}
	if to-pos > 60 {
		to, post = pos+60, "…"
	}
	var b strings.Builder
	b.WriteString(pre + strings.ToValidUTF8(sql[from:to], "") + post + "\n")
	// A tab keeps its width, so that the mark is below its place.
	for _, r := range pre + strings.ToValidUTF8(sql[from:pos], "") {
		if r != '\t' {
			r = ' '
		}
		b.WriteRune(r)
	}
	b.WriteByte('^')
	return b.String()
}
