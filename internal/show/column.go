package show

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// shownColumn is what DESCRIBE and information_schema say of a column.
type shownColumn struct {
	*schema.Column
	kind, key, extra, privileges string
	byDefault                    any // as a client expects it; nil: none
}

// shownColumns gives the columns that are shown. Those of a table without a definition have the types seen in entities.
func shownColumns(t *schema.Table) ([]shownColumn, error) {
	texts, err := planner.Texts(t)
	if err != nil {
		return nil, err
	}
	var out []shownColumn
	for i, c := range t.Columns {
		if !c.Listed() {
			continue
		}
		s := shownColumn{c, "mixed", columnKey(t, i), columnExtra(texts.Columns[i]), "select,insert,update,references", columnDefault(texts.Columns[i])}
		if t.IsUndeclared() && c.Source == schema.SourceProperty {
			seen := *c
			seen.Type = seenTypes[c.Edm]
			s.Column = &seen
		}
		if s.Type.Base != value.TypeUnknown {
			s.kind = shownType(s.Type)
		}
		if c.Source == schema.SourceTimestamp {
			s.privileges = "select"
		}
		out = append(out, s)
	}
	if t.IsUndeclared() && t.Ordinal("ETag") == t.ETagOrdinal() {
		etag := &schema.Column{Name: "ETag", Type: seenTypes["String"], NotNull: true}
		out = append(out, shownColumn{etag, "text", "", "another one with every write", "select", nil})
	}
	return out, nil
}

// shownType is a type as clients expect it: BOOL is a tinyint(1), as in MySQL.
func shownType(t value.Type) string {
	if t.Base == value.TypeBool && t.Declared != "BIT" {
		return "tinyint(1)"
	}
	if t.Declared == "" {
		t.Declared = t.Base.String()
	} else if name, ok := mysqlNames[t.Declared]; ok {
		t.Declared = name
	}
	word, rest, _ := strings.Cut(t.String(), "(")
	if t.Base == value.TypeEnum || t.Base == value.TypeSet {
		return strings.ToLower(word) + "(" + rest // names keep their case
	}
	return strings.ToLower(t.String())
}

// mysqlNames has what MySQL calls the types that have several names.
var mysqlNames = map[string]string{
	"INT1": "TINYINT", "INT2": "SMALLINT", "INT3": "MEDIUMINT", "MIDDLEINT": "MEDIUMINT", "INT4": "INT", "INTEGER": "INT", "INT8": "BIGINT",
	"FLOAT4": "FLOAT", "FLOAT8": "DOUBLE", "DOUBLE PRECISION": "DOUBLE", "REAL": "DOUBLE",
	"DEC": "DECIMAL", "NUMERIC": "DECIMAL", "FIXED": "DECIMAL",
	"CHARACTER": "CHAR", "NCHAR": "CHAR", "NATIONAL CHAR": "CHAR",
	"NVARCHAR": "VARCHAR", "CHARACTER VARYING": "VARCHAR", "CHAR VARYING": "VARCHAR", "NATIONAL VARCHAR": "VARCHAR",
	"LONG": "MEDIUMTEXT", "LONG VARCHAR": "MEDIUMTEXT", "LONG VARBINARY": "MEDIUMBLOB",
}

// seenTypes are the SQL types for what was seen in a property of a table without a definition.
var seenTypes = map[string]value.Type{
	"String": {Base: value.TypeText}, "Int32": {Base: value.TypeBigInt}, "Int64": {Base: value.TypeBigInt},
	"Double": {Base: value.TypeDouble}, "Boolean": {Base: value.TypeBool}, "DateTime": {Base: value.TypeDateTime, Precision: -1},
	"Guid": {Base: value.TypeUUID}, "Binary": {Base: value.TypeBlob},
}

// columnKey is PRI, UNI, MUL or nothing, as MySQL has it for a column.
func columnKey(t *schema.Table, ordinal int) string {
	for _, p := range t.Key {
		if p.Column == ordinal {
			return "PRI"
		}
	}
	key := ""
	for _, ix := range t.Indexes {
		if ix.IsPrimary() && slices.ContainsFunc(ix.Key, func(p schema.KeyColumn) bool { return p.Column == ordinal }) {
			return "PRI"
		}
		if ix.Key[0].Column != ordinal {
			continue
		}
		if ix.Unique && len(ix.Key) == 1 {
			return "UNI"
		}
		key = "MUL"
	}
	return key
}

// columnDefault is the default as the column keeps it: a text without its quotes, or the expression.
func columnDefault(c schema.ColumnTexts) any {
	if !c.HasDefault || strings.EqualFold(c.Default, "NULL") {
		return nil
	}
	k := constantDefault(c)
	if k == nil {
		if text, ok := strings.CutPrefix(c.Default, "("); ok {
			return strings.TrimSuffix(text, ")")
		}
		return c.Default
	}
	v, _, err := c.Type.Store(k.V)
	switch {
	case err != nil || v.IsNull():
		return nil
	case c.Type.Base == value.TypeBit:
		return c.Default
	case c.Type.IsOctets():
		return "0x" + strings.ToUpper(hex.EncodeToString([]byte(value.Text(k.V))))
	}
	return value.Text(v)
}

// constantDefault is the constant that the default is; nil if it is an expression, as is anything in parentheses, even a constant.
func constantDefault(c schema.ColumnTexts) *expr.Const {
	k, _ := c.DefaultExpr.(*expr.Const)
	if strings.HasPrefix(c.Default, "(") {
		return nil
	}
	return k
}

func columnExtra(c schema.ColumnTexts) string {
	var words []string
	if c.DefaultExpr != nil && constantDefault(c) == nil {
		words = append(words, "DEFAULT_GENERATED")
	}
	switch {
	case c.AutoIncrement:
		words = append(words, "auto_increment")
	case c.OnUpdate != "":
		words = append(words, "on update "+c.OnUpdate)
	case c.Generated != "" && c.Stored:
		words = append(words, "STORED GENERATED")
	case c.Generated != "":
		words = append(words, "VIRTUAL GENERATED")
	}
	if c.Invisible {
		words = append(words, "INVISIBLE")
	}
	return strings.Join(words, " ")
}

func collationName(t value.Type) any {
	if t.IsText() {
		return t.Collation.String()
	}
	return nil
}
