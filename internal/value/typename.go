package value

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// String is the base's plain SQL name.
func (b Base) String() string {
	if int(b) < len(baseNames) {
		return baseNames[b]
	}
	return "Base(" + strconv.Itoa(int(b)) + ")"
}

var baseNames = [...]string{
	TypeUnknown: "NULL", TypeBool: "BOOL", TypeBit: "BIT", TypeTinyInt: "TINYINT", TypeSmallInt: "SMALLINT",
	TypeMediumInt: "MEDIUMINT", TypeInt: "INT", TypeBigInt: "BIGINT", TypeFloat: "FLOAT",
	TypeDouble: "DOUBLE", TypeDecimal: "DECIMAL", TypeChar: "VARCHAR", TypeText: "TEXT",
	TypeEnum: "ENUM", TypeSet: "SET", TypeBinary: "VARBINARY", TypeBlob: "BLOB", TypeDate: "DATE",
	TypeDateTime: "DATETIME", TypeTime: "TIME", TypeYear: "YEAR", TypeJSON: "JSON", TypeUUID: "UUID",
}

// String is the kind's plain SQL name.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

var kindNames = [...]string{
	Null: "NULL", Bool: "BOOL", Int: "BIGINT", Uint: "BIGINT UNSIGNED", Decimal: "DECIMAL",
	Float: "DOUBLE", String: "VARCHAR", Bytes: "BLOB", Time: "DATETIME", Date: "DATE",
	Duration: "TIME", JSON: "JSON", UUID: "UUID",
}

