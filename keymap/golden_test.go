package keymap

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// TestGolden holds the whole format against a file: stored keys must read the same for ever, so a
// difference here is a change of the format and needs a way from the old one.
func TestGolden(t *testing.T) {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	both := func(typ value.Type, vals ...value.Value) {
		collate := ""
		if typ.Collation != value.Binary {
			collate = " COLLATE " + typ.Collation.String()
		}
		line("\n# %s%s", typ, collate)
		for _, v := range vals {
			up, _, err := AppendValue(nil, v, Part{Type: typ, Cut: 16})
			if err != nil {
				t.Fatal(err)
			}
			down, _, err := AppendValue(nil, v, Part{Type: typ, Cut: 16, Desc: true})
			if err != nil {
				t.Fatal(err)
			}
			line("%-32s %-44s %s", strings.Trim(fmt.Sprintf("%+q", value.Text(v)), `"`), up, down)
		}
	}
	str, dec, null := value.FromString, value.FromDecimalText, value.NullValue

	line("# value, code, code in a descending part")
	both(value.Type{Base: value.TypeBool}, null, value.FromBool(false), value.FromBool(true))
	both(value.Type{Base: value.TypeInt}, null, value.FromInt(math.MinInt32), value.FromInt(-1), value.FromInt(0), value.FromInt(255), value.FromInt(math.MaxInt32))
	both(value.Type{Base: value.TypeBigInt}, value.FromInt(math.MinInt64), value.FromInt(math.MaxInt64))
	both(value.Type{Base: value.TypeBigInt, Unsigned: true}, value.FromUint(0), value.FromUint(math.MaxUint64))
	both(value.Type{Base: value.TypeYear}, value.FromInt(1901), value.FromInt(2155))
	both(value.Type{Base: value.TypeDouble}, null, value.FromFloat(-math.MaxFloat64), value.FromFloat(-1), value.FromFloat(math.Copysign(0, -1)), value.FromFloat(0), value.FromFloat(0.1), value.FromFloat(math.MaxFloat64))
	both(value.Type{Base: value.TypeDecimal, Precision: 6, Scale: 2}, null, dec("-9999.99"), dec("-0.01"), dec("0.00"), dec("12.5"), dec("9999.99"))
	both(value.Type{Base: value.TypeDecimal, Precision: 3, Scale: 3}, dec("-0.999"), dec("0.001"))
	both(value.Type{Base: value.TypeDateTime, Precision: -1}, null, value.FromTicks(0), value.FromTicks(638_447_616_000_000_001), value.FromTicks(value.MaxTicks))
	both(value.Type{Base: value.TypeDate}, value.FromDate(638_447_616_000_000_000))
	both(value.Type{Base: value.TypeTime, Precision: -1}, value.FromDuration(-value.MaxDuration), value.FromDuration(0), value.FromDuration(value.MaxDuration))
	both(value.Type{Base: value.TypeUUID}, null, value.FromUUID("01234567-89ab-cdef-0123-456789abcdef"))
	both(text, null, str(""), str("Smith"), str("it's 5 %"), str("größe"), str("日本語"), str("👍"), str("Smith, John"), str("exactly 16 units"), str("more than 16 units"), str(strings.Repeat("x", 100)))
	both(nocase, str("Smith"), str("GRÖSSE"), str("Straße"), str("MORE THAN 16 UNITS"))
	for _, c := range value.Collations()[2:] {
		both(value.Type{Base: value.TypeChar, Collation: c}, str("Smith  "), str("GRÖSSE"), str("Straße"), str("a-b_c, 1"), str("œ € ½"), str("日本 カ"), str("👍"), str("MORE THAN 16 UNITS"))
	}
	both(value.Type{Base: value.TypeEnum, Names: []string{"small"}}, null, value.FromMember("", 0), value.FromMember("small", 1), value.FromMember("last", math.MaxUint16))
	both(value.Type{Base: value.TypeSet, Names: []string{"a", "b"}}, null, value.FromMember("", 0), value.FromMember("a,b", 3))
	both(value.Type{Base: value.TypeBit, Length: 64, Unsigned: true}, null, value.FromBits(0, 64), value.FromBits(math.MaxUint64, 64))
	both(octets, null, value.FromBytes(""), value.FromBytes("\x00"), value.FromBytes("\xff\x01"), value.FromBytes("0123456789"), value.FromBytes("0123456789a"))

	line("\n# every ASCII character and the ends of the classes of code words")
	for r := rune(0); r <= 0x80; r++ {
		line("%U %s", r, appendRune(nil, r))
	}
	for _, r := range edges[len(edges)-14:] {
		line("%U %s", r, appendRune(nil, r))
	}

	line("\n# names")
	for _, n := range [][2]string{{"shop", "t1"}, {"shop", "Order_Items"}, {"shop", "tables"}, {"shop", "größe"}, {"shop", "unit-price"}, {"", "t"}, {"1st", "z1"}, {"my_db", "size"},
		{"shop", "a table whose name is much longer than what the store allows"}, {"a_database_with_a_long_name_of_its_own", "orders"}} {
		line("table %s.%s: %s", n[0], n[1], TableName(n[0], n[1]))
	}
	line("catalog of shop: %s, again: %s", CatalogTable("shop"), TableGeneration(TableName("shop", "t1"), 2))
	for _, n := range []string{"Surname", "unit-price", "Timestamp", "größe", "nf_op", "1st", "Notes_01", "pos_x", "a_x2D_b", "not", strings.Repeat("long", 60)} {
		line("column %s: %s", n, PropertyName(n))
	}
	for _, n := range []string{"Surname", "by name", "idx_größe", "pk", "an_index_whose_name_is_rather_long"} {
		line("index %s: %s", n, IndexName(n))
	}
	line("parts: %s %s %s", PropertyPart("Notes", 0), PropertyPart("Notes", 1), PropertyPart("Notes", 12))

	line("\n# buckets")
	for _, c := range []string{"", "a", "8000000000000007"} {
		line("bucket of %q in 16: %s, in 65536: %s", c, Bucket(c, 16), Bucket(c, 65536))
	}

	const file = "testdata/format.golden"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, wanted := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(wanted)) {
		if i >= len(got) || i >= len(wanted) || got[i] != wanted[i] {
			t.Fatalf("the format changed at line %d of %s\n got %q\nwant %q", i+1, file, at(got, i), at(wanted, i))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}
