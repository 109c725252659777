package keymap_test

import (
	"fmt"
	"log"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// A program that knows the columns of a table (docs/format.md says where its definition is) makes the keys of its rows and index
// entries, and reads them.
func ExampleKey() {
	id, err := keymap.NewKey(keymap.Column{Type: "INT"})
	if err != nil {
		log.Fatal(err)
	}
	surname, err := keymap.NewKey(keymap.Column{Type: "VARCHAR", Length: 50})
	if err != nil {
		log.Fatal(err)
	}
	row, err := id.Encode(keymap.RowPrefix, 7)
	if err != nil {
		log.Fatal(err)
	}
	entry, err := surname.And(id).Encode(keymap.IndexName("surname"), "O'Hara", 7)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(row, entry)
	name, values, err := surname.And(id).Decode(entry)
	fmt.Println(name, values, err)
	// Output:
	// PK!8000000000000007 surname!O&1Hara!8000000000000007
	// surname [O'Hara 7] <nil>
}

// Codes sort as the values do, also where one text begins another one, or a key has several parts.
func ExampleAppendValue() {
	parts := []keymap.Part{{Type: value.Type{Base: value.TypeChar}}, {Type: value.Type{Base: value.TypeInt}}}
	keymap.SetCuts(parts)
	var keys []string
	for _, row := range [][]value.Value{
		{value.FromString("Smith 2"), value.FromInt(1)},
		{value.FromString("Smith"), value.FromInt(-1)},
		{value.FromString("Smith"), value.FromInt(7)},
		{value.FromString(""), value.FromInt(0)},
		{value.NullValue, value.FromInt(0)},
	} {
		key := []byte("surname")
		for i, v := range row {
			var err error
			if key, _, err = keymap.AppendValue(append(key, keymap.Separator), v, parts[i]); err != nil {
				log.Fatal(err)
			}
		}
		keys = append(keys, string(key))
	}
	slices.Sort(keys)
	for _, key := range keys {
		fmt.Println(key)
	}
	// Output:
	// surname!!8000000000000000
	// surname!""!8000000000000000
	// surname!Smith!7fffffffffffffff
	// surname!Smith!8000000000000007
	// surname!Smith"W2!8000000000000001
}

// LIKE 'Sm%' is one range of keys.
func ExamplePrefixSpan() {
	part := keymap.Part{Type: value.Type{Base: value.TypeChar}}
	prefix, rest := keymap.LikePrefix("Sm%", '\\')
	code, exact := keymap.AppendTextPrefix([]byte("surname!"), prefix, part)
	span := keymap.PrefixSpan(string(code))
	fmt.Println(span.From, "≤ RowKey <", span.To, exact, rest == keymap.PrefixOnly)
	// Output: surname!Sm ≤ RowKey < surname!Sn true true
}

// A table is called as it is in SQL, as far as the service takes it.
func ExampleTableName() {
	fmt.Println(keymap.TableName("", "book"), keymap.TableName("shop", "order_items"))
	// Output: Z8book shopZ8orderZ1items
}

// Where the entities of a table lie: in one store partition, or by a hash of the partition columns' codes; a column is the property of
// its name, and the definitions are in a table of their own.
func ExampleBucket() {
	fmt.Println(keymap.SinglePartition, keymap.Bucket("8000000000000007", 16))
	fmt.Println(keymap.PropertyName("created at"), keymap.CatalogTable("shop"))
	// Output:
	// 00 0008
	// created_x20_at shopZ8Z2catalog
}
