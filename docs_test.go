package nearlyfree

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
)

var update = flag.Bool("update", false, "write codes.go and docs/functions.md anew")

// TestOptionsAreDocumented: the README's table and ParseDSN's comment name every option of a data source name.
func TestOptionsAreDocumented(t *testing.T) {
	for path, form := range map[string]string{"README.md": "\n| `%s` | ", "dsn.go": "%s"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range options {
			if !strings.Contains(string(text), fmt.Sprintf(form, o.name)) {
				t.Errorf("%s does not have the option %s", path, o.name)
			}
		}
	}
}

// TestFunctionReference keeps docs/functions.md what the code has.
func TestFunctionReference(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Functions\n\nMade from the code by `go test -run TestFunctionReference -update .`; do not edit.\n")
	families := map[string][]*expr.Function{}
	var order []string
	for _, f := range slices.Concat(expr.Aggregates(), expr.WindowFunctions(), expr.Functions()) {
		if families[f.Family] == nil {
			order = append(order, f.Family)
		}
		families[f.Family] = append(families[f.Family], f)
	}
	for _, family := range order {
		fmt.Fprintf(&b, "\n## %s\n\n| function | what it gives |\n|---|---|\n", strings.ToUpper(family[:1])+family[1:])
		for _, f := range families[family] {
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(f.Signature, "|", `\|`), strings.ReplaceAll(f.Doc, "|", `\|`))
		}
	}
	checkReference(t, "docs/functions.md", b.String())
}

// checkReference holds a file that is made from the code against it.
func checkReference(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != want {
		t.Errorf("%s is not what the code has: run go test -run %s -update .", path, t.Name())
	}
}
