package expr

import (
	"fmt"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// UnknownFunctionError says that there is no function of that name. Near holds names that look alike.
type UnknownFunctionError struct {
	Name string
	Near []string
}

func (e *UnknownFunctionError) Error() string {
	s := "FUNCTION " + sqlerr.Brief(e.Name) + " does not exist"
	if len(e.Near) > 0 {
		s += " (did you mean " + strings.Join(e.Near, ", ") + "?)"
	}
	return s
}

// ArityError says that a function was called with the wrong number of arguments (MySQL's 1582).
type ArityError struct{ Name string }

func (e *ArityError) Error() string {
	return fmt.Sprintf("Incorrect parameter count in the call to native function '%s'", sqlerr.Brief(e.Name))
}

// OperandError says that a row of values appears where another number of values belongs (MySQL's 1241).
type OperandError struct{ Want int }

func (e *OperandError) Error() string {
	return fmt.Sprintf("Operand should contain %d column(s)", e.Want)
}

// LiteralError says that a text compared with dates is not a date (MySQL's 1525).
type LiteralError struct{ Type, Text string }

func (e *LiteralError) Error() string {
	return fmt.Sprintf("Incorrect %s value: '%s'", e.Type, sqlerr.Brief(e.Text))
}

// ArgumentError says that a function cannot work with an argument: a malformed pattern, JSON text or path.
type ArgumentError struct {
	Function string
	Reason   string
}

func (e *ArgumentError) Error() string {
	return "Incorrect arguments to " + e.Function + ": " + sqlerr.BriefMessage(e.Reason)
}

// TooLongError says that a text would grow beyond what one value may hold (MaxText octets).
type TooLongError struct{ Function string }

func (e *TooLongError) Error() string {
	return fmt.Sprintf("Result of %s() is larger than %d octets", e.Function, MaxText)
}

// TooManyVariablesError says that the variables of a session would be larger than MaxVariables.
type TooManyVariablesError struct{ Name string }

func (e *TooManyVariablesError) Error() string {
	return fmt.Sprintf("@%s is too large: all variables of a session together may hold %d octets", sqlerr.Brief(e.Name), MaxVariables)
}

// PatternSizeError says that a regular expression is too large to be compiled (MySQL's 3887).
type PatternSizeError struct{ Function string }

func (e *PatternSizeError) Error() string {
	return fmt.Sprintf("The regular expression pattern exceeds limits on size or complexity: %s takes patterns of %d octets, compiled %d",
		e.Function, maxPattern, maxProgram)
}

// MaxText is the most octets that a function makes: MySQL's max_allowed_packet by another name.
const MaxText = 16 << 20

// UnknownVariableError says that there is no system variable of that name (MySQL's 1193).
type UnknownVariableError struct{ Name string }

func (e *UnknownVariableError) Error() string {
	return "Unknown system variable '" + sqlerr.Brief(e.Name) + "'"
}

// MySQL's errors about JSON documents and paths.
var (
	errBinaryJSON = sqlerr.New(sqlerr.CodeJSONBinary, sqlerr.NoPos, "Cannot create a JSON value from a string with CHARACTER SET 'binary'.")
	errWildPath   = sqlerr.New(sqlerr.CodeJSONWildPath, sqlerr.NoPos, "In this situation, path expressions may not contain the * and ** tokens or an array range.")
	errWholePath  = sqlerr.New(sqlerr.CodeJSONWholePath, sqlerr.NoPos, "The path expression '$' is not allowed in this context.")
	errDeepJSON   = sqlerr.New(sqlerr.CodeJSONDepth, sqlerr.NoPos, "The JSON document exceeds the maximum depth.")
	errNullKey    = sqlerr.New(sqlerr.CodeJSONNullKey, sqlerr.NoPos, "JSON documents may not contain NULL member names.")
	errNoCell     = sqlerr.New(sqlerr.CodeJSONNoCell, sqlerr.NoPos, "A path expression is not a path to a cell in an array.")
)
