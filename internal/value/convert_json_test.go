package value

import "testing"

// TestConvertJSON: JSON numbers, true, false and strings are what they say; objects, lists and null are no numbers.
func TestConvertJSON(t *testing.T) {
	for _, test := range []struct {
		to   Type
		json string
		want string // "" for an error
	}{
		{Type{Base: TypeInt}, "30", "30"},
		{Type{Base: TypeInt}, "-30", "-30"},
		{Type{Base: TypeInt}, "30.5", ""},
		{Type{Base: TypeInt}, "99999999999", ""},
		{Type{Base: TypeInt}, "true", "1"},
		{Type{Base: TypeDouble}, "1.5e3", "1500"},
		{Type{Base: TypeDecimal, Precision: 5, Scale: 2}, "1.25", "1.25"},
		{Type{Base: TypeBool}, "false", "0"},
		{Type{Base: TypeInt}, `"30"`, "30"},
		{Type{Base: TypeInt}, `"a"`, ""},
		{Type{Base: TypeDate}, `"2024-05-06"`, "2024-05-06"},
		{Type{Base: TypeDate}, "null", ""},
		{Type{Base: TypeInt}, "null", ""},
		{Type{Base: TypeInt}, "[1]", ""},
		{Type{Base: TypeInt}, `{"a": 1}`, ""},
		{Type{Base: TypeText}, "30", "30"},
	} {
		v, err := test.to.Convert(FromJSON(test.json))
		if got := Text(v); (err != nil) != (test.want == "") || err == nil && got != test.want {
			t.Errorf("%s to %s: %s, %v, want %q", test.json, test.to, got, err, test.want)
		}
	}
}
