package define

import (
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// maxNameLength is how many characters the name of a table, a column, a key and the like may have, as in MySQL.
const maxNameLength = 64

// CheckName refuses a name that is too long for anything in a definition.
func CheckName(name string, pos dialect.Pos) error {
	if utf8.RuneCountInString(name) <= maxNameLength {
		return nil
	}
	return sqlerr.TooLongName(pos, name)
}

// checkNames refuses names that are too long, for what a statement makes.
func checkNames(pos dialect.Pos, names ...string) error {
	for _, name := range names {
		if err := CheckName(name, pos); err != nil {
			return err
		}
	}
	return nil
}

// checkTableNames does so for CREATE TABLE. Constraints are checked when they are added, because their names may derive from the table's.
func checkTableNames(c *dialect.CreateTable) error {
	err := CheckName(c.Table.Name, c.Table.Pos)
	for i := 0; err == nil && i < len(c.Columns); i++ {
		err = CheckName(c.Columns[i].Name, c.Columns[i].Pos)
	}
	for i := 0; err == nil && i < len(c.Indexes); i++ {
		err = CheckName(c.Indexes[i].Name, c.Indexes[i].Pos)
	}
	if p := c.Partitioning; err == nil && p != nil {
		err = checkPartitionNames(p.Parts, p.Pos)
	}
	return err
}

func checkPartitionNames(parts []dialect.PartitionDef, pos dialect.Pos) error {
	for i := range parts {
		if err := CheckName(parts[i].Name, pos); err != nil {
			return err
		}
	}
	return nil
}

// checkNewNames is checkTableNames for an action of ALTER TABLE.
func checkNewNames(a *dialect.AlterAction) error {
	err := checkNames(a.Pos, a.NewName, a.Index.Name, a.Column.Name)
	if err == nil {
		err = checkPartitionNames(a.Parts, a.Pos)
	}
	return err
}
