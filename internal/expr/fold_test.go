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
		Eval: func(*Env, []value.Value) (value.Value, error) {
			tried++
			return value.NullValue, errors.New("too large")
		},
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

// Operands that are compared with several things do not make an expression grow without bound.
func TestNestedOperands(t *testing.T) {
	x := col(0, value.TypeBigInt)
	between, inCase := Node(x), Node(x)
	var err error
	for range 60 {
		between = must(NewBetween(between, NewConst(value.FromInt(0)), NewConst(value.FromInt(1)), false))
		if err == nil {
			one := NewConst(value.FromInt(1))
			inCase, err = NewCase(inCase, []When{{Cond: one, Result: x}, {Cond: NewConst(value.FromInt(2)), Result: one}}, nil)
		}
	}
	if n := weight(between, maxOperands); n >= maxOperands {
		t.Errorf("BETWEEN of 60 levels has %d nodes and more", n)
	}
	for v, want := range map[int64]string{0: "1", 1: "1", 2: "1"} { // 2 BETWEEN 0 AND 1 is 0, and that lies between them
		got, err := Compile(between)(&Env{Row: []value.Value{value.FromInt(v)}})
		if err != nil || value.Text(got) != want {
			t.Errorf("%d: got %v, %v", v, value.Text(got), err)
		}
	}
	if err == nil {
		t.Error("a CASE of 60 levels is not refused")
	}
}

// A short text that makes a long one is no reason to keep that.
func TestFoldKeepsNoLongTexts(t *testing.T) {
	for n, want := range map[int64]bool{maxFolded: true, maxFolded + 1: false} {
		made := must(NewCall("REPEAT", []Node{text("x"), NewConst(value.FromInt(n))}))
		if _, folded := made.(*Const); folded != want {
			t.Errorf("%d octets: folded %v", n, folded)
		}
	}
}
