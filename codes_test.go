package nearlyfree

import (
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// TestCodes keeps codes.go what internal/sqlerr has.
func TestCodes(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "internal/sqlerr/codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("package nearlyfree\n\n// Code generated from internal/sqlerr by go test -run TestCodes -update .; DO NOT EDIT.\n\n" +
		"// MySQL's error numbers, as an Error's Number has them.\nconst (\n")
	for name, object := range constants(file) {
		fmt.Fprintf(&b, "%s = %s\n", name, object)
	}
	b.WriteString(")\n")
	text, err := format.Source([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	checkReference(t, "codes.go", string(text))
}

// constants gives the names and values of a file's constants, as they stand.
func constants(file *ast.File) func(yield func(string, string) bool) {
	return func(yield func(string, string) bool) {
		for _, d := range file.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, s := range group.Specs {
				spec := s.(*ast.ValueSpec)
				if !yield(spec.Names[0].Name, spec.Values[0].(*ast.BasicLit).Value) {
					return
				}
			}
		}
	}
}

// An error that a program makes itself has the class of its number, and one that has a class keeps it.
func TestErrorByNumber(t *testing.T) {
	for number, class := range classes {
		if err := fmt.Errorf("insert: %w", &Error{Number: number}); !errors.Is(err, class) {
			t.Errorf("%d is not %v", number, class)
		}
	}
	if !errors.Is(&Error{Number: 1062}, ErrDuplicateKey) {
		t.Error("1062 is not ErrDuplicateKey")
	}
	if err := (&Error{Number: CodeNoSuchFunction, class: ErrTransaction}); errors.Is(err, ErrNotSupported) || !errors.Is(err, ErrTransaction) {
		t.Error("an error lost its own class")
	}
	if err := (&Error{}); errors.Is(err, nil) || errors.Is(err, ErrConflict) {
		t.Error("an error without a number has a class")
	}
	for code, state := range map[int]string{CodeDuplicateEntry: "23000", CodeDeadlock: "40001", CodeReadOnlyTransaction: "25006", CodeNoDefault: "HY000"} {
		if got := numbered(code, "", nil).State; got != state || sqlerr.State(code) != state {
			t.Errorf("the state of %d is %s, not %s", code, got, state)
		}
	}
}
