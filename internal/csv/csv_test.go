package csv

import (
	stdcsv "encoding/csv"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestCSV: what is written is read again, by this reader and by Go's.
func TestCSV(t *testing.T) {
	t.Parallel()
	parts := []string{"", "a", `"`, ",", "\n", "\r\n", " ", `\N`, "ü", "\t", ";", "§"}
	for range 4000 {
		separator := []string{",", ";", "\t", "§"}[rand.IntN(4)]
		var want []string
		var out []byte
		for i := range 1 + rand.IntN(4) {
			var s string
			for range rand.IntN(4) {
				s += parts[rand.IntN(len(parts))]
			}
			if want = append(want, s); i > 0 {
				out = append(out, separator...)
			}
			out = Append(out, s, "", separator)
		}
		r := NewReader(strings.NewReader(string(out) + "\r\n"))
		r.Separator = separator
		fields, line, err := r.Read()
		var got []string
		for _, f := range fields {
			got = append(got, f.Text)
			if f.IsNull("") {
				t.Errorf("%q is NULL in %q", f.Text, out)
			}
		}
		if !reflect.DeepEqual(got, want) || line != 1 || err != nil {
			t.Fatalf("%q is read as %q: %v", out, got, err)
		}
		if _, _, err := r.Read(); err != io.EOF {
			t.Fatalf("%q: %v", out, err)
		}
		other := stdcsv.NewReader(strings.NewReader(string(out)))
		other.Comma, _ = utf8.DecodeRuneInString(separator)
		theirs, err := other.Read()
		for i := range want {
			want[i] = strings.ReplaceAll(want[i], "\r\n", "\n") // as they read it
		}
		if err != nil || !reflect.DeepEqual(theirs, want) {
			t.Fatalf("%q is read as %q by encoding/csv: %v", out, theirs, err)
		}
	}
}

func TestCSVErrors(t *testing.T) {
	t.Parallel()
	r := NewReader(strings.NewReader("\uFEFFa,\"b\"c\n\n\nd,e\"f\n\"g\nh"))
	var wrong *Error
	if _, line, err := r.Read(); line != 1 || !errors.As(err, &wrong) || !strings.Contains(wrong.Why, `"c\n"`) {
		t.Errorf("line %d: %v", line, err)
	}
	if fields, line, err := r.Read(); line != 4 || err != nil || fields[1].Text != `e"f` {
		t.Errorf("line %d: %v %v", line, fields, err)
	}
	if _, line, err := r.Read(); line != 5 || !errors.As(err, &wrong) || !strings.Contains(wrong.Why, "line 5 is not closed") || wrong.Text != "\"g\nh" {
		t.Errorf("line %d: %v", line, err)
	}
}
