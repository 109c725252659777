package expr

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// What expressions warn of, as MySQL does: a text that counts as a number but does not read as one, or not to its end; a division by 0; what a
// cast cuts; a function's argument that it cannot read. In a statement that writes in strict mode these are errors (Env.Warn). Which expressions
// are computed, and for which rows, depends on the plan, here as in MySQL: a key that serves one condition spares the others for the rows that
// it excludes. What a key itself implies causes its warning where the key is made (planner), so that no row is written that a scan would have
// refused.

// Number warns of a text that counts as a number.
func (e *Env) Number(v value.Value) error { return e.asNumber(v, "DOUBLE", value.ReadsAsNumber) }

// integer is Number where an integer is wanted.
func (e *Env) integer(v value.Value) error { return e.asNumber(v, "INTEGER", value.ReadsAsInteger) }

// asNumber warns if v does not read as wanted. For JSON there is only a warning even in a statement that writes.
func (e *Env) asNumber(v value.Value, what string, reads func(value.Value) bool) error {
	switch v.Kind() {
	case value.String, value.Bytes:
		if !reads(v) {
			return e.truncated(what, v)
		}
	case value.JSON:
		switch {
		case reads(v):
		case e.folding:
			return errFolding
		case e.Session != nil:
			e.Session.Diagnostics.Note(Warning, sqlerr.CodeJSONCast, "Invalid JSON value for CAST to %s: '%.128s'", what, v.Text())
		}
	}
	return nil
}

func (e *Env) truncated(what string, v value.Value) error {
	return e.Warn(sqlerr.CodeWrongValue, "Truncated incorrect %s value: '%.128s'", what, value.Text(v))
}

func (e *Env) unreadable(v value.Value) error {
	return e.Warn(sqlerr.CodeWrongValue, "Incorrect datetime value: '%.128s'", value.Text(v))
}

// cut warns of a text in which something follows its date or time, which by reads.
func (e *Env) cut(by func(value.Value) (string, bool), v value.Value) error {
	if what, cut := by(v); cut {
		return e.truncated(what, v)
	}
	return nil
}

func (e *Env) divisionByZero() error {
	if e.Session != nil && e.Session.Diagnostics.NoDivision {
		return nil
	}
	return e.Warn(sqlerr.CodeDivisionByZero, "Division by 0")
}

// numbers warns of a text that is compared with a number, and so read as one.
func (e *Env) numbers(a, b value.Value) error {
	switch {
	case a.Kind() == value.JSON || b.Kind() == value.JSON: // then the number is made JSON
	case numeric(b.Kind()):
		return e.Number(a)
	case numeric(a.Kind()):
		return e.Number(b)
	}
	return nil
}

func numeric(k value.Kind) bool { return value.Bool <= k && k <= value.Float }

// truth is truthOfValue with its warnings.
func (e *Env) truth(v value.Value) (truth, error) {
	if v.Kind() == value.JSON {
		return truthOfValue(v), nil // any document may be a condition
	}
	return truthOfValue(v), e.Number(v)
}

// castLoss warns of what a cast of v to type t, which gave out, has cut off.
func (e *Env) castLoss(t value.Type, v, out value.Value) error {
	if v.IsNull() {
		return nil
	}
	switch t.Base {
	case value.TypeTinyInt, value.TypeSmallInt, value.TypeMediumInt, value.TypeInt, value.TypeBigInt:
		return e.integer(v)
	case value.TypeFloat, value.TypeDouble:
		return e.Number(v)
	case value.TypeDecimal:
		if !value.ReadsAsNumber(v) {
			return e.asNumber(v, "DECIMAL", value.ReadsAsNumber)
		}
		if t.Clips(v, out) {
			return e.Warn(sqlerr.CodeOutOfRange, "Out of range value for column 'CAST(%s AS %s)' at row 1", castText(v), t)
		}
	case value.TypeChar, value.TypeText, value.TypeBinary, value.TypeBlob:
		if t.Length > 0 && len(out.Text()) < len(value.Text(v)) {
			name := "CHAR"
			if t.Base == value.TypeBinary || t.Base == value.TypeBlob {
				name = "BINARY"
			}
			return e.Warn(sqlerr.CodeWrongValue, "Truncated incorrect %s(%d) value: '%.128s'", name, t.Length, value.Text(v))
		}
	case value.TypeDate, value.TypeDateTime:
		if out.IsNull() {
			return e.unreadable(v)
		}
		return e.cut(value.CutTime, v)
	case value.TypeTime:
		if out.IsNull() {
			return e.truncated("time", v)
		}
		if out.Ticks() == value.MaxDuration || out.Ticks() == -value.MaxDuration {
			if _, err := t.Convert(v); err != nil { // it was brought within the range
				return e.truncated("time", v)
			}
		}
		return e.cut(value.CutDuration, v)
	}
	return nil
}

