package catalog

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/feature"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/schema/stored"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// The keys of the catalog's entities.
const (
	partition      = keymap.SinglePartition
	versionKey     = "catalog"
	tablePrefix    = "table!"
	dropPrefix     = "drop!"
	sequencePrefix = "sequence!"
)

// namePart is how names become keys: folded, so that case does not matter.
var namePart = keymap.Part{Type: value.Type{Base: value.TypeText}, Cut: 200}

func tableKey(folded string) string {
	key, _, err := keymap.AppendValue([]byte(tablePrefix), value.FromString(strings.ToLower(folded)), namePart)
	if err != nil { // a name that is not text has no definition
		return tablePrefix + keymap.TableName("", folded)
	}
	return string(key)
}

// catalogFormat is the version of the catalog's form. docs/format.md says when it rises, which is hardly ever: what single
// tables or stores begin to use are features.
const catalogFormat = 3

// wholeCatalog is what errors about the version entity name.
const wholeCatalog = "the catalog of the store"

// getVersion reads the version entity.
func (c *Catalog) getVersion(ctx context.Context) (engine.Entity, error) {
	return c.engine.Get(ctx, engine.Get{Table: c.table, PartitionKey: partition, RowKey: versionKey, Meter: c.meter})
}

// encodeVersion gives the version entity, with the ids of the last changes.
func encodeVersion(version int64, changes string, of about) engine.Entity {
	e := engine.Entity{
		PartitionKey: partition, RowKey: versionKey,
		Names:  []string{"Version", "Format", "Changes"},
		Values: []engine.Value{int64Value(version), int64Value(catalogFormat), textValue(changes)},
	}
	for _, text := range of.texts() {
		if *text.is != "" {
			e.Names, e.Values = append(e.Names, text.property), append(e.Values, textValue(*text.is))
		}
	}
	return e
}

func decodeVersion(e *engine.Entity) (version int64, of about, err error) {
	v, f := property(e, "Version"), property(e, "Format")
	for _, text := range of.texts() {
		*text.is = property(e, text.property).S
	}
	unknown := feature.Stores.Unknown(strings.Fields(of.toRead))
	switch format := int64(f.N); {
	case v.Type != engine.Int64 || f.Type != engine.Int64:
		err = engine.Errorf(engine.CodeCorrupt, "the catalog's version entity holds no version")
	case format > catalogFormat:
		err = &feature.Error{Where: wholeCatalog, What: "has the format " + strconv.FormatInt(format, 10)}
	case format < catalogFormat:
		err = engine.Errorf(engine.CodeCorrupt, "the catalog of the store has the format %d, from before the first release of nearlyfree: only the version "+
			"that wrote it reads it; copy the rows with that one into an empty store of this one", format)
	case len(unknown) > 0:
		err = &feature.Error{Where: wholeCatalog, What: feature.Uses(unknown)}
	}
	return int64(v.N), of, err
}

// encodeDefinition gives the entity of a definition: its name and JSON, legible also to people who inspect the store.
func encodeDefinition(t *schema.Table) (engine.Entity, error) {
	text, err := stored.Encode(t)
	if err != nil {
		return engine.Entity{}, err
	}
	e := engine.Entity{PartitionKey: partition, RowKey: tableKey(t.Name)}
	e.Names = append(e.Names, "Name", "Physical", "RowName", "Version")
	e.Values = append(e.Values, textValue(t.Name), textValue(t.Physical), textValue(t.RowName), int64Value(t.Version))
	setText(&e, "Definition", text)
	if t.Created > 0 {
		e.Names, e.Values = append(e.Names, "Created"), append(e.Values, engine.Value{Type: engine.DateTime, N: uint64(t.Created)})
	}
	if t.Statistics != nil {
		if text, err = stored.EncodeStatistics(t.Statistics); err != nil {
			return engine.Entity{}, err
		}
		setText(&e, "Statistics", text)
	}
	return e, nil
}

// setText adds a text to an entity, split over several properties if it is long.
func setText(e *engine.Entity, name, text string) {
	for i, part := range keymap.SplitText(text, engine.AzureLimits().StringUnits) {
		e.Names = append(e.Names, keymap.PropertyPart(name, i))
		e.Values = append(e.Values, textValue(part))
	}
}

// textOf is the text that setText added; "" if there is none.
func textOf(e *engine.Entity, name string) string {
	var text strings.Builder
	for i := 0; ; i++ {
		v := property(e, keymap.PropertyPart(name, i))
		if v.Type != engine.String {
			return text.String()
		}
		text.WriteString(v.S)
	}
}

func decodeDefinition(e *engine.Entity) (*definition, error) {
	t, err := stored.Decode(textOf(e, "Definition"))
	var newer *feature.Error
	if errors.As(err, &newer) {
		return nil, err
	}
	if err != nil {
		return nil, engine.Errorf(engine.CodeCorrupt, "the definition under %q cannot be read: %v", e.RowKey, err)
	}
	if err := t.Init(); err != nil {
		return nil, engine.Errorf(engine.CodeCorrupt, "the definition of table %s: %v", t.Name, err)
	}
	if v := property(e, "Created"); v.Type == engine.DateTime {
		t.Created = int64(v.N)
	}
	t.Statistics = stored.DecodeStatistics(textOf(e, "Statistics"))
	return &definition{table: t, etag: e.ETag}, nil
}

func property(e *engine.Entity, name string) engine.Value {
	if i := slices.Index(e.Names, name); i >= 0 {
		return e.Values[i]
	}
	return engine.Value{}
}

func textValue(s string) engine.Value { return engine.Value{Type: engine.String, S: s} }
func int64Value(n int64) engine.Value { return engine.Value{Type: engine.Int64, N: uint64(n)} }

func sortedTables(m map[string]*definition) []*schema.Table {
	tables := make([]*schema.Table, 0, len(m))
	for _, d := range m {
		if d != nil {
			tables = append(tables, d.table)
		}
	}
	return sortTables(tables)
}

func sortTables(tables []*schema.Table) []*schema.Table {
	slices.SortFunc(tables, func(a, b *schema.Table) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return tables
}
