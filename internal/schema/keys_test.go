package schema_test

import (
	"errors"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/schema/schematest"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func TestKeysOfARow(t *testing.T) {
	tab := schematest.People(t)
	row := []value.Value{value.FromInt(1), value.FromString("Smith"), value.NullValue, value.NullValue, value.NullValue}
	tests := []struct{ index, want string }{
		{"", "PK!8000000000000001"},
		{"Surname", "surname!Smith!8000000000000001"},
		{"born", "born!~~~!7ffffffffffffffe!8000000000000001"},
		{"mail", "mail!!8000000000000001"}, // NULLs are not equal to each other
	}
	for _, test := range tests {
		key, err := tab.AppendRowKey(nil, row)
		if test.index != "" {
			key, err = tab.AppendIndexKey(nil, tab.Index(test.index), row)
		}
		if err != nil || string(key) != test.want {
			t.Errorf("%s: got %s, %v; want %s", test.index, key, err, test.want)
		}
	}
	row[3] = value.FromString("A@b")
	if key, err := tab.AppendIndexKey(nil, tab.Index("mail"), row); err != nil || string(key) != "mail!a@b" {
		t.Errorf("unique key %s, %v", key, err)
	}
	row[0] = value.FromString("one")
	var e *schema.KeyError
	if _, err := tab.AppendRowKey(nil, row); !errors.As(err, &e) || e.Column != "id" {
		t.Errorf("a value of another type: %v", err)
	}
}

func TestCloneIsItsOwn(t *testing.T) {
	tab := schematest.People(t)
	c := tab.Clone()
	c.Columns[0].Name, c.Indexes[0].Key[0].Desc, c.Key[0].Desc = "key", true, true
	c.Columns = append(c.Columns, &schema.Column{Name: "etag", Type: value.Type{Base: value.TypeInt}})
	if err := c.Init(); err != nil {
		t.Fatal(err)
	}
	if tab.Columns[0].Name != "id" || tab.Indexes[0].Key[0].Desc || tab.Key[0].Desc {
		t.Error("a change of the clone changed the table")
	}
	for name, want := range map[string]int{"ID": 0, "key": -1, "eTag": tab.ETagOrdinal()} {
		if got := tab.Ordinal(name); got != want {
			t.Errorf("%s is column %d, want %d", name, got, want)
		}
	}
	if got := c.Ordinal("ETag"); got != 5 {
		t.Errorf("a column called etag is column %d, want 5", got)
	}
}

func TestInitRefusesDamage(t *testing.T) {
	for name, damage := range map[string]func(*schema.Table){
		"column twice":    func(t *schema.Table) { t.Columns[1].Name = "ID" },
		"no key":          func(t *schema.Table) { t.Key = nil },
		"key column":      func(t *schema.Table) { t.Key[0].Column = 9 },
		"index part":      func(t *schema.Table) { t.Indexes[0].Key[0].Column = -1 },
		"included column": func(t *schema.Table) { t.Indexes[0].Include = []int{7} },
		"no buckets": func(t *schema.Table) {
			t.Spread = &schema.Spread{Kind: schema.SpreadByHash, Columns: []int{0}}
		},
		"partition column": func(t *schema.Table) {
			t.Spread = &schema.Spread{Kind: schema.SpreadByKey, Columns: []int{12}}
		},
	} {
		tab := schematest.People(t)
		damage(tab)
		if tab.Init() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
