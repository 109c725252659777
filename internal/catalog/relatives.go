package catalog

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// relatives collects the next definitions of the tables that change together with another one because they name it.
type relatives struct {
	snapshot *Snapshot
	tables   map[string]*schema.Table // by folded name
}

func (s *Snapshot) newRelatives() *relatives {
	return &relatives{s, map[string]*schema.Table{}}
}

// change gives the next definition of a table, to be changed, or nil if there is no such table. It is published even if it is
// left unchanged, so that plans made by it are made anew.
func (r *relatives) change(ctx context.Context, name string) (*schema.Table, error) {
	folded := strings.ToLower(name)
	if t := r.tables[folded]; t != nil {
		return t, nil
	}
	t, err := r.snapshot.Table(ctx, name)
	if isNoTable(err) {
		return nil, nil // declared by a process that died before making it, or dropped without foreign_key_checks
	}
	if err != nil {
		return nil, err
	}
	r.tables[folded] = t.Clone()
	return r.tables[folded], nil
}

// list gives the definitions, except those of some names.
func (r *relatives) list(but map[string]bool) (out []*schema.Table) {
	for _, name := range slices.Sorted(maps.Keys(r.tables)) {
		if !but[name] {
			out = append(out, r.tables[name])
		}
	}
	return out
}

// rename makes the tables interleaved in t, and the parent of t, know it by another name; "": it is dropped.
func (r *relatives) rename(ctx context.Context, t *schema.Table, to string) error {
	if t.IsInterleaved() {
		parent, err := r.change(ctx, t.Interleaved.Parent)
		if err != nil {
			return err
		}
		if parent == nil {
			return &schema.NoTableError{Database: t.Database, Name: t.Interleaved.Parent}
		}
		r.tables[strings.ToLower(parent.Name)] = parent.RenameChild(t.Name, to)
	}
	if to == "" {
		return nil
	}
	for _, name := range t.Children {
		child, err := r.change(ctx, name)
		if err != nil {
			return err
		}
		if child != nil && child.IsInterleaved() {
			child.Interleaved.Parent = to
		}
	}
	return nil
}

// retie tells the tables that foreign keys tie to a table what becomes of it: old becomes next, is created (old is nil) or dropped
// (next is nil).
func (r *relatives) retie(ctx context.Context, old, next *schema.Table) error {
	if old != nil && old.IsView() || next != nil && next.IsView() {
		return nil // no foreign key is involved
	}
	if err := r.retieParents(ctx, old, next); err != nil {
		return err
	}
	renamed := old != nil && next != nil && !strings.EqualFold(old.Name, next.Name)
	if renamed {
		next.Refer(schema.Own(old.Name), false)
		redirect(next, old, next.Name)
		renumber(next, old.Name)
	}
	if old != nil {
		if err := r.retieChildren(ctx, old, next, renamed); err != nil {
			return err
		}
	}
	if next == nil {
		return nil
	}
	next.Refer(schema.Own(next.Name), next.RefersTo(schema.Own(next.Name)))
	if old == nil || renamed {
		return r.adoptChildren(ctx, old, next)
	}
	return nil
}

func (r *relatives) retieParents(ctx context.Context, old, next *schema.Table) error {
	var all []schema.Relative
	refers := func(t *schema.Table, to schema.Relative) bool { return t != nil && t.RefersTo(to) }
	for _, t := range []*schema.Table{old, next} {
		if t != nil {
			all = append(all, t.Parents()...)
		}
	}
	for _, to := range all {
		if !to.IsOwn() || refers(old, to) && refers(next, to) && old.Name == next.Name || old != nil && to.Is(schema.Own(old.Name)) {
			continue
		}
		parent, err := r.snapshot.Table(ctx, to.Name)
		if isNoTable(err) || err == nil && old == nil && parent.IsReferredBy(schema.Own(next.Name)) {
			continue
		}
		if err != nil {
			return err
		}
		if parent, err = r.change(ctx, to.Name); err != nil {
			return err
		}
		if old != nil {
			parent.Refer(schema.Own(old.Name), false)
		}
		if refers(next, to) {
			parent.Refer(schema.Own(next.Name), true)
		}
	}
	return nil
}

