package feature

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestDocumented: docs/format.md has the features of definitions and of files as they are, in the order of their names.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []Set{Definitions, Files} {
		var lines strings.Builder
		for _, f := range set {
			needed := "read"
			if f.ToWrite {
				needed = "write"
			}
			fmt.Fprintf(&lines, "| `%s` | %s | %s |\n", f.Name, needed, f.Comment)
		}
		if !strings.Contains(string(page), "|---|---|---|\n"+lines.String()+"\n") {
			t.Errorf("docs/format.md lacks this table:\n%s", &lines)
		}
	}
	for _, set := range []Set{Definitions, Stores, Files} {
		if !slices.IsSortedFunc(set, func(a, b Feature) int { return strings.Compare(a.Name, b.Name) }) {
			t.Errorf("%v is not sorted by name", set)
		}
		for i, f := range set {
			if f.Name == "" || strings.ContainsAny(f.Name, " ,`") || f.Comment == "" || i > 0 && set[i-1].Name == f.Name {
				t.Errorf("%+v", f)
			}
		}
	}
}

func TestUnknown(t *testing.T) {
	if got := Definitions.Unknown([]string{"parent", "words", "external", "bits"}); !slices.Equal(got, []string{"words", "bits"}) {
		t.Error(got)
	}
	if got := Files.Unknown(nil); got != nil {
		t.Error(got)
	}
}
