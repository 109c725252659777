package expr

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// Level says how grave a condition is, as SHOW WARNINGS names it.
type Level string

// The levels of conditions.
const (
	Note    Level = "Note"
	Warning Level = "Warning"
	Failure Level = "Error"
)

// Condition is something that a statement reports besides its result.
type Condition struct {
	Level   Level
	Code    int // MySQL's number
	Message string

	row int // that it is about
}

// MaxConditions is how many conditions of a statement are kept: MySQL's max_error_count.
const MaxConditions = 64

// Diagnostics are the conditions of a session's last statement. The operators of a statement may note them side by side.
// A statement without conditions allocates nothing.
type Diagnostics struct {
	Strict     bool // the statement that runs writes in strict mode: what would be a Warning ends it
	Adjust     bool // the statement writes the nearest values instead of those that do not fit
	NoDivision bool // division by 0 is no condition: sql_mode lacks ERROR_FOR_DIVISION_BY_ZERO

	mu            sync.Mutex
	row           int // that is being written, from 1
	kept          []Condition
	count, errors int
}

// Begin forgets the conditions of the statement before.
func (d *Diagnostics) Begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept, d.count, d.errors, d.row = nil, 0, 0, 0
}

// Row says which row the next conditions are about: a statement may go over its rows more than once, but reports them row by row.
func (d *Diagnostics) Row(number int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.row = number
}

// Note adds a condition. Beyond MaxConditions, conditions are only counted.
func (d *Diagnostics) Note(level Level, code int, format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count++
	if level == Failure {
		d.errors++
		d.row = math.MaxInt // it ends the statement
	}
	if len(d.kept) < MaxConditions {
		d.kept = append(d.kept, Condition{level, code, fmt.Sprintf(format, args...), d.row})
	}
}

// Conditions gives the conditions that are kept, row by row, the oldest first.
func (d *Diagnostics) Conditions() []Condition {
	d.mu.Lock()
	defer d.mu.Unlock()
	kept := slices.Clone(d.kept)
	slices.SortStableFunc(kept, func(a, b Condition) int { return cmp.Compare(a.row, b.row) })
	return kept
}

// Counts gives the number of all conditions, and of those that are errors.
func (d *Diagnostics) Counts() (all, failures int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.count, d.errors
}

// errFolding keeps an expression with a condition from being computed at planning: only at run time is it known whether it is computed, and in
// what statement.
var errFolding = errors.New("an expression with a condition is not folded")

// Warn notes a Warning; the caller gives the value that goes with it. If the statement writes in strict mode it gives an error instead, which
// the caller returns.
func (e *Env) Warn(code int, format string, args ...any) error {
	switch {
	case e.folding:
		return errFolding
	case e.Session == nil:
		return nil
	case e.Session.Diagnostics.Strict:
		return &sqlerr.Error{Code: code, Message: fmt.Sprintf(format, args...), Pos: sqlerr.NoPos}
	}
	e.Session.Diagnostics.Note(Warning, code, format, args...)
	return nil
}
