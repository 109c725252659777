package define

import (
	"errors"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Tables are definitions without a store, by folded name.
type Tables map[string]*schema.Table

// Table implements schema.Tables.
func (d Tables) Table(database, name string) (*schema.Table, error) {
	if t := d[strings.ToLower(name)]; t != nil {
		return t, nil
	}
	return nil, &schema.NoTableError{Database: database, Name: name}
}

// Run changes the definitions as CREATE TABLE, CREATE VIEW, CREATE INDEX and ALTER TABLE do; without rows, these are done at once.
func (d Tables) Run(s dialect.Statement, opt planner.Options) error {
	switch s := s.(type) {
	case *dialect.CreateTable:
		if s.Like != nil || s.As != nil {
			return errors.New("a definition is CREATE TABLE with columns, not LIKE nor AS")
		}
		return d.create(s, opt)
	case *dialect.CreateView:
		t, err := View(s, "", d, opt)
		if err == nil {
			d[strings.ToLower(t.Name)] = t
		}
		return err
	case *dialect.CreateIndex:
		return d.alter(s.Table, dialect.AlterAction{Kind: dialect.AddIndex, Index: s.Index, Options: s.Options}, opt)
	case *dialect.AlterTable:
		for _, a := range s.Actions {
			if err := d.alter(s.Table, a, opt); err != nil {
				return err
			}
		}
		return nil
	}
	return errors.New("a definition is CREATE TABLE, CREATE VIEW, CREATE INDEX or ALTER TABLE")
}

func (d Tables) create(s *dialect.CreateTable, opt planner.Options) error {
	t, err := DefineInterleaved(s, d[strings.ToLower(s.Options["INTERLEAVE IN PARENT"])], opt)
	if err != nil {
		return err
	}
	switch {
	case t.IsInterleaved():
		t.Physical = d[strings.ToLower(t.Interleaved.Parent)].Physical
	case !t.IsExternal():
		t.Physical = keymap.TableName("", t.Name)
	}
	if t.IsInterleaved() {
		parent := d[strings.ToLower(t.Interleaved.Parent)].AddChild(t)
		if copies := parent.ParentCopies(t.Name); copies != nil {
			copies.State = schema.Public // filled, as CREATE TABLE leaves it
		}
		if err := parent.Init(); err != nil {
			return err
		}
		d[strings.ToLower(parent.Name)] = parent
	}
	d[strings.ToLower(t.Name)] = t
	return d.retie(t)
}

// retie checks the foreign keys of a table, and notes them in the tables that they refer to.
func (d Tables) retie(t *schema.Table) error {
	for i := range t.ForeignKeys {
		k := &t.ForeignKeys[i]
		if k.NotEnforced {
			continue
		}
		parent := d[strings.ToLower(k.Parent)]
		if parent == nil || !k.To().IsOwn() {
			return sqlerr.New(sqlerr.CodeNoReferencedTable, sqlerr.NoPos, "Failed to open the referenced table '%s'", k.Parent)
		}
		if err := CheckForeignKey(t, k, parent); err != nil {
			return err
		}
		parent.Refer(schema.Own(t.Name), true)
	}
	return nil
}

func (d Tables) alter(name dialect.TableName, a dialect.AlterAction, opt planner.Options) error {
	t, err := d.Table(name.Database, name.Name)
	if err != nil {
		return err
	}
	if a.Kind == dialect.AddForeignKey {
		index, err := NeededIndex(t, &a.ForeignKey)
		if err == nil && index != nil {
			err = d.alter(name, dialect.AlterAction{Kind: dialect.AddIndex, Index: *index}, opt)
		}
		if err != nil {
			return err
		}
		t = d[strings.ToLower(t.Name)]
	}
	next, _, err := Alter(t, a, opt)
	if err != nil {
		return err
	}
	next.EndChange()
	delete(d, strings.ToLower(t.Name))
	d[strings.ToLower(next.Name)] = next
	if err := next.Init(); err != nil {
		return err
	}
	return d.retie(next)
}
