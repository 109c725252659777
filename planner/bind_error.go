package planner

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Error says why a statement cannot be planned. Code, State and the wording are MySQL's.
type Error struct {
	Code    int    // MySQL's error number, such as 1054
	State   string // SQLSTATE, such as 42S22
	Message string
	Pos     int // offset in bytes into the statement's text; -1 where it is not known

	column *dialect.Column // of an unknown column: its name
}

// Error gives the message alone; who shows it to a user adds the numbers.
func (e *Error) Error() string { return e.Message }

// MySQL's error numbers that planning gives.
const (
	codeUnknownTable       = 1051
	codeNonUniqueColumn    = 1052
	codeUnknownColumn      = 1054
	codeWrongFieldGroup    = 1055
	codeWrongGroupField    = 1056
	codeDuplicateColumn    = 1060
	codeDuplicateKeyName   = 1061
	codeWrongSpecifier     = 1063
	codeSyntax             = 1064
	codeNonUniqueTable     = 1066
	codeInvalidDefault     = 1067
	codeMultiplePrimaryKey = 1068
	codeTooManyKeyParts    = 1070
	codeKeyColumnMissing   = 1072
	codeAutoKey            = 1075
	codeWrongPrefix        = 1089
	codeCantRemoveAll      = 1090
	codeCantDropField      = 1091
	codeNoTables           = 1096
	codeUnknownMultiTable  = 1109
	codeColumnTwice        = 1110
	codeInvalidGroupFunc   = 1111
	codeTableMustHaveCols  = 1113
	codeUnknownCharset     = 1115
	codeTooManyTables      = 1116
	codeTooManyColumns     = 1117
	codeColumnCount        = 1136
	codeMixOfGroupFunc     = 1140
	codeNoSuchTable        = 1146
	codePrimaryNull        = 1171
	codeUnknownIndex       = 1176
	codeWrongArguments     = 1210
	codeForeignKey         = 1215
	codeWrongUsage         = 1221
	codeUnionColumns       = 1222
	codeMisplaced          = 1234
	codeNotSupported       = 1235
	codeForeignKeyColumns  = 1239
	codeOperandColumns     = 1241
	codeDerivedAlias       = 1248
	codeCollationMix       = 1267
	codeCollationMix3      = 1270
	codeCollationMixes     = 1271
	codeUnknownCollation   = 1273
	codeWrongIndexName     = 1280
	codeNonUpdatable       = 1288
	codeInvalidOnUpdate    = 1294
	codeNoSuchFunction     = 1305
	codeViewFieldList      = 1353
	codeNoDefault          = 1364
	codeIllegalDouble      = 1367
	codeDisplayWidth       = 1439
	codePartitionMaxLast   = 1481
	codePartitionsMissing  = 1492
	codePartitionOrder     = 1493
	codePartitionTwice     = 1495
	codeTooManyPartitions  = 1499
	codePartitionColumn    = 1503
	codeNoPartitions       = 1505
	codePartitionUnknown   = 1507
	codePartitionsAll      = 1508
	codeOnlyRangeList      = 1512
	codePartitionName      = 1517
	codeWrongLiteral       = 1525
	codeNoPartition        = 1526
	codeWrongParameters    = 1582
	codePartitionValue     = 1697
	codeNoReferencedKey    = 1822
	codeInvalidFieldSize   = 3013
	codeOrderNotInDistinct = 3065
	codeGeneratedFunc      = 3102
	codeGeneratedValue     = 3105
	codeGeneratedOrder     = 3107
	codeGeneratedDependsOn = 3108
	codeGeneratedAuto      = 3109
	codeJSONKey            = 3152
	codeDefaultOrder       = 3767
	codeDefaultAuto        = 3768
	codeDefaultOfRow       = 3773
	codeIncompatibleKeys   = 3780
	codeCapacityExceeded   = 3170
	codeCheckFunction      = 3814
	codeNoCheck            = 3821
	codeDuplicateCheck     = 3822
	codeNoConstraint       = 3940
	codeCheckUses          = 3959
)

// states are the SQLSTATEs of those numbers whose state is not HY000.
var states = map[int]string{
	codeForeignKeyColumns: "42000", codeNonUniqueColumn: "23000", codeUnknownColumn: "42S22",
	codeWrongFieldGroup: "42000", codeWrongGroupField: "42000", codeDuplicateColumn: "42S21",
	codeDuplicateKeyName: "42000", codeSyntax: "42000", codeNonUniqueTable: "42000",
	codeInvalidDefault: "42000", codeMultiplePrimaryKey: "42000", codeKeyColumnMissing: "42000",
	codeAutoKey: "42000", codeCantDropField: "42000", codeColumnTwice: "42000",
	codeTableMustHaveCols: "42000", codeColumnCount: "21S01", codeMixOfGroupFunc: "42000",
	codeNoSuchTable: "42S02", codeUnknownTable: "42S02", codePrimaryNull: "42000", codeUnionColumns: "21000",
	codeMisplaced: "42000", codeNotSupported: "42000", codeOperandColumns: "21000", codeDerivedAlias: "42000",
	codeNoSuchFunction: "42000", codeIllegalDouble: "22007",
	codeDisplayWidth: "42000", codeUnknownCharset: "42000", codeUnknownIndex: "42000", codeUnknownMultiTable: "42S02", codeWrongParameters: "42000",
}

func newError(code int, pos dialect.Pos, format string, args ...any) *Error {
	state := states[code]
	if state == "" {
		state = "HY000"
	}
	return &Error{Code: code, State: state, Message: fmt.Sprintf(format, value.Briefly(args)...), Pos: int(pos)}
}

const noPos dialect.Pos = -1

// exprError gives an error of package expr the number that MySQL has for it, and the place; other errors stay as they are.
func exprError(err error, pos dialect.Pos) error {
	var (
		function *expr.UnknownFunctionError
		arity    *expr.ArityError
		operand  *expr.OperandError
		mix      *expr.CollationError
	)
	switch {
	case errors.As(err, &function):
		return newError(codeNoSuchFunction, pos, "%s", err)
	case errors.As(err, &arity):
		return newError(codeWrongParameters, pos, "%s", err)
	case errors.As(err, &operand):
		return newError(codeOperandColumns, pos, "%s", err)
	case errors.As(err, &mix):
		code := codeCollationMixes
		switch len(mix.Types) {
		case 2:
			code = codeCollationMix
		case 3:
			code = codeCollationMix3
		}
		return newError(code, pos, "%s", err)
	}
	return err
}

// notSupported refuses a feature by its name, which begins the sentence: "window functions".
func notSupported(pos dialect.Pos, format string, args ...any) *Error {
	return newError(codeNotSupported, pos, format+" not supported", args...)
}

func unknownColumn(c *dialect.Column, clause string) *Error {
	err := newError(codeUnknownColumn, c.Pos, "Unknown column '%s' in '%s'", columnText(c), clause)
	err.column = c
	return err
}

// orNear adds to the error of an unknown column which of the names may be meant.
func (e *Error) orNear(names iter.Seq[string]) *Error {
	if c := e.column; len(c.Name) > 2 {
		if near := expr.Near(c.Name, names); len(near) > 0 {
			e.Message += " (did you mean " + strings.Join(near, ", ") + "?)"
		}
	}
	return e
}

func columnText(c *dialect.Column) string {
	var parts []string
	for _, s := range [...]string{c.Database, c.Table, c.Name} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ".")
}
