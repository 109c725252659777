package nearlyfree

import (
	"database/sql"
	"math"
	"reflect"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// ColumnTypeScanType is a Go type that takes every value of the column, as in MySQL's Go driver: int32, uint64, string …; sql.NullInt64,
// sql.NullString … if it may be NULL; []byte for octets.
func (r *rows) ColumnTypeScanType(i int) reflect.Type {
	plain, null := scanTypes(r.Header.Columns[i].Type)
	if r.Header.Columns[i].Nullable {
		return null
	}
	return plain
}

// scanTypes are the Go types for columns of type t that cannot be NULL, and for those that can.
func scanTypes(t value.Type) (plain, null reflect.Type) {
	integer := func(signed, unsigned reflect.Type) (plain, null reflect.Type) {
		if t.Unsigned {
			signed = unsigned
		}
		return signed, reflect.TypeFor[sql.NullInt64]()
	}
	switch t.Base {
	case value.TypeBool:
		return reflect.TypeFor[bool](), reflect.TypeFor[sql.NullBool]()
	case value.TypeTinyInt:
		return integer(reflect.TypeFor[int8](), reflect.TypeFor[uint8]())
	case value.TypeSmallInt:
		return integer(reflect.TypeFor[int16](), reflect.TypeFor[uint16]())
	case value.TypeYear:
		return reflect.TypeFor[uint16](), reflect.TypeFor[sql.NullInt64]()
	case value.TypeMediumInt, value.TypeInt:
		return integer(reflect.TypeFor[int32](), reflect.TypeFor[uint32]())
	case value.TypeBigInt:
		if t.Unsigned {
			return reflect.TypeFor[uint64](), reflect.TypeFor[sql.Null[uint64]]()
		}
		return reflect.TypeFor[int64](), reflect.TypeFor[sql.NullInt64]()
	case value.TypeFloat:
		return reflect.TypeFor[float32](), reflect.TypeFor[sql.NullFloat64]()
	case value.TypeDouble:
		return reflect.TypeFor[float64](), reflect.TypeFor[sql.NullFloat64]()
	case value.TypeBinary, value.TypeBlob, value.TypeBit:
		return reflect.TypeFor[[]byte](), reflect.TypeFor[[]byte]()
	case value.TypeDate, value.TypeDateTime:
		return reflect.TypeFor[time.Time](), reflect.TypeFor[sql.NullTime]()
	case value.TypeUnknown:
		return reflect.TypeFor[any](), reflect.TypeFor[any]()
	default:
		return reflect.TypeFor[string](), reflect.TypeFor[sql.NullString]()
	}
}

// ColumnTypeDatabaseTypeName is the type's name in MySQL's Go driver, without length: VARCHAR, BIGINT, UNSIGNED BIGINT, DECIMAL, DATETIME, TEXT,
// JSON …; BOOL and UUID, which MySQL lacks, have their own names.
func (r *rows) ColumnTypeDatabaseTypeName(i int) string {
	return databaseTypeName(r.Header.Columns[i].Type)
}

func databaseTypeName(t value.Type) string {
	unsigned := func(name string) string {
		if t.Unsigned {
			return "UNSIGNED " + name
		}
		return name
	}
	switch t.Base {
	case value.TypeBool:
		return "BOOL"
	case value.TypeBit:
		return "BIT"
	case value.TypeTinyInt:
		return unsigned("TINYINT")
	case value.TypeSmallInt:
		return unsigned("SMALLINT")
	case value.TypeMediumInt:
		return unsigned("MEDIUMINT")
	case value.TypeInt:
		return unsigned("INT")
	case value.TypeBigInt:
		return unsigned("BIGINT")
	case value.TypeFloat:
		return "FLOAT"
	case value.TypeDouble:
		return "DOUBLE"
	case value.TypeDecimal:
		return "DECIMAL"
	case value.TypeChar:
		if t.Declared == "CHAR" {
			return "CHAR"
		}
		return "VARCHAR"
	case value.TypeText:
		return "TEXT"
	case value.TypeEnum:
		return "ENUM"
	case value.TypeSet:
		return "SET"
	case value.TypeBinary:
		if t.Declared == "BINARY" {
			return "BINARY"
		}
		return "VARBINARY"
	case value.TypeBlob:
		return "BLOB"
	case value.TypeDate:
		return "DATE"
	case value.TypeDateTime:
		if t.Declared == "TIMESTAMP" {
			return "TIMESTAMP"
		}
		return "DATETIME"
	case value.TypeTime:
		return "TIME"
	case value.TypeYear:
		return "YEAR"
	case value.TypeJSON:
		return "JSON"
	case value.TypeUUID:
		return "UUID"
	}
	return "NULL"
}

// ColumnTypeNullable says whether the column may hold NULL; it is always known.
func (r *rows) ColumnTypeNullable(i int) (nullable, ok bool) {
	return r.Header.Columns[i].Nullable, true
}

// ColumnTypeLength is the length in characters or octets of text and binary columns; math.MaxInt64 if only the store limits it.
func (r *rows) ColumnTypeLength(i int) (length int64, ok bool) {
	switch t := r.Header.Columns[i].Type; t.Base {
	case value.TypeChar, value.TypeBinary, value.TypeText, value.TypeBlob:
		if t.Length == 0 {
			return math.MaxInt64, true
		}
		return int64(t.Length), true
	case value.TypeJSON:
		return math.MaxInt64, true
	case value.TypeUUID:
		return 36, true
	}
	return 0, false
}

// ColumnTypePrecisionScale is the precision and scale of DECIMAL columns, and the digits of a second of DATETIME and TIME.
func (r *rows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	switch t := r.Header.Columns[i].Type; t.Base {
	case value.TypeDecimal:
		return int64(t.Precision), int64(t.Scale), true
	case value.TypeDateTime, value.TypeTime:
		digits := int64(t.Precision)
		if digits < 0 {
			digits = 7
		}
		return digits, digits, true
	}
	return 0, 0, false
}
