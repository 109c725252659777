package expr

import (
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// A TIMESTAMP column holds UTC. In a session of another time zone the planner wraps it in localFunction, so that it shows, and compares as, the
// local time. For keys and indexes, a condition on that also adds the condition on the column itself that follows from it (see NewLocalCompare).

// localFunction is a TIMESTAMP column in the session's time zone.
var localFunction = &Function{
	Name: "LOCAL", Volatility: Stable, strict: true, null: anyNull,
	Eval: func(env *Env, args []value.Value) (value.Value, error) {
		return value.FromTicks(env.local(args[0].Ticks())).WithDigits(args[0].Digits()), nil
	},
}

// firstFunction and lastFunction give the first and the last time in UTC at which the session's clock shows their argument; if it never does,
// the least and the greatest time of all.
var (
	firstFunction = instantFunction("FIRST_UTC", func(first, _ int64) int64 { return first }, 0)
	lastFunction  = instantFunction("LAST_UTC", func(_, last int64) int64 { return last }, value.MaxTicks)
)

func instantFunction(name string, which func(first, last int64) int64, otherwise int64) *Function {
	return &Function{Name: name, Volatility: Stable, strict: true, null: anyNull, Type: fixed(value.Type{Base: value.TypeDateTime, Precision: 7}),
		Eval: func(env *Env, args []value.Value) (value.Value, error) {
			v := env.today(args[0], value.Time)
			at, ok := value.ReadTime(v)
			if !ok || v.Kind() != value.Time && v.Kind() != value.Date && v.Kind() != value.String {
				return value.FromTicks(otherwise), nil
			}
			return value.FromTicks(which(instants(at.Ticks(), env.zone()))), nil
		}}
}

// ZonedUnixtime is the name of FROM_UNIXTIME in a session whose time zone is not UTC, where it is not a constant for all sessions.
const ZonedUnixtime = "FROM_UNIXTIME in the session's time zone"

var zonedUnixtime = &Function{Name: "FROM_UNIXTIME", Min: 1, Max: 2, strict: true, Volatility: Stable, Type: unixtimeType, Eval: evalFromUnixtime}

// NewLocal makes column, a TIMESTAMP, one in the session's time zone.
func NewLocal(column Node) Node {
	return &Call{Func: localFunction, Args: []Node{column}, T: value.Type{Base: value.TypeDateTime, Precision: column.Type().Precision}}
}

// LocalOf gives the column that NewLocal made n from; nil if n is something else.
func LocalOf(n Node) Node {
	if c, ok := n.(*Call); ok && c.Func == localFunction {
		return c.Args[0]
	}
	return nil
}

// NewLocalCompare makes l op r. If one side is a TIMESTAMP in the session's time zone and the other is the same for all rows, it adds the
// condition that follows on the column itself.
func NewLocalCompare(op CompareOp, l, r Node) (Node, error) {
	n, err := NewCompare(op, l, r)
	if err != nil || size(l) != 1 || size(r) != 1 {
		return n, err
	}
	column, other := LocalOf(l), r
	if column == nil {
		column, other, op = LocalOf(r), l, op.Mirrored()
	}
	if column == nil || !IsConst(other) {
		return n, nil
	}
	if other, err = besideNode(column.Type(), other); err != nil {
		return n, err
	}
	kids := []Node{}
	bound := func(op CompareOp, f *Function) {
		var c Node
		call := &Call{Func: f, Args: []Node{other}, T: f.Type(nil)}
		if c, err = NewCompare(op, column, call); err == nil {
			kids = append(kids, c)
		}
	}
	if op == Eq || op == Gt || op == Ge {
		bound(Ge, firstFunction)
	}
	if err == nil && (op == Eq || op == Lt || op == Le) {
		bound(Le, lastFunction)
	}
	if err != nil || len(kids) == 0 {
		return n, err
	}
	return NewLogic(And, append(kids, n)...)
}

// Instant is v, a time in the session's time zone, as a TIMESTAMP column keeps it: in UTC. If the clock shows the time twice, it is the first.
func (e *Env) Instant(v value.Value) value.Value {
	if zone := e.zone(); zone != nil && v.Kind() == value.Time {
		utc, _ := instants(v.Ticks(), zone)
		return value.FromTicks(utc).WithDigits(v.Digits())
	}
	return v
}

// Skipped says whether the session's clock leaves out v, a time in its time zone, when it is put forward.
func (e *Env) Skipped(v value.Value) bool {
	zone := e.zone()
	if zone == nil || v.Kind() != value.Time {
		return false
	}
	utc, _ := instants(v.Ticks(), zone)
	return localTicks(utc, zone) != v.Ticks()
}

// InZone is the time at which a clock in zone shows ticks.
func InZone(ticks int64, zone *time.Location) time.Time {
	if zone == nil {
		return value.TimeFromTicks(ticks)
	}
	utc, _ := instants(ticks, zone)
	return value.TimeFromTicks(utc).In(zone)
}
