package serve

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
)

// cell is a value as it is shown.
type cell struct {
	Text   string
	Rest   string // of a long text, what is shown when it is opened
	Note   string // how long it is, if not all is shown
	Null   bool
	Number bool // aligned to the right
	Binary bool
}

const (
	shownText   = 120     // characters of a text that are shown at first
	openedText  = 20_000  // that are shown when it is opened
	shownOctets = 24      // of a binary value
	mostResult  = 4 << 20 // octets that a result may have
)

// cellType is what must be known of a column.
type cellType struct{ ask.Column }

func cellTypes(rows *sql.Rows) ([]cellType, error) {
	all, err := ask.Columns(rows)
	out := make([]cellType, len(all))
	for i, c := range all {
		out[i] = cellType{c}
	}
	return out, err
}

// cell gives a value as it is shown.
func (c cellType) cell(v any) cell {
	switch v := v.(type) {
	case nil:
		return cell{Text: "NULL", Null: true}
	case time.Time:
		return cell{Text: c.Time(v)}
	case []byte:
		if c.Binary() || !utf8.Valid(v) {
			return binaryCell(v)
		}
		return textCell(string(v))
	case string:
		if !utf8.ValidString(v) {
			return binaryCell([]byte(v))
		}
		out := textCell(v)
		out.Number = c.Number()
		return out
	case int64:
		if c.Type == "YEAR" {
			return cell{Text: fmt.Sprintf("%04d", v), Number: true}
		}
	}
	return cell{Text: fmt.Sprint(v), Number: c.Number()}
}

func binaryCell(v []byte) cell {
	shown := v[:min(len(v), shownOctets)]
	c := cell{Text: "0x" + strings.ToUpper(hex.EncodeToString(shown)), Binary: true}
	if len(shown) < len(v) {
		c.Text += "…"
		c.Note = count(int64(len(v)), "byte")
	}
	return c
}

// Short says whether it is not broken into lines.
func (c *cell) Short() bool { return len(c.Text) <= 40 && !strings.Contains(c.Text, "\n") }

func textCell(v string) cell {
	n := utf8.RuneCountInString(v)
	if n <= shownText {
		return cell{Text: visible(v)}
	}
	c := cell{Text: visible(first(v, shownText)) + "…", Rest: visible(first(v, openedText)), Note: count(int64(n), "character")}
	if n > openedText {
		c.Rest += "…"
	}
	return c
}

// first gives so many characters of a text.
func first(v string, n int) string {
	for i := range v {
		if n == 0 {
			return v[:i]
		}
		n--
	}
	return v
}

// visible shows control characters, and characters that change the direction of text, as symbols.
func visible(v string) string {
	if strings.IndexFunc(v, isUnseen) < 0 {
		return v
	}
	return strings.Map(func(r rune) rune {
		switch {
		case !isUnseen(r):
			return r
		case r < ' ':
			return '␀' + r
		case r == 0x7f:
			return '␡'
		}
		return '�'
	}, v)
}

func isUnseen(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || 0x7f <= r && r < 0xa0 || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 || r == 0x200e || r == 0x200f
}
