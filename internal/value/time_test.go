package value

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestParseTime(t *testing.T) {
	for in, want := range map[string]string{
		"2024-02-29":                         "2024-02-29 00:00:00",
		"2024-2-9":                           "2024-02-09 00:00:00",
		"20240229":                           "2024-02-29 00:00:00",
		"20240229010203":                     "2024-02-29 01:02:03",
		"2024-02-29 1:2":                     "2024-02-29 01:02:00",
		"2024-02-29 01:02:03":                "2024-02-29 01:02:03",
		"2024-02-29T01:02:03.1234567Z":       "2024-02-29 01:02:03.1234567",
		"2024-02-29 01:02:03.5+01:30":        "2024-02-28 23:32:03.5",
		"2024-02-29 23:00-02:00":             "2024-03-01 01:00:00",
		"2024-02-29 01:02:03.120000000":      "2024-02-29 01:02:03.12",
		"0001-01-01":                         "0001-01-01 00:00:00",
		"9999-12-31 23:59:59.9999999":        "9999-12-31 23:59:59.9999999",
		"2024-02-29 01:02:03.12345678":       "DATETIME cannot hold all digits of '2024-02-29 01:02:03.12345678'",
		"0001-01-01 00:00:00+00:01":          "error",
		"9999-12-31 23:59:59-00:01":          "error",
		"":                                   "error",
		"2024":                               "error",
		"2024-02":                            "error",
		"2024-02-":                           "error",
		"2024-02-30":                         "error",
		"1900-02-29":                         "error",
		"2024-13-01":                         "error",
		"2024-00-01":                         "error",
		"2024-01-00":                         "error",
		"0000-01-01":                         "error",
		"24-01-01":                           "2024-01-01 00:00:00",
		"69-01-01":                           "2069-01-01 00:00:00",
		"70-01-01":                           "1970-01-01 00:00:00",
		"240101":                             "2024-01-01 00:00:00",
		"240101010203":                       "2024-01-01 01:02:03",
		"20240101T010203":                    "2024-01-01 01:02:03",
		"20240101010203.25":                  "2024-01-01 01:02:03.25",
		"2024/01/01":                         "2024-01-01 00:00:00",
		"2024.01.01":                         "2024-01-01 00:00:00",
		"2024^1^1 1@2@3":                     "2024-01-01 01:02:03",
		"02024-01-01":                        "2024-01-01 00:00:00",
		" 2024-01-01  1:2:3 ":                "2024-01-01 01:02:03",
		"2024-01 01":                         "error",
		"2024-01-01 01 02":                   "error",
		"20240101 010203":                    "error",
		"2024013":                            "error",
		"2024-01-01 ":                        "2024-01-01 00:00:00",
		"2024-01-01x":                        "error",
		"2024-01-01 01":                      "2024-01-01 01:00:00",
		"2024-01-01 24:00":                   "error",
		"2024-01-01 23:60":                   "error",
		"2024-01-01 23:59:60":                "error",
		"2024-01-01 23:59:59.":               "2024-01-01 23:59:59",
		"2024-01-01 23:59:59,5":              "error",
		"2024-01-01 01:02:03+1":              "error",
		"2024-01-01 01:02:03+15:00":          "error",
		"2024-01-01 01:02:03+01:60":          "error",
		"2024-01-01 01:02:03 +01:00":         "error",
		"2024-01-01 01:02:03+01:00:00":       "error",
		"20241301":                           "error",
		"-2024-01-01":                        "error",
		strings.Repeat("2024-01-01 ", 10000): "error",
	} {
		n, err := ParseTime(in)
		got := Text(FromTicks(n))
		if err != nil {
			got = err.Error()
			if want == "error" && strings.HasPrefix(got, "Incorrect datetime value: '") {
				got = want
			}
		}
		if got != want {
			t.Errorf("ParseTime(%q) = %s, want %s", in, got, want)
		}
	}
}

// TestTimeLiterals: each kind of literal takes its own form only.
func TestTimeLiterals(t *testing.T) {
	for _, c := range []struct {
		read func(string) (Value, error)
		in   string
		want string
	}{
		{DateLiteral, "24/1/31", "2024-01-31"}, {DateLiteral, "2024-01-31 00:00:00", "error"}, {DateLiteral, "2024-01-31x", "error"},
		{TimestampLiteral, "2024-01-31 1:2:3.500", "2024-01-31 01:02:03.500"}, {TimestampLiteral, "2024-01-31", "error"},
		{TimeLiteral, "1 2:3:4.50", "26:03:04.50"}, {TimeLiteral, "2024-01-31 1:2:3", "error"}, {TimeLiteral, "900:00:00", "error"},
	} {
		v, err := c.read(c.in)
		got := Text(v)
		if err != nil {
			got = "error"
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.in, got, c.want)
		}
	}
}

