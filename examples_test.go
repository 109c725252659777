package nearlyfree_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// publicPackages are those that programs import, by folder.
var publicPackages = []string{".", "planner/explain", "planner", "keymap", "dialect", "nearlyfreetest", "mysqlshim", "otelnearlyfree"}

// withoutExample are the public names that need no example, each with the reason. A name is package.Name or package.Type.Method, behind
// value, func, type or method.
var withoutExample = []struct{ names, reason string }{
	{`nearlyfree\.(Config|Connector)\.(Format|GoString|LogValue|MarshalText|String)`, "packages fmt, log/slog and encoding call it, so that no secret is printed"},
	{`nearlyfree\.Connector\.Connect`, "package database/sql calls it"},
	{`nearlyfree\.Error\.Unwrap`, "package errors calls it"},
	{`nearlyfree\.(Entity|EntityPlace|Property|TableSize|PartitionSize)`, "what Connector.Entities and Connector.Sizes give"},
	{`planner\..*`, "it serves the driver, and nothing of it is promised, as its comment says; planner/explain is for programs"},
	{`keymap\.(AppendTextPrefix|AppendValue|Between|BucketName|Buckets|CatalogDatabase|CatalogOf|Cuttable|DatabasePrefix|DecodeValue|HoldsRows|NestedName|NestedSpans|` +
		`IsTemporary|NewScale|OperationIDs|OwnTable|Part|PartitionTable|PointSpan|PropertyNull|PropertyPart|Scale.*|SetCuts|SharedTable|SkipValue|Span\..*|SplitBytes|SplitText|Stem|Successor|TableGeneration|TemporaryTable|UTF16Len)`,
		"it serves the driver, and is not among what the package's comment promises"},
	{`(type|method) dialect\..*`, "a node of the tree that Parse gives, as the examples of Parse and ParseExpr show"},
	{`mysql\.(Register.*|Deregister.*|DialFunc|DialContextFunc|EnableCompression)`, "it concerns a network or a file, which means nothing here; it is there for programs that call it"},
	{`mysql\.ErrInvalidConn`, "errors of the protocol, which never happen"},
	{`mysql\.MySQLError\.Error|mysql\.MySQLDriver.*|mysql\.NullTime\..*|mysql\.Logger|mysql\.NopLogger\.Print|mysql\.MySQLError\.(Unwrap|Is)`, "package database/sql, errors or the driver calls it"},
	{`nearlyfreetest\.Watched`, "a constraint of types: a database or a Watch"},
	{`nearlyfreetest\.Watch\.Statement|otelnearlyfree\.Observer\.(Begin|Statement)|nearlyfree\.Observers\.(Begin|Statement)`, "the driver calls it"},
}

// TestEachNameHasAnExample: each public name is shown by an example of its package, of its own or another one's, or has a reason why not.
func TestEachNameHasAnExample(t *testing.T) {
	for _, folder := range publicPackages {
		names, shown := namesOf(t, folder)
		if len(shown) == 0 {
			t.Errorf("%s has no example", folder)
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if !slices.ContainsFunc(names[name], func(n string) bool { return shown[n] }) && reasonFor(name) < 0 {
				t.Errorf("%s has no example", name)
			}
		}
	}
}

// TestReasonsWithoutExample: no reason is left over.
func TestReasonsWithoutExample(t *testing.T) {
	used := make([]bool, len(withoutExample))
	for _, folder := range publicPackages {
		names, shown := namesOf(t, folder)
		for name, words := range names {
			if slices.ContainsFunc(words, func(n string) bool { return shown[n] }) {
				continue
			}
			if i := reasonFor(name); i >= 0 {
				used[i] = true
			}
		}
	}
	for i, r := range withoutExample {
		if !used[i] {
			t.Errorf("%s: nothing needs this reason", r.names)
		}
	}
}

// reasonFor gives the place of the reason why a name has no example; -1: there is none.
func reasonFor(name string) int {
	return slices.IndexFunc(withoutExample, func(r struct{ names, reason string }) bool {
		return regexp.MustCompile(`^(?:\w+ )?(?:` + r.names + `)$`).MatchString(name)
	})
}

// namesOf gives the public names of a package, each with the words of which one must occur in an example, and the words that do.
func namesOf(t *testing.T, folder string) (names map[string][]string, shown map[string]bool) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	var sources, tests []*ast.File
	var testPaths []string
	for _, path := range paths {
		f, err := parser.ParseFile(files, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, "_test.go") {
			tests, testPaths = append(tests, f), append(testPaths, path)
		} else {
			sources = append(sources, f)
		}
	}
	p, err := doc.NewFromFiles(files, sources, folder)
	if err != nil {
		t.Fatal(err)
	}
	names = map[string][]string{}
	values := func(groups []*doc.Value) {
		for _, g := range groups {
			exported := slices.DeleteFunc(slices.Clone(g.Names), func(n string) bool { return !ast.IsExported(n) })
			if len(exported) > 0 {
				names["value "+p.Name+"."+exported[0]] = exported
			}
		}
	}
	functions := func(kind, prefix string, all []*doc.Func) {
		for _, f := range all {
			names[kind+" "+p.Name+"."+prefix+f.Name] = []string{f.Name}
		}
	}
	values(p.Consts)
	values(p.Vars)
	functions("func", "", p.Funcs)
	for _, typ := range p.Types {
		words := []string{typ.Name}
		for _, made := range typ.Funcs { // what makes one shows it, too
			words = append(words, made.Name)
		}
		for _, g := range append(typ.Consts, typ.Vars...) {
			words = append(words, g.Names...)
		}
		names["type "+p.Name+"."+typ.Name] = words
		functions("func", "", typ.Funcs)
		functions("method", typ.Name+".", typ.Methods)
	}
	shown = map[string]bool{}
	look := func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			shown[name.Name] = true
		}
		return true
	}
	for i, f := range tests {
		if strings.HasPrefix(filepath.Base(testPaths[i]), "example") {
			ast.Inspect(f, look)
		}
	}
	for _, e := range doc.Examples(tests...) {
		for word := range strings.SplitSeq(e.Name, "_") {
			shown[word] = true
		}
		ast.Inspect(e.Code, look)
	}
	return names, shown
}
