package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// skipped is what --skip leaves out of a dump: features that the driver lacks, and tables can do without.
type skipped struct {
	names []string // TRIGGER x
}

// program finds a statement that makes or drops a stored program.
var program = regexp.MustCompile(`(?is)^\s*(CREATE|DROP)(\s+OR\s+REPLACE)?(\s+AGGREGATE)?(\s+DEFINER\s*=\s*\S+)?\s+` +
	`(TRIGGER|PROCEDURE|FUNCTION|EVENT)\s+(IF\s+(NOT\s+)?EXISTS\s+)?([^\s(;]+)`)

// tableOf finds the table of a definition.
var tableOf = regexp.MustCompile(`(?i)\bTABLE\s+(IF\s+NOT\s+EXISTS\s+)?([^\s(]+)`)

var commentMarks = regexp.MustCompile(`/\*N?!\d*|\*/`)

// isProgram says whether a statement makes or drops a trigger or a stored program.
func isProgram(text string) bool { return (&skipped{}).skips(text) }

// skips says whether a statement is to be left out, and notes it.
func (s *skipped) skips(text string) bool {
	if s == nil || len(text) > 1<<20 {
		return false
	}
	text = behindComments(text)
	switch firstWord(text) {
	case "CREATE", "DROP":
	default:
		if !strings.HasPrefix(text, "/*!") && !strings.HasPrefix(text, "/*N!") {
			return false
		}
		text = commentMarks.ReplaceAllString(text, " ")
	}
	m := program.FindStringSubmatch(text)
	if m == nil {
		m = program.FindStringSubmatch(commentMarks.ReplaceAllString(text, " "))
	}
	if m == nil {
		return false
	}
	if strings.EqualFold(m[1], "CREATE") {
		s.names = append(s.names, strings.ToUpper(m[5])+" "+m[8])
	}
	return true
}

// beginSkip makes the driver leave out keys that it does not support.
func (r *runner) beginSkip(ctx context.Context) error {
	_, err := r.db.conn.ExecContext(ctx, "SET skip_unsupported_keys = 1")
	r.skip = &skipped{}
	return err
}

// noteSkipped notes the keys that the driver left out of the last definition.
func (r *runner) noteSkipped(ctx context.Context, text string) error {
	text = behindComments(text)
	if word := firstWord(text); r.skip == nil || word != "CREATE" && word != "ALTER" {
		return nil
	}
	messages, err := r.db.column(ctx, "SHOW WARNINGS", 2)
	for _, m := range messages {
		key, ok := strings.CutSuffix(m, " is left out")
		if table := tableOf.FindStringSubmatch(text); ok && table != nil {
			key += " of " + table[2]
		}
		if ok {
			r.skip.names = append(r.skip.names, key)
		}
	}
	return err
}

// tellSkipped lists what was left out.
func (r *runner) tellSkipped() {
	if r.skip == nil || len(r.skip.names) == 0 {
		return
	}
	fmt.Fprintf(r.notes, "left out:\n")
	for _, name := range r.skip.names {
		fmt.Fprintf(r.notes, "  %s\n", name)
	}
}
