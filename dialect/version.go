package dialect

import "strings"

// Version is the version of the MySQL whose dialect this is: 8.0.23. As in MySQL, a comment /*!40101 … */ for servers of some version is read if
// that version is not newer. A comment /*N! … */ is always read: it is for this dialect alone, as /*M! … */ is for MariaDB, so that a dump may
// contain what MySQL does not know.
const Version = 80023

// versionComments are the marks that make comments of text to be read.
type versionComments struct {
	open  int      // 1 more than the position of the comment that is being read; 0: none
	signs [][2]int // from, to
}

// readVersions gives the text with blanks in place of those marks, so that every place in it stays the same.
func readVersions(sql string, opt Options) (string, *Error) {
	if !hasVersions(sql) {
		return sql, nil
	}
	v := &versionComments{}
	l := lexer{source: source{sql: sql, opt: opt}, versions: v}
	for more := true; more; {
		var err *Error
		if more, err = l.next(); err != nil {
			return "", err
		}
		if l.toks[len(l.toks)-1].word == ";" && len(l.open) == 0 {
			l.toks = l.toks[:0] // another statement
		}
	}
	if v.open > 0 {
		return "", l.fail(v.open-1, "a comment /*! that is not closed by */")
	}
	out := []byte(sql)
	for _, s := range v.signs {
		for i := s[0]; i < s[1]; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	return string(out), nil
}

// hasVersions says whether a text may hold such a comment.
func hasVersions(sql string) bool {
	return strings.Contains(sql, "/*!") || strings.Contains(sql, "/*N!")
}

// enter passes the beginning of a comment, if its text is to be read.
func (v *versionComments) enter(l *lexer) bool {
	if v.open > 0 { // a comment within another one stays a comment
		if n := strings.Index(l.sql[l.pos:], "*/"); n > 0 {
			v.signs = append(v.signs, [2]int{l.pos, l.pos + n + 2})
		}
		return false
	}
	version, at := 0, l.pos+len("/*!")
	if l.at(2) == 'N' {
		at++
	}
	for n := 0; n < 6 && at < len(l.sql) && isDigit(l.sql[at]); n++ {
		version, at = 10*version+int(l.sql[at]-'0'), at+1
	}
	if version > Version {
		return false
	}
	v.signs = append(v.signs, [2]int{l.pos, at})
	v.open, l.pos = l.pos+1, at
	return true
}

// leave passes the end of the comment.
func (v *versionComments) leave(l *lexer) {
	v.signs = append(v.signs, [2]int{l.pos, l.pos + 2})
	v.open, l.pos = 0, l.pos+2
}
