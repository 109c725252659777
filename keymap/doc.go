// Package keymap turns values into key text that sorts as they do, and back; and SQL's names into
// those that the store allows. It alone knows what a value looks like in a key. It sends nothing and
// knows neither schemas nor plans.
//
//	id, err := keymap.NewKey(keymap.Column{Type: "INT"})
//	surname, err := keymap.NewKey(keymap.Column{Type: "VARCHAR", Length: 50})
//	row, err := id.Encode(keymap.RowPrefix, 7)                                            // PK!8000000000000007
//	entry, err := surname.And(id).Encode(keymap.IndexName("surname"), "Smith", 7) // surname!Smith!8000000000000007
//
// # What is promised
//
// Other programs may read what the driver stores (docs/format.md). For them are [Column], [NewKey], [Key], [IndexName],
// [RowPrefix], [SinglePartition], [Bucket], [CatalogTable], [TableName] and [PropertyName]: their names and meaning stay, and for a type,
// a length and a collation keys never change. A program that writes entities by them must write all entries of a row, in one transaction;
// better let the driver. All else here, what takes a [Part] or a value of a package that other modules cannot import, serves the driver
// and may change with any version.
//
// # Key text
//
// A key is a name and the codes of its parts, joined by [Separator]:
//
//	row            PK!id
//	index          name!values!id
//	unique index   name!values, and !id as well where a value is NULL
//
// Codes consist of printable ASCII without / \ # ? % ' and without the separator, so a store may
// compare them by octets, by UTF-16 or by code point: the order is the same. The separator is below
// all of them, and a code word never begins another one, so keys of several parts sort part by part.
//
//	NULL                nothing; ~~~ in a descending part
//	the empty text      "" (two quotes)
//	text                rune by rune, see below
//	BOOL                0 or 1
//	signed, YEAR, TIME  16 hex digits of the 64 bits, the sign bit flipped
//	unsigned            16 hex digits
//	FLOAT, DOUBLE       16 hex digits of the IEEE 754 bits: all flipped when negative, else the sign bit; -0 as 0
//	DATE, DATETIME      19 decimal digits of ticks (100 ns since year 1)
//	DECIMAL(p,s)        1 and p digits without the point; when negative 0 and their complements to 9
//	UUID                32 hex digits
//	BINARY, BLOB        base32hex without padding
//	ENUM                4 hex digits of the member's number
//	SET, BIT            16 hex digits of the bits
//
// A descending part complements the digits of types of a fixed size, and the units of text and
// octets, which then end in ~~.
//
// # Text
//
// A text of a collation other than that by code points is encoded as what stands for it (value.Collation.Fold), so that equal
// texts have one code, and codes are in the order of the collation:
//
//	nocase               lower case, by simple folding
//	_bin that pads       without blanks at its end, as in all others that pad
//	general_ci           each character as a letter in upper case without its accents
//	_ci of Unicode       for each letter the lower-case one of its weight; digits, and what sorts before them, in that order
//	_as_ci, _as_cs       that, and where these are not all plain, U+0000 and the accents, U+0000 and the forms of letters
//
// Part.Prefix counts the characters of what is encoded.
//
// Most of ASCII stands for itself. What the store forbids, and blanks and the separator, take two
// units: U+0000 to U+0023 are " and one of 0-9A-Z; $ % are $0 $1; & ' are &0 &1; . / are .0 .1; > ?
// are >0 >1; [ \ are [0 [1. From U+007E on, ~ and digits to the base of 64 (- 0-9 A-Z _ a-z, in that
// order), the first of which says how many there are:
//
//	U+007E  to U+0B7D     ~ and 2 digits, the first of them the 1st to 44th
//	U+0B7E  to U+FFFF     ~ and 3 digits, the first of them the 45th to 60th
//	U+10000 to U+10FFFF   ~ and 4 digits, the first of them the 61st to 64th
//
// A text that takes more than Part.Cut units is cut at the first end of a code word at or behind
// them; ~~ and 26 digits of base32hex follow, 128 bit of the SHA-256 of the whole text. Equal texts
// keep equal codes and different ones different; those that share the part before the cut sort
// among each other by hash. [Stem] tells, and a program that needs the true order sorts such a run.
package keymap
