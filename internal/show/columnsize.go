package show

import (
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// dataType is the type's first word: varchar of varchar(30).
func dataType(kind string) string {
	if i := strings.IndexAny(kind, "( "); i >= 0 {
		return kind[:i]
	}
	return kind
}

// columnSizes are MySQL's figures for a type; nil for those that do not apply.
func columnSizes(t value.Type) (length, octets, precision, scale, fsp any) {
	switch t.Base {
	case value.TypeChar:
		return t.Length, t.Length * 4, nil, nil, nil
	case value.TypeBinary:
		return t.Length, t.Length, nil, nil, nil
	case value.TypeText, value.TypeBlob:
		if t.Length == 255 && strings.HasPrefix(t.Declared, "TINY") {
			return t.Length, t.Length, nil, nil, nil
		}
		return int64(1 << 20), int64(1 << 20), nil, nil, nil
	case value.TypeEnum, value.TypeSet:
		length := longestMember(t)
		return length, length * 4, nil, nil, nil
	case value.TypeBool, value.TypeTinyInt:
		return nil, nil, 3, 0, nil
	case value.TypeBit:
		return nil, nil, t.Length, nil, nil
	case value.TypeSmallInt:
		return nil, nil, 5, 0, nil
	case value.TypeMediumInt:
		return nil, nil, 7, 0, nil
	case value.TypeInt:
		return nil, nil, 10, 0, nil
	case value.TypeBigInt:
		if t.Unsigned {
			return nil, nil, 20, 0, nil
		}
		return nil, nil, 19, 0, nil
	case value.TypeFloat, value.TypeDouble:
		if t.Precision > 0 {
			return nil, nil, t.Precision, t.Scale, nil
		}
		if t.Base == value.TypeDouble {
			return nil, nil, 22, nil, nil
		}
		return nil, nil, 12, nil, nil
	case value.TypeDecimal:
		return nil, nil, t.Precision, t.Scale, nil
	case value.TypeDateTime, value.TypeTime:
		if t.Precision < 0 {
			return nil, nil, nil, nil, 7
		}
		return nil, nil, nil, nil, t.Precision
	}
	return nil, nil, nil, nil, nil
}

// longestMember is the length of the longest text that an ENUM or SET column can hold.
func longestMember(t value.Type) int {
	longest, all := 0, max(0, len(t.Names)-1)
	for _, name := range t.Names {
		n := utf8.RuneCountInString(name)
		longest, all = max(longest, n), all+n
	}
	if t.Base == value.TypeSet {
		return all
	}
	return longest
}
