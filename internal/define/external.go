package define

import (
	"maps"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// edmTypes are the types that a property can be declared with, each with the column types that it can hold.
var edmTypes = map[string][]value.Base{
	"String":   {value.TypeChar, value.TypeText, value.TypeJSON, value.TypeDecimal},
	"Int32":    {value.TypeTinyInt, value.TypeSmallInt, value.TypeMediumInt, value.TypeInt, value.TypeBigInt},
	"Int64":    {value.TypeTinyInt, value.TypeSmallInt, value.TypeMediumInt, value.TypeInt, value.TypeBigInt},
	"Double":   {value.TypeFloat, value.TypeDouble},
	"Boolean":  {value.TypeBool},
	"DateTime": {value.TypeDateTime},
	"Guid":     {value.TypeUUID},
	"Binary":   {value.TypeBinary, value.TypeBlob},
}

// defineExternal makes the table that CREATE EXTERNAL TABLE describes: names and types for what another program
// keeps in a physical table. It has no indexes, because that program would not write their entries.
func defineExternal(c *dialect.CreateTable, database string) (*schema.Table, error) {
	x := c.External
	d := &definer{t: &schema.Table{Database: database, Name: c.Table.Name, Physical: x.Location, External: &schema.External{}}}
	if d.t.Physical == "" {
		d.t.Physical = c.Table.Name
	}
	if len(c.Indexes) > 0 || len(c.ForeignKeys) > 0 {
		return nil, sqlerr.New(sqlerr.CodeWrongUsage, x.Pos, "An EXTERNAL TABLE takes no keys besides PARTITION KEY and ROW KEY")
	}
	if err := d.options(c.Options); err != nil {
		return nil, err
	}
	if len(c.Columns) == 0 {
		return nil, sqlerr.New(sqlerr.CodeTableMustHaveCols, sqlerr.NoPos, "A table must have at least 1 column")
	}
	for i := range c.Columns {
		if err := d.externalColumn(&c.Columns[i]); err != nil {
			return nil, err
		}
	}
	d.t.Collation = value.Binary // the columns say theirs
	for i := range c.Checks {
		if err := d.addCheck(&c.Checks[i]); err != nil {
			return nil, err
		}
	}
	var err error
	if d.t.External.Partition, err = d.template("PARTITION KEY", x.PartitionKey); err != nil {
		return nil, err
	}
	if d.t.External.Row, err = d.template("ROW KEY", x.RowKey); err != nil {
		return nil, err
	}
	if d.find(schema.TimestampName) < 0 {
		t := schema.TimestampColumn()
		t.Hidden = true
		d.t.Columns = append(d.t.Columns, t)
	}
	if err := d.t.CloseExternal(); err != nil {
		return nil, err
	}
	return d.t, d.bindTexts()
}

func (d *definer) externalColumn(def *dialect.ColumnDef) error {
	if def.AutoIncrement || def.Generated != nil || def.PrimaryKey || def.Unique || def.Invisible {
		return sqlerr.New(sqlerr.CodeWrongUsage, def.Pos, "Column '%s' of an EXTERNAL TABLE cannot be a key, AUTO_INCREMENT, generated or INVISIBLE", def.Name)
	}
	col, err := d.newColumn(def)
	if err != nil {
		return err
	}
	if col.Property = def.Property; col.Property == "" {
		col.Property = def.Name
	}
	switch col.Property {
	case schema.TimestampName:
		if col.Type.Base != value.TypeDateTime || col.Type.Precision < value.MaxFraction || def.Edm != "" {
			return sqlerr.New(sqlerr.CodeWrongSpecifier, def.Pos, "Incorrect column specifier for column '%s': the Timestamp is a DATETIME(7)", def.Name)
		}
		col.Source, col.NotNull = schema.SourceTimestamp, false
	case schema.PartitionKeyName, schema.RowKeyName, "":
		return sqlerr.New(sqlerr.CodeWrongSpecifier, def.Pos, "Incorrect column specifier for column '%s': PARTITION KEY and ROW KEY say what the keys are", def.Name)
	}
	for _, other := range d.t.Columns {
		if other.Property == col.Property {
			return sqlerr.New(sqlerr.CodeDuplicateColumn, def.Pos, "Columns '%s' and '%s' are the same property", other.Name, def.Name)
		}
	}
	if def.Edm != "" {
		if col.Edm, err = edmName(col, def); err != nil {
			return err
		}
	}
	d.t.Columns = append(d.t.Columns, col)
	return d.columnCheck(def)
}

// edmName is the name of a declared type as the service writes it.
func edmName(col *schema.Column, def *dialect.ColumnDef) (string, error) {
	name := def.Edm
	if len(name) > 4 && strings.EqualFold(name[:4], "Edm.") {
		name = name[4:]
	}
	for edm, bases := range edmTypes {
		if !strings.EqualFold(edm, name) {
			continue
		}
		for _, base := range bases {
			if base == col.Type.Base && !col.Type.Unsigned {
				return edm, nil
			}
		}
		return "", sqlerr.New(sqlerr.CodeWrongSpecifier, def.Pos, "Incorrect column specifier for column '%s': a property of type %s does not hold %s", col.Name, edm, col.Type)
	}
	return "", sqlerr.New(sqlerr.CodeWrongSpecifier, def.Pos, "Incorrect column specifier for column '%s': '%s' is not the type of a property; the types are %s",
		col.Name, def.Edm, strings.Join(slices.Sorted(maps.Keys(edmTypes)), ", "))
}

// template reads how a key is made. Columns of a key are not properties, and never NULL.
func (d *definer) template(what, text string) ([]schema.Segment, error) {
	pieces, err := schema.ParseTemplate(text, d.t.Columns, d.find)
	if err != nil {
		return nil, sqlerr.New(sqlerr.CodeSyntax, sqlerr.NoPos, "%s '%s': %s", what, text, err)
	}
	for _, p := range pieces {
		if p.Text != "" {
			continue
		}
		col := d.t.Columns[p.Column]
		if col.Edm != "" || col.HasDefault || col.Source == schema.SourceTimestamp || col.Property != col.Name {
			return nil, sqlerr.New(sqlerr.CodeWrongUsage, sqlerr.NoPos, "%s '%s': column '%s' is part of a key, so it is not a property and has no default", what, text, col.Name)
		}
		col.Source, col.NotNull = schema.SourceKey, true
	}
	return pieces, nil
}
