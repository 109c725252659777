package stored

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/feature"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

var update = flag.Bool("update", false, "write the stored forms anew")

// full are definitions in which every field that is stored has a value: one of the driver's own tables, in the midst of
// a change, and an external one.
func full() []*schema.Table {
	own := &schema.Table{
		Database: "shop", Name: "Item", Physical: "shopZ8item", Version: 12, WriteVersion: 11, Comment: "it's a <b>", Collation: value.CaseCI,
		FirstAutoIncrement: 100, KeyNames: []string{"name", "old"}, Children: []string{"part"}, RowName: "item",
		Retired: []string{"gone"}, Checks: []schema.CheckDef{{Name: "c1", Text: "n > 0"}, {Name: "c2", Text: "n < 9", State: schema.WriteOnly}, {Name: "c3", Text: "n < 8", NotEnforced: true}},
		ForeignKeys: []schema.ForeignKey{
			{Name: "in_box", Columns: []int{0, 2}, Parent: "box", RefColumns: []string{"id", "n"}, OnDelete: schema.Cascade, OnUpdate: schema.SetNull, State: schema.WriteOnly},
			{Name: "in_bag", Columns: []int{3}, Parent: "bag", RefColumns: []string{"at"}, OnDelete: schema.Restrict, NotEnforced: true},
			{Name: "in_car", Columns: []int{0}, Database: "garage", Parent: "car", RefColumns: []string{"id"}},
		},
		Referrers: []schema.Relative{{Name: "label"}, {Database: "garage", Name: "seat"}},
		Key:       []schema.KeyColumn{{Column: 0}, {Column: 1, Desc: true, Prefix: 10, Cut: 200}},
		Indexes: []*schema.Index{
			{Name: "Name", KeyName: "name", Unique: true, Key: []schema.KeyColumn{{Column: 1, Cut: 40}}, State: schema.WriteOnly, Step: 2, Copy: schema.CopyInclude, Include: []int{2, 3}, Comment: "by name"},
			{Name: "part", KeyName: "part", Key: []schema.KeyColumn{{Column: 0}}, State: schema.DeleteOnly, Copy: schema.CopyKeys, Child: "part"},
			{Name: "n", KeyName: "n", Key: []schema.KeyColumn{{Column: 2}}, ForForeignKey: true},
			{Name: "mail", KeyName: "mail", Unique: true, Key: []schema.KeyColumn{{Column: 1}}, Copy: schema.CopyKeys, Global: 16},
		},
		Spread: &schema.Spread{Kind: schema.SpreadByHash, Columns: []int{0}, Cut: 7, Count: 16},
		Partitions: &schema.Partitions{Kind: schema.PartitionByRange, Columns: []int{0, 3}, Tuple: true, Func: "YEAR", Every: 3, Unit: "MONTH", Automatic: true, List: []*schema.Partition{
			{Name: "p0", Physical: "shopZ8itemZ0", Values: "LESS THAN (5)", Spans: []keymap.Span{{To: "8005"}}},
			{Name: "p1", Physical: "shopZ8itemZ1", Spans: []keymap.Span{{From: "8005", To: "8009"}, {From: "800a"}}, Made: true, Opening: true, Published: 1700000000},
		}},
		Interleaved: &schema.Interleaving{Parent: "box", RowName: "box", Columns: []string{"id"}, Key: []schema.KeyColumn{{Column: 0}}, Name: "fk", Cascade: true, WithParent: true},
	}
	columns := []schema.Column{
		{Name: "id", Type: value.Type{Base: value.TypeBigInt, Unsigned: true, Declared: "BIGINT"}, NotNull: true, AutoIncrement: true},
		{Name: "Größe", Property: "Gr_f6_e", Type: value.Type{Base: value.TypeChar, Length: 30, Collation: value.NoCase, Declared: "CHAR"}, HasDefault: true, Default: "'x'", Comment: "size"},
		{Name: "n", Property: "n_02", Type: value.Type{Base: value.TypeDecimal, Precision: 10, Scale: 2, Declared: "NUMERIC"}, Initial: []byte("1.50"),
			NextForm:     &schema.Form{Property: "n_03", Type: value.Type{Base: value.TypeBigInt, Declared: "BIGINT"}, NotNull: true, Initial: []byte("2")},
			PreviousForm: &schema.Form{Property: "n", Type: value.Type{Base: value.TypeInt, Declared: "INT"}, Initial: []byte("1")}},
		{Name: "at", Type: value.Type{Base: value.TypeDateTime, Precision: 6, Declared: "DATETIME"}, HasDefault: true, Default: "CURRENT_TIMESTAMP(6)", OnUpdate: "CURRENT_TIMESTAMP(6)"},
		{Name: "e", Type: value.Type{Base: value.TypeEnum, Names: []string{"a", "it's"}, Declared: "ENUM"}, Initial: []byte{}},
		{Name: "b", Type: value.Type{Base: value.TypeBlob, Declared: "BLOB"}, Initial: []byte{0xff, 0}, HasDefault: true},
		{Name: "g", Type: value.Type{Base: value.TypeInt, Declared: "INTEGER"}, Generated: "n + 1", Stored: true, Invisible: true},
		{Name: "g", Property: "g_02", Type: value.Type{Base: value.TypeUUID}, Hidden: true, State: schema.WriteOnly},
	}
	for base := value.TypeBool; base <= value.TypeUUID; base++ {
		columns = append(columns, schema.Column{Name: "t" + base.String(), Type: value.Type{Base: base, Declared: typeWords.of[base], Names: map[bool][]string{true: {"m"}}[base == value.TypeEnum || base == value.TypeSet]}})
	}
	for _, c := range value.Collations() {
		columns = append(columns, schema.Column{Name: "c" + c.String(), Type: value.Type{Base: value.TypeText, Collation: c, Declared: "TEXT"}})
	}
	for i := range columns {
		if columns[i].Property == "" {
			columns[i].Property = columns[i].Name
		}
		own.Columns = append(own.Columns, &columns[i])
	}
	own.Change = &schema.Change{Phase: schema.Announced, Before: own.Columns[:2]}

	text := value.Type{Base: value.TypeText, Declared: "TEXT"}
	external := &schema.Table{
		Name: "log", Physical: "WADLogs", Version: 3, WriteVersion: 3,
		Columns: []*schema.Column{
			{Name: "a", Type: text, NotNull: true, Source: schema.SourceKey, Property: "a"},
			{Name: "b", Type: text, Property: "x", Edm: "String"},
			{Name: "n", Type: value.Type{Base: value.TypeBigInt, Declared: "BIGINT"}, NotNull: true, Source: schema.SourceKey, Property: "n"},
			{Name: "id", Type: value.Type{Base: value.TypeUUID, Declared: "UUID"}, NotNull: true, Source: schema.SourceKey, Property: "id"},
			{Name: "Timestamp", Type: value.Type{Base: value.TypeDateTime, Precision: -1}, Source: schema.SourceTimestamp},
			{Type: value.Type{Base: value.TypeBlob}, Source: schema.SourceWhole, Hidden: true},
		},
		Key: []schema.KeyColumn{{Column: 0}, {Column: 2}, {Column: 3}},
		External: &schema.External{
			Partition: []schema.Segment{{Text: "p-"}, {Column: 0}},
			Row:       []schema.Segment{{Column: 2, Form: schema.FormInverted, Digits: 19}, {Text: "_"}, {Column: 2, Form: schema.FormDecimal}, {Text: "_"}, {Column: 3, Form: schema.FormHex}},
		},
	}
	view := &schema.Table{Name: "Cheap", Version: 5, WriteVersion: 5, Collation: value.AccentsCI,
		View: &schema.View{Query: "SELECT `i`.`n` FROM Item i WHERE i.n < 5", Columns: []string{"N"}, TempTable: true, Check: schema.LocalCheck, Invoker: true, ANSIQuotes: true}}
	merged := &schema.Table{Name: "Dear", Version: 6, WriteVersion: 6,
		View: &schema.View{Query: "SELECT 1 AS `1`", Columns: []string{"1"}, Merge: true, Updatable: true, Check: schema.CascadedCheck}}
	return []*schema.Table{own, external, view, merged}
}

