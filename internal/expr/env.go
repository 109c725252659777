package expr

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Env is what an expression is evaluated in. One Env serves one goroutine.
type Env struct {
	Row        []value.Value
	Args       []value.Value
	Insert     []value.Value // the row that was to be inserted, for InsertValue
	Outer      *Env          // the enclosing query's, for Column.Level > 0
	Session    *Session
	Subqueries SubqueryRunner
	Context    context.Context // ends waiting operations; nil: nothing does
	Memory     Memory          // of the statement; nil: it is not accounted for
	UTC        bool            // ignore the session's time zone: what a definition computes is the same in every session

	folding bool // at planning: an expression that has a condition is left as it is
	scratch scratch
}

// scratch is where function calls keep their arguments while they run, so that a call allocates nothing. It belongs to one Env: a copy of the
// Env begins with its own, because copies may run side by side.
type scratch struct {
	owner    *Env
	values   []value.Value
	random   map[*Call]*randomState
	sets     map[*In]*inSet
	patterns map[*patternCache]*pattern // large ones
}

// own gives the scratch of e itself.
func (e *Env) own() *scratch {
	if e.scratch.owner != e {
		e.scratch = scratch{owner: e}
	}
	return &e.scratch
}

// context gives Context, or one that never ends for an expression that runs without it.
func (e *Env) context() context.Context {
	if e.Context == nil {
		return context.Background()
	}
	return e.Context
}

// zone is the time zone that applies; nil: UTC.
func (e *Env) zone() *time.Location {
	if e.UTC {
		return nil
	}
	return e.session().Zone
}

// session gives the session, or an empty one for an expression that runs without it.
func (e *Env) session() *Session {
	if e.Session == nil {
		return &Session{}
	}
	return e.Session
}

// Variables are the @name of a session, in any case. Operators of a statement may use them side by side.
type Variables struct {
	mu     sync.Mutex
	values map[string]value.Value
	bytes  int // of their texts
}

// MaxVariables is the most octets that the variables of a session hold together.
const MaxVariables = 64 << 20

// Get gives a variable's value, or NULL if it was never set.
func (s *Variables) Get(name string) value.Value {
	v, _ := s.Lookup(name)
	return v
}

// Lookup is Get, and also says whether it was set.
func (s *Variables) Lookup(name string) (value.Value, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.values[strings.ToLower(name)]
	return v, ok
}

// Set sets a variable. As with MySQL's variables, it keeps what v shows: a document and a member of an ENUM become texts, a hexadecimal literal
// octets. It fails if all variables would exceed MaxVariables.
func (s *Variables) Set(name string, v value.Value) error {
	if v.Kind() == value.JSON {
		v = value.FromString(v.Text())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil {
		s.values = map[string]value.Value{}
	}
	name, v = strings.ToLower(name), value.Plain(v)
	bytes := s.bytes + len(v.Text()) - len(s.values[name].Text())
	if bytes > MaxVariables {
		return &TooManyVariablesError{Name: name}
	}
	s.values[name], s.bytes = v, bytes
	return nil
}

// Reset forgets all.
func (s *Variables) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values, s.bytes = nil, 0
}

// Session is what functions may ask about the session and the statement. Each connection has one.
type Session struct {
	Database      string
	User          string
	ConnectionID  int64
	Version       string          // VERSION()
	Zone          *time.Location  // time_zone; nil: UTC
	Now           int64           // statement time, ticks (see value.Time): NOW() is the same all through a statement
	LastInsertID  int64           // LAST_INSERT_ID()
	InsertID      int64           // what LAST_INSERT_ID(n) was given in this statement; 0 without
	RowCount      int64           // ROW_COUNT()
	FoundRows     int64           // FOUND_ROWS()
	Recursions    uint32          // cte_max_recursion_depth: rounds of a WITH RECURSIVE
	ZeroIsID      bool            // 0 in an AUTO_INCREMENT column is a value: sql_mode has NO_AUTO_VALUE_ON_ZERO
	Diagnostics   Diagnostics     // the conditions of the last statement
	Collation     value.Collation // of literals and arguments
	KeysUnchecked bool            // foreign_key_checks is 0
	Exact         bool            // a value that a column would round is refused; see Env.Store
	Vars          Variables       // @name
	System        func(name string) (value.Value, bool)
	Lock          func(ctx context.Context, name string, timeout float64) (bool, error)  // GET_LOCK
	Unlock        func(ctx context.Context, name string) (held, existed bool, err error) // RELEASE_LOCK
	UnlockAll     func(ctx context.Context) int64                                        // RELEASE_ALL_LOCKS
	LockOwner     func(ctx context.Context, name string) (int64, error)                  // IS_USED_LOCK: its ConnectionID, 0 for none
}

// SubqueryRunner runs the subqueries of an expression.
type SubqueryRunner interface {
	// Scalar gives the subquery's single value.
	Scalar(env *Env, s *Subquery) (value.Value, error)
	// Exists says whether it has a row.
	Exists(env *Env, s *Subquery) (bool, error)
	// In says whether x is among its rows: 1, 0 or NULL (not negated).
	In(env *Env, s *Subquery, x []value.Value) (value.Value, error)
}
