package expr

import (
	"errors"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// account counts what is held, and refuses what goes beyond most.
type account struct{ held, most int64 }

var errAccount = errors.New("too much")

func (a *account) Hold(n int64) error {
	if a.held += n; a.held > a.most {
		return errAccount
	}
	return nil
}

func (a *account) Release(n int64) { a.held -= n }

func TestPatternSize(t *testing.T) {
	for _, c := range []struct {
		pattern string
		large   bool
	}{
		{"^[a-z0-9._%+-]+@[a-z0-9.-]+[.][a-z]{2,4}$", false},
		{strings.Repeat("word|", 3000), false},
		{`[\pL\pN]{1000}`, false},
		{strings.Repeat("(a|b)", 200), false},
		{strings.Repeat("a{1000}", 2000), true},
		{strings.Repeat("(a?){1000}", 150), true},
		{`(\pL{0,100}){10}` + strings.Repeat(`\pL`, 5000), true},
		{strings.Repeat("(a)|", 4000), true},
		{strings.Repeat("a", maxPattern+1), true},
	} {
		_, err := (&patternCache{function: "REGEXP_LIKE"}).get(&Env{}, c.pattern, "")
		var size *PatternSizeError
		if errors.As(err, &size) != c.large || !c.large && err != nil {
			t.Errorf("%.40s: %v", c.pattern, err)
		}
	}
}

// TestPatternAccount: a large pattern is the statement's, which accounts for one of each call.
func TestPatternAccount(t *testing.T) {
	large := strings.Repeat("a{1000}", 10)
	memory := &account{most: 1 << 20}
	env := &Env{Memory: memory}
	cache := &patternCache{function: "REGEXP_LIKE"}
	for i := range 10 {
		p, err := cache.get(env, large+strings.Repeat("b", i/2), "")
		if err != nil || memory.held != p.bytes || p.bytes < smallPattern {
			t.Fatalf("%d octets are held: %v", memory.held, err)
		}
	}
	if cache.last.Load() != nil {
		t.Error("a large pattern stays with the plan")
	}
	if _, err := cache.get(env, strings.Repeat("a{1000}", 50), ""); !errors.Is(err, errAccount) || memory.held != 0 {
		t.Errorf("one too large for the statement: %v, and %d octets are held", err, memory.held)
	}
	small, err := cache.get(env, "a+", "")
	if err != nil || memory.held != 0 || cache.last.Load() != small {
		t.Errorf("a small one: %v, and %d octets are held", err, memory.held)
	}
}

// TestPatternMatches: matches beyond the first few thousand are the same ones, and are accounted for while they are held.
func TestPatternMatches(t *testing.T) {
	memory := &account{most: 100 << 20}
	env := &Env{Memory: memory, Args: []value.Value{value.FromString(strings.Repeat("ab ", 50_000))}}
	call := func(name string, args ...any) (value.Value, error) {
		nodes := []Node{&Param{}}
		for _, a := range args {
			if n, ok := a.(int); ok {
				nodes = append(nodes, NewConst(value.FromInt(int64(n))))
			} else {
				nodes = append(nodes, NewConst(value.FromString(a.(string))))
			}
		}
		n, err := NewCall(name, nodes)
		if err != nil {
			t.Fatal(err)
		}
		return Compile(n)(env)
	}
	if at, err := call("REGEXP_INSTR", `\bab`, 4, 40_000); err != nil || at.Int() != 40_000*3+1 {
		t.Errorf("match 40,000 is at %d: %v", at.Int(), err)
	}
	if last, err := call("REGEXP_SUBSTR", "ab $", 1, 1); err != nil || last.Text() != "ab " {
		t.Errorf("the end: %q, %v", last.Text(), err)
	}
	if all, err := call("REGEXP_REPLACE", "(a)(b) ?", "$2"); err != nil || all.Text() != strings.Repeat("b", 50_000) {
		t.Errorf("all replaced: %d octets, %v", len(all.Text()), err)
	}
	if memory.held != 0 {
		t.Errorf("%d octets are held still", memory.held)
	}
	memory.most = 1 << 20
	if _, err := call("REGEXP_REPLACE", "a", "b"); !errors.Is(err, errAccount) || memory.held != 0 {
		t.Errorf("50,000 matches in 1 MB: %v, and %d octets are held", err, memory.held)
	}
	if v, err := call("REGEXP_REPLACE", "a", "b", 1, 7); err != nil || v.Text()[18] != 'b' || v.Text()[21] != 'a' {
		t.Errorf("the seventh: %.30s, %v", v.Text(), err)
	}
}
