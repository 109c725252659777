package stored

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/feature"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// Decode reads what Encode wrote; Init must still be called. An error says which field is at fault; a *feature.Error, that a
// newer version wrote the definition. If this version may still read but not write by it, the table has Unwritable set, and
// lacks what this version does not know.
func Decode(text string) (*schema.Table, error) {
	var f table
	unknown, err := readStrict([]byte(text), &f)
	if err != nil {
		return nil, err
	}
	where := "table " + f.Name
	if names := feature.Definitions.Unknown(f.ToRead); len(names) > 0 {
		return nil, &feature.Error{Where: where, What: feature.Uses(names)}
	}
	newer := feature.Definitions.Unknown(f.ToWrite)
	if len(unknown) > 0 && len(newer) == 0 {
		return nil, &feature.Error{Where: where, What: "has the field " + strings.Join(unknown, ", ") + " in its definition"}
	}
	d := &decoder{}
	t := d.table(&f)
	if d.err != nil {
		return nil, fmt.Errorf("table %s: %w", f.Name, d.err)
	}
	if len(newer) > 0 {
		t.Unwritable = &feature.Error{Where: where, What: feature.Uses(newer), Write: true}
	}
	return t, nil
}

// decoder makes a table. It keeps its first error.
type decoder struct {
	columns map[string]int // by what keys call them
	err     error
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

func read[T comparable](d *decoder, w words[T], at, word string) T {
	v, err := w.value(at, word)
	if err != nil {
		d.fail(err)
	}
	return v
}

func (d *decoder) table(f *table) *schema.Table {
	t := &schema.Table{
		Database: f.Database, Name: f.Name, Physical: f.Physical, RowName: f.RowName, Version: f.Version, WriteVersion: f.WriteVersion,
		Comment: f.Comment, Collation: read(d, collationWords, "", f.Collation), FirstAutoIncrement: f.AutoIncrement,
		Columns: d.list("columns", f.Columns), KeyNames: f.KeyNames, Checks: d.checks(f.Checks), Children: f.Children,
		Retired: f.Retired,
	}
	if c := f.Change; c != nil {
		t.Change = &schema.Change{Phase: read(d, phaseWords, "change.", c.Phase), Before: d.list("change.columns_before", c.Before)}
		if len(c.Before) > len(f.Columns) || (len(c.Before) > 0) != t.Announces() {
			d.fail(wrong("change.columns_before", "does not fit columns and phase"))
		}
	}
	if t.WriteVersion == 0 {
		t.WriteVersion = t.Version
	}
	if f.External != nil {
		t.External = &schema.External{}
	}
	d.refer(t)
	t.ForeignKeys = d.foreignKeys(f.ForeignKeys)
	for _, name := range f.Referrers {
		t.Referrers = append(t.Referrers, schema.Own(name))
	}
	for _, r := range f.Elsewhere {
		t.Referrers = append(t.Referrers, schema.Relative{Database: r.Database, Name: r.Table})
	}
	t.Key = d.key("key", f.Key)
	for i := range f.Indexes {
		t.Indexes = append(t.Indexes, d.index(element("indexes", i)+".", &f.Indexes[i]))
	}
	if p := f.Spread; p != nil {
		t.Spread = &schema.Spread{Kind: read(d, spreadWords, "store_partitions.", p.By), Columns: d.ordinals("store_partitions.columns", p.Columns), Cut: p.Cut, Count: p.Count}
	}
	if p := f.Spread; p != nil && (p.Count < 0 || p.Count > schema.MaxBuckets) {
		d.fail(wrong("store_partitions.count", "is not 0 to %d", schema.MaxBuckets))
	}
	if f.Partitions != nil {
		t.Partitions = d.partitions(f.Partitions)
	}
	if p := f.Parent; p != nil {
		t.Interleaved = &schema.Interleaving{Parent: p.Table, RowName: p.RowName, Columns: p.Columns, Key: d.key("parent.key", p.Key), Name: p.ForeignKey,
			Cascade: read(d, cascadeWords, "parent.", p.OnDelete), WithParent: p.Copies}
		if len(p.Columns) != len(p.Key) {
			d.fail(wrong("parent.columns", "has not as many columns as parent.key"))
		}
	}
	if f.External != nil {
		t.External.Partition, t.External.Row = d.pieces("external.partition_key", f.External.Partition), d.pieces("external.row_key", f.External.Row)
	}
	if v := f.View; v != nil {
		how := read(d, algorithmWords, "view.", v.Algorithm)
		t.View = &schema.View{Query: v.Query, Columns: v.Columns, Merge: how.merge, TempTable: how.tempTable, Check: read(d, optionWords, "view.", v.Check),
			Invoker: read(d, securityWords, "view.", v.Security), Updatable: v.Updatable, ANSIQuotes: v.ANSIQuotes}
		if len(v.Columns) == 0 {
			d.fail(wrong("view.columns", "is missing"))
		}
	}
	return t
}

func element(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

func (d *decoder) list(at string, columns []column) []*schema.Column {
	var out []*schema.Column
	for i := range columns {
		at, f := element(at, i)+".", &columns[i]
		c := &schema.Column{
			Name: f.Name, Type: d.typ(at, &f.typ), NotNull: f.NotNull, AutoIncrement: f.AutoIncrement,
			Hidden: f.Hidden, Invisible: f.Invisible, State: read(d, stateWords, at, f.State), HasDefault: f.Default != nil, OnUpdate: f.OnUpdate, Comment: f.Comment,
			Generated: f.Generated, Stored: f.Stored, Initial: f.initial.value(), Source: read(d, sourceWords, at, f.Source), Edm: f.Edm,
		}
		if f.Default != nil {
			c.Default = *f.Default
		}
		if c.Property = impliedProperty(c); f.Property != nil {
			c.Property = *f.Property
		}
		c.NextForm, c.PreviousForm = d.columnForm(at+"coming.", f.NextForm), d.columnForm(at+"former.", f.PreviousForm)
		out = append(out, c)
	}
	return out
}

func (d *decoder) columnForm(at string, f *columnForm) *schema.Form {
	if f == nil {
		return nil
	}
	return &schema.Form{Property: f.Property, Type: d.typ(at, &f.typ), NotNull: f.NotNull, Initial: f.initial.value()}
}

func (d *decoder) typ(at string, f *typ) value.Type {
	t := value.Type{
		Base: read(d, typeWords, at, f.Type), Unsigned: f.Unsigned, Collation: read(d, collationWords, at, f.Collation),
		Length: f.Length, Precision: f.Precision, Scale: f.Scale, Names: f.Members, Declared: f.Type,
	}
	if f.Declared != nil {
		t.Declared = *f.Declared
	}
	if t.HasMembers() && len(t.Names) == 0 {
		d.fail(wrong(at+"members", "is missing"))
	}
	return t
}

func (f *initial) value() []byte {
	if f.Initial != nil {
		return []byte(*f.Initial)
	}
	return f.InitialOctets
}

// refer notes the names by which keys refer to the columns.
func (d *decoder) refer(t *schema.Table) {
	d.columns = make(map[string]int, len(t.Columns))
	for i, c := range t.Columns {
		name := refer(t, c)
		if _, twice := d.columns[name]; twice {
			d.fail(wrong("columns", "has %q twice", name))
		}
		d.columns[name] = i
	}
}

func (d *decoder) ordinal(at, name string) int {
	i, ok := d.columns[name]
	if !ok {
		d.fail(wrong(at, "names %q, and there is no such column", name))
	}
	return i
}

func (d *decoder) ordinals(at string, names []string) []int {
	var out []int
	for i, name := range names {
		out = append(out, d.ordinal(element(at, i), name))
	}
	return out
}

func (d *decoder) key(at string, columns []keyColumn) []schema.KeyColumn {
	var out []schema.KeyColumn
	for i, k := range columns {
		if k.Prefix < 0 || k.Cut < 0 {
			d.fail(wrong(element(at, i), "has a number below 0"))
		}
		out = append(out, schema.KeyColumn{Column: d.ordinal(element(at, i)+".column", k.Column), Desc: k.Desc, Prefix: k.Prefix, Cut: k.Cut})
	}
	return out
}

func (d *decoder) index(at string, f *index) *schema.Index {
	ix := &schema.Index{
		Name: f.Name, KeyName: f.KeyName, Unique: f.Unique, Key: d.key(at+"columns", f.Columns), State: read(d, stateWords, at, f.State),
		Step: f.Step, Copy: read(d, copyWords, at, f.Copy), Include: d.ordinals(at+"include", f.Include), Comment: f.Comment, ForForeignKey: f.ForForeignKey,
		Child: f.Child, Global: f.Global,
	}
	if ix.KeyName == "" {
		ix.KeyName = ix.Name
	}
	return ix
}

func (d *decoder) checks(list []check) []schema.CheckDef {
	var out []schema.CheckDef
	for i, c := range list {
		out = append(out, schema.CheckDef{Name: c.Name, Text: c.SQL, State: read(d, stateWords, element("checks", i)+".", c.State), NotEnforced: c.NotEnforced})
	}
	return out
}

func (d *decoder) foreignKeys(list []foreign) []schema.ForeignKey {
	var out []schema.ForeignKey
	for i, k := range list {
		at := element("foreign_keys", i) + "."
		if len(k.Columns) == 0 || len(k.Columns) != len(k.RefColumns) {
			d.fail(wrong(at+"table_columns", "has not as many columns as %scolumns", at))
		}
		out = append(out, schema.ForeignKey{Name: k.Name, Columns: d.ordinals(at+"columns", k.Columns), Database: k.Database, Parent: k.Table, RefColumns: k.RefColumns,
			OnDelete: read(d, actionWords, at+"on_delete: ", k.OnDelete), OnUpdate: read(d, actionWords, at+"on_update: ", k.OnUpdate),
			State: read(d, stateWords, at, k.State), NotEnforced: k.NotEnforced})
	}
	return out
}

func (d *decoder) partitions(f *partitions) *schema.Partitions {
	ps := &schema.Partitions{
		Kind: read(d, partitionWords, "partitions.", f.By), Columns: d.ordinals("partitions.columns", f.Columns), Tuple: f.Tuple,
		Func: f.Function, Every: f.Every, Unit: f.Unit, Automatic: f.Automatic,
	}
	if len(f.Columns) == 0 {
		d.fail(wrong("partitions.columns", "is missing"))
	}
	for i, p := range f.List {
		g := &schema.Partition{Name: p.Name, Physical: p.Physical, Values: p.Values, Made: p.Made, Opening: p.Opening, Published: p.Published}
		for _, s := range p.Spans {
			g.Spans = append(g.Spans, keymap.Span(s))
		}
		if len(g.Spans) == 0 {
			d.fail(wrong(element("partitions.list", i)+".spans", "is missing"))
		}
		ps.List = append(ps.List, g)
	}
	return ps
}

func (d *decoder) pieces(at string, list []piece) []schema.Segment {
	var out []schema.Segment
	if len(list) == 0 {
		d.fail(wrong(at, "is missing"))
	}
	for i, p := range list {
		at := element(at, i) + "."
		if p.Text != "" {
			if p.Column != "" || p.Form != "" || p.Digits != 0 {
				d.fail(wrong(at+"text", "is there beside a column"))
			}
			out = append(out, schema.Segment{Text: p.Text})
			continue
		}
		if p.Digits < 0 {
			d.fail(wrong(at+"digits", "is below 0"))
		}
		out = append(out, schema.Segment{Column: d.ordinal(at+"column", p.Column), Form: read(d, formWords, at, p.Form), Digits: p.Digits})
	}
	return out
}
