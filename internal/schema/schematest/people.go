// Package schematest has tables for tests.
package schematest

import (
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// People is a table of persons with an index of each kind.
func People(t testing.TB) *schema.Table {
	tab := &schema.Table{
		Name: "person",
		Columns: []*schema.Column{
			{Name: "id", Type: value.Type{Base: value.TypeInt}, NotNull: true},
			{Name: "surname", Type: value.Type{Base: value.TypeChar}},
			{Name: "born", Type: value.Type{Base: value.TypeDate}},
			{Name: "mail", Type: value.Type{Base: value.TypeChar, Collation: value.NoCase}},
			{Name: "points", Type: value.Type{Base: value.TypeDecimal, Precision: 5, Scale: 2}},
		},
		Key: []schema.KeyColumn{{Column: 0}},
		Indexes: []*schema.Index{
			{Name: "surname", KeyName: "surname", Key: []schema.KeyColumn{{Column: 1, Cut: 40}}},
			{Name: "born", KeyName: "born", Key: []schema.KeyColumn{{Column: 2, Desc: true}, {Column: 0, Desc: true}}},
			{Name: "mail", KeyName: "mail", Unique: true, Key: []schema.KeyColumn{{Column: 3, Cut: 40}}},
			{Name: "points", KeyName: "points", Key: []schema.KeyColumn{{Column: 4}}},
		},
	}
	if err := tab.Init(); err != nil {
		t.Fatal(err)
	}
	return tab
}
