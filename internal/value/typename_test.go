package value

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		v    Value
		want string
	}{
		{NullValue, "NULL"}, {FromBool(true), "1"}, {FromInt(math.MinInt64), "-9223372036854775808"}, {FromUint(math.MaxUint64), "18446744073709551615"},
		{FromFloat(0), "0"}, {FromFloat(math.Copysign(0, -1)), "0"}, {FromFloat(1.5), "1.5"}, {FromFloat(-1e14), "-100000000000000"}, {FromFloat(1e15), "1e15"},
		{FromFloat(123456789012345.6), "123456789012345.6"}, {FromFloat(1.25e17), "1.25e17"}, {FromFloat(1e-5), "0.00001"}, {FromFloat(1e-15), "0.000000000000001"},
		{FromFloat(1e-16), "1e-16"}, {FromFloat(-1.5e-100), "-1.5e-100"}, {FromFloat(5e-324), "5e-324"}, {FromFloat(1e100), "1e100"}, {FromFloat(math.Inf(-1)), "-Inf"}, {FromFloat(math.NaN()), "NaN"},
		{FromDuration(-5), "-00:00:00.0000005"}, {FromJSON("[]"), "[]"}, {FromBytes("\x00"), "\x00"},
	} {
		if got := Text(c.v); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if got := string(AppendText([]byte("x"), c.v)); got != "x"+c.want {
			t.Errorf("appended %q, want %q", got, "x"+c.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for in, want := range map[string]float64{
		"": 0, "x": 0, "12": 12, " \t-1.5e1x": -15, "1e": 1, "1e+": 1, ".5": 0.5, "5.": 5, ".": 0, "+.": 0, "-": 0, "0x10": 0, "1.2.3": 1.2, "inf": 0, "1e999": math.MaxFloat64, "-1e999": -math.MaxFloat64, "1_0": 1,
	} {
		if got := ToFloat(FromString(in)); got != want {
			t.Errorf("ToFloat(%q) = %v, want %v", in, got, want)
		}
		if truth, null := Truth(FromString(in)); truth != (want != 0) || null {
			t.Errorf("Truth(%q) = %v", in, truth)
		}
	}
	for _, c := range []struct {
		v    Value
		want int64
		ok   bool
	}{
		{FromInt(-3), -3, true}, {FromUint(1 << 63), 0, false}, {FromFloat(2.5), 2, true}, {FromFloat(3.5), 4, true}, {dec(t, "2.5"), 3, true}, {dec(t, "-0.4"), 0, true},
		{FromFloat(1 << 63), 0, false}, {FromFloat(-1 << 63), math.MinInt64, true}, {FromFloat(math.NaN()), 0, false}, {dec(t, "1e30"), 0, false},
		{FromString("7.6x"), 7, true}, {FromString(" -7e2"), -7, true}, {FromString("99999999999999999999"), math.MaxInt64, true}, {FromBool(true), 1, true}, {NullValue, 0, true}, {FromDate(0), 10101, true},
	} {
		if got, err := ToInt(c.v); got != c.want || (err == nil) != c.ok {
			t.Errorf("ToInt(%s) = %d, %v", Text(c.v), got, err)
		}
	}
	for in, want := range map[Value]string{
		FromFloat(0.1): "0.1", FromFloat(1e20): "100000000000000000000", FromString("1.50x"): "1.50", FromString("x"): "0", FromBool(true): "1", NullValue: "NULL",
		FromFloat(1e70): "error", FromFloat(math.NaN()): "error", FromString("1e70"): "error",
	} {
		v, err := ToDecimal(in)
		got := Text(v)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("ToDecimal(%s) = %s, %v, want %s", Text(in), got, err, want)
		}
	}
	for v, want := range map[Value]bool{dec(t, "0.00"): false, dec(t, "-0.01"): true, FromInt(-1): true, FromFloat(math.NaN()): true, FromDate(0): true, FromDuration(0): false} {
		if truth, null := Truth(v); truth != want || null {
			t.Errorf("Truth(%s) = %v", Text(v), truth)
		}
	}
	if _, null := Truth(NullValue); !null {
		t.Error("NULL has a truth")
	}
}

// TestTypeNames: every name makes a type that SQL can spell, and that reads back as itself.
func TestTypeNames(t *testing.T) {
	names := make([]string, 0, len(typeNames))
	for name := range typeNames {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		var members []string
		if name == "ENUM" || name == "SET" {
			members = []string{"a"}
		}
		first, err := NewType(name, nil, members, false, Binary)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again := typ(t, first.String()); again.String() != first.String() || again.Base != first.Base {
			t.Errorf("%s is %s, and that %s", name, first, again)
		}
	}
	for in, want := range map[string]string{
		"VARCHAR(30)": "VARCHAR(30)", "BIGINT UNSIGNED": "BIGINT UNSIGNED", "DECIMAL(10,2)": "DECIMAL(10,2)", "DECIMAL": "DECIMAL(10,0)", "DEC(5)": "DEC(5,0)", "DECIMAL(0)": "DECIMAL(10,0)",
		"DATETIME(6)": "DATETIME(6)", "DATETIME": "DATETIME", "TIMESTAMP": "TIMESTAMP", "TINYINT(1)": "TINYINT(1)", "TINYINT(1) UNSIGNED": "TINYINT UNSIGNED", "DATETIME(0)": "DATETIME", "FLOAT(8,2)": "FLOAT(8,2)", "DOUBLE(255,30)": "DOUBLE(255,30)", "TINYINT(4)": "TINYINT", "INT(11)": "INT", "BIT": "BIT(1)", "BIT(64)": "BIT(64)", "ENUM('a ','')": "ENUM('a','')", "BOOLEAN": "BOOLEAN",
		"CHAR": "CHAR(1)", "VARCHAR": "VARCHAR", "TINYTEXT": "TINYTEXT", "TEXT(100)": "TEXT(100)", "FLOAT(24)": "FLOAT", "FLOAT(25)": "DOUBLE", "YEAR(4)": "YEAR", "UNSIGNED": "UNSIGNED", "UNSIGNED BIG INT": "UNSIGNED BIG INT",
		"ENUM('x','it's')": "ENUM('x','it''s')", "DOUBLE UNSIGNED": "DOUBLE UNSIGNED", "VARCHAR(9) COLLATE nocase": "VARCHAR(9)",
	} {
		if got := typ(t, in).String(); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
	if typ(t, "TINYINT(1)").Base != TypeTinyInt || typ(t, "BIT(1)").Base != TypeBit || typ(t, "TINYINT").Base != TypeTinyInt || typ(t, "FLOAT(25)").Base != TypeDouble {
		t.Error("bases")
	}
}

func TestTypeErrors(t *testing.T) {
	for _, c := range []struct {
		name      string
		args      []int
		members   []string
		unsigned  bool
		collation Collation
		want      string
	}{
		{name: "GEOMETRY", want: "unknown type GEOMETRY"},
		{name: "SERIAL", want: "unknown type SERIAL"},
		{name: "INT", args: []int{1, 2}, want: "wrong arguments of type INT"},
		{name: "INT", args: []int{-1}, want: "wrong arguments of type INT"},
		{name: "BIT", args: []int{65}, want: "length of BIT must be 1 to 64"},
		{name: "BIT", unsigned: true, want: "BIT cannot be UNSIGNED"},
		{name: "SET", members: strings.Fields(strings.Repeat("a ", 65)), want: "type SET has at most 64 members"},
		{name: "DATE", args: []int{1}, want: "type DATE takes no arguments"},
		{name: "DATETIME", args: []int{8}, want: "precision of DATETIME must be 0 to 7"},
		{name: "DECIMAL", args: []int{66}, want: "DECIMAL(p,s) needs p up to 65, s up to 30 and not above p"},
		{name: "DECIMAL", args: []int{5, 6}, want: "DECIMAL(p,s) needs p up to 65, s up to 30 and not above p"},
		{name: "FLOAT", args: []int{4, 7}, want: "FLOAT(m,d) needs m up to 255, d up to 30 and not above m"},
		{name: "DOUBLE", args: []int{7}, want: "DOUBLE takes two arguments or none"},
		{name: "ENUM", want: "type ENUM needs members"},
		{name: "ENUM", members: []string{"a", "A"}, collation: AccentsCI, want: "ENUM names 'A' twice"},
		{name: "ENUM", members: []string{"a", "a "}, want: "ENUM names 'a' twice"},
		{name: "SET", members: []string{"a,b"}, want: "SET member 'a,b' holds a comma"},
		{name: "TEXT", members: []string{"a"}, want: "type TEXT takes no members"},
		{name: "TEXT", unsigned: true, want: "TEXT cannot be UNSIGNED"},
	} {
		if _, err := NewType(c.name, c.args, c.members, c.unsigned, c.collation); err == nil || err.Error() != c.want {
			t.Errorf("%s %v: %v, want %s", c.name, c.args, err, c.want)
		}
	}
}

// TestTypeOf: a value converts to its own type without change.
func TestTypeOf(t *testing.T) {
	id, _ := ParseUUID("01234567-89ab-cdef-0123-456789abcdef")
	for _, c := range []struct {
		v    Value
		want string
	}{
		{NullValue, "NULL"}, {FromBool(true), "BOOL"}, {FromInt(1), "BIGINT"}, {FromUint(1), "BIGINT UNSIGNED"}, {FromFloat(1), "DOUBLE"}, {FromString("a"), "VARCHAR"}, {FromBytes("a"), "BLOB"},
		{dec(t, "-12.50"), "DECIMAL(4,2)"}, {dec(t, "0.05"), "DECIMAL(2,2)"}, {dec(t, "0"), "DECIMAL(1,0)"}, {dec(t, "100"), "DECIMAL(3,0)"}, {dec(t, "0.00"), "DECIMAL(2,2)"}, {dec(t, "10.00"), "DECIMAL(4,2)"},
		{FromTicks(1), "DATETIME"}, {FromDate(0), "DATE"}, {FromDuration(1), "TIME"}, {FromJSON("1"), "JSON"}, {id, "UUID"},
	} {
		typ := TypeOf(c.v)
		if typ.String() != c.want {
			t.Errorf("%s has type %s, want %s", Text(c.v), typ, c.want)
		}
		if v, err := typ.Convert(c.v); err != nil || v != c.v {
			t.Errorf("%s as %s: %s, %v", Text(c.v), typ, Text(v), err)
		}
	}
}

func TestErrorsAreShort(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, typ := range []Type{{Base: TypeInt}, {Base: TypeDouble}, {Base: TypeDecimal, Precision: 5}, {Base: TypeDateTime}, {Base: TypeJSON}, {Base: TypeUUID}, {Base: TypeEnum}} {
		if _, err := typ.Convert(FromString(long)); err == nil || len(err.Error()) > 200 {
			t.Errorf("%s: error of %d octets", typ, len(err.Error()))
		}
	}
	if _, err := ParseTime(long); err == nil || len(err.Error()) > 200 {
		t.Error("long error of ParseTime")
	}
}
