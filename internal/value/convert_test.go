package value

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

// typ reads a type such as "DECIMAL(10,2)" or "INT UNSIGNED".
func typ(t testing.TB, s string) Type {
	t.Helper()
	name, rest, _ := strings.Cut(s, "(")
	inner, tail, _ := strings.Cut(rest, ")")
	unsigned := strings.HasSuffix(s, " UNSIGNED")
	name = strings.TrimSuffix(name, " UNSIGNED")
	var args []int
	var members []string
	for part := range strings.SplitSeq(inner, ",") {
		if strings.HasPrefix(part, "'") {
			members = append(members, strings.Trim(part, "'"))
		} else if part != "" {
			var n int
			if err := json.Unmarshal([]byte(part), &n); err != nil {
				t.Fatal(err)
			}
			args = append(args, n)
		}
	}
	collate := ""
	if i := strings.Index(tail, "COLLATE "); i >= 0 {
		collate = tail[i+8:]
	}
	collation, _ := CollationNamed(collate)
	r, err := NewType(name, args, members, unsigned, collation)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return r
}

func TestConvert(t *testing.T) {
	long := strings.Repeat("ä", 100)
	for _, c := range []struct {
		typ  string
		in   Value
		want string // the kind and the text, or the error
	}{
		{"INT", NullValue, "NULL NULL"},
		{"TINYINT", FromInt(127), "BIGINT 127"},
		{"TINYINT", FromInt(128), "Out of range value '128'"},
		{"TINYINT", FromInt(-129), "Out of range value '-129'"},
		{"TINYINT UNSIGNED", FromInt(255), "BIGINT UNSIGNED 255"},
		{"TINYINT UNSIGNED", FromInt(-1), "Out of range value '-1'"},
		{"SMALLINT", FromInt(-32768), "BIGINT -32768"},
		{"MEDIUMINT", FromInt(8388607), "BIGINT 8388607"},
		{"MEDIUMINT UNSIGNED", FromInt(16777216), "Out of range value '16777216'"},
		{"INT", FromUint(1 << 31), "Out of range value '2147483648'"},
		{"INT", FromString("-2147483648"), "BIGINT -2147483648"},
		{"BIGINT", FromUint(math.MaxUint64), "Out of range value '18446744073709551615'"},
		{"BIGINT", FromString("9223372036854775808"), "Out of range value '9223372036854775808'"},
		{"BIGINT", FromString("99999999999999999999"), "Out of range value '99999999999999999999'"},
		{"BIGINT UNSIGNED", FromString("18446744073709551615"), "BIGINT UNSIGNED 18446744073709551615"},
		{"BIGINT UNSIGNED", FromString("-0"), "BIGINT UNSIGNED 0"},
		{"INT", FromString(" 12 "), "BIGINT 12"},
		{"INT", FromString("abc"), "Incorrect integer value: 'abc'"},
		{"INT", FromString(""), "Incorrect integer value: ''"},
		{"INT", FromString("1.0"), "BIGINT 1"},
		{"INT", FromFloat(2), "BIGINT 2"},
		{"INT", FromFloat(1.5), "Data truncated: '1.5' does not fit INT exactly"},
		{"INT", FromFloat(math.NaN()), "Out of range value 'NaN'"},
		{"INT", FromFloat(math.Inf(-1)), "Out of range value '-Inf'"},
		{"BIGINT", FromFloat(-1 << 63), "BIGINT -9223372036854775808"},
		{"BIGINT", FromFloat(1 << 63), "Out of range value '9.223372036854776e18'"},
		{"INT", dec(t, "2.00"), "BIGINT 2"},
		{"INT", dec(t, "1.5"), "Data truncated: '1.5' does not fit INT exactly"},
		{"INT", dec(t, "1e40"), "Out of range value '10000000000000000000000000000000000000000'"},
		{"INT", FromBool(true), "BIGINT 1"},
		{"INT", FromJSON("[1]"), "Incorrect integer value: '[1]'"},
		{"BIGINT", FromTicks(ticks(t, "2024-01-02 03:04:05")), "BIGINT 20240102030405"},
		{"YEAR", FromInt(1901), "BIGINT 1901"},
		{"YEAR", FromInt(1900), "Out of range value '1900'"},
		{"YEAR(4)", FromString("2156"), "Out of range value '2156'"},
		{"BOOL", FromBool(true), "BOOL 1"},
		{"TINYINT(1)", FromInt(-128), "BIGINT -128"},
		{"TINYINT(1)", FromBool(true), "BIGINT 1"},
		{"TINYINT(1)", FromInt(128), "Out of range value '128'"},
		{"BOOL", FromInt(2), "Out of range value '2'"},
		{"BOOL", FromFloat(1), "BOOL 1"},
		{"BOOL", dec(t, "1.0"), "BOOL 1"},
		{"BOOL", FromString("false"), "BOOL 0"},
		{"BOOL", FromString("yes"), "Incorrect integer value: 'yes'"},
		{"BOOL", FromDate(0), "Out of range value '0001-01-01'"},
		{"DOUBLE", FromString("1.5e3"), "DOUBLE 1500"},
		{"DOUBLE", FromString("1e999"), "Out of range value '1e999'"},
		{"DOUBLE", FromString("1.5x"), "Data truncated"},
		{"DOUBLE", FromString("0x10"), "Data truncated"},
		{"DOUBLE", FromString("inf"), "Incorrect double value: 'inf'"},
		{"FLOAT", FromFloat(0.1), "DOUBLE 0.1"},
		{"DOUBLE", FromFloat(math.NaN()), "Out of range value 'NaN'"},
		{"DOUBLE UNSIGNED", FromInt(-1), "Out of range value '-1'"},
		{"DECIMAL(10,2)", dec(t, "1.5"), "DECIMAL 1.50"},
		{"DECIMAL(10,2)", dec(t, "1.500"), "DECIMAL 1.50"},
		{"DECIMAL(10,2)", dec(t, "1.005"), "Data truncated: '1.005' does not fit DECIMAL(10,2) exactly"},
		{"DECIMAL(4,2)", dec(t, "100"), "Out of range value '100'"},
		{"DECIMAL(4,2)", dec(t, "-99.99"), "DECIMAL -99.99"},
		{"DECIMAL(4,2) UNSIGNED", dec(t, "-0.01"), "Out of range value '-0.01'"},
		{"DECIMAL(10,2)", FromFloat(0.1), "DECIMAL 0.10"},
		{"DECIMAL(10,2)", FromFloat(1.0 / 3), "Data truncated: '0.3333333333333333' does not fit DECIMAL(10,2) exactly"},
		{"DECIMAL(10,2)", FromFloat(1e70), "Out of range value '1e70'"},
		{"DECIMAL(10,2)", FromFloat(math.NaN()), "Out of range value 'NaN'"},
		{"DECIMAL(10,2)", FromString("1e2"), "DECIMAL 100.00"},
		{"DECIMAL(10,2)", FromString("1,5"), "Data truncated"},
		{"DECIMAL(10,2)", FromString("0." + strings.Repeat("1", 70)), "Data truncated: '0.11111111111111111111111111111111111111111111111111111111111111…' does not fit DECIMAL(10,2) exactly"},
		{"DECIMAL(10,2)", FromString(strings.Repeat("1", 70)), "Out of range value '1111111111111111111111111111111111111111111111111111111111111111…'"},
		{"DECIMAL", FromInt(-7), "DECIMAL -7"},
		{"DECIMAL(65,30)", FromUint(math.MaxUint64), "DECIMAL 18446744073709551615.000000000000000000000000000000"},
		{"VARCHAR(3)", FromString("äöü"), "VARCHAR äöü"},
		{"VARCHAR(3)", FromString("äöüx"), "Data too long"},
		{"VARCHAR(3)", FromInt(123), "VARCHAR 123"},
		{"VARCHAR(3)", FromString("a   "), "Data truncated: 'a   ' does not fit VARCHAR(3) exactly"},
		{"TEXT", FromBytes("\xff"), `Incorrect string value: '\xFF'`},
		{"TEXT", FromString("\xff"), `Incorrect string value: '\xFF'`},
		{"VARCHAR(20)", FromString("abc\uFFFD\xff\xfedefghijk"), `Incorrect string value: '\xFF\xFEdefg...'`},
		{"VARCHAR(20)", FromBytes("\xff\xe4bcde"), `Incorrect string value: '\xFF\xE4bcde'`},
		{"TEXT", FromBytes("ok"), "VARCHAR ok"},
		{"TEXT", FromTicks(ticks(t, "2024-01-02 03:04:05.1200")), "VARCHAR 2024-01-02 03:04:05.12"},
		{"TEXT", FromDuration(-36_000_000_000), "VARCHAR -01:00:00"},
		{"TEXT", FromBool(true), "VARCHAR 1"},
		{"ENUM('Small','Large') COLLATE nocase", FromString("LARGE"), "VARCHAR Large"},
		{"ENUM('Small','Large')", FromString("LARGE"), "Data truncated"},
		{"ENUM('Small','Large')", FromString("Large "), "VARCHAR Large"},
		{"ENUM('Small','Large')", FromString("medium"), "Data truncated"},
		{"SET('a','b','c')", FromString("C,a,c"), "Data truncated"},
		{"SET('a','b','c') COLLATE nocase", FromString("C,a,c"), "VARCHAR a,c"},
		{"ENUM('Small','Large')", FromInt(1), "VARCHAR Small"},
		{"ENUM('Small','Large')", FromInt(0), "Data truncated"},
		{"ENUM('Small','Large')", FromInt(3), "Data truncated"},
		{"ENUM('Small','Large')", FromString("2"), "VARCHAR Large"},
		{"ENUM('Small','Large')", FromString("0"), "Data truncated"},
		{"ENUM('2','1')", FromString("2"), "VARCHAR 2"},
		{"ENUM('2','1')", FromInt(2), "VARCHAR 1"},
		{"ENUM('Small','Large')", FromBool(true), "VARCHAR Small"},
		{"ENUM('Small','Large')", FromFloat(1.5), "Data truncated: '1.5' does not fit ENUM('Small','Large') exactly"},
		{"ENUM('Small','Large')", FromString(""), "Data truncated"},
		{"ENUM('Small','Large')", FromMember("", 0), "Data truncated"},
		{"ENUM('Small','Large')", FromMember("Large", 1), "VARCHAR Large"},
		{"ENUM('Small','Large')", FromMember("1", 2), "Data truncated"},
		{"ENUM('Small','Large')", FromHex("\x02"), "Data truncated"},
		{"ENUM('Small','Large')", FromHex("Large"), "VARCHAR Large"},
		{"SET('a','b','c')", FromInt(5), "VARCHAR a,c"},
		{"SET('a','b','c')", FromString("6"), "VARCHAR b,c"},
		{"SET('a','b','c')", FromInt(0), "VARCHAR "},
		{"SET('a','b','c')", FromInt(8), "Data truncated"},
		{"SET('a','b','c')", FromInt(-1), "Data truncated"},
		{"BIT(1)", FromBool(true), "BIGINT UNSIGNED \x01"},
		{"BIT(1)", FromInt(2), "Data too long"},
		{"BIT(1)", FromString("1"), "Data too long"},
		{"BIT(8)", FromString("1"), "BIGINT UNSIGNED 1"},
		{"BIT(8)", FromString(""), "BIGINT UNSIGNED \x00"},
		{"BIT(8)", FromBytes("\x00\x00\xff"), "BIGINT UNSIGNED \xff"},
		{"BIT(9)", FromHex("\xff"), "BIGINT UNSIGNED \x00\xff"},
		{"BIT(9)", FromInt(512), "Data too long"},
		{"BIT(9)", FromInt(-1), "Data too long"},
		{"BIT(64)", FromInt(-1), "BIGINT UNSIGNED " + strings.Repeat("\xff", 8)},
		{"BIT(64)", FromString("123456789"), "Data too long"},
		{"BIT(64)", FromFloat(1e20), "Data too long"},
		{"BIT(64)", FromFloat(-1e19), "Data too long"},
		{"BIT(64)", dec(t, "-9223372036854775809"), "Data too long"},
		{"BIT(64)", FromFloat(-1 << 63), "BIGINT UNSIGNED \x80" + strings.Repeat("\x00", 7)},
		{"BIT(64)", dec(t, "1e20"), "Data too long"},
		{"BIT(4)", FromFloat(1.5), "Data truncated: '1.5' does not fit BIT(4) exactly"},
		{"BIT(4)", FromMember("x", 3), "BIGINT UNSIGNED \x03"},
		{"INT", FromHex("A"), "BIGINT 65"},
		{"INT", FromHex(strings.Repeat("\x00", 9)), "Out of range value '" + strings.Repeat("\x00", 9) + "'"},
		{"INT", FromMember("x", 3), "BIGINT 3"},
		{"INT", FromBits(3, 8), "BIGINT 3"},
		{"DECIMAL(5,2)", FromHex("A"), "DECIMAL 65.00"},
		{"DECIMAL(5,2)", FromBits(65, 8), "DECIMAL 65.00"},
		{"DOUBLE", FromHex("A"), "DOUBLE 65"},
		{"VARCHAR(5)", FromHex("A"), "VARCHAR A"},
		{"VARCHAR(5)", FromMember("x", 3), "VARCHAR x"},
		{"VARCHAR(5)", FromBits(65, 9), "VARCHAR \x00A"},
		{"VARCHAR(5)", FromBits(255, 8), `Incorrect string value: '\xFF'`},
		{"BLOB", FromBits(255, 8), "BLOB \xff"},
		{"SET('a','b','c')", FromString(""), "VARCHAR "},
		{"SET('a','b','c')", FromString("a,d"), "Data truncated"},
		{"VARBINARY(2)", FromBytes("\xff\x00"), "BLOB \xff\x00"},
		{"VARBINARY(2)", FromString("äö"), "Data too long"},
		{"BLOB", FromInt(7), "BLOB 7"},
		{"DATE", FromString("2024-02-29"), "DATE 2024-02-29"},
		{"DATE", FromString("2023-02-29"), "Incorrect date value: '2023-02-29'"},
		{"DATE", FromString("0000-00-00"), "Incorrect date value: '0000-00-00'"},
		{"DATE", FromString("2024-02-29 00:00:00"), "DATE 2024-02-29"},
		{"DATE", FromString("2024-02-29 00:00:01"), "Data truncated: '2024-02-29 00:00:01' does not fit DATE exactly"},
		{"DATE", FromTicks(ticks(t, "2024-02-29 01:00")), "Data truncated: '2024-02-29 01:00:00' does not fit DATE exactly"},
		{"DATE", FromInt(20240229), "DATE 2024-02-29"},
		{"DATE", FromFloat(20240229), "DATE 2024-02-29"},
		{"DATETIME", FromString("x"), "Incorrect datetime value: 'x'"},
		{"DATETIME(7)", FromString("2024-01-02 03:04:05.1234567"), "DATETIME 2024-01-02 03:04:05.1234567"},
		{"DATETIME(7)", FromString("2024-01-02 03:04:05.12345678"), "Data truncated: '2024-01-02 03:04:05.12345678' does not fit DATETIME(7) exactly"},
		{"DATETIME", FromString("2024-01-02 03:04:05.1"), "Data truncated: '2024-01-02 03:04:05.1' does not fit DATETIME exactly"},
		{"DATETIME(3)", FromString("2024-01-02 03:04:05.123"), "DATETIME 2024-01-02 03:04:05.123"},
		{"DATETIME(3)", FromString("2024-01-02 03:04:05.1234"), "Data truncated: '2024-01-02 03:04:05.1234' does not fit DATETIME(3) exactly"},
		{"TIMESTAMP(0)", FromString("2024-01-02 03:04:05.1"), "Data truncated: '2024-01-02 03:04:05.1' does not fit TIMESTAMP exactly"},
		{"DATETIME", FromDate(ticks(t, "2024-01-02")), "DATETIME 2024-01-02 00:00:00"},
		{"DATETIME", FromTicks(MaxTicks + 1), "Out of range value '10000-01-01 00:00:00'"},
		{"DATETIME", FromTicks(-TicksPerSecond), "Out of range value '0000-12-31 23:59:59'"},
		{"DATETIME", FromDuration(0), "Incorrect datetime value: '00:00:00'"},
		{"TIME", FromString("-838:59:59"), "TIME -838:59:59"},
		{"TIME", FromString("839:00:00"), "Incorrect time value: '839:00:00'"},
		{"TIME(7)", FromDuration(MaxDuration + 1), "Out of range value '838:59:59.0000001'"},
		{"TIME(1)", FromString("1:2:3.4"), "TIME 01:02:03.4"},
		{"TIME(1)", FromDuration(1), "Data truncated: '00:00:00.0000001' does not fit TIME(1) exactly"},
		{"TIME", FromInt(10203), "TIME 01:02:03"},
		{"TIME", FromTicks(0), "Data truncated: '0001-01-01 00:00:00' does not fit TIME exactly"},
		{"JSON", FromString(`{"a": [1]}`), `JSON {"a": [1]}`},
		{"JSON", FromBytes(`1`), `JSON 1`},
		{"JSON", FromString(`{`), `Invalid JSON text: "Missing a name for object member." at position 1 in value`},
		{"JSON", FromString("\"\xff\""), `Invalid JSON text: "Invalid encoding in string." at position 0 in value`},
		{"JSON", FromBool(true), "JSON true"},
		{"JSON", FromFloat(1e300), "JSON 1e300"},
		{"JSON", FromFloat(math.Inf(1)), "Out of range value '+Inf'"},
		{"JSON", dec(t, "-0.50"), "JSON -0.50"},
		{"JSON", FromDate(0), `JSON "0001-01-01"`},
		{"UUID", FromString("{0123ABCD-89ab-cdef-0123-456789abcdef}"), "UUID 0123abcd-89ab-cdef-0123-456789abcdef"},
		{"UUID", FromString("0123ABCD89abcdef0123456789abcdef"), "UUID 0123abcd-89ab-cdef-0123-456789abcdef"},
		{"UUID", FromBytes("\x01\x23\xab\xcd\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef"), "UUID 0123abcd-89ab-cdef-0123-456789abcdef"},
		{"UUID", FromString("0123ABCD-89abcdef-0123-456789abcdefx"), "Incorrect uuid value: '0123ABCD-89abcdef-0123-456789abcdefx'"},
		{"UUID", FromInt(1), "Incorrect uuid value: '1'"},
		{"INT", FromString(long), "Incorrect integer value: '" + long[:64] + "…'"},
	} {
		v, err := typ(t, c.typ).Convert(c.in)
		got := v.Kind().String() + " " + Text(v)
		if err != nil {
			got = err.Error()
			if ce := (*ConvertError)(nil); !errors.As(err, &ce) {
				t.Errorf("%s: %T", c.typ, err)
			}
		}
		if got != c.want {
			t.Errorf("%s of %s %q: %s, want %s", c.typ, c.in.Kind(), Text(c.in), got, c.want)
		}
		// What a column holds goes in again as it is.
		if again, errAgain := typ(t, c.typ).Convert(v); err == nil && (errAgain != nil || again != v) {
			t.Errorf("%s of its own %q: %q, %v", c.typ, Text(v), Text(again), errAgain)
		}
	}
}

