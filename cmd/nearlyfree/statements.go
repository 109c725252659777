package main

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
	"strings"
)

// statements cuts a text into statements as it is read. A statement ends at a semicolon outside of quotes and comments, or at the delimiter of a
// DELIMITER line. Between statements, a line that begins with a point is a command of the shell, and so are SOURCE FILE, EXIT, QUIT and HELP;
// USE NAME ends with its line. \c drops the statement written so far. It checks nothing else: errors in a statement are the driver's to report.
type statements struct {
	in    *bufio.Reader
	until string // what ends a statement
	given int    // the lines before rest
	rest  []byte // read, and not given yet
	at    int    // up to here rest was looked at
	quote byte   // the quote or comment that at is in: ' " ` * - or 0
	ended bool   // there is no more to read

	command string // one that was read
	record  bool   // the last statement ended in \G
	closed  bool   // the last statement ended before the text did
}

func newStatements(in io.Reader) *statements {
	return &statements{in: bufio.NewReaderSize(in, 1<<16), until: ";"}
}

// statement is one of them.
type statement struct {
	text string // without what ends it
	line int    // where it begins, from 1
	// record says that it ended in \G: its rows are to be printed a column a line.
	record bool
}

// next gives the next statement. At the end it gives io.EOF.
func (s *statements) next() (statement, error) {
	for {
		if st, ok := s.ready(); ok {
			return st, nil
		}
		if s.ended {
			return statement{}, io.EOF
		}
		if err := s.read(); err != nil {
			return statement{}, err
		}
	}
}

// ready gives the first statement whose end has been read.
func (s *statements) ready() (statement, bool) {
	if s.command != "" {
		st := statement{text: s.command, line: s.given}
		s.command = ""
		return st, true
	}
	for {
		line := s.given + 1
		text, ok := s.cut()
		if !ok {
			return statement{}, false
		}
		hasWords := s.closed && behindComments(text+"x") != "x" // "--" is a comment at the end of the text, and not before a semicolon
		if trimmed := strings.TrimSpace(text); hasWords || !onlyComments(trimmed) {
			line += strings.Count(text[:strings.Index(text, trimmed)], "\n")
			return statement{trimmed, line, s.record}, true
		}
	}
}

// pending says whether a statement has begun and not ended.
func (s *statements) pending() bool { return len(bytes.TrimSpace(s.rest)) > 0 }

// read adds a line.
func (s *statements) read() error {
	line, err := s.in.ReadBytes('\n')
	if err == io.EOF {
		s.ended = true
	} else if err != nil {
		return err
	}
	s.add(line)
	return nil
}

// add adds a line that was read elsewhere.
func (s *statements) add(line []byte) {
	if s.given == 0 && len(s.rest) == 0 {
		line = bytes.TrimPrefix(line, []byte("\uFEFF"))
	}
	text := ofMySQL(string(bytes.TrimSpace(line)))
	if use := useLine.FindStringSubmatch(text); use != nil && !strings.Contains(text, s.until) && s.quote == 0 && onlyComments(string(s.rest)) {
		s.rest = append(s.rest, "USE "+use[1]+s.until+"\n"...)
		return
	}
	command := strings.HasPrefix(text, ".")
	delimiter := delimiterLine.FindStringSubmatch(text)
	if !command && delimiter == nil || s.quote != 0 || !onlyComments(string(s.rest)) {
		s.rest = append(s.rest, line...)
		return
	}
	if command {
		s.command = text
	} else {
		s.until = delimiter[1]
	}
	s.given += bytes.Count(s.rest, []byte("\n")) + 1
	s.rest, s.at = nil, 0
}

// ofMySQL gives the command of the shell that a line means to the command mysql; other lines stay as they are.
func ofMySQL(line string) string {
	if file := sourceLine.FindStringSubmatch(line); file != nil {
		return ".read " + file[1]
	}
	if len(line) > 6 {
		return line
	}
	switch strings.ToLower(strings.TrimRight(line, "; ")) {
	case "exit", "quit", `\q`:
		return ".quit"
	case "help", "?", `\h`:
		return ".help"
	}
	return line
}

var sourceLine = regexp.MustCompile(`^(?:(?i:SOURCE)|\\\.)\s+(.+)$`)

// useLine is a USE that ends with its line, as in the command mysql.
var useLine = regexp.MustCompile("^(?:(?i:USE)|\\\\u)\\s+(`[^`]+`|[^\\s`;\\\\]+)$")

var delimiterLine = regexp.MustCompile(`^(?i:DELIMITER)\s+(\S+)$`)

// cut takes the first statement off the text, where its end is there.
func (s *statements) cut() (string, bool) {
	for ; s.at < len(s.rest); s.at++ {
		c, next := s.rest[s.at], byte(0)
		if s.at+1 < len(s.rest) {
			next = s.rest[s.at+1]
		}
		switch {
		case s.quote == '-':
			if c == '\n' {
				s.quote = 0
			}
		case s.quote == '*':
			if c == '*' && next == '/' {
				s.quote = 0
				s.at++
			}
		case s.quote != 0:
			if c == s.quote {
				s.quote = 0 // a doubled one begins the next string
			} else if c == '\\' && s.quote != '`' {
				s.at++
			}
		case bytes.HasPrefix(s.rest[s.at:], []byte(s.until)):
			s.record = false
			return s.take(s.at, len(s.until)), true
		case c == '\\' && (next == 'G' || next == 'g'):
			s.record = next == 'G'
			return s.take(s.at, 2), true
		case c == '\\' && next == 'c': // as in the command mysql
			s.take(s.at, 2)
			s.at = -1
		case c == '\'' || c == '"' || c == '`':
			s.quote = c
		case c == '/' && next == '*':
			s.quote = '*'
			s.at++
		case c == '#', c == '-' && next == '-' && (s.at+2 >= len(s.rest) || s.rest[s.at+2] <= ' '):
			s.quote = '-'
		}
	}
	if s.ended && len(s.rest) > 0 {
		s.record = false
		return s.take(len(s.rest), 0), true
	}
	return "", false
}

// take gives the first n octets and skips what ends them.
func (s *statements) take(n, end int) string {
	text := string(s.rest[:n])
	s.given += strings.Count(text, "\n")
	s.rest, s.at, s.quote, s.closed = s.rest[n+end:], 0, 0, end > 0
	return text
}

// behindComments is the text after the comments that it begins with. A comment /*! … */ or /*N! … */ counts as text, and so does one that is not
// closed, which the driver will refuse.
func behindComments(text string) string {
	for {
		text = strings.TrimSpace(text)
		switch {
		case strings.HasPrefix(text, "/*") && !strings.HasPrefix(text, "/*!") && !strings.HasPrefix(text, "/*N!"):
			_, after, found := strings.Cut(text[2:], "*/")
			if !found {
				return text
			}
			text = after
		case strings.HasPrefix(text, "#"), text == "--", strings.HasPrefix(text, "--") && text[2] <= ' ':
			_, text, _ = strings.Cut(text, "\n")
		default:
			return text
		}
	}
}

// onlyComments says whether a text has no words outside of comments.
func onlyComments(text string) bool { return behindComments(text) == "" }
