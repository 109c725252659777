package session

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

var update = flag.Bool("update", false, "write docs/variables.md anew")

// TestVariablesReference keeps docs/variables.md what the code has.
func TestVariablesReference(t *testing.T) {
	const path = "../../docs/variables.md"
	want := variablesReference()
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
		t.Errorf("%s is not what the code has: run go test ./internal/session -run %s -update", path, t.Name())
	}
}

// variablesReference is docs/variables.md.
func variablesReference() string {
	var b strings.Builder
	b.WriteString("# System variables\n\nMade from the code by `go test ./internal/session -run TestVariablesReference -update`; do not edit.\n\n" +
		"`SET` of any other name is error 1193.\n")
	names := slices.Sorted(maps.Keys(systemVariables))
	for _, part := range []struct {
		set         setting
		title, what string
	}{
		{settable, "What SET sets", "In this session; `SET GLOBAL` and `SET PERSIST` of them are refused."},
		{fixed, "What has one value", "`SET` takes the value that the variable has, and refuses any other with error 1235."},
		{idle, "What changes nothing", "`SET` takes any value, and the variable stays as it is: tools and dumps send them."},
		{readOnly, "What cannot be set", "`SET` is error 1238."},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", part.title, part.what)
		if part.set == fixed || part.set == idle {
			b.WriteString("| variable | value | why |\n|---|---|---|\n")
		}
		for _, name := range names {
			v := systemVariables[name]
			switch {
			case v.set != part.set:
			case v.why != "":
				shown := "" // the session's
				if !v.value.IsNull() {
					shown = value.Text(v.value)
				}
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, shown, v.why)
			default:
				fmt.Fprintf(&b, "- `%s`\n", name)
			}
		}
	}
	return b.String()
}
