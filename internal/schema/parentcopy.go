package schema

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// A table that is interleaved in its parent WITH PARENT has a copy of each parent's row directly before that row's
// children, so that one range holds both:
//
//	parent  PK!5
//	copy    item!5
//	child   item!5!1
//
// The copies are an index of the parent, Index.Child, and are written, filled and checked like any other index. Its
// keys are the beginnings of the child's: the same codes, in the child's order. It serves joins of the two
// (FamilyScan), but no query of the parent alone. Because no code contains the separator, the number of separators in
// a key distinguishes a copy from a child.

// parentCopyIndex makes the index of the stored copies of t's rows among those of child, which is interleaved in t.
func (t *Table) parentCopyIndex(child *Table) *Index {
	ix := &Index{Name: t.parentCopyName(child.Name), KeyName: child.RowName, State: DeleteOnly, Child: child.Name}
	for i, p := range t.Key {
		ix.Key = append(ix.Key, KeyColumn{Column: p.Column, Desc: child.Key[i].Desc, Cut: child.Key[i].Cut})
	}
	return ix
}

// parentCopyName gives the index the child's name, unless another index has it.
func (t *Table) parentCopyName(child string) string {
	name := child
	for n := 2; t.Index(name) != nil || strings.EqualFold(name, "primary"); n++ {
		name = Numbered(child, n)
	}
	return name
}

// ParentCopies gives the index of the stored parent copies among a child's rows; nil if there is none.
func (t *Table) ParentCopies(child string) *Index {
	for _, ix := range t.Indexes {
		if ix.Child != "" && strings.EqualFold(ix.Child, child) {
			return ix
		}
	}
	return nil
}

// CopiesFor says whether an index holds the copies for child, which is about to be made.
func (t *Table) CopiesFor(ix *Index, child *Table) bool {
	return child.Interleaved.WithParent && ix.KeyName == child.RowName && slices.Equal(ix.Key, t.parentCopyIndex(child).Key)
}

// renameParentCopies makes the index of copies follow the child's name, or removes it with the child (to is "").
func (t *Table) renameParentCopies(from, to string) {
	ix := t.ParentCopies(from)
	if ix == nil {
		return
	}
	at := slices.Index(t.Indexes, ix)
	t.Indexes = slices.Delete(t.Indexes, at, at+1)
	if to != "" {
		ix.Name, ix.Child = t.parentCopyName(to), to
		t.Indexes = slices.Insert(t.Indexes, at, ix)
	}
}

// CopyColumns is the number of columns of t's key that identify a parent, if copies of parents' rows are among those
// of t; otherwise 0.
func (t *Table) CopyColumns() int {
	if !t.IsInterleaved() || !t.Interleaved.WithParent {
		return 0
	}
	return len(t.Interleaved.Key)
}

// IsParentCopy says whether an entity's RowKey is that of a copy of a parent's row, among the rows of t.
func (t *Table) IsParentCopy(key string) bool {
	n := t.CopyColumns()
	return n > 0 && isCopy(key, t.RowName, n)
}

// IsEntry says whether an entity in the span of the index's keys is an entry of it: copies among another table's rows
// are interspersed with those rows.
func (ix *Index) IsEntry(key string) bool {
	return ix.Child == "" || isCopy(key, ix.KeyName, len(ix.Key))
}

// isCopy says whether a key consists of a name and so many codes.
func isCopy(key, name string, codes int) bool {
	rest, ok := strings.CutPrefix(key, name)
	return ok && strings.HasPrefix(rest, string(keymap.Separator)) && strings.Count(rest, string(keymap.Separator)) == codes
}
