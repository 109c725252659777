package dialect

import "strings"

// sized are types with sizes, which are not secret; they exclude names that are also functions, such as CHAR.
var sized = map[string]bool{
	"VARCHAR": true, "VARBINARY": true, "DECIMAL": true, "NUMERIC": true, "FLOAT": true, "DOUBLE": true, "DATETIME": true,
	"TINYINT": true, "SMALLINT": true, "MEDIUMINT": true, "INT": true, "INTEGER": true, "BIGINT": true,
}

// Outline is a statement without its literals and comments, which may hold private data: ? replaces each literal, a blank whatever separates
// words. For a text that cannot be read it gives the beginning.
func Outline(sql string, opt Options) string {
	l := lexer{source: source{sql: strings.TrimPrefix(sql, "\uFEFF"), opt: opt}}
	var b strings.Builder
	last := 0
	sizes := false // within the parentheses behind a type
	for {
		more, err := l.next()
		if err != nil {
			b.WriteString(" …")
			return b.String()
		}
		if !more {
			return b.String()
		}
		t := l.toks[len(l.toks)-1]
		if int(t.start) > last && b.Len() > 0 {
			b.WriteByte(' ')
		}
		if n := len(l.toks); t.word == "(" && n > 1 {
			sizes = sized[l.toks[n-2].word]
		} else if t.word == ")" {
			sizes = false
		}
		if t.kind >= tokString && t.kind <= tokBit && !(sizes && t.kind == tokInt) {
			b.WriteByte('?')
		} else {
			b.WriteString(l.sql[t.start:t.end])
		}
		last = int(t.end)
	}
}

// Verb is the first word of a statement, in capital letters; "" if it does not begin with a word.
func Verb(sql string, opt Options) string {
	l := lexer{source: source{sql: strings.TrimPrefix(sql, "\uFEFF"), opt: opt}}
	for {
		more, err := l.next()
		if err != nil || !more {
			return ""
		}
		if t := l.toks[len(l.toks)-1]; t.word != "(" {
			if t.kind != tokWord {
				return ""
			}
			return t.word
		}
	}
}
