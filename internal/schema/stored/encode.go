// Package stored is the form in which the catalog keeps a definition: JSON that people and later versions can read. Types, kinds and
// states are words, columns are named rather than numbered, and empty fields are left out. docs/format.md says what each
// field means and how the form may grow.
//
//	text, err := stored.Encode(table)
//	table, err := stored.Decode(text)
package stored

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/feature"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Encode gives the text of a definition. It refuses one that Decode would not give back unchanged.
func Encode(t *schema.Table) (string, error) {
	if t.Unwritable != nil {
		return "", t.Unwritable
	}
	text, err := encode(t)
	if err != nil {
		return "", fmt.Errorf("the definition of table %s cannot be stored: %w", t.Name, err)
	}
	return text, nil
}

func encode(t *schema.Table) (string, error) {
	if t.IsUndeclared() || t.Virtual != nil {
		return "", errors.New("nobody declared it")
	}
	e := &encoder{table: t}
	form := e.form()
	if e.err != nil {
		return "", e.err
	}
	text, err := marshal(form)
	if err != nil {
		return "", err
	}
	var back table
	if _, err := readStrict(text, &back); err != nil {
		return "", err
	}
	if again, err := marshal(&back); err != nil || !bytes.Equal(again, text) {
		return "", errors.New("it holds a text that is not UTF-8")
	}
	return string(text), nil
}

func marshal(form *table) ([]byte, error) {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false) // people read it
	err := to.Encode(form)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// encoder makes a form. It keeps its first error.
type encoder struct {
	table *schema.Table
	err   error
}

func spell[T comparable](e *encoder, w words[T], v T) string {
	s, err := w.word(v)
	if err != nil && e.err == nil {
		e.err = err
	}
	return s
}

func (e *encoder) form() *table {
	t := e.table
	f := &table{
		Database: t.Database, Name: t.Name, Physical: t.Physical, RowName: t.RowName, Version: t.Version,
		Comment: t.Comment, Collation: spell(e, collationWords, t.Collation), AutoIncrement: t.FirstAutoIncrement,
		Columns: e.columns(t.Columns), Key: e.key(t.Key), KeyNames: t.KeyNames, Checks: e.checks(t.Checks),
		Children: t.Children, Retired: t.Retired, ForeignKeys: e.foreignKeys(t.ForeignKeys),
	}
	for _, r := range t.Referrers {
		if r.IsOwn() {
			f.Referrers = append(f.Referrers, r.Name)
		} else {
			f.Elsewhere = append(f.Elsewhere, relative{r.Database, r.Name})
		}
	}
	if c := t.Change; c != nil {
		f.Change = &change{spell(e, phaseWords, c.Phase), e.columns(c.Before)}
	}
	if t.WriteVersion != t.Version {
		f.WriteVersion = t.WriteVersion
	}
	for _, ix := range t.Indexes {
		f.Indexes = append(f.Indexes, e.index(ix))
	}
	if p := t.Spread; p != nil {
		f.Spread = &spread{By: spell(e, spreadWords, p.Kind), Columns: e.names(p.Columns), Cut: p.Cut, Count: p.Count}
	}
	if t.Partitions != nil {
		f.Partitions = e.partitions(t.Partitions)
	}
	if in := t.Interleaved; in != nil {
		f.Parent = &parent{Table: in.Parent, RowName: in.RowName, Columns: in.Columns, Key: e.key(in.Key), ForeignKey: in.Name,
			OnDelete: spell(e, cascadeWords, in.Cascade), Copies: in.WithParent}
	}
	if t.External != nil {
		f.External = &external{e.pieces(t.External.Partition), e.pieces(t.External.Row)}
	}
	if v := t.View; v != nil {
		f.View = &view{Query: v.Query, Columns: v.Columns, Algorithm: spell(e, algorithmWords, algorithm{v.Merge, v.TempTable}),
			Check: spell(e, optionWords, v.Check), Security: spell(e, securityWords, v.Invoker), Updatable: v.Updatable, ANSIQuotes: v.ANSIQuotes}
	}
	f.listFeatures()
	return f
}

// uses says for each of feature.Definitions whether a form uses it.
func uses(f *table) map[string]bool {
	initials := false
	for i := range f.Columns {
		c := &f.Columns[i]
		initials = initials || c.Initial != nil || c.InitialOctets != nil
	}
	kept := func(k foreign) bool { return !k.NotEnforced }
	return map[string]bool{
		"change":                     f.Change != nil,
		"external":                   f.External != nil,
		"foreign_keys":               len(f.ForeignKeys) > 0 || len(f.Referrers) > 0,
		"foreign_keys_elsewhere":     len(f.Elsewhere) > 0 || slices.ContainsFunc(f.ForeignKeys, func(k foreign) bool { return k.Database != "" }),
		"foreign_keys_of_partitions": f.Partitions != nil && (slices.ContainsFunc(f.ForeignKeys, kept) || len(f.Referrers)+len(f.Elsewhere) > 0),
		"global_indexes":             slices.ContainsFunc(f.Indexes, func(ix index) bool { return ix.Global != 0 }),
		"initial_values":             initials,
		"invisible_columns":          slices.ContainsFunc(f.Columns, func(c column) bool { return c.Invisible }),
		"parent":                     f.Parent != nil,
		"parent_copies":              f.Parent != nil && f.Parent.Copies,
		"partitions":                 f.Partitions != nil,
		"resting_checks":             slices.ContainsFunc(f.Checks, func(c check) bool { return c.NotEnforced }),
		"views":                      f.View != nil,
	}
}

