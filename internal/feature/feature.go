// Package feature names what a store may hold that not every version of nearlyfree knows, and words a version's refusal of what it does not
// know. docs/format.md has the rules. It imports nothing.
//
//	if unknown := feature.Definitions.Unknown(names); len(unknown) > 0 {
//		return &feature.Error{Where: "table t", What: feature.Uses(unknown)}
//	}
package feature

import "strings"

// Feature is something that a store may use. Its name is stored, so the name and its meaning never change.
type Feature struct {
	Name    string
	Comment string
	// ToWrite: a program that does not know the feature may read what uses it, but must not write there. Otherwise it must not read there
	// either.
	ToWrite bool
}

// Set is the features that this version knows, of one kind of place.
type Set []Feature

// Definitions are the features of single tables. Each definition lists those that it uses.
var Definitions = Set{
	{Name: "change", Comment: "a change of columns is under way: rows have the old form or the new one"},
	{Name: "external", Comment: "the rows are entities of another program, with its keys and properties"},
	{Name: "foreign_keys", Comment: "foreign keys tie the rows to rows of other tables: writers must check them", ToWrite: true},
	{Name: "foreign_keys_elsewhere", Comment: "foreign keys tie the rows to rows of another database: writers must check them", ToWrite: true},
	{Name: "foreign_keys_of_partitions", Comment: "foreign keys tie the rows of a table that is divided over several physical tables", ToWrite: true},
	{Name: "global_indexes", Comment: "entries of a unique index lie in their own store partitions, by the hash of their values"},
	{Name: "initial_values", Comment: "if a row lacks the property of a column, the definition has its value"},
	{Name: "invisible_columns", Comment: "a column is invisible: statements find it by its name, not by *"},
	{Name: "parent", Comment: "the rows are interleaved in those of another table, and writing one touches its parent"},
	{Name: "parent_copies", Comment: "copies of the parents' rows lie among the rows"},
	{Name: "partitions", Comment: "the rows are divided over several physical tables, by range or list"},
	{Name: "resting_checks", Comment: "a CHECK is not enforced: rows may violate it", ToWrite: true},
	{Name: "views", Comment: "the table is a view: a query, without rows of its own"},
}

// The features of whole databases.
const (
	DescribedDatabase = "described"
	DroppedDatabase   = "dropped"
)

// Stores are the features of whole databases, which the catalog's version entity lists.
var Stores = Set{
	{Name: DescribedDatabase, Comment: "the database has a name and a collation of its own, which whoever changes its definitions keeps", ToWrite: true},
	{Name: DroppedDatabase, Comment: "the database was dropped: it is none, and what is left of it is to be deleted"},
}

// The features of files of this version.
const (
	SharedBodies = "shared_bodies"
	ShortRecords = "short_records"
)

// Files are the features of files, which the file's own bucket lists.
var Files = Set{
	{Name: SharedBodies, Comment: "an entity may share the body of another one, and a text may be stored as a moment or as the end of its key"},
	{Name: ShortRecords, Comment: "versions, names, numbers, times and references are stored in fewer octets"},
}

// Unknown gives the names that are not in the set.
func (s Set) Unknown(names []string) []string {
	var unknown []string
	for _, name := range names {
		known := false
		for i := range s {
			known = known || s[i].Name == name
		}
		if !known {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// Error says that a newer version wrote something.
type Error struct {
	Where string // "table t", "the store", "file x.db"
	What  string // what it does or has that this version does not know: see Uses
	Write bool   // reading is allowed
}

func (e *Error) Error() string {
	s := e.Where + " " + e.What + ", which this version of nearlyfree does not know: "
	if e.Write {
		return s + "it can be read, but not written; use a newer version to write"
	}
	return s + "use a newer version"
}

// Uses words what a place with these features does.
func Uses(names []string) string {
	if len(names) == 1 {
		return "uses the feature " + names[0]
	}
	return "uses the features " + strings.Join(names, ", ")
}
