package exec

import (
	"errors"
	"fmt"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// ErrTooManyEntities is the errors.Is target of *TooManyEntitiesError.
var ErrTooManyEntities = errors.New("too many entities read")

// TooManyEntitiesError says that a statement read more entities than max_entities allows.
type TooManyEntitiesError struct {
	Read int64 // entities that had come back when the statement was ended
	Max  int64 // Runtime.MaxEntities
}

func (e *TooManyEntitiesError) Error() string {
	return fmt.Sprintf("the statement has read %d entities, and max_entities allows %d", e.Read, e.Max)
}

// Is makes it match ErrTooManyEntities.
func (e *TooManyEntitiesError) Is(target error) bool { return target == ErrTooManyEntities }

// MemoryError says that a statement would hold more rows in memory than max_memory allows.
type MemoryError struct {
	Operator string // the operator that holds them: "sort", "hash join", …
	Max      int64  // bytes: Runtime.MaxMemory, or the bound of the account
	Shared   string // Account.Name of the account whose statements would together; "" for the statement alone
}

func (e *MemoryError) Error() string {
	if e.Shared != "" {
		return fmt.Sprintf("%s needs more memory than is left: %s allows %d bytes for all statements together", e.Operator, e.Shared, e.Max)
	}
	return fmt.Sprintf("%s needs more than the %d bytes of memory that max_memory allows", e.Operator, e.Max)
}

// errSubqueryRows is the error of a scalar subquery that gives two rows.
var errSubqueryRows = sqlerr.New(sqlerr.CodeSubqueryRows, sqlerr.NoPos, "Subquery returns more than 1 row")
