package stored

import (
	"fmt"
	"strconv"

	"github.com/nearlyfreedb/nearlyfree/internal/feature"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// The words of the stored form. They never change; new ones come with a feature. So constants may be moved and renamed.

var typeWords = words[value.Base]{"type", map[value.Base]string{
	value.TypeBool: "BOOL", value.TypeBit: "BIT", value.TypeTinyInt: "TINYINT", value.TypeSmallInt: "SMALLINT",
	value.TypeMediumInt: "MEDIUMINT", value.TypeInt: "INT", value.TypeBigInt: "BIGINT", value.TypeFloat: "FLOAT",
	value.TypeDouble: "DOUBLE", value.TypeDecimal: "DECIMAL", value.TypeChar: "VARCHAR", value.TypeText: "TEXT",
	value.TypeEnum: "ENUM", value.TypeSet: "SET", value.TypeBinary: "VARBINARY", value.TypeBlob: "BLOB", value.TypeDate: "DATE",
	value.TypeDateTime: "DATETIME", value.TypeTime: "TIME", value.TypeYear: "YEAR", value.TypeJSON: "JSON", value.TypeUUID: "UUID",
}}

var collationWords = words[value.Collation]{"collation", map[value.Collation]string{
	value.Binary: "", value.NoCase: "nocase", value.BinaryPad: "utf8mb4_bin", value.GeneralCI: "utf8mb4_general_ci",
	value.UnicodeCI: "utf8mb4_unicode_ci", value.Unicode520CI: "utf8mb4_unicode_520_ci", value.AccentsCI: "utf8mb4_0900_ai_ci",
	value.CaseCI: "utf8mb4_0900_as_ci", value.LettersCS: "utf8mb4_0900_as_cs",
}}

var stateWords = words[schema.State]{"state", map[schema.State]string{
	schema.Public: "", schema.DeleteOnly: "delete-only", schema.WriteOnly: "write-only",
}}

var phaseWords = words[schema.Phase]{"phase", map[schema.Phase]string{
	schema.Announced: "announced", schema.Backfill: "backfill",
}}

var copyWords = words[schema.CopyKind]{"copy", map[schema.CopyKind]string{
	schema.CopyRow: "", schema.CopyInclude: "include", schema.CopyKeys: "keys",
}}

var spreadWords = words[schema.SpreadKind]{"by", map[schema.SpreadKind]string{
	schema.SpreadByKey: "key", schema.SpreadByHash: "hash",
}}

var partitionWords = words[schema.PartitionKind]{"by", map[schema.PartitionKind]string{
	schema.PartitionByRange: "range", schema.PartitionByList: "list",
}}

var sourceWords = words[schema.Source]{"source", map[schema.Source]string{
	schema.SourceProperty: "", schema.SourceKey: "key", schema.SourceTimestamp: "timestamp", schema.SourceWhole: "whole",
}}

var formWords = words[schema.SegmentForm]{"form", map[schema.SegmentForm]string{
	schema.FormPlain: "", schema.FormDecimal: "decimal", schema.FormInverted: "inverted", schema.FormHex: "hex",
}}

var cascadeWords = words[bool]{"on_delete", map[bool]string{false: "", true: "cascade"}}

var actionWords = words[schema.Action]{"action", map[schema.Action]string{
	schema.NoAction: "", schema.Restrict: "restrict", schema.Cascade: "cascade", schema.SetNull: "set null",
}}

var optionWords = words[schema.CheckOption]{"check", map[schema.CheckOption]string{
	schema.Unchecked: "", schema.LocalCheck: "local", schema.CascadedCheck: "cascaded",
}}

// algorithm is what a view says about how to compute it.
type algorithm struct{ merge, tempTable bool }

var algorithmWords = words[algorithm]{"algorithm", map[algorithm]string{
	{}: "", {merge: true}: "merge", {tempTable: true}: "temptable",
}}

var securityWords = words[bool]{"security", map[bool]string{false: "", true: "invoker"}}

// words are the names of the values of one field. "" is the value of a missing field.
type words[T comparable] struct {
	field string
	of    map[T]string
}

func (w words[T]) word(v T) (string, error) {
	s, ok := w.of[v]
	if !ok {
		return "", fmt.Errorf("%s: %v has no stored form", w.field, v)
	}
	return s, nil
}

func (w words[T]) value(at, word string) (v T, err error) {
	for v, s := range w.of {
		if s == word {
			return v, nil
		}
	}
	if word == "" {
		return v, wrong(at+w.field, "is missing")
	}
	return v, &feature.Error{Where: at + w.field, What: "is " + strconv.Quote(word)}
}
