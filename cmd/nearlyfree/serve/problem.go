package serve

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree"
)

// problem is an error as it is shown.
type problem struct {
	Message string
	// Before, At and After are the text of the statement, cut at the error; "" if its place is not known.
	Before, At, After string
	Line, Column      int
	Offset            int // of the place, in UTF-16 units, as a text box counts
	Cancelled         bool
}

var errCancelled = errors.New("you have ended the statement")

// problemOf says what is wrong with a statement.
func problemOf(err error, text string) *problem {
	if err == nil {
		return nil
	}
	p := &problem{Message: err.Error(), Cancelled: errors.Is(err, context.Canceled) || errors.Is(err, errCancelled)}
	if p.Cancelled {
		p.Message = "ended: " + p.Message
	}
	var e *nearlyfree.Error
	if !errors.As(err, &e) {
		return p
	}
	p.Message, _, _ = strings.Cut(p.Message, "\n"+e.Caret())
	if e.Line == 0 || text == "" {
		return p
	}
	p.Line, p.Column = e.Line, e.Column
	begin := placeIn(text, e.Line, e.Column)
	end := begin + wordLen(text[begin:])
	p.Before, p.At, p.After = text[:begin], text[begin:end], text[end:]
	for _, r := range p.Before {
		p.Offset++
		if r > 0xffff {
			p.Offset++
		}
	}
	return p
}

// placeIn is the offset of a line and a column, which count from 1.
func placeIn(text string, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	for ; column > 1 && at < len(text) && text[at] != '\n'; column-- {
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
	return at
}

// wordLen is how long the word is that a text begins with, or one character.
func wordLen(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool {
		return !('a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || r == '_' || r == '`' || r > 0x7f)
	})
	switch {
	case n < 0:
		return len(text)
	case n == 0:
		_, n = utf8.DecodeRuneInString(text)
	}
	return n
}
