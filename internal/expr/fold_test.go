package expr

import (
	"errors"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// What cannot be computed when a statement is planned is tried once, however deep it lies in other constants.
func TestFoldTriesOnce(t *testing.T) {
	tried := 0
	failing := &Function{
		Name: "FAILING", Min: 1, Max: 1,
		Type: func([]Node) value.Type { return textType },
		Eval: func(*Env, []value.Value) (value.Value, error) { tried++; return value.NullValue, errors.New("too large") },
	}
	n := must(newCall(failing, []Node{text("x")}))
	for range 20 {
		n = must(newCall(failing, []Node{must(NewCall("CONCAT", []Node{n, text("y")}))}))
		n = must(NewCase(nil, []When{{Cond: must(NewCompare(Eq, n, text("z"))), Result: n}}, nil))
	}
	if _, folded := n.(*Const); folded || tried != 1 {
		t.Errorf("folded %v, computed %d times", folded, tried)
	}
}
