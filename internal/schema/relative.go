package schema

import "strings"

// Relative is a table as another definition names it, such as one that its rows refer to.
type Relative struct {
	Database string // as SQL calls it; "": that of the definition itself
	Name     string
}

// Own is a table of the database of the definition that names it.
func Own(name string) Relative { return Relative{Name: name} }

// Is says whether both are the same table, named by definitions of one database.
func (r Relative) Is(other Relative) bool {
	return strings.EqualFold(r.Database, other.Database) && strings.EqualFold(r.Name, other.Name)
}

// IsOwn says whether the table is in the database of the definition that names it.
func (r Relative) IsOwn() bool { return r.Database == "" }

func (r Relative) sql() string {
	if r.IsOwn() {
		return QuoteName(r.Name)
	}
	return QuoteName(r.Database) + "." + QuoteName(r.Name)
}

// As is t as the definition of another table names it.
func (t *Table) As(of *Table) Relative {
	if strings.EqualFold(DatabaseName(t.Database), DatabaseName(of.Database)) {
		return Own(t.Name)
	}
	return Relative{DatabaseName(t.Database), t.Name}
}

// FullName distinguishes the table from those of other databases.
func (t *Table) FullName() string { return t.Beside(Own(t.Name)) }

// Beside is the FullName of another table that the definition names.
func (t *Table) Beside(r Relative) string {
	if r.IsOwn() {
		r.Database = DatabaseName(t.Database)
	}
	return strings.ToLower(r.Database) + "." + strings.ToLower(r.Name)
}
