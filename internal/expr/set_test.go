package expr

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// likeValues are values of all kinds, many of which are equal to others of other kinds.
func likeValues() []value.Value {
	v := []value.Value{value.NullValue, value.FromBool(true), value.FromBool(false), value.FromUint(1 << 63), value.FromUint(5),
		value.FromFloat(math.Copysign(0, -1)), value.FromFloat(0.1), value.FromFloat(9007199254740992), value.FromFloat(1 << 63), value.FromFloat(1e300),
		value.FromInt(9007199254740993), value.FromInt(9007199254740992), value.FromInt(-1 << 63),
		value.FromBytes("a"), value.FromBytes("A"), value.FromBytes("5"), value.FromBytes("0b8b6f1e-0000-4000-8000-000000000001"),
		value.FromTicks(638_400_000_000_000_000), value.FromDate(638_400_384_000_000_000), value.FromDuration(5), value.FromDuration(36_000_000_000),
		value.FromUUID("0b8b6f1e-0000-4000-8000-000000000001"), value.FromJSON(`5`), value.FromJSON(`"a"`), value.FromJSON(`{"a":1}`)}
	for i := range 7 {
		v = append(v, value.FromInt(int64(i)), value.FromFloat(float64(i)), value.FromDecimalText(fmt.Sprint(i)), value.FromDecimalText(fmt.Sprintf("%d.00", i)))
	}
	for _, s := range []string{"0.1", "0.10", "-0.5", "9007199254740993", "9007199254740992", "9223372036854775808", "0.30000000000000004", "0.3"} {
		v = append(v, value.FromDecimalText(s), value.FromString(s))
	}
	for _, s := range []string{"", "a", "A", "ä", "Ä", "5", "5.0", " 5", "5x", "x5", "1e2", "2024-01-01", "2024-01-01 00:00:00", "01:00:00",
		"0B8B6F1E-0000-4000-8000-000000000001", "0b8b6f1e-0000-4000-8000-000000000001", "true", "1"} {
		v = append(v, value.FromString(s))
	}
	return v
}

// What a Set finds is what comparing one after the other finds, whatever kinds there are.
func TestSetFindsWhatIsEqual(t *testing.T) {
	all := likeValues()
	r := rand.New(rand.NewPCG(1, 2))
	hashed := 0
	for range 10_000 {
		width := 1 + r.IntN(3)/2
		collations := make([]value.Collation, width)
		pool := make([][]value.Value, width) // a list is of few kinds, most often
		for i := range collations {
			if r.IntN(2) == 0 {
				collations[i] = value.NoCase
			}
			for range 1 + r.IntN(12) {
				v := all[r.IntN(len(all))]
				if len(pool[i]) > 0 && r.IntN(4) > 0 && v.Kind() != pool[i][0].Kind() {
					continue
				}
				pool[i] = append(pool[i], v)
			}
		}
		s := NewSet(collations)
		for range r.IntN(12) {
			row := make([]value.Value, width)
			for i := range row {
				row[i] = pool[i][r.IntN(len(pool[i]))]
			}
			s.Add(row)
		}
		for range 6 {
			x := make([]value.Value, width)
			for i := range x {
				if x[i] = all[r.IntN(len(all))]; r.IntN(3) == 0 {
					x[i] = pool[i][r.IntN(len(pool[i]))]
				}
			}
			want, wantErr := s.compare(&Env{}, x, s.rows)
			got, err := s.find(&Env{}, x)
			if got != want && wantErr == nil || (err != nil) != (wantErr != nil) {
				t.Fatalf("%v in %v by %v: got %v, %v; one after the other %v, %v", x, s.rows, collations, got, err, want, wantErr)
			}
		}
		if tables := s.tables.Load(); tables != nil {
			hashed += len(*tables)
		}
	}
	if hashed == 0 {
		t.Error("nothing was looked up")
	}
}

// A Set is shared by all executions of a plan, and makes its tables when they are first of use.
func TestSetIsShared(t *testing.T) {
	all := likeValues()
	for range 50 {
		s := NewSet([]value.Collation{value.Binary})
		for i := range 20 {
			s.Add([]value.Value{value.FromDecimalText(fmt.Sprint(i))})
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for _, v := range all {
					x := []value.Value{v}
					want, wantErr := s.compare(&Env{}, x, s.rows)
					if got, err := s.find(&Env{}, x); got != want || (err != nil) != (wantErr != nil) {
						t.Errorf("%v: got %v, %v; want %v, %v", v, got, err, want, wantErr)
					}
				}
			})
		}
		wg.Wait()
	}
}

// A list of constants, or of arguments, or of both, decides as a short one does.
func TestInLists(t *testing.T) {
	all := likeValues()
	r := rand.New(rand.NewPCG(3, 4))
	bases := []value.Base{value.TypeBigInt, value.TypeDouble, value.TypeJSON, value.TypeText, value.TypeDateTime, value.TypeTime, value.TypeUUID}
	for range 1000 {
		types := []value.Type{{Base: bases[r.IntN(len(bases))], Precision: 6}, {Base: bases[r.IntN(len(bases))], Precision: 6, Collation: value.NoCase}}
		width := 1 + r.IntN(2)
		var x Node = col(0, types[0].Base)
		if width == 2 {
			x = &Tuple{List: []Node{x, &Column{Index: 1, T: types[1]}}}
		}
		var list []Node
		var args []value.Value
		one := func() Node {
			v := all[r.IntN(len(all))]
			if r.IntN(3) > 0 {
				return NewConst(v)
			}
			args = append(args, v)
			return &Param{Index: len(args) - 1}
		}
		for range hashFrom + r.IntN(8) {
			if width == 2 {
				list = append(list, &Tuple{List: []Node{one(), one()}})
			} else {
				list = append(list, one())
			}
		}
		node, err := NewIn(x, list, false)
		var literal *LiteralError
		if errors.As(err, &literal) {
			continue // a text that is no date
		}
		if err != nil {
			t.Fatal(err)
		}
		n := node.(*In)
		long, short := compileIn(n), compileInLinear(n)
		env := &Env{Args: args}
		for range 3 * hashFrom {
			env.Row = make([]value.Value, 2)
			for i := range env.Row {
				if v, err := types[i].Cast(all[r.IntN(len(all))]); err == nil {
					env.Row[i] = v
				}
			}
			want, wantErr := short(env)
			got, err := long(env)
			// Found or not, an error may hang on which is compared first.
			if err == nil && wantErr == nil && got != want {
				t.Fatalf("%s of %v, args %v: got %v, %v; want %v, %v", String(n), env.Row, args, got, err, want, wantErr)
			}
		}
	}
}
