package mariadb

import (
	"iter"
	"strings"
	"testing"
)

// line is a line of a script and what both sides answer to it, but for warnings.
type line struct {
	text      string
	query     bool
	got, want answer
	of        string // the name of our side
}

// bothAnswer runs a script of a statement a line on both sides. Lines that begin with ? are queries.
func bothAnswer(script string, ours, theirs *side) iter.Seq[*line] {
	return func(yield func(*line) bool) {
		for text := range strings.SplitSeq(strings.TrimSpace(script), "\n") {
			ask := (*side).exec
			text, query := strings.CutPrefix(text, "?")
			if query {
				ask = (*side).query
			}
			l := &line{text, query, ask(ours, text), ask(theirs, text), ours.name}
			l.got.warnings, l.want.warnings = "", ""
			if !yield(l) {
				return
			}
		}
	}
}

// compare reports where the answers are different.
func (l *line) compare(t *testing.T) {
	t.Helper()
	if what := l.got.differs(l.want); what != "" {
		t.Errorf("%s: %s: %s\n%s\nwant\n%s", l.of, l.text, what, l.got, l.want)
	}
}
