package define

import (
	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// CheckTemporary refuses what a temporary table cannot have: ties to tables of the store, and partitions of it.
func CheckTemporary(c *dialect.CreateTable) error {
	switch {
	case c.Options["INTERLEAVE IN PARENT"] != "":
		return sqlerr.NotSupported(c.Table.Pos, "INTERLEAVE IN PARENT of a temporary table is")
	case len(c.ForeignKeys) > 0:
		return noForeignKey(c.ForeignKeys[0].Pos)
	case c.Partitioning != nil:
		return noPartitions(c.Partitioning.Pos)
	}
	return nil
}

// CheckTemporaryCopy is CheckTemporary for CREATE TABLE … LIKE.
func CheckTemporaryCopy(t *schema.Table) error {
	if t.IsDivided() || t.Spread != nil {
		return noPartitions(sqlerr.NoPos)
	}
	return nil
}

// CheckTemporaryChange is CheckTemporary for an ALTER TABLE of one.
func CheckTemporaryChange(actions []dialect.AlterAction) error {
	for i := range actions {
		if actions[i].Kind == dialect.AddForeignKey {
			return noForeignKey(actions[i].Pos)
		}
	}
	return nil
}

func noForeignKey(pos dialect.Pos) error {
	return sqlerr.New(sqlerr.CodeForeignKey, pos, "Cannot add foreign key constraint: a temporary table has none")
}

func noPartitions(pos dialect.Pos) error {
	return sqlerr.New(sqlerr.CodePartitionTemporary, pos, "Cannot create temporary table with partitions")
}