func castText(v value.Value) string {
	if v.Kind() == value.String {
		return quote(v.Text())
	}
	return value.Text(v)
}

// numberArguments says, for functions that take numbers, which arguments count as one: n as a number, i as an integer. The last letter also
// stands for the arguments after it.
var numberArguments = map[string]string{
	"ABS": "n", "SIGN": "n", "CEILING": "n", "FLOOR": "n", "ROUND": "ni", "TRUNCATE": "ni", "POWER": "nn", "LN": "n", "LOG2": "n", "LOG10": "n",
	"EXP": "n", "SQRT": "n", "SIN": "n", "COS": "n", "TAN": "n", "COT": "n", "ASIN": "n", "ACOS": "n", "ATAN": "n", "DEGREES": "n", "RADIANS": "n",
	"FORMAT": "ni-", "BIT_COUNT": "i", "CONV": "-i", "LEFT": "-i", "RIGHT": "-i", "SUBSTRING": "-i", "SUBSTRING_INDEX": "--i",
	"REPEAT": "-i", "SPACE": "i", "LPAD": "-i-", "RPAD": "-i-", "INSERT": "-ii-", "LOCATE": "--i", "CHAR": "i", "INET_NTOA": "i",
	"MAKEDATE": "i", "MAKETIME": "iin", "SEC_TO_TIME": "n", "FROM_UNIXTIME": "n-", "FROM_DAYS": "i", "WEEK": "-i", "YEARWEEK": "-i", "SHA2": "-i",
	"LAST_INSERT_ID": "i", "PERIOD_ADD": "i", "PERIOD_DIFF": "i", "SLEEP": "n",
}

// refusals say what to warn of if a function gives NULL though no argument is NULL.
var refusals = map[string]func(env *Env, args []value.Value) error{
	"LN": refuseLogarithm, "LOG2": refuseLogarithm, "LOG10": refuseLogarithm,
	"STR_TO_DATE": func(env *Env, args []value.Value) error {
		return env.Warn(sqlerr.CodeWrongTimeText, "Incorrect datetime value: '%.128s' for function str_to_date", value.Text(args[0]))
	},
	"DATE_ADD": refuseOverflow(0), "DATE_SUB": refuseOverflow(0), "ADDDATE": refuseOverflow(0), "SUBDATE": refuseOverflow(0), "TIMESTAMPADD": refuseOverflow(2),
}

// datesAt and timesAt say which arguments of functions are read as dates and as TIMEs. A TIME that is read as a date is on the day of the
// statement.
var (
	datesAt = map[string][]int{"DATE_ADD": {0}, "DATE_SUB": {0}, "ADDDATE": {0}, "SUBDATE": {0}, "TIMESTAMPADD": {2}, "DATEDIFF": {0, 1}, "TIMESTAMPDIFF": {1, 2},
		"EXTRACT": {1}, "TIMESTAMP": {0}, "CONVERT_TZ": {0}}
	timesAt = map[string][]int{"ADDTIME": {0, 1}, "SUBTIME": {0, 1}, "TIMEDIFF": {0, 1}}
)

func init() {
	for _, name := range []string{"DATE", "YEAR", "QUARTER", "MONTH", "DAY", "DAYOFWEEK", "WEEKDAY", "DAYOFYEAR", "WEEK", "YEARWEEK", "WEEKOFYEAR", "DAYNAME",
		"MONTHNAME", "LAST_DAY", "TO_DAYS", "TO_SECONDS", "DATE_FORMAT", "UNIX_TIMESTAMP"} {
		datesAt[name] = []int{0}
	}
	for _, name := range []string{"HOUR", "MINUTE", "SECOND", "MICROSECOND", "TIME", "TIME_TO_SEC", "TIME_FORMAT"} {
		timesAt[name] = []int{0}
	}
	for name, at := range datesAt {
		if refusals[name] == nil {
			refusals[name] = refuseDates(at...)
		}
	}
	for name, at := range timesAt {
		refusals[name] = refuseTimes(at...)
	}
}

