package otelnearlyfree_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestProgramOfTheDocs: docs/observability.md has the program of example, which runs.
func TestProgramOfTheDocs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/observability.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("example/main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(program), "\npackage main\n")
	if !strings.Contains(string(page), "```go\npackage main\n"+body+"```\n") {
		t.Error("docs/observability.md does not have the program of example/main.go")
	}
	out, err := exec.Command("go", "run", "./example").CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"Name": "CREATE TABLE book"`) || !strings.Contains(string(out), "nearlyfree.requests") {
		t.Errorf("%v: %s", err, out)
	}
}
