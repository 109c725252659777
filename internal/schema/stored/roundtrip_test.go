package stored_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/schema/stored"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// definitions calls f with each table that a script or a golden of this repository defines.
func definitions(t testing.TB, f func(t *schema.Table)) {
	t.Helper()
	for _, dir := range []string{"../../../tests/scripts", "../../../planner/testdata", "../../../dialect/testdata"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".txt" {
				return err
			}
			text, err := os.ReadFile(path)
			defined := map[string]*schema.Table{}
			for paragraph := range strings.SplitSeq(string(text), "\n\n") {
				statement, _, _ := strings.Cut(paragraph, "\n----")
				for one := range strings.SplitSeq(statement, ";\n") {
					if table := definition(one, defined, f); table != nil {
						defined[strings.ToLower(table.Name)] = table
						f(table)
					}
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// definition gives the table that a statement defines; nil for what is no such statement, or a wrong one.
func definition(statement string, defined map[string]*schema.Table, f func(*schema.Table)) *schema.Table {
	parsed, err := dialect.Parse(statement, dialect.Options{})
	if err != nil {
		return nil
	}
	create, ok := parsed.Statement.(*dialect.CreateTable)
	if !ok || create.Like != nil || create.Temporary {
		return nil
	}
	parent := defined[strings.ToLower(create.Options["INTERLEAVE IN PARENT"])]
	table, err := define.DefineInterleaved(create, parent, planner.Options{})
	if err != nil {
		return nil
	}
	if parent != nil { // as the catalog does
		table.Physical = parent.Physical
		table.Rehome(keymap.IndexName(table.Name))
		f(parent.AddChild(table))
	}
	return table
}

// TestRoundTrip: of what is stored of each table that scripts and goldens define, the same table is made.
func TestRoundTrip(t *testing.T) {
	tables, features := 0, map[string]int{}
	definitions(t, func(table *schema.Table) {
		tables++
		text, err := stored.Encode(table)
		if err != nil {
			t.Fatal(err)
		}
		back, err := stored.Decode(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if err := back.Init(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if _, err := planner.BindTexts(back); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if again, err := stored.Encode(back); err != nil || again != text {
			t.Errorf("%v\n%s\nwas\n%s", err, again, text)
		}
		if got, want := schema.CreateTableSQL(back), schema.CreateTableSQL(table); got != want {
			t.Errorf("%s\nwas\n%s", got, want)
		}
		for name, has := range map[string]bool{
			"inside": back.Interleaved != nil, "external": back.External != nil, "parts": back.Partitions != nil, "spread": back.Spread != nil,
			"checks": len(back.Checks) > 0, "indexes": len(back.Indexes) > 0,
		} {
			if has {
				features[name]++
			}
		}
	})
	if tables < 250 || len(features) < 6 {
		t.Errorf("only %d tables, with %v", tables, features)
	}
}

// FuzzDecode: whatever is stored gives a table or an error. A table is stored again as it is.
func FuzzDecode(f *testing.F) {
	for _, name := range []string{"item", "log"} {
		text, err := os.ReadFile("testdata/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	n := 0
	definitions(f, func(table *schema.Table) {
		if n++; n%10 == 0 {
			text, err := stored.Encode(table)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	})
	f.Add(`{"name":"t","columns":[{"name":"a","type":"INT"}],"key":[{"column":"a"}],"to_write":["words"],"words":{"a":[1,{}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		table, err := stored.Decode(text)
		if err != nil || table.Init() != nil {
			return
		}
		schema.CreateTableSQL(table)
		if table.Unwritable != nil {
			return
		}
		again, err := stored.Encode(table)
		if err != nil {
			return // members that are texts of no column's type, and the like
		}
		back, err := stored.Decode(again)
		if err != nil {
			t.Fatalf("%v\n%s", err, again)
		}
		if third, err := stored.Encode(back); err != nil || third != again {
			t.Errorf("%v\n%s\nwas\n%s", err, third, again)
		}
	})
}
