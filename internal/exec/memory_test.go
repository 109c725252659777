package exec

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
)

// TestAccount: accounts count what executions hold, up to two steps each, however charges and releases meet.
func TestAccount(t *testing.T) {
	account := NewAccount("TotalMemory", 0)
	var runs [3]*Run
	for i := range runs {
		runs[i] = &Run{Rt: &Runtime{Account: account}}
	}
	var all sync.WaitGroup
	for _, r := range runs {
		for range 4 {
			all.Go(func() {
				var held []int64
				for range 2000 {
					if len(held) > 0 && rand.N(2) == 0 {
						r.release(held[0])
						held = held[1:]
						continue
					}
					bytes := rand.Int64N(2 * accountStep)
					if err := r.Charge(bytes, "test"); err != nil {
						t.Error(err)
					}
					held = append(held, bytes)
				}
			})
		}
	}
	all.Wait()
	var held int64
	for _, r := range runs {
		held += r.held.Load()
	}
	if got := account.Held(); got < held || got >= held+2*accountStep*int64(len(runs)) {
		t.Errorf("the account counts %d bytes, %d are held", got, held)
	}
	for _, r := range runs {
		r.End()
	}
	if got := account.Held(); got != 0 {
		t.Errorf("the account counts %d bytes behind the end", got)
	}
}

// TestAccountBound: whichever execution takes an account over its bound is refused, also where the bound came later.
func TestAccountBound(t *testing.T) {
	account := NewAccount("TotalMemory", 0)
	one, other := &Run{Rt: &Runtime{Account: account}}, &Run{Rt: &Runtime{Account: account}}
	if err := one.Charge(10*accountStep, "test"); err != nil {
		t.Fatal(err)
	}
	account.SetMax(12 * accountStep)
	if err := other.Charge(2*accountStep, "test"); err != nil {
		t.Fatal(err)
	}
	var refused *MemoryError
	if err := other.Charge(1, "test"); !errors.As(err, &refused) || refused.Shared != "TotalMemory" {
		t.Errorf("a byte too many: %v", err)
	}
	one.End()
	if err := other.Charge(9*accountStep, "test"); err != nil {
		t.Errorf("when the other one gave back what it held: %v", err)
	}
}

func BenchmarkCharge(b *testing.B) {
	account := NewAccount("TotalMemory", 0)
	b.RunParallel(func(p *testing.PB) {
		r := &Run{Rt: &Runtime{Account: account}}
		defer r.End()
		for p.Next() {
			if err := r.Charge(100, "test"); err != nil {
				b.Error(err)
			}
		}
	})
}
