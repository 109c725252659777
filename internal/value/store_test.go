package value

import (
	"math"
	"strings"
	"testing"
)

// TestStore has what MySQL keeps in strict mode. A * behind it is MySQL's note 1265. MariaDB says the same, but that it cuts
// times where MySQL rounds them.
func TestStore(t *testing.T) {
	for _, c := range []struct {
		typ  string
		in   Value
		want string // the text that is kept, or the error
	}{
		{"INT", NullValue, "NULL"},
		{"INT", dec(t, "2.5"), "3"},
		{"INT", dec(t, "-2.5"), "-3"},
		{"INT", dec(t, "2.4999"), "2"},
		{"INT", FromFloat(2.5), "2"},
		{"INT", FromFloat(3.5), "4"},
		{"INT", FromFloat(-2.5), "-2"},
		{"INT", FromString("2.5"), "3"},
		{"INT", FromString("-2.5"), "-3"},
		{"INT", FromString("2.5e0"), "3"},
		{"INT", FromString("25e-1"), "3"},
		{"INT", FromString("1e2"), "100"},
		{"INT", FromString(".5"), "1"},
		{"INT", FromString("1."), "1"},
		{"INT", FromString("+5"), "5"},
		{"INT", FromString(" 5 \t\n"), "5"},
		{"INT", FromString("0.4"), "0"},
		{"INT", FromString("4e-1"), "0"},
		{"INT", FromString("1e-400"), "0"},
		{"INT", FromString("1x"), "Data truncated"},
		{"INT", FromString("1 x"), "Data truncated"},
		{"INT", FromString("2.5x"), "Data truncated"},
		{"INT", FromString("0x10"), "Data truncated"},
		{"INT", FromString("1e+"), "Data truncated"},
		{"INT", FromString("abc"), "Incorrect integer value: 'abc'"},
		{"INT", FromString(" "), "Incorrect integer value: ' '"},
		{"INT", FromString("- 5"), "Incorrect integer value: '- 5'"},
		{"INT", FromString("."), "Incorrect integer value: '.'"},
		{"INT", FromString("2147483647.4"), "2147483647"},
		{"INT", FromString("2147483647.5"), "Out of range value '2147483647.5'"},
		{"INT", dec(t, "2147483647.5"), "Out of range value '2147483647.5'"},
		{"INT", FromString("1e400"), "Out of range value '1e400'"},
		{"INT", FromFloat(1e300), "Out of range value '1e300'"},
		{"INT", FromFloat(math.NaN()), "Out of range value 'NaN'"},
		{"INT", FromDuration(ticks(t, "0001-01-01 10:11:12.6")), "101113"},
		{"BIGINT", FromTicks(ticks(t, "2024-01-02 03:04:59.6")), "20240102030500"},
		{"BIGINT", FromString("9223372036854775806.5"), "9223372036854775807"},
		{"BIGINT", FromString("9223372036854775807.5"), "Out of range value '9223372036854775807.5'"},
		{"BIGINT", FromString("123456789012345678901234567890e-12"), "123456789012345679"},
		{"BIGINT UNSIGNED", dec(t, "-0.4"), "Out of range value '-0.4'"},
		{"BIGINT UNSIGNED", FromString("-0.4"), "0"},
		{"BIGINT UNSIGNED", FromString("-0.5"), "Out of range value '-0.5'"},
		{"BIGINT UNSIGNED", FromFloat(-0.4), "0"},
		{"BIGINT UNSIGNED", FromString("18446744073709551615.4"), "18446744073709551615"},
		{"BIGINT UNSIGNED", FromString("18446744073709551615.5"), "Out of range value '18446744073709551615.5'"},
		{"BOOL", FromFloat(1.4), "1"},
		{"BOOL", dec(t, "0.5"), "1"},
		{"BOOL", dec(t, "-0.4"), "0"},
		{"BOOL", dec(t, "1.5"), "Out of range value '1.5'"},
		{"BIT(8)", dec(t, "64.5"), "A"},
		{"BIT(8)", FromFloat(65.5), "A"},
		{"BIT(8)", FromFloat(-0.5), "\x00"},
		{"BIT(8)", FromFloat(256), "Data too long"},
		{"ENUM('a','b')", FromFloat(2.9), "b"},
		{"ENUM('a','b')", dec(t, "1.5"), "a"},
		{"ENUM('a','b')", FromString("1.5"), "Data truncated"},
		{"SET('a','b')", dec(t, "3.5"), "a,b"},
		{"BOOL", FromString(" 1 "), "1"},
		{"YEAR", dec(t, "2024.4"), "2024"},
		{"YEAR", FromString("24"), "2024"},
		{"YEAR", FromInt(70), "1970"},
		{"YEAR", FromInt(0), "0000"},
		{"YEAR", FromString("0"), "2000"},
		{"YEAR", FromString("0000"), "0000"},
		{"YEAR", FromFloat(5.6), "2005"},
		{"YEAR", FromInt(-1), "Out of range value '-1'"},
		{"YEAR", FromString("a"), "Incorrect integer value: 'a'"},
		{"YEAR", FromDate(ticks(t, "2024-01-31")), "2024"}, // as the manual says
		{"YEAR", FromTicks(ticks(t, "2024-01-31 10:00:00")), "2024"},
		{"TINYINT", FromString("2023-03-01"), "Out of range value '2023-03-01'"},

		{"DECIMAL(10,2)", dec(t, "19.999"), "20.00*"},
		{"DECIMAL(10,2)", dec(t, "19.985"), "19.99*"},
		{"DECIMAL(10,2)", dec(t, "-19.995"), "-20.00*"},
		{"DECIMAL(10,2)", FromFloat(19.995), "20.00*"},
		{"DECIMAL(10,2)", FromFloat(1.005), "1.01*"},
		{"DECIMAL(10,2)", FromFloat(float64(float32(0.1))), "0.10*"},
		{"DECIMAL(10,2)", FromFloat(5e-324), "0.00*"},
		{"DECIMAL(10,2)", FromString(" 19.999 "), "20.00*"},
		{"DECIMAL(10,2)", FromString("19.90 "), "19.90"},
		{"DECIMAL(10,2)", FromString("1e-10"), "0.00*"},
		{"DECIMAL(10,2)", FromString("-0.004"), "0.00*"},
		{"DECIMAL(10,2)", FromString("0.005"), "0.01*"},
		{"DECIMAL(10,2)", FromString("1.5e-1"), "0.15"},
		{"DECIMAL(10,2)", FromString("1e-400"), "0.00*"},
		{"DECIMAL(10,2)", FromString("0." + strings.Repeat("1", 70)), "0.11*"},
		{"DECIMAL(10,2)", FromString("1e"), "Data truncated"},
		{"DECIMAL(10,2)", FromString("19.999x"), "Data truncated"},
		{"DECIMAL(10,2)", FromString(""), "Incorrect decimal value: ''"},
		{"DECIMAL(10,2)", dec(t, "99999999.994"), "99999999.99*"},
		{"DECIMAL(10,2)", dec(t, "99999999.995"), "Out of range value '99999999.995'"},
		{"DECIMAL(10,2)", FromString("99999999.995"), "Out of range value '99999999.995'"},
		{"DECIMAL(10,2)", FromString("1e400"), "Out of range value '1e400'"},
		{"DECIMAL(10,2)", FromDuration(ticks(t, "0001-01-01 10:11:12.126")), "101112.13*"},
		{"DECIMAL(10,2) UNSIGNED", dec(t, "-0.001"), "Out of range value '-0.001'"},
		{"DECIMAL(10,2) UNSIGNED", FromString("-0.001"), "Out of range value '-0.001'"},
		{"DECIMAL(10,2) UNSIGNED", FromString("-0.000"), "0.00"},
		{"DECIMAL(10,2) UNSIGNED", FromFloat(-0.001), "Out of range value '-0.001'"},

		{"FLOAT", FromFloat(16777217), "16777200"}, // it is 16777216: MySQL shows six digits
		{"FLOAT", FromFloat(0.1), "0.1"},
		{"FLOAT", FromFloat(1.17549435e-38), "1.17549e-38"},
		{"FLOAT", FromFloat(0.000001234567), "0.00000123457"},
		{"FLOAT(8,2)", FromFloat(123456.78), "123456.78"},
		{"FLOAT", FromString(" 0.5 "), "0.5"},
		{"FLOAT", FromFloat(1e-46), "0"},
		{"FLOAT", FromFloat(3.4028235e38), "Out of range value '3.4028235e38'"},
		{"FLOAT", FromString("0.1x"), "Data truncated"},
		{"DOUBLE", FromString("1.5x"), "Data truncated"},
		{"DOUBLE", FromString("1e400"), "Out of range value '1e400'"},
		{"DOUBLE", FromString("1e-400"), "0"},

		{"DOUBLE(8,2)", FromFloat(19.999), "20.00"},
		{"DOUBLE(8,2)", FromFloat(19.985), "19.98"}, // what stands behind the point is rounded alone
		{"DOUBLE(8,2)", FromFloat(-0.125), "-0.12"},
		{"DOUBLE(8,2)", FromFloat(0.375), "0.38"},
		{"DOUBLE(8,2)", FromFloat(999999.995), "999999.99"},
		{"DOUBLE(8,2)", FromFloat(1e6), "Out of range value '1000000'"},
		{"DOUBLE(8,0)", FromFloat(2.5), "2"},
		{"FLOAT(8,2)", dec(t, "999999.996"), "Out of range value '999999.996'"},
		{"FLOAT(255,5)", FromFloat(1e30), "1000000000000000000000000000000.00000"},

		{"VARCHAR(3)", FromString("abc "), "abc*"},
		{"VARCHAR(3)", FromString("äöü \t"), "äöü*"},
		{"VARCHAR(3)", FromString("ab    "), "ab *"},
		{"VARCHAR(3)", FromString("abc  x"), "Data too long"},
		{"VARCHAR(3)", FromInt(12345), "Data too long"},
		{"CHAR(3)", FromString("abc  "), "abc"},
		{"VARBINARY(3)", FromString("abc "), "Data too long"},
		{"ENUM('a','b')", FromString("a "), "a"},
		{"ENUM('a','b')", FromString("A"), "Data truncated"},
		{"ENUM('a','b') COLLATE nocase", FromString("A"), "a"},
		{"SET('a','b')", FromString("a,b "), "a,b"},
		{"SET('a','b')", FromString("a, b"), "Data truncated"},

		{"DATETIME(0)", FromString(" 2024-01-02 03:04:05.5 "), "2024-01-02 03:04:06"},
		{"DATETIME(0)", FromString("2024-01-02 03:04:05.4999999"), "2024-01-02 03:04:05"},
		{"DATETIME(0)", FromString("9999-12-31 23:59:59.9"), "Incorrect datetime value: '9999-12-31 23:59:59.9'"},
		{"DATETIME(0)", dec(t, "20240102"), "2024-01-02 00:00:00"},
		{"DATETIME(0)", FromFloat(20240102030405), "2024-01-02 03:04:05"},
		{"DATETIME(3)", FromTicks(ticks(t, "2024-01-02 03:04:05.1235")), "2024-01-02 03:04:05.124"},
		{"DATETIME(6)", FromTicks(ticks(t, "2024-01-02 03:04:05.1234565")), "2024-01-02 03:04:05.123457"},
		{"DATETIME(6)", FromString("2024-01-02 03:04:05.9999995"), "2024-01-02 03:04:06.000000"},
		{"DATETIME(6)", FromString("2024-01-02 03:04:05.12345649"), "2024-01-02 03:04:05.123456"},
		{"DATETIME(7)", FromString("2024-01-02 03:04:05.12345675"), "2024-01-02 03:04:05.1234568"},
		{"DATETIME(7)", FromString("2024-01-02 03:04:05.12345674"), "2024-01-02 03:04:05.1234567"},
		{"DATE", FromString("2024-01-02 03:04:05"), "2024-01-02*"},
		{"DATE", FromTicks(ticks(t, "2024-01-02 23:59:59.4")), "2024-01-02*"},
		{"DATE", FromTicks(ticks(t, "2024-01-02 23:59:59.5")), "2024-01-03*"}, // as the manual says
		{"DATE", FromTicks(ticks(t, "2024-01-02")), "2024-01-02"},
		{"DATE", FromString("2024-01-02 x"), "Incorrect date value: '2024-01-02 x'"},
		{"DATE", FromString("9999-12-31 23:59:59.5"), "Incorrect date value: '9999-12-31 23:59:59.5'"},
		{"TIME(0)", FromString("10:11:12.5"), "10:11:13"},
		{"TIME(0)", FromString("-10:11:12.5"), "-10:11:13"},
		{"TIME(0)", dec(t, "101112.5"), "10:11:13"},
		{"TIME(0)", FromString("838:59:59.5"), "Incorrect time value: '838:59:59.5'"},
		{"TIME(3)", FromString("10:11:12.12349"), "10:11:12.123"},
		{"TIME(7)", FromString("-10:11:12.00000005"), "-10:11:12.0000001"},
		{"TIME(0)", FromTicks(ticks(t, "2024-01-02 10:11:12.5")), "10:11:13*"},
		{"TIME(0)", FromString("2024-01-02 10:11:12"), "10:11:12*"},
		{"TIME(0)", FromInt(20240102101112), "10:11:12*"},
		{"TIME(0)", FromDate(ticks(t, "2024-01-02")), "00:00:00*"},
		{"TIME(0)", FromString("2024-01-02"), "Incorrect time value: '2024-01-02'"},
		{"TIMESTAMP(6)", FromString("1970-01-01 00:00:00.999999"), "Incorrect datetime value: '1970-01-01 00:00:00.999999'"},
		{"TIMESTAMP(0)", FromString("1970-01-01 00:00:01"), "1970-01-01 00:00:01"},
		{"TIMESTAMP(6)", FromString("2038-01-19 03:14:07.999999"), "2038-01-19 03:14:07.999999"},
		{"TIMESTAMP(6)", FromString("2038-01-19 03:14:07.9999999"), "Incorrect datetime value: '2038-01-19 03:14:07.9999999'"},
		{"TIMESTAMP(0)", FromDate(ticks(t, "2100-01-01")), "Incorrect datetime value: '2100-01-01'"},
	} {
		typ := typ(t, c.typ)
		v, noted, err := typ.Store(c.in)
		got := Text(v)
		if noted {
			got += "*"
		}
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s of %s %q: %s, want %s", c.typ, c.in.Kind(), Text(c.in), got, c.want)
		}
		if err != nil {
			continue
		}
		if again, err := typ.Convert(v); err != nil || again != v {
			t.Errorf("%s of its own %q: %q, %v", c.typ, Text(v), Text(again), err)
		}
	}
}

func TestStoreDoesNotAllocate(t *testing.T) {
	for name, v := range map[string]Value{
		"INT": FromInt(7), "SMALLINT": dec(t, "2.5"), "VARCHAR(30)": FromString("Smith"), "DATETIME(6)": FromTicks(1234567), "DATE": FromTicks(1),
		"BOOL": FromBool(true), "FLOAT": FromFloat(0.1), "DECIMAL(10,2)": dec(t, "12.50"), "VARCHAR(3)": FromString("abc "),
	} {
		typ := typ(t, name)
		if n := testing.AllocsPerRun(100, func() { typ.Store(v) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
