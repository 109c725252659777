package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// periodFunctions count in months written YYYYMM or YYMM.
func periodFunctions() []*Function {
	return []*Function{
		{Name: "PERIOD_ADD", Signature: "PERIOD_ADD(period, months)", Family: "time", Doc: "The month YYYYMM so many months later.", Min: 2, Max: 2, strict: true, null: anyNull, Type: toInt,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				p, err := periodMonths("PERIOD_ADD", args[0])
				if err != nil {
					return value.NullValue, err
				}
				n, err := value.ToInt(args[1])
				if p += n; err != nil || p < 12 || p >= 10_000*12 {
					return value.FromInt(0), err
				}
				return value.FromInt(p/12*100 + p%12 + 1), nil
			}},
		{Name: "PERIOD_DIFF", Signature: "PERIOD_DIFF(x, y)", Family: "time", Doc: "Months from the month y to x, each YYYYMM.", Min: 2, Max: 2, strict: true, null: anyNull, Type: toInt,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				x, err := periodMonths("PERIOD_DIFF", args[0])
				if err != nil {
					return value.NullValue, err
				}
				y, err := periodMonths("PERIOD_DIFF", args[1])
				return value.FromInt(x - y), err
			}},
	}
}

// periodMonths are the months of a period since year 0. Two digits of a year are 1970 to 2069.
func periodMonths(function string, v value.Value) (int64, error) {
	p, err := value.ToInt(v)
	if err != nil {
		return 0, err
	}
	year, month := p/100, p%100
	if p < 0 || month < 1 || month > 12 {
		return 0, &ArgumentError{function, "a period is YYYYMM or YYMM, not " + value.Text(v)}
	}
	if year < 100 {
		year = int64(value.FullYear(int(year)))
	}
	return year*12 + month - 1, nil
}
