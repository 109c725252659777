package define

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// keys adds the keys and checks of a CREATE TABLE.
func (d *definer) keys(c *dialect.CreateTable) error {
	for i := range c.Columns {
		if def := &c.Columns[i]; def.PrimaryKey {
			if err := d.setPrimary(&dialect.IndexDef{Parts: []dialect.KeyColumn{{Column: def.Name}}, Pos: def.Pos}, def.Null); err != nil {
				return err
			}
		}
	}
	for i := range c.Indexes {
		def := &c.Indexes[i]
		if !def.Primary {
			continue
		}
		null := false
		for _, col := range c.Columns {
			null = null || col.Null && slices.ContainsFunc(def.Parts, func(p dialect.KeyColumn) bool { return strings.EqualFold(p.Column, col.Name) })
		}
		if err := d.setPrimary(def, null); err != nil {
			return err
		}
	}
	if err := d.interleaved(c); err != nil {
		return err
	}
	if err := d.columnIndexes(); err != nil {
		return err
	}
	// Named indexes first: an unnamed one must not take a name that is written further down.
	for _, named := range [...]bool{true, false} {
		for i := range c.Indexes {
			if def := &c.Indexes[i]; !def.Primary && (def.Name != "") == named {
				if _, err := d.addIndex(def); err != nil {
					return err
				}
			}
		}
	}
	if err := d.foreignKeys(c); err != nil {
		return err
	}
	for i := range c.Checks {
		if err := d.addCheck(&c.Checks[i]); err != nil {
			return err
		}
	}
	return nil
}

// columnIndexes adds the indexes of columns that say UNIQUE themselves.
func (d *definer) columnIndexes() error {
	for _, def := range d.uniques {
		if _, err := d.addIndex(&dialect.IndexDef{Unique: true, Global: def.Global, Parts: []dialect.KeyColumn{{Column: def.Name}}, Pos: def.Pos}); err != nil {
			return err
		}
	}
	d.uniques = nil
	return nil
}

// setPrimary sets the primary key, whose columns are NOT NULL; null: one of them says NULL.
func (d *definer) setPrimary(def *dialect.IndexDef, null bool) error {
	if len(d.t.Key) > 0 {
		return sqlerr.New(sqlerr.CodeMultiplePrimaryKey, def.Pos, "Multiple primary key defined")
	}
	if null {
		return primaryNull(def.Pos)
	}
	parts, err := d.primaryColumns(def)
	if err != nil {
		return err
	}
	for _, p := range parts {
		d.t.Columns[p.Column].NotNull = true
	}
	d.t.Key = parts
	return nil
}

func primaryNull(pos dialect.Pos) error {
	return sqlerr.New(sqlerr.CodePrimaryNull, pos, "All parts of a PRIMARY KEY must be NOT NULL; if you need NULL in a key, use UNIQUE instead")
}

// primaryColumns resolves the columns of a primary key.
func (d *definer) primaryColumns(def *dialect.IndexDef) ([]schema.KeyColumn, error) {
	if def.Global {
		return nil, sqlerr.NotSupported(def.Pos, "GLOBAL at the primary key, which has all columns of PARTITION BY anyway, is")
	}
	parts, err := d.keyColumns(def)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if p.Prefix > 0 {
			return nil, sqlerr.NotSupported(def.Pos, "a primary key over the beginning of a column (%s(%d)) is", d.t.Columns[p.Column].Name, p.Prefix)
		}
	}
	return parts, nil
}

// keyColumns resolves the columns of a key.
func (d *definer) keyColumns(def *dialect.IndexDef) ([]schema.KeyColumn, error) {
	if len(def.Parts) > schema.MaxKeyColumns {
		return nil, sqlerr.New(sqlerr.CodeTooManyKeyParts, def.Pos, "Too many key parts specified; max %d parts allowed", schema.MaxKeyColumns)
	}
	var parts []schema.KeyColumn
	for _, p := range def.Parts {
		i := d.find(p.Column)
		if i < 0 {
			return nil, sqlerr.New(sqlerr.CodeKeyColumnMissing, def.Pos, "Key column '%s' doesn't exist in table", p.Column)
		}
		col := d.t.Columns[i]
		if slices.ContainsFunc(parts, func(k schema.KeyColumn) bool { return k.Column == i }) {
			return nil, sqlerr.New(sqlerr.CodeDuplicateColumn, def.Pos, "Duplicate column name '%s'", col.Name)
		}
		if col.Type.Base == value.TypeJSON {
			return nil, sqlerr.New(sqlerr.CodeJSONKey, def.Pos,
				"JSON column '%s' supports indexing only via generated columns on a specified JSON path.", col.Name)
		}
		k := schema.KeyColumn{Column: i, Desc: p.Desc, Prefix: p.Length}
		if k.Prefix > 0 {
			if !keymap.Cuttable(col.Type) {
				return nil, sqlerr.New(sqlerr.CodeWrongPrefix, def.Pos,
					"Incorrect prefix key; the used key part isn't a string: '%s'", col.Name)
			}
			if col.Type.Length > 0 && k.Prefix >= col.Type.Length {
				k.Prefix = 0
			}
		}
		parts = append(parts, k)
	}
	return parts, nil
}

