package dialect

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// TestGolden parses the statements of testdata/*.txt and compares what comes back. A file is blocks of a
// statement, a line ----, the result, and an empty line. Lines that begin with # outside of a block are
// remarks. In files whose name begins with ansi quotes mean identifiers.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			old, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			opt := Options{ANSIQuotes: strings.HasPrefix(filepath.Base(file), "ansi")}
			var out strings.Builder
			for _, block := range strings.Split(strings.TrimSpace(string(old)), "\n\n") {
				if strings.HasPrefix(block, "# ") {
					out.WriteString(block + "\n\n")
					continue
				}
				sql, want, _ := strings.Cut(block, "\n----")
				want = strings.TrimSpace(want)
				got := result(sql, opt)
				if got != want && !*update {
					t.Errorf("%s\n got %s\nwant %s", sql, got, want)
				}
				out.WriteString(sql + "\n----\n" + got + "\n\n")
			}
			if *update {
				text := strings.TrimSpace(out.String()) + "\n"
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// result is what Parse says, as text.
func result(sql string, opt Options) string {
	p, err := Parse(sql, opt)
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			return "an error of another type: " + err.Error()
		}
		return e.Error() + "\n" + e.Caret()
	}
	out := dump(p.Statement)
	if p.Placeholders > 0 {
		out += fmt.Sprintf("\nplaceholders %d %q", p.Placeholders, p.Names)
	}
	return out
}
