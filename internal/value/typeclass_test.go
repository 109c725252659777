package value

import "testing"

// TestKind: what a column keeps of a value is of the kind that its type says.
func TestKind(t *testing.T) {
	for _, test := range []struct {
		t    Type
		v    Value
		kind Kind
	}{
		{Type{Base: TypeBool}, FromInt(1), Bool},
		{Type{Base: TypeTinyInt}, FromInt(1), Int},
		{Type{Base: TypeSmallInt, Unsigned: true}, FromInt(1), Uint},
		{Type{Base: TypeMediumInt}, FromUint(1), Int},
		{Type{Base: TypeInt, Unsigned: true}, FromInt(1), Uint},
		{Type{Base: TypeBigInt}, FromUint(1), Int},
		{Type{Base: TypeBigInt, Unsigned: true}, FromInt(1), Uint},
		{Type{Base: TypeYear}, FromInt(2026), Int},
		{Type{Base: TypeBit, Length: 3}, FromInt(5), Uint},
		{Type{Base: TypeBit, Length: 64}, FromInt(5), Uint},
		{Type{Base: TypeFloat}, FromInt(1), Float},
		{Type{Base: TypeDouble}, FromInt(1), Float},
		{Type{Base: TypeDecimal, Precision: 5, Scale: 2}, FromInt(1), Decimal},
		{Type{Base: TypeChar, Length: 5}, FromInt(1), String},
		{Type{Base: TypeText}, FromInt(1), String},
		{Type{Base: TypeEnum, Names: []string{"a"}}, FromString("a"), String},
		{Type{Base: TypeSet, Names: []string{"a", "b"}}, FromString("a,b"), String},
		{Type{Base: TypeBinary, Length: 5}, FromString("a"), Bytes},
		{Type{Base: TypeBlob}, FromString("a"), Bytes},
		{Type{Base: TypeDate}, FromString("2026-01-02"), Date},
		{Type{Base: TypeDateTime}, FromString("2026-01-02 03:04:05"), Time},
		{Type{Base: TypeTime}, FromString("03:04:05"), Duration},
		{Type{Base: TypeJSON}, FromString("{}"), JSON},
		{Type{Base: TypeUUID}, FromString("00000000-0000-0000-0000-00000000000a"), UUID},
	} {
		v, err := test.t.Convert(test.v)
		if err != nil || v.Kind() != test.kind || test.t.Kind() != test.kind {
			t.Errorf("%s: keeps a %s, says %s, want %s (%v)", test.t, v.Kind(), test.t.Kind(), test.kind, err)
		}
	}
	if k := (Type{}).Kind(); k != Null {
		t.Errorf("an unknown type: %s", k)
	}
}