// addIndex adds a secondary index.
func (d *definer) addIndex(def *dialect.IndexDef) (*schema.Index, error) {
	parts, err := d.keyColumns(def)
	if err != nil {
		return nil, err
	}
	ix := &schema.Index{Name: def.Name, Unique: def.Unique, Key: parts, Comment: def.Comment, ForForeignKey: def.ForForeignKey}
	switch {
	case def.Global && !def.Unique:
		return nil, sqlerr.NotSupported(def.Pos, "GLOBAL at a key that is not UNIQUE is")
	case strings.EqualFold(ix.Name, schema.PrimaryName):
		return nil, sqlerr.New(sqlerr.CodeWrongIndexName, def.Pos, "Incorrect index name '%s'", ix.Name)
	case ix.Name == "":
		first := d.t.Columns[parts[0].Column].Name
		for n := 1; ix.Name == "" || d.t.Index(ix.Name) != nil || strings.EqualFold(ix.Name, schema.PrimaryName); n++ {
			ix.Name = first
			if n > 1 {
				ix.Name = schema.Numbered(first, n)
			}
		}
	case d.t.Index(ix.Name) != nil:
		return nil, sqlerr.New(sqlerr.CodeDuplicateKeyName, def.Pos, "Duplicate key name '%s'", ix.Name)
	}
	switch def.Copy {
	case "include":
		ix.Copy = schema.CopyInclude
		for _, name := range def.Include {
			i := d.find(name)
			if i < 0 {
				return nil, sqlerr.New(sqlerr.CodeKeyColumnMissing, def.Pos, "Key column '%s' doesn't exist in table", name)
			}
			if !slices.Contains(ix.Include, i) {
				ix.Include = append(ix.Include, i)
			}
		}
	case "keys":
		ix.Copy = schema.CopyKeys
	}
	if def.Global {
		d.global = append(d.global, ix)
	}
	if err := d.uniqueInPartition(ix); err != nil {
		return nil, err
	}
	ix.KeyName = d.t.KeyName(ix.Name)
	d.t.Indexes = append(d.t.Indexes, ix)
	return ix, nil
}

// setCuts sets where the texts in each key are cut.
func (d *definer) setCuts() {
	set := func(parts []schema.KeyColumn) {
		codes := make([]keymap.Part, len(parts))
		for i, p := range parts {
			codes[i] = d.t.KeymapPart(p)
		}
		keymap.SetCuts(codes)
		for i := range parts {
			parts[i].Cut = codes[i].Cut
		}
	}
	set(d.t.Key)
	for _, ix := range d.t.Indexes {
		if ix.Child == "" { // its entries have the codes of another table's key
			set(ix.Key)
		}
	}
	if p := d.t.Spread; p != nil {
		parts := make([]schema.KeyColumn, len(p.Columns))
		for i, c := range p.Columns {
			parts[i].Column = c
		}
		set(parts)
		p.Cut = 0
		for _, part := range parts {
			p.Cut = max(p.Cut, part.Cut)
		}
	}
}

