package schematest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// NewTable makes a table of columns "name TYPE[(n)] [nocase] [unsigned]"; the first keys ones are its primary key.
func NewTable(t testing.TB, name string, keys int, columns ...string) *schema.Table {
	t.Helper()
	table := &schema.Table{Name: name, Physical: keymap.TableName("", name)}
	for i, c := range columns {
		words := strings.Fields(c)
		typeName, arg, _ := strings.Cut(strings.TrimSuffix(words[1], ")"), "(")
		var args []int
		for _, a := range strings.Split(arg, ",") {
			var n int
			if _, err := fmt.Sscan(a, &n); err == nil {
				args = append(args, n)
			}
		}
		collation := value.Binary
		if slices.Contains(words, "nocase") {
			collation = value.NoCase
		}
		typ, err := value.NewType(typeName, args, nil, slices.Contains(words, "unsigned"), collation)
		if err != nil {
			t.Fatal(err)
		}
		table.Columns = append(table.Columns, &schema.Column{
			Name: words[0], Type: typ, Property: keymap.PropertyName(words[0]), NotNull: i < keys,
		})
	}
	for i := range keys {
		table.Key = append(table.Key, keyColumn(table, i, 1))
	}
	return table
}

// keyColumn is a column of a key that has so many of its type.
func keyColumn(t *schema.Table, column, parts int) schema.KeyColumn {
	codes := make([]keymap.Part, parts)
	for i := range codes {
		codes[i].Type = t.Columns[column].Type
	}
	keymap.SetCuts(codes)
	return schema.KeyColumn{Column: column, Cut: codes[0].Cut}
}

// AddIndex adds an index to a table that is not created yet.
func AddIndex(t *schema.Table, name string, columns ...int) *schema.Index {
	ix := &schema.Index{Name: name, KeyName: keymap.IndexName(name)}
	for _, c := range columns {
		ix.Key = append(ix.Key, keyColumn(t, c, len(columns)))
	}
	t.Indexes = append(t.Indexes, ix)
	return ix
}
