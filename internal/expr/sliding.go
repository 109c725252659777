package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// Sliding is an aggregate over a frame that moves along the rows of a partition; neither end ever moves backwards. If rows can be removed from
// it, each costs two steps in all. If two parts of a frame can be merged, the frame is kept as two: the first keeps the aggregates of all its
// suffixes, so that its first row may go, and the second grows. When the first is used up, the second takes its place. Otherwise the frame is
// gathered again each time its first row goes.
type Sliding struct {
	a       *Aggregate
	f       *aggregateFunction
	inputs  func(row int) []value.Value // of a row, as Eval has computed them
	pause   func() error                // called now and then; an error from it ends the work
	lo, hi  int                         // the frame's rows: lo ≤ row < hi
	acc     accumulator                 // of the rows from mid on
	mid     int
	ends    []accumulator // of the rows lo … mid-1, at last those of all, before that of those without the first, and so on
	steps   int
	result  value.Value
	isKnown bool // result is that of the frame
}

// remover is an accumulator from which rows can be removed. Not ok: it holds something that cannot be removed.
type remover interface {
	remove(args []value.Value) (ok bool, err error)
}

// merger is an accumulator that takes the rows of another one, which come after its own.
type merger interface {
	merge(other accumulator) error
}

// NewSliding begins with no rows, before the first.
func (a *Aggregate) NewSliding(inputs func(row int) []value.Value, pause func() error) *Sliding {
	s := &Sliding{a: a, inputs: inputs, pause: pause}
	if !a.Star {
		_, s.f = lookupAggregate(a.Name)
		s.acc = s.f.gather(a)
	}
	return s
}

// Compile makes the functions of a row's inputs, and one that warns about their values.
func (a *Aggregate) Compile() (inputs []Func, warn func(*Env, []value.Value) error) {
	if a.Star {
		return nil, nil
	}
	if _, f := lookupAggregate(a.Name); f.operand != nil {
		warn = func(env *Env, args []value.Value) error {
			if args[0].IsNull() {
				return nil
			}
			return f.operand(env, args[0])
		}
	}
	return a.compiled().funcs, warn
}

// Move makes the frame that of the rows lo ≤ row < hi.
func (s *Sliding) Move(lo, hi int) error {
	if s.lo == lo && s.hi == hi {
		return nil
	}
	s.isKnown = false
	switch {
	case s.a.Star:
		s.lo, s.hi = lo, hi
		return nil
	case lo >= s.hi:
		s.reset(lo)
	case lo > s.lo:
		if err := s.drop(lo); err != nil {
			return err
		}
	}
	return s.take(hi)
}

// reset begins anew at a row.
func (s *Sliding) reset(lo int) {
	s.lo, s.mid, s.hi, s.ends, s.acc = lo, lo, lo, nil, s.f.gather(s.a)
}

// take adds the rows up to hi.
func (s *Sliding) take(hi int) error {
	for ; s.hi < hi; s.hi++ {
		if err := s.add(s.acc, s.hi); err != nil {
			return err
		}
	}
	return nil
}

// add adds a row, unless it does not count.
func (s *Sliding) add(to accumulator, row int) error {
	if err := s.step(); err != nil {
		return err
	}
	if args := s.inputs(row); s.counts(args) {
		return to.add(args)
	}
	return nil
}

func (s *Sliding) step() error {
	if s.steps++; s.steps%1024 == 0 {
		return s.pause()
	}
	return nil
}

func (s *Sliding) counts(args []value.Value) bool {
	if !s.f.nulls {
		for i := range s.a.Args {
			if args[i].IsNull() {
				return false
			}
		}
	}
	return true
}

// drop removes the rows before lo, which is in the frame.
func (s *Sliding) drop(lo int) error {
	if r, ok := s.acc.(remover); ok && s.a.T.Base != value.TypeDouble {
		for ok && s.lo < lo {
			if err := s.step(); err != nil {
				return err
			}
			if args := s.inputs(s.lo); s.counts(args) {
				var err error
				if ok, err = r.remove(args); err != nil {
					return err
				}
			}
			s.lo++
		}
		if ok {
			s.mid = lo
			return nil
		}
	} else if _, ok := s.acc.(merger); ok {
		return s.dropMerged(lo)
	}
	hi := s.hi
	s.reset(lo)
	return s.take(hi)
}

// dropMerged is drop for a frame of merged parts.
func (s *Sliding) dropMerged(lo int) error {
	s.lo = lo
	if lo < s.mid {
		s.ends = s.ends[:s.mid-lo]
		return nil
	}
	s.ends = s.ends[:0]
	for row := s.hi - 1; row >= lo; row-- {
		part := s.f.gather(s.a)
		if err := s.add(part, row); err != nil {
			return err
		}
		if n := len(s.ends); n > 0 {
			if err := part.(merger).merge(s.ends[n-1]); err != nil {
				return err
			}
		}
		s.ends = append(s.ends, part)
	}
	s.mid, s.acc = s.hi, s.f.gather(s.a)
	return nil
}

// Result is the aggregate over the frame.
func (s *Sliding) Result() (value.Value, error) {
	if s.a.Star {
		return value.FromInt(int64(s.hi - s.lo)), nil
	}
	if s.isKnown {
		return s.result, nil
	}
	all := s.acc
	if n := len(s.ends); n > 0 {
		all = s.f.gather(s.a)
		for _, part := range []accumulator{s.ends[n-1], s.acc} {
			if err := all.(merger).merge(part); err != nil {
				return value.NullValue, err
			}
		}
	}
	v, err := all.result()
	s.result, s.isKnown = v, err == nil
	return v, err
}

// Needs is the first row whose inputs may still be needed.
func (s *Sliding) Needs(whole bool) int {
	if s.a.Star || whole {
		return s.hi
	}
	return s.lo
}

// Size is about the number of octets that it holds besides the inputs.
func (s *Sliding) Size() int {
	if s.a.Star {
		return 0
	}
	return s.acc.size() + len(s.ends)*accumulatorSize
}

// accumulatorSize is about what an accumulator takes.
const accumulatorSize = 128
