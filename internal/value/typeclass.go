package value

// IsText says whether values of the type are texts: ENUM and SET, too.
func (t Type) IsText() bool {
	return t.Base == TypeChar || t.Base == TypeText || t.HasMembers()
}

// IsFreeText says whether values of the type are texts that are not restricted to a list of members.
func (t Type) IsFreeText() bool { return t.Base == TypeChar || t.Base == TypeText }

// IsOctets says whether values of the type are octets without a character set.
func (t Type) IsOctets() bool { return t.Base == TypeBinary || t.Base == TypeBlob }

// HasMembers says whether values of the type have numbers, which its keys hold.
func (t Type) HasMembers() bool { return t.Base == TypeEnum || t.Base == TypeSet }

// IsInteger says whether the type is TINYINT to BIGINT; BOOL, BIT and YEAR are types of their own.
func (t Type) IsInteger() bool { return t.Base >= TypeTinyInt && t.Base <= TypeBigInt }

// Kind is the kind of the values that a column of the type holds; Null if the type is not known.
func (t Type) Kind() Kind {
	switch t.Base {
	case TypeBool:
		return Bool
	case TypeTinyInt, TypeSmallInt, TypeMediumInt, TypeInt, TypeBigInt:
		if t.Unsigned {
			return Uint
		}
		return Int
	case TypeYear:
		return Int
	case TypeBit:
		return Uint
	case TypeFloat, TypeDouble:
		return Float
	case TypeDecimal:
		return Decimal
	case TypeChar, TypeText, TypeEnum, TypeSet:
		return String
	case TypeBinary, TypeBlob:
		return Bytes
	case TypeDate:
		return Date
	case TypeDateTime:
		return Time
	case TypeTime:
		return Duration
	case TypeJSON:
		return JSON
	case TypeUUID:
		return UUID
	}
	return Null
}

// Class groups types whose values are equal exactly when their hash keys are.
type Class uint8

const (
	ClassNone Class = iota // of no such group
	ClassNumber
	ClassText
	ClassOctets
	ClassDate
	ClassDateTime
	ClassTime
	ClassUUID
	ClassJSON
)

// Class gives the group of the type.
func (t Type) Class() Class {
	switch t.Base {
	case TypeBool, TypeBit, TypeTinyInt, TypeSmallInt, TypeMediumInt, TypeInt,
		TypeBigInt, TypeFloat, TypeDouble, TypeDecimal, TypeYear:
		return ClassNumber
	case TypeChar, TypeText, TypeEnum, TypeSet:
		return ClassText
	case TypeBinary, TypeBlob:
		return ClassOctets
	case TypeDate:
		return ClassDate
	case TypeDateTime:
		return ClassDateTime
	case TypeTime:
		return ClassTime
	case TypeUUID:
		return ClassUUID
	case TypeJSON:
		return ClassJSON
	}
	return ClassNone
}