func TestConvertDoesNotAllocate(t *testing.T) {
	for name, v := range map[string]Value{"INT": FromInt(7), "VARCHAR(30)": FromString("Smith"), "DATETIME(6)": FromTicks(0), "BOOL": FromBool(true), "DOUBLE": FromFloat(1.5)} {
		typ := typ(t, name)
		if n := testing.AllocsPerRun(100, func() { typ.Convert(v) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestCast(t *testing.T) {
	for _, c := range []struct {
		typ  string
		in   Value
		want string
	}{
		{"SIGNED", NullValue, "NULL NULL"},
		{"UNSIGNED", FromInt(-1), "BIGINT UNSIGNED 18446744073709551615"},
		{"SIGNED", FromUint(math.MaxUint64), "BIGINT -1"},
		{"SIGNED", FromString("12.9abc"), "BIGINT 12"},
		{"SIGNED", FromString(" -7x"), "BIGINT -7"},
		{"SIGNED", FromString("abc"), "BIGINT 0"},
		{"UNSIGNED", FromString("-1"), "BIGINT UNSIGNED 18446744073709551615"},
		{"UNSIGNED", FromString("99999999999999999999"), "BIGINT UNSIGNED 18446744073709551615"},
		{"SIGNED", FromString("-99999999999999999999"), "BIGINT -9223372036854775808"},
		{"SIGNED", FromFloat(2.5), "BIGINT 2"},
		{"SIGNED", dec(t, "2.5"), "BIGINT 3"},
		{"SIGNED", dec(t, "-2.5"), "BIGINT -3"},
		{"SIGNED", dec(t, "-0.4"), "BIGINT 0"},
		{"UNSIGNED", dec(t, "-1.5"), "BIGINT UNSIGNED 0"}, {"UNSIGNED", FromFloat(-1), "BIGINT UNSIGNED 0"}, {"UNSIGNED", FromString("-1"), "BIGINT UNSIGNED 18446744073709551615"},
		{"SIGNED", FromFloat(1e30), "BIGINT 9223372036854775807"},
		{"SIGNED", FromFloat(-1e30), "BIGINT -9223372036854775808"},
		{"SIGNED", dec(t, "1e30"), "BIGINT 9223372036854775807"},
		{"SIGNED", FromFloat(math.NaN()), "Out of range value 'NaN'"},
		{"SIGNED", FromDate(ticks(t, "2024-01-02")), "BIGINT 20240102"},
		{"TINYINT", FromInt(300), "BIGINT 127"},
		{"TINYINT", FromInt(-300), "BIGINT -128"},
		{"TINYINT UNSIGNED", FromInt(-300), "BIGINT UNSIGNED 0"},
		{"TINYINT UNSIGNED", FromInt(300), "BIGINT UNSIGNED 255"},
		{"INT", FromFloat(7.4), "BIGINT 7"},
		{"BOOL", FromString("0.0x"), "BOOL 0"},
		{"BOOL", FromFloat(0.1), "BOOL 1"},
		{"DOUBLE", FromString("1.5x"), "DOUBLE 1.5"},
		{"DOUBLE", FromString("1e999"), "DOUBLE 1.7976931348623157e308"},
		{"DOUBLE UNSIGNED", FromInt(-1), "DOUBLE 0"},
		{"DECIMAL(4,1)", FromString("12.35x"), "DECIMAL 12.4"},
		{"DECIMAL(4,1)", FromString("-12.35x"), "DECIMAL -12.4"},
		{"DECIMAL(4,1)", FromString("-0.04"), "DECIMAL 0.0"},
		{"DECIMAL(4,1)", FromString("0.05"), "DECIMAL 0.1"},
		{"DECIMAL(4,1)", FromString("0.0099"), "DECIMAL 0.0"},
		{"DECIMAL(4,1)", FromString("999.95"), "DECIMAL 999.9"},
		{"DECIMAL(4,1)", FromString("-1e99"), "DECIMAL -999.9"},
		{"DECIMAL(4,1)", FromString("0e99"), "DECIMAL 0.0"},
		{"DECIMAL(4,1)", FromString("x"), "DECIMAL 0.0"},
		{"DECIMAL(4,1) UNSIGNED", FromInt(-5), "DECIMAL 0.0"},
		{"DECIMAL(4,1) UNSIGNED", FromFloat(-1e99), "DECIMAL 0.0"},
		{"DECIMAL(4,1)", FromFloat(0.25), "DECIMAL 0.3"},
		{"DECIMAL(4,1)", FromFloat(5e-324), "DECIMAL 0.0"},
		{"DECIMAL(4,1)", FromFloat(math.Inf(1)), "DECIMAL 999.9"},
		{"DECIMAL(4,1)", FromFloat(math.NaN()), "Out of range value 'NaN'"},
		{"DECIMAL(65,0)", FromFloat(1.5e64), "DECIMAL 15" + strings.Repeat("0", 63)},
		{"DECIMAL(20,18)", FromFloat(0.1), "DECIMAL 0.100000000000000000"},
		{"DECIMAL(10,2)", FromTicks(ticks(t, "2024-01-02 03:04:05")), "DECIMAL 99999999.99"},
		{"CHAR(2)", FromString("äöü"), "VARCHAR äö"},
		{"CHAR(2)", FromInt(123), "VARCHAR 12"},
		{"VARCHAR", FromFloat(1e20), "VARCHAR 1e20"},
		{"VARCHAR", FromBytes("\xff"), `Incorrect string value: '\xFF'`},
		{"BINARY(2)", FromString("abc"), "BLOB ab"},
		{"DATE", FromString("2024-01-02 03:04:05"), "DATE 2024-01-02"},
		{"DATE", FromString("nope"), "NULL NULL"},
		{"DATE", FromInt(20240102), "DATE 2024-01-02"},
		{"DATE", FromFloat(1), "NULL NULL"},
		{"DATETIME(0)", FromString(" 2024-01-02 03:04:05.5 "), "DATETIME 2024-01-02 03:04:06"},
		{"DATETIME(0)", FromTicks(MaxTicks), "NULL NULL"},
		{"DATETIME(7)", FromString("2024-01-02 03:04:05.12345678"), "DATETIME 2024-01-02 03:04:05.1234567"},
		{"DATETIME", FromString("2024-01-02 03:04:05.6"), "DATETIME 2024-01-02 03:04:06"},
		{"TIME(0)", FromTicks(ticks(t, "2024-01-02 03:04:05.4")), "TIME 03:04:05"},
		{"TIME(0)", FromString("-01:00:00.5"), "TIME -01:00:01"},
		{"TIME", FromString("2024-01-02 03:04:05"), "TIME 03:04:05"},
		{"TIME", FromString("x"), "NULL NULL"},
		{"TIME", FromBool(true), "NULL NULL"},
		{"YEAR", FromInt(1), "BIGINT 2001"},
		{"YEAR", FromInt(170), "NULL NULL"},
		{"YEAR", FromInt(2024), "BIGINT 2024"},
		{"JSON", FromString("{"), `Invalid JSON text: "Missing a name for object member." at position 1 in value`},
	} {
		v, err := typ(t, c.typ).Cast(c.in)
		got := v.Kind().String() + " " + Text(v)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("CAST(%q AS %s): %s, want %s", Text(c.in), c.typ, got, c.want)
		}
	}
}

// FuzzConvert looks for panics, and for values that a column would not take twice.
func FuzzConvert(f *testing.F) {
	f.Add("12", uint8(4), int64(7), 1.5)
	f.Add("2024-01-02 03:04:05.5+01:00", uint8(17), int64(-1), math.Inf(1))
	f.Fuzz(func(t *testing.T, s string, base uint8, i int64, fl float64) {
		typ := Type{Base: Base(base % (uint8(TypeUUID) + 1)), Unsigned: i&1 != 0, Length: int(base) % 9, Precision: 5, Scale: int(base) % 5, Names: []string{"a", "B"}}
		vals := []Value{FromString(s), FromBytes(s), FromInt(i), FromUint(uint64(i)), FromFloat(fl), FromTicks(i), FromDate(i), FromDuration(i), FromBool(i > 0)}
		if d, err := ParseDecimal(s); err == nil {
			vals = append(vals, d)
		}
		if j, err := (Type{Base: TypeJSON}).Convert(FromString(s)); err == nil {
			vals = append(vals, j)
		}
		for _, v := range vals {
			r, err := typ.Convert(v)
			if err == nil && typ.Base != TypeUnknown {
				if again, err := typ.Convert(r); err != nil || again != r {
					t.Fatalf("%v of %v %q: %q, then %q, %v", typ, v.Kind(), Text(v), Text(r), Text(again), err)
				}
			}
			if c, err := typ.Cast(v); err == nil && !c.IsNull() && typ.Base == TypeDecimal {
				if _, err := typ.Convert(c); err != nil {
					t.Fatalf("%v cast from %q: %v", typ, Text(v), err)
				}
			}
			Truth(v)
			ToInt(v)
			ToDecimal(v)
			Order(v, vals[0], NoCase)
			Add(v, vals[3])
			Mod(v, vals[0])
		}
	})
}

func BenchmarkConvert(b *testing.B) {
	for name, v := range map[string]Value{"INT": FromInt(7), "VARCHAR(30)": FromString("Smith"), "DECIMAL(10,2)": FromDecimalText("12.50"), "DATETIME": FromString("2024-01-02 03:04:05")} {
		b.Run(name, func(b *testing.B) {
			typ := typ(b, name)
			b.ReportAllocs()
			for b.Loop() {
				typ.Convert(v)
			}
		})
	}
}
