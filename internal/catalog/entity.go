package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// The keys of the catalog's entities.
const (
	partition      = keymap.SinglePartition
	versionKey     = "catalog"
	tablePrefix    = "table!"
	dropPrefix     = "drop!"
	sequencePrefix = "sequence!"
)

// namePart is how names become keys: folded, so that they are found without regard to case.
var namePart = keymap.Part{Type: value.Type{Base: value.TypeText}, Cut: 200}

func tableKey(folded string) string {
	key, _, err := keymap.AppendValue([]byte(tablePrefix), value.FromString(strings.ToLower(folded)), namePart)
	if err != nil { // a name that is no text has no definition
		return tablePrefix + keymap.TableName("", folded)
	}
	return string(key)
}

// definitionFormat is raised when a definition is stored in a way that older drivers would misread.
const definitionFormat = 2

// encodeVersion gives the version entity, with the ids of the last changes.
func encodeVersion(version int64, changes string) engine.Entity {
	return engine.Entity{
		PartitionKey: partition, RowKey: versionKey,
		Names:  []string{"Version", "Format", "Changes"},
		Values: []engine.Value{int64Value(version), int64Value(definitionFormat), textValue(changes)},
	}
}

func decodeVersion(e *engine.Entity) (int64, error) {
	if f := property(e, "Format"); f.Type != engine.Int64 || int64(f.N) > definitionFormat {
		return 0, engine.Errorf(engine.CodeCorrupt, "the catalog was written by a newer release (format %d, this one reads up to %d): upgrade nearlyfree", int64(f.N), definitionFormat)
	}
	v := property(e, "Version")
	if v.Type != engine.Int64 {
		return 0, engine.Errorf(engine.CodeCorrupt, "the catalog's version entity holds no version")
	}
	return int64(v.N), nil
}

// encodeDefinition gives the entity of a definition: its name and JSON, for people who look at the store too.
func encodeDefinition(t *schema.Table) (engine.Entity, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return engine.Entity{}, fmt.Errorf("the definition of table %s: %w", t.Name, err)
	}
	e := engine.Entity{PartitionKey: partition, RowKey: tableKey(t.Name)}
	e.Names = append(e.Names, "Name", "Physical", "RowName", "Version")
	e.Values = append(e.Values, textValue(t.Name), textValue(t.Physical), textValue(t.RowName), int64Value(t.Version))
	setText(&e, "Definition", string(text))
	return e, nil
}

// setText adds a text to an entity, in several properties when it is long.
func setText(e *engine.Entity, name, text string) {
	for i, part := range keymap.SplitText(text, engine.AzureLimits().StringUnits) {
		e.Names = append(e.Names, keymap.PropertyPart(name, i))
		e.Values = append(e.Values, textValue(part))
	}
}

// textOf is the text that setText added; "" without one.
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
	t := &schema.Table{}
	if err := json.Unmarshal([]byte(textOf(e, "Definition")), t); err != nil {
		return nil, engine.Errorf(engine.CodeCorrupt, "the definition under %q cannot be read: %v", e.RowKey, err)
	}
	if err := t.Init(); err != nil {
		return nil, engine.Errorf(engine.CodeCorrupt, "the definition of table %s: %v", t.Name, err)
	}
	if err := planner.BindTexts(t); err != nil {
		return nil, engine.Errorf(engine.CodeCorrupt, "the definition of table %s: %v", t.Name, err)
	}
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
