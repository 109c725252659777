package catalog

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/feature"
)

// about is what the version entity says about its database.
type about struct {
	toRead, toWrite string // the features needed to read it, and to write to it: names separated by blanks
	name            string // as it was created; "": it was never created explicitly
	collation       string // of its new tables; "": unspecified
}

// texts are the properties that hold it. Those after the first two came with the feature described.
func (a *about) texts() [4]struct {
	property string
	is       *string
} {
	return [...]struct {
		property string
		is       *string
	}{{"ToRead", &a.toRead}, {"ToWrite", &a.toWrite}, {"Name", &a.name}, {"Collation", &a.collation}}
}

// unwritable says why this version must not write anything; nil if it may.
func (a *about) unwritable() error {
	if unknown := feature.Stores.Unknown(strings.Fields(a.toWrite)); len(unknown) > 0 {
		return &feature.Error{Where: wholeCatalog, What: feature.Uses(unknown), Write: true}
	}
	return nil
}

// isDropped says whether the database was dropped, and so does not exist.
func (a *about) isDropped() bool {
	return slices.Contains(strings.Fields(a.toRead), feature.DroppedDatabase)
}

// described is the about of a database that is created.
func described(name, collation string) about {
	return about{toWrite: feature.DescribedDatabase, name: name, collation: collation}
}

// dropped is the about of a database once it is dropped.
func dropped() about { return about{toRead: feature.DroppedDatabase} }