// TestFull: what was encoded is decoded as it was, and the texts are those that were ever stored. A text of testdata that
// changes is a form that older stores do not have: see docs/format.md before you write it anew.
func TestFull(t *testing.T) {
	for _, table := range full() {
		text, err := Encode(table)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, table) {
			again, _ := Encode(back)
			t.Errorf("was\n%s\nis\n%s", text, again)
		}
		path := filepath.Join("testdata", strings.ToLower(table.Name)+".json")
		shown := strings.NewReplacer(`,{"`, ",\n{\"", `:[{`, ":[\n{").Replace(text) + "\n"
		if *update {
			if err := os.WriteFile(path, []byte(shown), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		golden, err := os.ReadFile(path)
		if err != nil || string(golden) != shown {
			t.Errorf("%s: %v\n%s", path, err, shown)
		}
		if old, err := Decode(string(golden)); err != nil || !reflect.DeepEqual(old, table) {
			t.Errorf("%s gives another table: %v", path, err)
		}
	}
}

// computed are the fields that Init, the planner or the catalog make of the others.
var computed = []string{
	"Table.Temporary", "Table.Unwritable", "Table.Virtual", "Table.DatabaseColumns", "View.bound", "Table.texts", "Table.byName", "Table.Layout", "Table.whole",
	"Table.Statistics", "Table.Created", // stored beside the definition
	"Index.Segments", "Index.layout", "Partitions.Codes", "Partitions.Spans", "Partition.Number", "Interleaving.segments", "External.Undeclared",
	"Segment.Code", "Segment.end", "Segment.last",
	"Type.Coercion", "Type.Truth", "Type.members",
}

// TestEachField: a field that is new in a definition is stored, or else it is among the computed ones.
func TestEachField(t *testing.T) {
	filled := map[string]bool{}
	for _, table := range full() {
		noteFilled(filled, reflect.ValueOf(table))
	}
	for name, ok := range filled {
		if ok == slices.Contains(computed, name) {
			t.Errorf("%s: in full is %v: store it (see docs/format.md), give it a value in full, or list it as computed", name, ok)
		}
	}
}

func noteFilled(filled map[string]bool, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			noteFilled(filled, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			noteFilled(filled, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Name() + "." + v.Type().Field(i).Name
			filled[name] = filled[name] || !v.Field(i).IsZero()
			if !slices.Contains(computed, name) {
				noteFilled(filled, v.Field(i))
			}
		}
	}
}

// TestFeaturesUsed: each feature of definitions is used by one of full, and none is unknown.
func TestFeaturesUsed(t *testing.T) {
	var used []string
	for _, table := range full() {
		text, err := Encode(table)
		if err != nil {
			t.Fatal(err)
		}
		var form struct {
			ToRead  []string `json:"to_read"`
			ToWrite []string `json:"to_write"`
		}
		if err := json.Unmarshal([]byte(text), &form); err != nil {
			t.Fatal(err)
		}
		used = append(append(used, form.ToRead...), form.ToWrite...)
	}
	slices.Sort(used)
	used = slices.Compact(used)
	if asked := slices.Sorted(maps.Keys(uses(&table{}))); !slices.Equal(asked, used) {
		t.Errorf("asked of are %v, used %v", asked, used)
	}
	var known []string
	for _, f := range feature.Definitions {
		known = append(known, f.Name)
	}
	if !slices.Equal(used, known) {
		t.Errorf("used are %v, known %v", used, known)
	}
}

// TestWords: each constant has a word of its own.
func TestWords(t *testing.T) {
	checkWords(t, typeWords, value.TypeBool, value.TypeUUID)
	checkWords(t, collationWords, value.Binary, value.Collation(len(value.Collations())-1))
	checkWords(t, stateWords, schema.Public, schema.WriteOnly)
	checkWords(t, phaseWords, schema.Announced, schema.Backfill)
	checkWords(t, copyWords, schema.CopyRow, schema.CopyKeys)
	checkWords(t, spreadWords, schema.SpreadByKey, schema.SpreadByHash)
	checkWords(t, partitionWords, schema.PartitionByRange, schema.PartitionByList)
	checkWords(t, sourceWords, schema.SourceProperty, schema.SourceWhole)
	checkWords(t, formWords, schema.FormPlain, schema.FormHex)
	checkWords(t, optionWords, schema.Unchecked, schema.CascadedCheck)
}

func checkWords[T ~uint8](t *testing.T, w words[T], first, last T) {
	t.Helper()
	if len(w.of) != int(last-first)+1 {
		t.Errorf("%s: %d words for %d values", w.field, len(w.of), last-first+1)
	}
	for v := first; v <= last; v++ {
		word, err := w.word(v)
		if err != nil {
			t.Error(err)
		}
		if back, err := w.value("", word); err != nil || back != v {
			t.Errorf("%s %q is %v, was %v: %v", w.field, word, back, v, err)
		}
	}
	if _, err := w.word(last + 1); err == nil {
		t.Errorf("%s: %v has a word", w.field, last+1)
	}
}
