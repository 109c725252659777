package expr

import (
	"errors"
	"sync"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func TestWarningsAreCountedAndKept(t *testing.T) {
	s := &Session{}
	var side sync.WaitGroup
	for range 10 {
		side.Go(func() {
			env := &Env{Session: s}
			for range 10 {
				if err := env.Warn(1365, "Division by %d", 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	side.Wait()
	s.Diagnostics.Note(Failure, 1064, "wrong")
	all, failures := s.Diagnostics.Counts()
	if kept := s.Diagnostics.Conditions(); len(kept) != MaxConditions || all != 101 || failures != 1 || kept[0] != (Condition{Warning, 1365, "Division by 0", 0}) {
		t.Errorf("%d conditions, %d of them failures, kept %d, the first %+v", all, failures, len(kept), kept[0])
	}
	s.Diagnostics.Begin()
	if all, failures = s.Diagnostics.Counts(); all != 0 || failures != 0 || len(s.Diagnostics.Conditions()) != 0 {
		t.Errorf("%d and %d remain", all, failures)
	}
}

func TestDivisionByZero(t *testing.T) {
	for _, op := range []string{"/", "div", "%"} {
		n, err := NewArith(op, NewConst(value.FromInt(1)), NewConst(value.FromInt(0)))
		if err != nil {
			t.Fatal(err)
		}
		f := Compile(n)
		s := &Session{}
		if v, err := f(&Env{Session: s}); err != nil || !v.IsNull() || len(s.Diagnostics.Conditions()) != 1 {
			t.Errorf("1 %s 0: %v, %v, %v", op, v, err, s.Diagnostics.Conditions())
		}
		s.Diagnostics.NoDivision = true
		if v, err := f(&Env{Session: s}); err != nil || !v.IsNull() || len(s.Diagnostics.Conditions()) != 1 {
			t.Errorf("1 %s 0 without ERROR_FOR_DIVISION_BY_ZERO: %v, %v, %v", op, v, err, s.Diagnostics.Conditions())
		}
		s.Diagnostics.NoDivision, s.Diagnostics.Strict = false, true
		_, err = f(&Env{Session: s})
		if ended := (*sqlerr.Error)(nil); !errors.As(err, &ended) || ended.Code != 1365 {
			t.Errorf("1 %s 0 where it is an error: %v", op, err)
		}
	}
}