// partition applies PARTITION BY: KEY gives each value a partition, HASH and KEY … PARTITIONS n give n.
func (d *definer) partition(def *dialect.Partitioning) error {
	if def == nil {
		return nil
	}
	switch def.Kind {
	case "range", "range columns", "list", "list columns":
		return d.partitions(def)
	}
	p := &schema.Spread{Kind: schema.SpreadByKey, Count: def.Count}
	names := def.Columns
	switch def.Kind {
	case "key":
		if p.Count > 0 {
			p.Kind = schema.SpreadByHash
		}
	case "hash":
		p.Kind = schema.SpreadByHash
		if len(names) == 0 {
			return sqlerr.NotSupported(def.Pos, "PARTITION BY HASH of anything but columns is")
		}
	}
	if p.Kind == schema.SpreadByHash {
		for i := range def.Parts {
			if err := checkPartition(&def.Parts[i], def.Pos); err != nil {
				return err
			}
			if part := &def.Parts[i]; part.Max || len(part.LessThan) > 0 || len(part.In) > 0 {
				return sqlerr.New(sqlerr.CodePartitionValues, def.Pos, "Only RANGE and LIST PARTITIONING can use VALUES in partition definition")
			}
		}
		if p.Count > 0 && len(def.Parts) > 0 && p.Count != len(def.Parts) {
			return sqlerr.New(sqlerr.CodePartitionCount, def.Pos, "Wrong number of partitions defined, mismatch with previous setting: PARTITIONS %d, and %d of them", p.Count, len(def.Parts))
		}
		p.Count = max(p.Count, len(def.Parts), 1)
		if p.Count > schema.MaxBuckets {
			return sqlerr.New(sqlerr.CodeTooManyPartitions, def.Pos, "Too many partitions; at most %d", schema.MaxBuckets)
		}
	} else if len(def.Parts) > 0 {
		return sqlerr.NotSupported(def.Pos, "partitions with names for PARTITION BY KEY are")
	}
	if len(d.t.Key) == 0 {
		return sqlerr.New(sqlerr.CodePartitionColumn, def.Pos, "A table with partitions needs a PRIMARY KEY that includes the partition's columns")
	}
	if len(names) == 0 {
		for _, k := range d.t.Key {
			p.Columns = append(p.Columns, k.Column)
		}
	}
	for _, name := range names {
		i := d.find(name)
		if i < 0 {
			return sqlerr.New(sqlerr.CodeUnknownColumn, def.Pos, "Unknown column '%s' in 'partition function'", name)
		}
		if slices.Contains(p.Columns, i) {
			return sqlerr.New(sqlerr.CodeDuplicateColumn, def.Pos, "Duplicate column name '%s'", name)
		}
		if !slices.ContainsFunc(d.t.Key, func(k schema.KeyColumn) bool { return k.Column == i }) {
			return sqlerr.New(sqlerr.CodePartitionColumn, def.Pos, "A PRIMARY KEY must include all columns in the table's partitioning function")
		}
		p.Columns = append(p.Columns, i)
	}
	d.t.Spread = p
	for _, ix := range d.t.Indexes {
		if err := d.uniqueInPartition(ix); err != nil {
			return err
		}
	}
	return nil
}

// uniqueInPartition refuses a unique index that could not be enforced: an index entry is in its row's partition, so a
// duplicate can be noticed only there. Entries of a GLOBAL index are stored elsewhere if necessary.
func (d *definer) uniqueInPartition(ix *schema.Index) error {
	has := func(c int) bool {
		return slices.ContainsFunc(ix.Key, func(k schema.KeyColumn) bool { return k.Column == c && k.Prefix == 0 })
	}
	if !ix.Unique || !slices.ContainsFunc(d.t.SpreadBy(), func(c int) bool { return !has(c) }) {
		return nil
	}
	const missing = "A UNIQUE INDEX must include all columns in the table's partitioning function"
	switch {
	case d.t.IsDivided() && slices.Contains(d.global, ix):
		return sqlerr.New(sqlerr.CodePartitionColumn, sqlerr.NoPos, missing+": GLOBAL is supported for PARTITION BY KEY and HASH only, as those of RANGE and LIST are dropped as a whole")
	case d.t.IsDivided():
		return sqlerr.New(sqlerr.CodePartitionColumn, sqlerr.NoPos, missing)
	case ix.Global == 0 && !slices.Contains(d.global, ix):
		return sqlerr.New(sqlerr.CodePartitionColumn, sqlerr.NoPos, missing+", or say GLOBAL")
	}
	if ix.Global = schema.GlobalBuckets; d.t.Spread.Kind == schema.SpreadByHash {
		ix.Global = d.t.Spread.Count
	}
	if ix.Copy == schema.CopyRow { // else every change of a row would span two store partitions
		ix.Copy = schema.CopyKeys
	}
	return nil
}
