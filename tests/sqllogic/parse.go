package sqllogic

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Record is one record of a test file.
type Record struct {
	Line    int    // of its first line, from 1
	Kind    string // "statement", "query", "halt", "hash-threshold"
	SkipIf  []string
	OnlyIf  []string
	Error   bool   // statement error
	Types   string // query: one of T, I, R for each column
	Sort    string // query: nosort, rowsort, valuesort
	Label   string
	SQL     string
	Want    []string // query: values, or one line "N values hashing to H"
	HasWant bool
	N       int // hash-threshold
}

// Runs says whether the record is for an engine of that name.
func (r *Record) Runs(engine string) bool {
	for _, s := range r.SkipIf {
		if s == engine {
			return false
		}
	}
	for _, s := range r.OnlyIf {
		if s != engine {
			return false
		}
	}
	return true
}

// Parse reads the records of a test file.
func Parse(r io.Reader) ([]Record, error) {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 64<<10), 64<<20)
	p := &parser{scanner: scanner}
	var records []Record
	var pending Record
	for p.next() {
		line := strings.TrimRight(p.text, " \t\r")
		if i := strings.Index(line, "#"); i >= 0 {
			line = strings.TrimRight(line[:i], " \t")
		}
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if pending.Line == 0 {
			pending.Line = p.line
		}
		switch fields[0] {
		case "skipif", "onlyif":
			if len(fields) != 2 {
				return nil, p.errorf("%s wants one name", fields[0])
			}
			if fields[0] == "skipif" {
				pending.SkipIf = append(pending.SkipIf, fields[1])
			} else {
				pending.OnlyIf = append(pending.OnlyIf, fields[1])
			}
			continue
		case "halt":
			pending.Kind = "halt"
		case "hash-threshold":
			n, err := strconv.Atoi(fields[len(fields)-1])
			if err != nil {
				return nil, p.errorf("hash-threshold wants a number")
			}
			pending.Kind, pending.N = "hash-threshold", n
		case "statement":
			if len(fields) < 2 || (fields[1] != "ok" && fields[1] != "error") {
				return nil, p.errorf("statement wants ok or error")
			}
			pending.Kind, pending.Error = "statement", fields[1] == "error"
			pending.SQL, _ = p.sql()
		case "query":
			pending.Kind, pending.Sort = "query", "nosort"
			if len(fields) > 1 {
				pending.Types = fields[1]
			}
			if len(fields) > 2 {
				pending.Sort = fields[2]
			}
			if len(fields) > 3 {
				pending.Label = fields[3]
			}
			pending.SQL, pending.HasWant = p.sql()
			if pending.HasWant {
				pending.Want = p.want()
			}
		default:
			return nil, p.errorf("unknown record %q", fields[0])
		}
		records = append(records, pending)
		pending = Record{}
	}
	return records, scanner.Err()
}

type parser struct {
	scanner *bufio.Scanner
	text    string
	line    int
}

func (p *parser) next() bool {
	if !p.scanner.Scan() {
		return false
	}
	p.text = p.scanner.Text()
	p.line++
	return true
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %s", p.line, fmt.Sprintf(format, args...))
}

// sql reads lines up to an empty one, or to ----, which says that an answer follows.
func (p *parser) sql() (text string, answered bool) {
	var lines []string
	for p.next() {
		switch line := strings.TrimRight(p.text, "\r"); {
		case strings.TrimSpace(line) == "":
			return strings.Join(lines, "\n"), false
		case strings.TrimSpace(line) == "----":
			return strings.Join(lines, "\n"), true
		default:
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n"), false
}

func (p *parser) want() []string {
	lines := []string{}
	for p.next() {
		line := strings.TrimRight(p.text, "\r")
		if line == "" {
			break
		}
		lines = append(lines, line)
	}
	return lines
}