// retieChildren changes the tables with foreign keys to a table that is renamed or dropped, or whose columns are.
func (r *relatives) retieChildren(ctx context.Context, old, next *schema.Table, renamed bool) error {
	columns := map[string]string{} // new names, by old ones in lower case
	if next != nil {
		for _, was := range old.Columns {
			at := slices.IndexFunc(next.Columns, func(c *schema.Column) bool { return c.Property == was.Property })
			if at >= 0 && next.Columns[at].Name != was.Name {
				columns[strings.ToLower(was.Name)] = next.Columns[at].Name
			}
		}
		if !renamed && len(columns) == 0 {
			return nil
		}
		rename(next, next.Name, columns)
	}
	for _, from := range old.Referrers {
		if !from.IsOwn() || from.Is(schema.Own(old.Name)) {
			continue
		}
		child, err := r.change(ctx, from.Name)
		if err != nil {
			return err
		}
		if child != nil && next != nil {
			redirect(child, old, next.Name)
			rename(child, next.Name, columns)
		}
	}
	return nil
}

// redirect makes the foreign keys of t that refer to a table refer to it by another name.
func redirect(t, parent *schema.Table, to string) {
	for i := range t.ForeignKeys {
		if k := &t.ForeignKeys[i]; k.RefersTo(schema.Own(parent.Name)) {
			k.Parent = to
		}
	}
}

// rename gives the columns of a parent that the foreign keys of t refer to their new names.
func rename(t *schema.Table, parent string, names map[string]string) {
	for i := range t.ForeignKeys {
		k := &t.ForeignKeys[i]
		for j, ref := range k.RefColumns {
			if to := names[strings.ToLower(ref)]; to != "" && k.RefersTo(schema.Own(parent)) {
				k.RefColumns[j] = to
			}
		}
	}
}

// renumber renames foreign keys whose names came from a table's former name, such as t_ibfk_1, after its new one, as MySQL does.
func renumber(t *schema.Table, from string) {
	for i := range t.ForeignKeys {
		k := &t.ForeignKeys[i]
		if prefix := from + "_ibfk_"; len(k.Name) > len(prefix) && strings.EqualFold(k.Name[:len(prefix)], prefix) {
			k.Name = t.Name + k.Name[len(from):]
		}
	}
}

// adoptChildren notes in a table with a new name the tables that wait for a table of that name: they were created, or their
// parent was dropped, without foreign_key_checks.
func (r *relatives) adoptChildren(ctx context.Context, old, next *schema.Table) error {
	all, err := r.snapshot.Known(ctx)
	if err != nil {
		return err
	}
	for _, t := range all {
		if old != nil && t.Name == old.Name || !t.RefersTo(schema.Own(next.Name)) {
			continue
		}
		if _, err := r.change(ctx, t.Name); err != nil {
			return err
		}
		next.Refer(schema.Own(t.Name), true)
	}
	return nil
}

// DeclareReferences notes, in the tables that the new table t refers to, that t does. t may hold no rows before every
// statement that deletes a parent row looks for rows that refer to it. Create follows.
func (c *Catalog) DeclareReferences(ctx context.Context, t *schema.Table, m *engine.Meter) error {
	if len(t.Parents()) == 0 {
		return nil
	}
	changed := false
	err := c.changing(ctx, func(s *Snapshot) error {
		if err := s.free(ctx, t.Name); err != nil {
			return err
		}
		r := s.newRelatives()
		if err := r.retieParents(ctx, nil, t); err != nil {
			return err
		}
		parents := r.list(nil)
		if changed = len(parents) > 0; !changed {
			return nil
		}
		return c.publish(ctx, s, m, nil, parents...)
	})
	if err != nil || !changed {
		return err
	}
	return c.WaitCurrent(ctx)
}
