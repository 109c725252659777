package nearlyfree_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/nearlyfreedb/nearlyfree"

// mayImport says which packages of this module each package may import, and which of others that nobody else may.
// Tests are free.
var mayImport = map[string][]string{
	".":                               {"dialect", "keymap", "planner", "internal/value", "internal/expr", "internal/feature", "internal/sqlerr", "internal/retry", "internal/schema", "internal/catalog", "internal/exec", "internal/dml", "internal/ddl", "internal/session", "internal/engine", "internal/engine/azure", "internal/engine/embedded", "internal/engine/intent", "internal/engine/once", "internal/engine/touched"},
	"dialect":                         {},
	"keymap":                          {"internal/value"},
	"internal/value":                  {"internal/sqlerr", "internal/value/collate"},
	"internal/value/collate":          {},
	"internal/sqlerr":                 {},
	"internal/expr":                   {"internal/sqlerr", "internal/value"},
	"internal/schema":                 {"keymap", "internal/expr", "internal/sqlerr", "internal/value"},
	"internal/schema/stored":          {"keymap", "internal/feature", "internal/schema", "internal/value"},
	"internal/feature":                {},
	"internal/retry":                  {},
	"internal/schema/schematest":      {"keymap", "internal/schema", "internal/value"},
	"internal/access":                 {"keymap", "internal/schema", "internal/expr", "internal/value"},
	"planner":                         {"dialect", "internal/access", "internal/schema", "internal/sqlerr", "internal/expr", "internal/value"},
	"planner/explain":                 {"dialect", "planner", "internal/define", "internal/sqlerr", "internal/value"},
	"internal/define":                 {"dialect", "planner", "keymap", "internal/schema", "internal/sqlerr", "internal/expr", "internal/value"},
	"internal/catalog":                {"keymap", "internal/schema", "internal/schema/stored", "internal/feature", "internal/sqlerr", "internal/retry", "internal/engine", "internal/value"},
	"internal/show":                   {"dialect", "planner", "internal/catalog", "internal/schema", "internal/sqlerr", "internal/expr", "internal/value"},
	"internal/codec":                  {"keymap", "internal/schema", "internal/sqlerr", "internal/engine", "internal/value"},
	"internal/exec":                   {"keymap", "planner", "internal/access", "internal/codec", "internal/schema", "internal/sqlerr", "internal/engine", "internal/engine/buffer", "internal/expr", "internal/value"},
	"internal/dml":                    {"planner", "internal/access", "internal/codec", "internal/exec", "internal/schema", "internal/sqlerr", "internal/retry", "internal/engine", "internal/engine/buffer", "internal/expr", "internal/value"},
	"internal/ddl":                    {"dialect", "keymap", "planner", "internal/define", "internal/codec", "internal/exec", "internal/dml", "internal/catalog", "internal/show", "internal/schema", "internal/sqlerr", "internal/retry", "internal/engine", "internal/expr", "internal/value"},
	"internal/session":                {"dialect", "planner", "internal/access", "internal/define", "internal/ddl", "internal/dml", "internal/exec", "internal/catalog", "internal/show", "internal/schema", "internal/sqlerr", "internal/retry", "internal/engine", "internal/engine/aside", "internal/engine/buffer", "internal/engine/embedded", "internal/engine/touched", "internal/expr", "internal/value", "keymap"},
	"internal/engine":                 {"internal/retry"},
	"internal/engine/aside":           {"internal/engine"},
	"internal/engine/azure":           {"internal/engine", "internal/retry"},
	"internal/engine/azure/azuretest": {"internal/engine", "internal/engine/azure", "internal/engine/embedded"},
	"internal/engine/buffer":          {"internal/engine"},
	"internal/engine/embedded":        {"internal/engine", "internal/feature"},
	"internal/engine/intent":          {"internal/engine", "internal/retry"},
	"internal/engine/enginetest":      {"internal/engine"},
	"internal/engine/touched":         {"internal/engine"},
	"internal/csv":                    {},
	"internal/testrun":                {},
	"internal/engine/once":            {"keymap", "internal/engine", "internal/retry"},
	"nearlyfreetest":                  {".", "dialect", "keymap", "planner", "internal/csv", "internal/engine/azure/azuretest", "internal/engine/embedded"},
	"examples/expenses":               {"."},
	"tests":                           {"."},
	"tests/liveservice":               {"internal/engine", "internal/engine/azure"},
	"tests/sqllogic":                  {"."},
	"tests/tpch":                      {},
	"tests/txmodel":                   {},
}

// onlyIn says which package alone may import a library.
var onlyIn = map[string]string{
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables": "internal/engine/azure",
	"github.com/xwb1989/sqlparser":                        "dialect",
	"go.etcd.io/bbolt":                                    "internal/engine/embedded",
	"github.com/cockroachdb/apd/v3":                       "internal/value",
	"github.com/tidwall/btree":                            "internal/engine/buffer",
}

// modules are folders with a go.mod of their own.
var modules = []string{"cmd/nearlyfree", "mysqlshim", "otelnearlyfree", "tests/clients", "tests/mariadb", "tests/sqlite"}

// TestImports holds the packages to the directions that ARCHITECTURE.md gives.
func TestImports(t *testing.T) {
	found := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || slices.Contains(modules, filepath.ToSlash(path))) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		found++
		checkImports(t, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 100 {
		t.Fatalf("only %d files were looked at", found)
	}
}

// TestRequirements: go.mod names what the driver itself imports, and nothing that only its tests need, which would bind
// all who use it.
func TestRequirements(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	list, err := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	imports := strings.Fields(string(list))
	direct := 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) != 2 || !strings.Contains(words[0], ".") {
			continue
		}
		direct++
		if !slices.ContainsFunc(imports, func(i string) bool { return i == words[0] || strings.HasPrefix(i, words[0]+"/") }) {
			t.Errorf("go.mod requires %s, which only tests import: move them to a module of their own, such as tests/clients", words[0])
		}
	}
	if direct < 5 {
		t.Fatalf("only %d requirements were looked at", direct)
	}
}

func checkImports(t *testing.T, path string) {
	t.Helper()
	from := filepath.ToSlash(filepath.Dir(path))
	allowed, known := mayImport[from]
	if !known {
		t.Errorf("%s: package %s is not in mayImport: give it its place in the house", path, from)
		return
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	for _, spec := range f.Imports {
		target, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Error(err)
			continue
		}
		if owner := onlyIn[target]; owner != "" && owner != from {
			t.Errorf("%s imports %s, which only %s may", path, target, owner)
		}
		inner, ours := strings.CutPrefix(target, module)
		if !ours {
			continue
		}
		inner = strings.TrimPrefix(inner, "/")
		if inner == "" {
			inner = "."
		}
		if !slices.Contains(allowed, inner) {
			t.Errorf("%s: %s may not import %s", path, from, inner)
		}
	}
}
