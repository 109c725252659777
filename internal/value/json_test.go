package value

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// stored is how a JSON column keeps a text.
func stored(t testing.TB, text string) string {
	t.Helper()
	v, err := Type{Base: TypeJSON}.Convert(FromString(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v.Text()
}

func TestNormalizeJSON(t *testing.T) {
	for text, want := range map[string]string{
		` {"bb":1,"a":[1,2 ],"b":{}} `:                   `{"a": [1, 2], "b": {}, "bb": 1}`,
		`{"a":1,"b":2,"a":{"c":null}}`:                   `{"a": {"c": null}, "b": 2}`,
		`{"é":1,"zz":2,"a":3}`:                           `{"a": 3, "zz": 2, "é": 1}`,
		`[1.0, 1e2, -0, -0.0, 1.50, 1E-7]`:               `[1.0, 100.0, 0, -0.0, 1.5, 0.0000001]`,
		`[9223372036854775807, 18446744073709551615]`:    `[9223372036854775807, 18446744073709551615]`,
		`[18446744073709551616, -9223372036854775809]`:   `[1.8446744073709552e19, -9.223372036854776e18]`,
		`[1e20, 123456789012345678.5, 1e-20, 1.7e308]`:   `[1e20, 1.2345678901234568e17, 1e-20, 1.7e308]`,
		`["\u00e9\ud83d\ude00\/", "\u0000\u001f\b\f\n"]`: `["é😀/", "\u0000\u001f\b\f\n"]`,
		`"\"\\\t"`: `"\"\\\t"`,
		`null`:     `null`,
	} {
		if got := stored(t, text); got != want {
			t.Errorf("%s is kept as %s, want %s", text, got, want)
		}
	}
	deep := strings.Repeat("[", MaxJSONDepth) + strings.Repeat("]", MaxJSONDepth)
	if got := stored(t, deep); got != deep {
		t.Errorf("%s", got)
	}
}

func TestInvalidJSON(t *testing.T) {
	for text, want := range map[string]string{
		``:               `"The document is empty." at position 0`,
		`  `:             `"The document is empty." at position 0`,
		`[1, 2,`:         `"Invalid value." at position 6`,
		`{`:              `"Missing a name for object member." at position 1`,
		`{"a" 1}`:        `"Missing a colon after a name of object member." at position 5`,
		`{"a":1 "b"`:     `"Missing a comma or } after an object member." at position 7`,
		`[1 2]`:          `"Missing a comma or ] after an array element." at position 3`,
		`01`:             `"The document root must not be followed by other values." at position 1`,
		`1.`:             `"Miss fraction part in number." at position 2`,
		`1e`:             `"Miss exponent in number." at position 2`,
		`-`:              `"Invalid value." at position 1`,
		`1e999`:          `"Number too big to be stored in double." at position 0`,
		`"\x"`:           `"Invalid escape character in string." at position 1`,
		`"\u12"`:         `"Incorrect hex digit after \u escape in string." at position 1`,
		`"\ud800"`:       `"The surrogate pair in string is invalid." at position 1`,
		`"\ud800\u0041"`: `"The surrogate pair in string is invalid." at position 1`,
		`"a`:             `"Missing a closing quotation mark in string." at position 0`,
		`"\`:             `"Missing a closing quotation mark in string." at position 1`,
		"\"\n\"":         `"Invalid encoding in string." at position 1`,
		"\"\xff\"":       `"Invalid encoding in string." at position 0`,
		`truex`:          `"The document root must not be followed by other values." at position 4`,
		`nul`:            `"Invalid value." at position 0`,
		strings.Repeat("[", 101) + strings.Repeat("]", 101): "The JSON document exceeds the maximum depth.",
	} {
		_, err := ParseJSON(text)
		if bad := (*JSONError)(nil); !errors.As(err, &bad) || bad.Error() != want {
			t.Errorf("%.40s: %v, want %s", text, err, want)
		}
	}
}

// TestOrderJSON: MySQL's precedence, and its order of numbers, an array's elements, strings by octets.
func TestOrderJSON(t *testing.T) {
	ordered := []string{
		"null",
		"-1e300", "-18446744073709551616.5", "-2", "-1.5", "-1", "-0.5", "0", "1e-300", "0.1", "0.10000000000000001e1", "2", "10", "9.5e1",
		"9223372036854775805", "9223372036854775806", "9223372036854775807", "9.223372036854776e18", "9223372036854776001", "1e300",
		`""`, `"\u0000"`, `"\u0000a"`, `"A"`, `"a"`, `"a\u0000"`, `"ab"`, `"b"`, `"é"`,
		`{}`, `{"a": 1}`, `{"a": 2}`, `{"b": 0}`, `{"aa": 0}`, `{"a": 0, "b": 0}`,
		`[]`, `[null]`, `[1]`, `[1, 0]`, `[2]`, `["a"]`, `[[]]`,
		"false", "true",
	}
	values := make([]Value, len(ordered))
	for i, text := range ordered {
		values[i] = FromJSON(text)
	}
	for _, made := range []Value{FromDate(5 * TicksPerDay), FromDuration(-1), FromDuration(1), FromTicks(1), FromBytes("a")} {
		d := Document{Scalar: made}
		v, _ := d.JSON(100)
		values = append(values, v)
	}
	for i, a := range values {
		for j, b := range values {
			want := 0
			if i != j {
				want = 2*min(1, max(0, i-j)) - 1
			}
			c, err := Compare(a, b, Binary)
			if err != nil || c != want || Order(a, b, Binary) != want || Order(SortKey(a), SortKey(b), Binary) != want {
				t.Errorf("%s and %s: %d, %v, %d, %d, want %d", a.Text(), b.Text(), c, err, Order(a, b, Binary), Order(SortKey(a), SortKey(b), Binary), want)
			}
			if same := string(AppendHashKey(nil, a, Binary)) == string(AppendHashKey(nil, b, Binary)); same != (want == 0) {
				t.Errorf("%s and %s have the same hash key: %v", a.Text(), b.Text(), same)
			}
		}
	}
}

// TestCompareJSONWithSQL: what is no JSON is made JSON first.
func TestCompareJSONWithSQL(t *testing.T) {
	for _, test := range []struct {
		json  string
		other Value
		want  int
	}{
		{"1", FromInt(1), 0}, {"1.0", FromInt(1), 0}, {"1", dec(t, "1.00"), 0}, {"0.1", FromFloat(0.1), 0}, {"2", FromUint(1), 1},
		{"1", FromString("1"), -1}, {`"1"`, FromString("1"), 0}, {`"1"`, FromInt(1), 1}, {`"a"`, FromString("A"), 1},
		{"true", FromBool(true), 0}, {"true", FromInt(1), 1}, {"1", FromBool(true), -1}, {"null", FromInt(0), -1},
		{`"2024-05-06"`, FromDate(0), 1}, {`"0001-01-01 00:00:00.000000"`, FromTicks(0), 0}, {`"x"`, FromBytes("x"), 0}, {"[1]", FromInt(1), 1},
		{`{"a":1,"b":[1,2]}`, FromJSON(`{"b": [1.0, 2], "a": 1}`), 0},
	} {
		got, err := Compare(FromJSON(test.json), test.other, NoCase)
		back, _ := Compare(test.other, FromJSON(test.json), NoCase)
		if err != nil || got != test.want || back != -test.want {
			t.Errorf("%s and %s %s: %d, %d, %v, want %d", test.json, test.other.Kind(), Text(test.other), got, back, err, test.want)
		}
	}
	if _, err := Compare(FromJSON("{"), FromInt(1), Binary); err == nil {
		t.Error("what is no JSON compares")
	}
}

// TestJSONAsNumber: a scalar counts as a number by what it says.
func TestJSONAsNumber(t *testing.T) {
	for text, want := range map[string]string{"true": "1", "false": "0", "12": "12", "1.5": "1.5", `"12"`: "12", `"12.5x"`: "12.5", `"x"`: "0", "null": "0", "[1]": "0", "{": "0"} {
		v := FromJSON(text)
		sum, err := Add(v, FromInt(0))
		if err != nil || Text(sum) != want || Text(FromFloat(ToFloat(v))) != want {
			t.Errorf("%s + 0 = %s, %v, want %s", text, Text(sum), err, want)
		}
		if truth, null := Truth(v); truth != (want != "0") || null {
			t.Errorf("%s is %v", text, truth)
		}
	}
	for _, test := range []struct{ text, typ, want string }{
		{"true", "SIGNED", "1"}, {`"12.9"`, "SIGNED", "12"}, {"1.5", "SIGNED", "2"}, {"-3", "UNSIGNED", "18446744073709551613"}, {`"1.25"`, "DECIMAL", "1"},
		{`"2024-05-06 07:08:09"`, "DATE", "2024-05-06"}, {`"a\"b"`, "CHAR", `"`}, {"18446744073709551615", "UNSIGNED", "18446744073709551615"},
		{`"10:11:12"`, "TIME", "10:11:12"}, {"null", "DATE", "NULL"}, {"1.5", "DOUBLE", "1.5"},
	} {
		if got, err := typ(t, test.typ).Cast(FromJSON(test.text)); err != nil || Text(got) != test.want {
			t.Errorf("CAST(%s AS %s) = %s, %v, want %s", test.text, test.typ, Text(got), err, test.want)
		}
	}
}

// FuzzJSON: what is read is printed in one form, which reads back as the same value; no text makes the reader fail otherwise
// than by its error.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"bb":1,"a":[1.50,2e400],"bb":"\u00e9\ud83d"}`, `[[],{},"",0,-0.0,1e-7,18446744073709551616,null,true]`, `"\"\\\u0000"`, `{"":{"":[{"":0}]}}`, `1e309`, `[1,]`, "\"\xff\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseJSON(text)
		if err != nil {
			return
		}
		printed, ok := d.Print(1<<20, false)
		if !ok {
			return // it is longer than the bound
		}
		again, err := ParseJSON(printed)
		if err != nil {
			t.Fatalf("%q prints as %q: %v", text, printed, err)
		}
		if CompareDocuments(&d, &again) != 0 || DocumentKey(&d) != DocumentKey(&again) {
			t.Fatalf("%q prints as %q, which is another document", text, printed)
		}
		kept, err := DocumentOf(FromJSON(printed))
		if err != nil || CompareDocuments(&d, &kept) != 0 {
			t.Fatalf("%q is kept as %q, which is another document: %v", text, printed, err)
		}
		if twice, _ := again.Print(1<<20, false); twice != printed {
			t.Fatalf("%q prints as %q, that as %q", text, printed, twice)
		}
		pretty, _ := d.Print(1<<20, true)
		if lines, err := ParseJSON(pretty); err != nil || CompareDocuments(&d, &lines) != 0 {
			t.Fatalf("%q prints on lines as %q: %v", text, pretty, err)
		}
		if len(d.Items()) > 1 && d.Object != nil && !slices.IsSortedFunc(d.Object.Keys, compareKeys) {
			t.Fatalf("%q has keys %q", text, d.Object.Keys)
		}
	})
}
