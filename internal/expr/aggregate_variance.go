package expr

import (
	"math"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func varianceAggregates() map[string]*aggregateFunction {
	of := func(doc string, sample, root bool) *aggregateFunction {
		return &aggregateFunction{signature: "(x)", doc: doc, min: 1, max: 1, small: true, operand: (*Env).Number, typ: toDouble,
			gather: func(*Aggregate) accumulator { return &variance{sample: sample, root: root} }}
	}
	return map[string]*aggregateFunction{
		"STDDEV_POP":  of("The standard deviation of a population.", false, true),
		"STDDEV_SAMP": of("The standard deviation of a sample; NULL for one row.", true, true),
		"VAR_POP":     of("The variance of a population.", false, false),
		"VAR_SAMP":    of("The variance of a sample; NULL for one row.", true, false),
	}
}

// variance is Welford's: one pass without the cancellation that the sum of squares has.
type variance struct {
	n            float64
	mean, square float64
	sample, root bool
}

func (v *variance) add(args []value.Value) error {
	x := value.ToFloat(args[0])
	v.n++
	d := x - v.mean
	v.mean += d / v.n
	v.square += d * (x - v.mean)
	return nil
}

// merge is Chan's.
func (v *variance) merge(other accumulator) error {
	o := other.(*variance)
	if o.n == 0 {
		return nil
	}
	n, d := v.n+o.n, o.mean-v.mean
	v.mean += d * o.n / n
	v.square += o.square + d*d*v.n*o.n/n
	v.n = n
	return nil
}

func (v *variance) result() (value.Value, error) {
	n := v.n
	if v.sample {
		n--
	}
	if n < 1 {
		return value.NullValue, nil
	}
	r := v.square / n
	if v.root {
		r = math.Sqrt(r)
	}
	return finite("variance", r)
}

func (v *variance) size() int { return 32 }
