package planner

import (
	"errors"
	"math"
	"strconv"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// literal is the constant that l writes. As in MySQL, digits too large for int64 are an unsigned number, and digits too large for that a
// decimal; digits with a point are a decimal; TRUE and FALSE are 1 and 0.
func literal(l *dialect.Literal) (expr.Node, error) {
	if l.Kind == dialect.BoolLiteral {
		return expr.NewTruth(l.Text == "1"), nil
	}
	v, err := LiteralValue(l)
	if err != nil {
		return nil, err
	}
	n := &expr.Const{V: v, T: value.TypeOf(v)}
	text := value.FromString(l.Text)
	if l.Kind == dialect.TimestampLiteral && value.HasOffset(text) {
		return expr.NewCast(expr.NewConst(text), value.Type{Base: value.TypeDateTime, Precision: v.Digits()})
	}
	if n.T.Base == value.TypeDateTime || n.T.Base == value.TypeTime {
		n.T.Precision = v.Digits() // those that are written
	}
	return n, nil
}

// LiteralValue is the value that l writes.
func LiteralValue(l *dialect.Literal) (value.Value, error) {
	switch l.Kind {
	case dialect.IntLiteral:
		if i, err := strconv.ParseInt(l.Text, 10, 64); err == nil {
			return value.FromInt(i), nil
		}
		if u, err := strconv.ParseUint(l.Text, 10, 64); err == nil {
			return value.FromUint(u), nil
		}
		return decimalLiteral(l)
	case dialect.DecimalLiteral:
		return decimalLiteral(l)
	case dialect.FloatLiteral:
		f, err := strconv.ParseFloat(l.Text, 64)
		if err != nil || math.IsInf(f, 0) {
			return value.Value{}, sqlerr.New(sqlerr.CodeIllegalDouble, sqlerr.NoPos, "Illegal double '%s' value found during parsing", l.Text)
		}
		return value.FromFloat(f), nil
	case dialect.StringLiteral:
		return value.FromString(l.Text), nil
	case dialect.HexLiteral, dialect.BitLiteral:
		return value.FromHex(l.Text), nil
	case dialect.BoolLiteral:
		if l.Text == "1" {
			return value.FromInt(1), nil
		}
		return value.FromInt(0), nil
	case dialect.DateLiteral:
		return timeLiteral(value.DateLiteral(l.Text))
	case dialect.TimeLiteral:
		return timeLiteral(value.TimeLiteral(l.Text))
	case dialect.TimestampLiteral:
		return timeLiteral(value.TimestampLiteral(l.Text))
	}
	return value.NullValue, nil
}

func timeLiteral(v value.Value, err error) (value.Value, error) {
	var wrong *value.ParseError
	if errors.As(err, &wrong) {
		return v, sqlerr.New(sqlerr.CodeWrongLiteral, sqlerr.NoPos, "Incorrect %s value: '%s'", wrong.What, wrong.Text)
	}
	return v, err
}

func decimalLiteral(l *dialect.Literal) (value.Value, error) {
	v, err := value.ParseDecimal(l.Text)
	if err != nil {
		return value.Value{}, sqlerr.New(sqlerr.CodeIllegalDouble, sqlerr.NoPos, "Illegal decimal '%s' value found during parsing", l.Text)
	}
	return v, nil
}