func refuseLogarithm(env *Env, _ []value.Value) error {
	return env.Warn(sqlerr.CodeInvalidLogarithm, "Invalid argument for logarithm")
}

// refuseDates warns of the first of these arguments that is not a date.
func refuseDates(at ...int) func(env *Env, args []value.Value) error {
	return func(env *Env, args []value.Value) error {
		for _, i := range at {
			if _, ok := env.timeOf(args[i]); !ok {
				return env.unreadable(args[i])
			}
		}
		return nil
	}
}

func refuseTimes(at ...int) func(env *Env, args []value.Value) error {
	return func(env *Env, args []value.Value) error {
		for _, i := range at {
			if _, ok := durationOf(args[i]); ok {
				continue
			}
			if _, ok := env.timeOf(args[i]); !ok {
				return env.truncated("time", args[i])
			}
		}
		return nil
	}
}

// refuseOverflow is for functions that add to the date at that argument.
func refuseOverflow(at int) func(env *Env, args []value.Value) error {
	date := refuseDates(at)
	return func(env *Env, args []value.Value) error {
		if _, ok := env.timeOf(args[at]); ok {
			return env.Warn(sqlerr.CodeTimeOverflow, "Datetime function: datetime field overflow")
		}
		return date(env, args)
	}
}

// warning gives eval with the warnings of n's function; eval itself if there are none.
func warning(n *Call, eval func(*Env, []value.Value) (value.Value, error)) func(*Env, []value.Value) (value.Value, error) {
	numbers, refuse := textsAsNumbers(n), refusals[n.Func.Name]
	cut := textsAsTimes(n)
	if numbers == "" && refuse == nil {
		return eval
	}
	return func(env *Env, args []value.Value) (value.Value, error) {
		if err := env.argumentNumbers(numbers, args); err != nil {
			return value.NullValue, err
		}
		out, err := eval(env, args)
		if err == nil && refuse != nil && out.IsNull() && !anyNullValue(args) {
			err = refuse(env, args)
		}
		if err == nil && cut != nil {
			err = cut(env, args)
		}
		return out, err
	}
}

// ofClock says whether n names a unit that EXTRACT reads off a clock.
func ofClock(n Node) bool {
	name, _ := constText(n)
	u, _ := unitOf(name)
	return !u.days
}

// textsAsTimes gives the warnings for those of n's arguments that are texts and read as times, but not to their end; nil: there are none.
func textsAsTimes(n *Call) func(env *Env, args []value.Value) error {
	at, by := datesAt[n.Func.Name], value.CutTime
	if at == nil || n.Func.Name == "EXTRACT" && ofClock(n.Args[0]) {
		by = value.CutDuration
	}
	if at == nil {
		at = timesAt[n.Func.Name]
	}
	if !slices.ContainsFunc(at, func(i int) bool { return i < len(n.Args) && mayBeText(n.Args[i].Type()) }) {
		return nil
	}
	return func(env *Env, args []value.Value) error {
		for _, i := range at {
			if i < len(args) {
				if err := env.cut(by, args[i]); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// argumentNumbers warns of arguments that count as numbers; numbers is that of numberArguments, or "".
func (e *Env) argumentNumbers(numbers string, args []value.Value) (err error) {
	for i := 0; i < len(args) && numbers != "" && err == nil; i++ {
		switch numbers[min(i, len(numbers)-1)] {
		case 'n':
			err = e.Number(args[i])
		case 'i':
			err = e.integer(args[i])
		}
	}
	return err
}

// textsAsNumbers is numberArguments of n if an argument may be a text; else "".
func textsAsNumbers(n *Call) string {
	numbers := numberArguments[n.Func.Name]
	for i, a := range n.Args {
		if numbers != "" && numbers[min(i, len(numbers)-1)] != '-' && mayBeText(a.Type()) {
			return numbers
		}
	}
	return ""
}

func mayBeText(t value.Type) bool {
	return t.Base == value.TypeUnknown || t.Base == value.TypeJSON || t.IsText() || t.IsOctets()
}

func anyNullValue(args []value.Value) bool {
	for _, v := range args {
		if v.IsNull() {
			return true
		}
	}
	return false
}

// operandOf gives the warnings about the operands of an operator.
func operandOf(op string) func(env *Env, v value.Value) error {
	switch op {
	case "&", "|", "^", "<<", ">>", "~":
		return (*Env).integer
	}
	return (*Env).Number
}