// TestReadTime: what a value counts as where a time is wanted.
func TestReadTime(t *testing.T) {
	for _, c := range []struct {
		in             Value
		time, duration string
	}{
		{FromString("2024-01-31 10:11:12.5 pm"), "2024-01-31 10:11:12.5", "10:11:12.5"},
		{FromString("10:11:12"), "2010-11-12", "10:11:12"},
		{FromString("10:11:12.345678"), "NULL", "10:11:12.345678"},
		{FromString("2024-01-31"), "2024-01-31", "00:20:24"},
		{FromString("1 10:11"), "NULL", "34:11:00"},
		{FromString("-1 10"), "NULL", "-34:00:00"},
		{FromString("1000:00:00"), "NULL", "838:59:59"},
		{FromString("1011"), "NULL", "00:10:11"},
		{FromString("0000-00-00"), "NULL", "00:00:00"},
		{FromString("abc"), "NULL", "NULL"},
		{FromString("1e3"), "NULL", "NULL"},
		{FromString("1.5E-1"), "NULL", "NULL"},
		{FromString("1ex"), "NULL", "00:00:01"},
		{FromInt(20240131), "2024-01-31", "NULL"},
		{FromInt(240131), "2024-01-31", "24:01:31"},
		{FromInt(700101), "1970-01-01", "70:01:01"},
		{FromInt(101), "2000-01-01", "00:01:01"},
		{FromInt(100), "NULL", "00:01:00"},
		{FromInt(-101), "NULL", "-00:01:01"},
		{FromInt(20240131101112), "2024-01-31 10:11:12", "10:11:12"},
		{FromInt(240131101112), "2024-01-31 10:11:12", "10:11:12"},
		{FromDecimalText("20240131101112.250"), "2024-01-31 10:11:12.250", "10:11:12.250"},
		{FromFloat(101112.5), "2010-11-12", "10:11:12.5"},
		{FromDate(ticks(t, "2024-01-31")), "2024-01-31", "00:00:00"},
		{FromDuration(-TicksPerSecond), "NULL", "-00:00:01"},
	} {
		at, _ := ReadTime(c.in)
		d, _ := ReadDuration(c.in)
		if Text(at) != c.time || Text(d) != c.duration {
			t.Errorf("%s: %s, %s, want %s, %s", Text(c.in), Text(at), Text(d), c.time, c.duration)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for in, want := range map[string]string{
		"1:2:3": "01:02:03", "-01:02:03.5": "-01:02:03.5", "838:59:59": "838:59:59", "12:30": "12:30:00", "5": "00:00:05", "130": "00:01:30",
		"8385959": "838:59:59", "1 10:11:12": "34:11:12", "1 10": "34:00:00", "101112.5": "10:11:12.5", "2024-01-31 10:11:12": "10:11:12", "1 2:3": "26:03:00", "1:2:3.": "01:02:03", "-10203": "-01:02:03", "5.25": "00:00:05.25", "00:00:00.0000001": "00:00:00.0000001", "-00:00:00": "00:00:00",
		"838:59:59.1": "error", "839:00:00": "error", "": "error", "-": "error", "1:60": "error", "1:2:60": "error", "90": "error", "12345678": "error",
		"1:2:3x": "error", "+1:2:3": "error", "00:00:00.00000001": "error", "1000:00": "error",
	} {
		n, err := ParseDuration(in)
		got := Text(FromDuration(n))
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("ParseDuration(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestTicksAndTime(t *testing.T) {
	for _, c := range []struct {
		text  string
		ticks int64
	}{
		{"0001-01-01 00:00:00", 0}, {"9999-12-31 23:59:59.9999999", MaxTicks},
		{"1970-01-01 00:00:00", 621355968000000000}, {"1601-01-01 00:00:00", 504911232000000000}, // as .NET has them
	} {
		if n := ticks(t, c.text); n != c.ticks || Text(FromTicks(c.ticks)) != c.text {
			t.Errorf("%s: %d, want %d: %s", c.text, n, c.ticks, Text(FromTicks(c.ticks)))
		}
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		n := rnd.Int64N(MaxTicks + 1)
		at := TimeFromTicks(n)
		if back, err := TicksFromTime(at); err != nil || back != n {
			t.Fatalf("%d: %d, %v", n, back, err)
		}
		if back, err := ParseTime(Text(FromTicks(n))); err != nil || back != n {
			t.Fatalf("%s: %d, %v", Text(FromTicks(n)), back, err)
		}
		zone := time.FixedZone("", (rnd.IntN(28*60)-14*60)*60)
		if back, err := ParseTime(at.In(zone).Format(time.RFC3339Nano)); year(at.In(zone)) && (err != nil || back != n) {
			t.Fatalf("%s: %d, %v", at.In(zone), back, err)
		}
		d := rnd.Int64N(2*MaxDuration+1) - MaxDuration
		if back, err := ParseDuration(Text(FromDuration(d))); err != nil || back != d {
			t.Fatalf("%s: %d, %v", Text(FromDuration(d)), back, err)
		}
	}
	for _, bad := range []time.Time{
		time.Unix(0, 1), time.Date(0, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Unix(math.MaxInt64, 0), time.Unix(math.MinInt64, 0),
	} {
		if n, err := TicksFromTime(bad); err == nil {
			t.Errorf("%v: %d", bad, n)
		}
	}
}

// year says whether a year has the four digits that ParseTime reads.
func year(t time.Time) bool { return t.Year() >= 1 && t.Year() <= 9999 }

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2024-02-29 01:02:03.5+01:00", "20240229", "-838:59:59", "5.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := ParseTime(s); err == nil {
			if back, err := ParseTime(Text(FromTicks(n))); err != nil || back != n || n < 0 || n > MaxTicks {
				t.Fatalf("%q: %d, again %d, %v", s, n, back, err)
			}
		}
		if n, err := ParseDuration(s); err == nil {
			if back, err := ParseDuration(Text(FromDuration(n))); err != nil || back != n {
				t.Fatalf("%q: %d, again %d, %v", s, n, back, err)
			}
		}
		if v, err := ParseUUID(s); err == nil {
			if again, err := ParseUUID(v.Text()); err != nil || again != v || len(v.Text()) != 36 {
				t.Fatalf("%q: %q, %v", s, v.Text(), err)
			}
		}
	})
}