// String is the type as SQL spells it, without its collation: "VARCHAR(30)", "BIGINT UNSIGNED",
// "DECIMAL(10,2)", "DATETIME(6)", "ENUM('a','b')".
func (t Type) String() string {
	name := t.Declared
	if name == "" {
		name = t.Base.String()
	}
	switch t.Base {
	case TypeBool:
		if name == "TINYINT" { // the former meaning of TINYINT(1)
			name = "BOOL"
		}
	case TypeTinyInt:
		if t.Length == 1 && !t.Unsigned {
			name += "(1)"
		}
	case TypeFloat, TypeDouble:
		if t.Precision > 0 {
			name += "(" + strconv.Itoa(t.Precision) + "," + strconv.Itoa(t.Scale) + ")"
		}
	case TypeBit:
		name += "(" + strconv.Itoa(t.Length) + ")"
	case TypeDecimal:
		name += "(" + strconv.Itoa(t.Precision) + "," + strconv.Itoa(t.Scale) + ")"
	case TypeChar, TypeText, TypeBinary, TypeBlob:
		if t.Length > 0 && !strings.HasPrefix(name, "TINY") {
			name += "(" + strconv.Itoa(t.Length) + ")"
		}
	case TypeDateTime, TypeTime:
		switch {
		case t.Precision > 0:
			name += "(" + strconv.Itoa(t.Precision) + ")"
		case t.Precision < 0 && t.Declared != "": // no digits formerly meant all
			name += "(" + strconv.Itoa(MaxFraction) + ")"
		}
	case TypeEnum, TypeSet:
		quoted := make([]string, len(t.Names))
		for i, n := range t.Names {
			quoted[i] = "'" + strings.ReplaceAll(strings.ReplaceAll(n, `\`, `\\`), "'", "''") + "'"
		}
		name += "(" + strings.Join(quoted, ",") + ")"
	}
	if t.Unsigned && t.Base != TypeBit && !strings.HasPrefix(name, "UNSIGNED") {
		name += " UNSIGNED"
	}
	return name
}

// TypeOf is the type of a literal or an argument, as wide as its kind allows.
func TypeOf(v Value) Type {
	switch v.kind {
	case Bool:
		return Type{Base: TypeBool}
	case Int:
		return Type{Base: TypeBigInt}
	case Uint:
		if v.s != "" {
			return Type{Base: TypeBit, Length: 8 * len(v.s), Unsigned: true}
		}
		return Type{Base: TypeBigInt, Unsigned: true}
	case Float:
		return Type{Base: TypeDouble}
	case Decimal:
		v = Shown(v)
		digits := len(strings.TrimLeft(v.s, "-0."))
		scale := 0
		if i := strings.IndexByte(v.s, '.'); i >= 0 {
			scale = len(v.s) - i - 1
			if whole := strings.TrimLeft(v.s[:i], "-0"); whole != "" {
				digits--
			}
		}
		return Type{Base: TypeDecimal, Precision: max(digits, scale, 1), Scale: scale}
	case String:
		return Type{Base: TypeChar, Coercion: Literal}
	case Bytes:
		return Type{Base: TypeBlob}
	case Time:
		return Type{Base: TypeDateTime, Precision: precisionOf(v)}
	case Date:
		return Type{Base: TypeDate}
	case Duration:
		return Type{Base: TypeTime, Precision: precisionOf(v)}
	case JSON:
		return Type{Base: TypeJSON}
	case UUID:
		return Type{Base: TypeUUID}
	}
	return Type{}
}

// precisionOf is the number of digits of a second of a time; -1 if they are not known.
func precisionOf(v Value) int {
	if v.digits > 0 {
		return v.Digits()
	}
	return -1
}

// typeNames maps what MySQL and SQLite call their types.
var typeNames = map[string]Type{
	"BOOL": {Base: TypeBool}, "BOOLEAN": {Base: TypeBool}, "BIT": {Base: TypeBit, Length: 1, Unsigned: true},
	"TINYINT": {Base: TypeTinyInt}, "INT1": {Base: TypeTinyInt},
	"SMALLINT": {Base: TypeSmallInt}, "INT2": {Base: TypeSmallInt},
	"MEDIUMINT": {Base: TypeMediumInt}, "MIDDLEINT": {Base: TypeMediumInt}, "INT3": {Base: TypeMediumInt},
	"INT": {Base: TypeInt}, "INTEGER": {Base: TypeInt}, "INT4": {Base: TypeInt},
	"BIGINT": {Base: TypeBigInt}, "INT8": {Base: TypeBigInt}, "BIG INT": {Base: TypeBigInt},
	"SIGNED": {Base: TypeBigInt}, "SIGNED INTEGER": {Base: TypeBigInt}, "SIGNED INT": {Base: TypeBigInt},
	"UNSIGNED":         {Base: TypeBigInt, Unsigned: true},
	"UNSIGNED INTEGER": {Base: TypeBigInt, Unsigned: true},
	"UNSIGNED INT":     {Base: TypeBigInt, Unsigned: true},
	"UNSIGNED BIG INT": {Base: TypeBigInt, Unsigned: true},
	"FLOAT":            {Base: TypeFloat}, "FLOAT4": {Base: TypeFloat},
	"DOUBLE": {Base: TypeDouble}, "DOUBLE PRECISION": {Base: TypeDouble}, "REAL": {Base: TypeDouble}, "FLOAT8": {Base: TypeDouble},
	"DECIMAL": {Base: TypeDecimal, Precision: 10}, "DEC": {Base: TypeDecimal, Precision: 10},
	"NUMERIC": {Base: TypeDecimal, Precision: 10}, "FIXED": {Base: TypeDecimal, Precision: 10},
	"CHAR": {Base: TypeChar, Length: 1}, "CHARACTER": {Base: TypeChar, Length: 1}, "NCHAR": {Base: TypeChar, Length: 1},
	"NATIONAL CHAR": {Base: TypeChar, Length: 1}, "NATIVE CHARACTER": {Base: TypeChar, Length: 1},
	"VARCHAR": {Base: TypeChar}, "NVARCHAR": {Base: TypeChar}, "CHARACTER VARYING": {Base: TypeChar},
	"CHAR VARYING": {Base: TypeChar}, "VARYING CHARACTER": {Base: TypeChar}, "NATIONAL VARCHAR": {Base: TypeChar},
	"TINYTEXT": {Base: TypeText, Length: 255}, "TEXT": {Base: TypeText}, "MEDIUMTEXT": {Base: TypeText},
	"LONGTEXT": {Base: TypeText}, "CLOB": {Base: TypeText}, "LONG": {Base: TypeText}, "LONG VARCHAR": {Base: TypeText},
	"ENUM": {Base: TypeEnum}, "SET": {Base: TypeSet},
	"BINARY": {Base: TypeBinary, Length: 1}, "VARBINARY": {Base: TypeBinary},
	"TINYBLOB": {Base: TypeBlob, Length: 255}, "BLOB": {Base: TypeBlob}, "MEDIUMBLOB": {Base: TypeBlob},
	"LONGBLOB": {Base: TypeBlob}, "LONG VARBINARY": {Base: TypeBlob},
	"DATE": {Base: TypeDate}, "DATETIME": {Base: TypeDateTime},
	"TIMESTAMP": {Base: TypeDateTime}, "TIME": {Base: TypeTime},
	"YEAR": {Base: TypeYear}, "JSON": {Base: TypeJSON}, "UUID": {Base: TypeUUID}, "GUID": {Base: TypeUUID},
}

// NewType makes the type that a column declares or a CAST names. name is in upper case, words one blank apart; args are the numbers in its
// parentheses, members those of ENUM and SET; collation is for texts. BOOL is a boolean, and TINYINT(1) an integer; TEXT and BLOB are limited
// only by the store, whatever MySQL's limit is.
func NewType(name string, args []int, members []string, unsigned bool, collation Collation) (Type, error) {
	t, ok := typeNames[name]
	if !ok {
		return Type{}, errors.New("unknown type " + sqlerr.Brief(name))
	}
	t.Declared = name
	if err := t.setArgs(args); err != nil {
		return Type{}, err
	}
	switch t.Base {
	case TypeChar, TypeText, TypeEnum, TypeSet:
		t.Collation = collation
	}
	if unsigned {
		if t.Base < TypeBool || t.Base > TypeDecimal || t.Base == TypeBit {
			return Type{}, errors.New(name + " cannot be UNSIGNED")
		}
		t.Unsigned = t.Base != TypeBool // a boolean is never negative
	}
	return t, t.setMembers(members)
}

func (t *Type) setArgs(args []int) error {
	name, most := t.Declared, 1
	if t.Base == TypeDecimal || t.Base == TypeFloat || t.Base == TypeDouble {
		most = 2
	}
	if len(args) > most || len(args) > 0 && slices.Min(args) < 0 {
		return errors.New("wrong arguments of type " + name)
	}
	arg := func(least, greatest int, what string) error {
		if args[0] < least || args[0] > greatest {
			return errors.New(what + " of " + name + " must be " + strconv.Itoa(least) + " to " + strconv.Itoa(greatest))
		}
		return nil
	}
	if len(args) == 0 {
		return nil
	}
	switch t.Base {
	case TypeTinyInt:
		if args[0] == 1 {
			t.Length = 1 // tools take it for a boolean
		}
		return arg(0, 255, "display width")
	case TypeSmallInt, TypeMediumInt, TypeInt, TypeBigInt:
		return arg(0, 255, "display width") // says nothing about the values
	case TypeBit:
		t.Length = args[0]
		return arg(1, 64, "length")
	case TypeFloat, TypeDouble:
		if len(args) == 2 {
			return t.setFloat(args)
		}
		if t.Base == TypeDouble {
			return errors.New(name + " takes two arguments or none")
		}
		if args[0] > 24 {
			t.Base = TypeDouble
			t.Declared = "DOUBLE"
		}
		return arg(0, 53, "precision")
	case TypeDecimal:
		return t.setDecimal(args)
	case TypeChar, TypeBinary:
		t.Length = args[0]
		return arg(0, 65535, "length")
	case TypeText, TypeBlob:
		t.Length = args[0]
		return nil
	case TypeDateTime, TypeTime:
		t.Precision = args[0]
		return arg(0, 7, "precision")
	case TypeYear:
		return arg(4, 4, "width")
	}
	return errors.New("type " + name + " takes no arguments")
}

func (t *Type) setDecimal(args []int) error {
	t.Precision = args[0]
	if t.Precision == 0 {
		t.Precision = 10 // MySQL's reading of DECIMAL(0)
	}
	if len(args) == 2 {
		t.Scale = args[1]
	}
	if t.Precision > MaxDigits || t.Scale > MaxScale || t.Scale > t.Precision {
		return errors.New(t.Declared + "(p,s) needs p up to " + strconv.Itoa(MaxDigits) + ", s up to " + strconv.Itoa(MaxScale) + " and not above p")
	}
	return nil
}

// setFloat takes the total digits of FLOAT(M,D) and those after the point.
func (t *Type) setFloat(args []int) error {
	const most = 255
	t.Precision, t.Scale = args[0], args[1]
	if t.Precision > most || t.Scale > MaxScale || t.Scale > t.Precision || t.Precision == 0 {
		return errors.New(t.Declared + "(m,d) needs m up to " + strconv.Itoa(most) + ", d up to " + strconv.Itoa(MaxScale) + " and not above m")
	}
	return nil
}

func (t *Type) setMembers(members []string) error {
	if t.Base != TypeEnum && t.Base != TypeSet {
		if len(members) > 0 {
			return errors.New("type " + t.Declared + " takes no members")
		}
		return nil
	}
	if len(members) == 0 {
		return errors.New("type " + t.Declared + " needs members")
	}
	if most := t.mostMembers(); len(members) > most {
		return errors.New("type " + t.Declared + " has at most " + strconv.Itoa(most) + " members")
	}
	names, places := make([]string, len(members)), make(map[string]int, len(members))
	for i, m := range members {
		m = strings.TrimRight(m, " ")
		if t.Base == TypeSet && strings.Contains(m, ",") {
			return errors.New("SET member '" + m + "' holds a comma")
		}
		names[i], places[m] = m, i
	}
	t.Names = names
	if len(names) > fewMembers {
		t.members = places
	}
	return t.CheckMembers()
}
