package stored_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/feature"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/schema/stored"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// TestDecodeErrors: each error names the field, and says of what a newer version may have written that one is needed.
func TestDecodeErrors(t *testing.T) {
	const newer = ", which this version of nearlyfree does not know: use a newer version"
	for _, c := range []struct{ text, want string }{
		{`{"name":"t","column":[]}`, "table t has the field column in its definition" + newer},
		{`{"name":"t","Columns":[{"name":"a"}]}`, "table t has the field Columns in its definition" + newer},
		{`{"name":"t","columns":[{"name":"a","type":"INT","masked":true}],"key":[{"column":"a"}]}`, "table t has the field columns[0].masked in its definition" + newer},
		{`{"name":"t","columns":[{"name":"a","type":"INT","former":{"type":"INT","property":"x","by":1}}],"key":[{"column":"a","order":{"x":[1]}}]}`, "table t has the field columns[0].former.by, key[0].order in its definition" + newer},
		{`{"name":"t","to_read":["words","parent"],"words":1}`, "table t uses the feature words" + newer},
		{`{"name":"t","to_read":["words","bits"],"words":1}`, "table t uses the features words, bits" + newer},
		{`{"name":"t","columns":[{"name":"a","type":"POINT"}]}`, `table t: columns[0].type is "POINT"` + newer},
		{`{"name":"t","columns":[{"name":"a","type":"INT","former":{"property":"x","type":"int"}}]}`, `table t: columns[0].former.type is "int"` + newer},
		{`{"name":"t","columns":[{"name":"a","type":"TEXT","collation":"klingon"}]}`, `table t: columns[0].collation is "klingon"` + newer},
		{`{"name":"t","columns":[{"name":"a","type":"INT"}],"indexes":[{"name":"i","columns":[{"column":"a"}],"state":"fading"}]}`, `table t: indexes[0].state is "fading"` + newer},
		{`{"name":"t","columns":[{"name":"a","type":"INT"}],"partitions":{"by":"moon","columns":["a"]}}`, `table t: partitions.by is "moon"` + newer},
		{`{"name":"t","columns":[{"name":"a"}]}`, "table t: columns[0].type is missing"},
		{`{"name":"t","columns":[{"name":"a","type":"ENUM"}]}`, "table t: columns[0].members is missing"},
		{`{"name":"t","columns":[{"name":"a","type":"INT"}],"key":[{"column":"b"}]}`, `table t: key[0].column names "b", and there is no such column`},
		{`{"name":"t","columns":[{"name":"a","type":"INT"},{"name":"b","property":"a","type":"INT"}]}`, `table t: columns has "a" twice`},
		{`{"name":"t","columns":[{"name":"a","type":"INT"}],"indexes":[{"name":"i","include":["c"],"columns":[]}]}`, `table t: indexes[0].include[0] names "c", and there is no such column`},
		{`{"name":"t","columns":[{"name":"a","type":"INT"}],"key":[{"column":"a","cut":-1}]}`, "table t: key[0] has a number below 0"},
		{`{"name":"t","columns":[{"name":"a","type":"INT"}],"parent":{"table":"p","columns":[],"key":[{"column":"a"}]}}`, "table t: parent.columns has not as many columns as parent.key"},
		{`{"name":"t","columns":[{"name":"a","type":"INT"}],"store_partitions":{"columns":["a"]}}`, "table t: store_partitions.by is missing"},
		{`{"name":"t","columns":[{"name":"a","type":"INT"}],"store_partitions":{"by":"hash","columns":["a"],"count":70000}}`, "table t: store_partitions.count is not 0 to 65536"},
		{`{"name":"t","columns":[{"name":"a","type":"INT"}],"partitions":{"by":"list","columns":["a"],"list":[{"name":"p"}]}}`, "table t: partitions.list[0].spans is missing"},
		{`{"name":"t","columns":[{"name":"a","type":"TEXT"}],"external":{"partition_key":[{"column":"a"}],"row_key":[]}}`, "table t: external.row_key is missing"},
		{`{"name":"t","name":"u"}`, "name is there twice"},
		{`{"name":5}`, "name is not a text"},
		{`{"name":null}`, "name is not a text"},
		{`{"columns":{}}`, "columns is not a list"},
		{`{"columns":[5]}`, "columns[0] is not an object"},
		{`{"columns":[{"name":"a","type":"INT","length":1.5}]}`, "columns[0].length is not a 64-bit integer"},
		{`{"columns":[{"name":"a","hidden":"yes"}]}`, "columns[0].hidden is not true or false"},
		{`{"columns":[{"name":"a","initial_octets":"???"}]}`, "columns[0].initial_octets is not base64"},
		{`{"columns":[{"name":"a"`, "columns[0] cannot be read: unexpected EOF"},
		{``, "the definition cannot be read: unexpected EOF"},
		{`[]`, "the definition is not an object"},
		{`{"name":"t"}{}`, "there is more text after the definition"},
	} {
		table, err := stored.Decode(c.text)
		var unknown *feature.Error
		switch {
		case err == nil:
			t.Errorf("%s: %+v", c.text, table)
		case err.Error() != c.want:
			t.Errorf("%s:\n%v\nwant\n%s", c.text, err, c.want)
		case errors.As(err, &unknown) != strings.HasSuffix(c.want, newer):
			t.Errorf("%s: %T", c.text, err)
		}
	}
}

// TestNewerToWrite: what uses a feature that only writers must know is read without what belongs to it, and not written.
func TestNewerToWrite(t *testing.T) {
	table, err := stored.Decode(`{"to_write":["words"],"name":"t","columns":[{"name":"a","type":"INT","words":{"of":[1]}}],"key":[{"column":"a"}],"words":"x"}`)
	if err != nil {
		t.Fatal(err)
	}
	const want = "table t uses the feature words, which this version of nearlyfree does not know: it can be read, but not written; use a newer version to write"
	if table.Columns[0].Type.Base != value.TypeInt || table.Unwritable == nil || table.Unwritable.Error() != want {
		t.Errorf("%+v", table)
	}
	if text, err := stored.Encode(table.Clone()); err == nil {
		t.Errorf("written back: %s", text)
	}
	if _, err := stored.Decode(`{"to_write":["words"],"name":"t","columns":[{"name":"a","type":"WORDS"}],"key":[{"column":"a"}]}`); err == nil {
		t.Error("an unknown word of a known field was read")
	}
}

// TestEncodeErrors: what could not be read again is not stored.
func TestEncodeErrors(t *testing.T) {
	table := func(change func(*schema.Table)) *schema.Table {
		t := &schema.Table{Name: "t", Columns: []*schema.Column{{Name: "a", Property: "a", Type: value.Type{Base: value.TypeInt, Declared: "INT"}}}, Key: []schema.KeyColumn{{Column: 0}}}
		change(t)
		return t
	}
	for want, change := range map[string]func(*schema.Table){
		"it holds a text that is not UTF-8":        func(t *schema.Table) { t.Comment = "\xff" },
		"type: NULL has no stored form":            func(t *schema.Table) { t.Columns[0].Type.Base = value.TypeUnknown },
		"state: 7 has no stored form":              func(t *schema.Table) { t.Indexes = []*schema.Index{{Name: "i", State: 7}} },
		"a key names column 3, which is not there": func(t *schema.Table) { t.Key[0].Column = 3 },
		"nobody declared it":                       func(t *schema.Table) { t.External = &schema.External{Undeclared: true} },
	} {
		text, err := stored.Encode(table(change))
		if err == nil || err.Error() != "the definition of table t cannot be stored: "+want {
			t.Errorf("%v, want %s\n%s", err, want, text)
		}
	}
}