// listFeatures makes the form say which features it uses.
func (f *table) listFeatures() {
	used := uses(f)
	for _, known := range feature.Definitions {
		switch {
		case !used[known.Name]:
		case known.ToWrite:
			f.ToWrite = append(f.ToWrite, known.Name)
		default:
			f.ToRead = append(f.ToRead, known.Name)
		}
	}
}

func (e *encoder) columns(columns []*schema.Column) []column {
	var out []column
	for _, c := range columns {
		f := column{
			Name: c.Name, typ: e.typ(c.Type), NotNull: c.NotNull, AutoIncrement: c.AutoIncrement,
			Hidden: c.Hidden, Invisible: c.Invisible, State: spell(e, stateWords, c.State), OnUpdate: c.OnUpdate, Comment: c.Comment, Generated: c.Generated, Stored: c.Stored,
			initial: initialOf(c.Initial), Source: spell(e, sourceWords, c.Source), Edm: c.Edm,
		}
		if c.HasDefault {
			f.Default = &c.Default
		}
		if c.Property != impliedProperty(c) {
			f.Property = &c.Property
		}
		f.NextForm, f.PreviousForm = e.columnForm(c.NextForm), e.columnForm(c.PreviousForm)
		out = append(out, f)
	}
	return out
}

func (e *encoder) columnForm(f *schema.Form) *columnForm {
	if f == nil {
		return nil
	}
	return &columnForm{f.Property, e.typ(f.Type), f.NotNull, initialOf(f.Initial)}
}

// impliedProperty is the property of a column that names none.
func impliedProperty(c *schema.Column) string {
	if c.Source != schema.SourceProperty {
		return ""
	}
	return c.Name
}

func (e *encoder) typ(t value.Type) typ {
	f := typ{
		Type: spell(e, typeWords, t.Base), Unsigned: t.Unsigned, Collation: spell(e, collationWords, t.Collation),
		Length: t.Length, Precision: t.Precision, Scale: t.Scale, Members: t.Names,
	}
	if t.Declared != f.Type {
		f.Declared = &t.Declared
	}
	return f
}

func initialOf(v []byte) initial {
	switch text := string(v); {
	case v == nil:
		return initial{}
	case utf8.ValidString(text):
		return initial{Initial: &text}
	}
	return initial{InitialOctets: v}
}

// names are the names of columns in the form; see refer.
func (e *encoder) names(ordinals []int) []string {
	var out []string
	for _, i := range ordinals {
		out = append(out, e.name(i))
	}
	return out
}

func (e *encoder) name(ordinal int) string {
	if ordinal < 0 || ordinal >= len(e.table.Columns) {
		if e.err == nil {
			e.err = fmt.Errorf("a key names column %d, which is not there", ordinal)
		}
		return ""
	}
	return refer(e.table, e.table.Columns[ordinal])
}

// refer gives the name of a key's column in the definition: its property, which no other column ever had, whereas two may have the same
// name during a change. Columns that make up an external table's keys have no property.
func refer(t *schema.Table, c *schema.Column) string {
	if t.External != nil {
		return c.Name
	}
	return c.Property
}

func (e *encoder) key(parts []schema.KeyColumn) []keyColumn {
	var out []keyColumn
	for _, p := range parts {
		out = append(out, keyColumn{e.name(p.Column), p.Desc, p.Prefix, p.Cut})
	}
	return out
}

func (e *encoder) index(ix *schema.Index) index {
	f := index{
		Name: ix.Name, Unique: ix.Unique, Columns: e.key(ix.Key), State: spell(e, stateWords, ix.State), Step: ix.Step,
		Copy: spell(e, copyWords, ix.Copy), Include: e.names(ix.Include), Comment: ix.Comment, ForForeignKey: ix.ForForeignKey,
		Child: ix.Child, Global: ix.Global,
	}
	if ix.KeyName != ix.Name {
		f.KeyName = ix.KeyName
	}
	return f
}

func (e *encoder) checks(list []schema.CheckDef) []check {
	var out []check
	for _, c := range list {
		out = append(out, check{c.Name, c.Text, spell(e, stateWords, c.State), c.NotEnforced})
	}
	return out
}

func (e *encoder) foreignKeys(list []schema.ForeignKey) []foreign {
	var out []foreign
	for _, k := range list {
		out = append(out, foreign{k.Name, e.names(k.Columns), k.Database, k.Parent, k.RefColumns, spell(e, actionWords, k.OnDelete),
			spell(e, actionWords, k.OnUpdate), spell(e, stateWords, k.State), k.NotEnforced})
	}
	return out
}

func (e *encoder) partitions(ps *schema.Partitions) *partitions {
	f := &partitions{
		By: spell(e, partitionWords, ps.Kind), Columns: e.names(ps.Columns), Tuple: ps.Tuple, Function: ps.Func,
		Every: ps.Every, Unit: ps.Unit, Automatic: ps.Automatic,
	}
	for _, p := range ps.List {
		g := partition{Name: p.Name, Physical: p.Physical, Values: p.Values, Made: p.Made, Opening: p.Opening, Published: p.Published}
		for _, s := range p.Spans {
			g.Spans = append(g.Spans, span(s))
		}
		f.List = append(f.List, g)
	}
	return f
}

func (e *encoder) pieces(list []schema.Segment) []piece {
	var out []piece
	for _, p := range list {
		if p.Text != "" {
			out = append(out, piece{Text: p.Text})
			continue
		}
		out = append(out, piece{Column: e.name(p.Column), Form: spell(e, formWords, p.Form), Digits: p.Digits})
	}
	return out
}
