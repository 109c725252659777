package catalog

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/feature"
)

// about is what the version entity says of its database.
type about struct {
	toRead, toWrite string // the features that one must know to read it, and to write to it: names with blanks between
	name            string // as it was created; "": nobody has created it
	collation       string // of its new tables; "": it says none
}

// texts are the properties that hold it. Those behind the first two come with the feature described.
func (a *about) texts() [4]struct {
	property string
	is       *string
} {
	return [...]struct {
		property string
		is       *string
	}{{"ToRead", &a.toRead}, {"ToWrite", &a.toWrite}, {"Name", &a.name}, {"Collation", &a.collation}}
}

// unwritable says why this version must not write anything; nil where it may.
func (a *about) unwritable() error {
	if unknown := feature.Stores.Unknown(strings.Fields(a.toWrite)); len(unknown) > 0 {
		return &feature.Error{Where: wholeCatalog, What: feature.Uses(unknown), Write: true}
	}
	return nil
}

// isDropped says that the database was dropped: it is none.
func (a *about) isDropped() bool {
	return slices.Contains(strings.Fields(a.toRead), feature.DroppedDatabase)
}

// described is what is said of a database that is created.
func described(name, collation string) about {
	return about{toWrite: feature.DescribedDatabase, name: name, collation: collation}
}

// dropped is what is said of a database from when it is dropped.
func dropped() about { return about{toRead: feature.DroppedDatabase} }
