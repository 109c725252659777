package keymap

import (
	"crypto/sha256"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Names of physical tables: the store accepts ^[A-Za-z][A-Za-z0-9]{2,62}$, ignoring case. Letters (in lower case) and digits of ASCII stay as
// they are; other characters become Z and a digit. A z before a digit becomes Z0, so that every Z or z before a digit is an escape and names can
// be read back.
const (
	escapeZ          = "Z0" // the letter, before a digit
	escapeUnderscore = "Z1"
	escapeOwn        = "Z2" // a table of the driver's own
	escapeHash       = "Z3" // what follows is a hash of the whole name, which was too long
	escapeOctet      = "Z4" // and 2, 4 or 6 hex digits of the code point
	escapeUnit       = "Z5"
	escapePoint      = "Z6"
	escapeStart      = "Z7" // nothing; precedes a name that begins with a digit
	escapeDatabase   = "Z8" // ends the database's name
	escapeGeneration = "Z9" // and the number of times that a dropped table had the name

	ownCatalog   = escapeOwn + "catalog"
	ownTemporary = escapeDatabase + escapeOwn + "temporary"

	maxTableName     = 57 // of 63: a generation takes up to 6
	maxPartitionName = 53 // of 63: a version takes up to 10
	maxDatabaseName  = 30 // of these for the database with its end
	nameHashUnits    = 20 // base32hex digits, 100 bit
)

// TableName is the name of the physical table that holds a table of a database. Names that differ by more than case have different tables; a
// name that is too long ends in a hash.
func TableName(database, table string) string {
	prefix := DatabasePrefix(database)
	return prefix + escapeName(table, maxTableName-len(prefix))
}

// TableGeneration is another name for a physical table (a result of TableName) while the previous one is still being deleted: generation 0 is
// the name itself, and every other one up to 9999 is new.
func TableGeneration(physical string, generation int) string {
	if generation == 0 {
		return physical
	}
	return physical + escapeGeneration + strconv.Itoa(generation)
}

// PartitionTable is the name of the physical table that holds one partition of a table of a database, by a version of the table's definition.
// Different partitions and versions have different names, which differ from every TableName and TableGeneration.
func PartitionTable(database, table, part string, version int64) string {
	prefix := DatabasePrefix(database)
	return prefix + escapeName(table+"\x00"+part, maxPartitionName-len(prefix)) + escapeGeneration + "v" + strconv.FormatInt(version, 36)
}

// DatabasePrefix is the prefix of the physical tables of a database, and of no other database's.
func DatabasePrefix(database string) string {
	name := escapeName(database, maxDatabaseName-len(escapeDatabase)-len(escapeStart))
	if name != "" && name[0] <= '9' {
		name = escapeStart + name
	}
	return name + escapeDatabase
}

// CatalogTable is the name of the physical table that holds the definitions of a database. No user table has this name.
func CatalogTable(database string) string {
	return DatabasePrefix(database) + ownCatalog
}

// CatalogOf is the name of the table that holds the definition of the table physical, one of the driver's own.
func CatalogOf(physical string) string {
	if end := strings.Index(strings.ToUpper(physical), escapeDatabase); end >= 0 {
		return physical[:end] + escapeDatabase + ownCatalog
	}
	return physical
}

// CatalogDatabase says whether a physical table, whatever the case of its name, is the CatalogTable of a database, and of which. The name is in
// lower case; "", false if only its hash is known.
func CatalogDatabase(physical string) (database string, known, ok bool) {
	prefix, name, own := strings.Cut(strings.ToUpper(physical), escapeDatabase)
	if !own || !strings.EqualFold(name, ownCatalog) {
		return "", false, false
	}
	database, known = unescapeName(strings.ToLower(prefix))
	return database, known, true
}

// unescapeName reverses escapeName, in lower case; false if the name was cut.
func unescapeName(name string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] != 'z' || i+1 == len(name) || name[i+1] < '0' || name[i+1] > '9' {
			b.WriteByte(name[i])
			continue
		}
		i++
		size := 0
		switch name[i] {
		case escapeZ[1]:
			b.WriteByte('z')
		case escapeUnderscore[1]:
			b.WriteByte('_')
		case escapeStart[1]:
		case escapeOctet[1], escapeUnit[1], escapePoint[1]:
			size = 2 * int(name[i]-'3')
			if i+size >= len(name) {
				return "", false
			}
			r, err := strconv.ParseInt(name[i+1:i+1+size], 16, 32)
			switch {
			case err != nil:
				return "", false
			case r >= 0xFF0000:
				b.WriteByte(byte(r))
			default:
				b.WriteRune(rune(r))
			}
		default:
			return "", false
		}
		i += size
	}
	return b.String(), true
}

// SharedTable is the name of the physical table that is shared by those tables of a database that have none of their own (layout=single). No
// user table has this name.
func SharedTable(database string) string {
	return DatabasePrefix(database) + escapeOwn + "tables"
}

// TemporaryTable is the name of the n-th physical table that a process makes for a temporary table. No other table has this name.
func TemporaryTable(n int64) string { return ownTemporary + strconv.FormatInt(n, 36) }

// IsTemporary says whether a physical table, whatever the case of its name, is a TemporaryTable.
func IsTemporary(physical string) bool {
	return len(physical) > len(ownTemporary) && strings.EqualFold(physical[:len(ownTemporary)], ownTemporary)
}

// escapeName writes a name into at most room characters.
func escapeName(name string, room int) string {
	name = value.Fold(name)
	var b strings.Builder
	short := 0 // the part that leaves room for a hash, at the end of a character
	for i := 0; i < len(name); {
		if b.Len() <= room-len(escapeHash)-nameHashUnits {
			short = b.Len()
		}
		r, size := utf8.DecodeRuneInString(name[i:])
		switch {
		case r == utf8.RuneError && size == 1: // not UTF-8: identified by the octet, above all code points
			b.WriteString(escapePoint + hexN(0xFF0000|rune(name[i]), 6))
		case r == 'z' && i+1 < len(name) && '0' <= name[i+1] && name[i+1] <= '9':
			b.WriteString(escapeZ)
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			b.WriteByte(byte(r))
		case r == '_':
			b.WriteString(escapeUnderscore)
		case r <= 0xFF:
			b.WriteString(escapeOctet + hexN(r, 2))
		case r <= 0xFFFF:
			b.WriteString(escapeUnit + hexN(r, 4))
		default:
			b.WriteString(escapePoint + hexN(r, 6))
		}
		i += size
	}
	if b.Len() <= room {
		return b.String()
	}
	return b.String()[:short] + escapeHash + hashName(name, nameHashUnits)
}

// hashName is the beginning of a name's SHA-256 in lower-case base32hex.
func hashName(name string, units int) string {
	sum := sha256.Sum256([]byte(name))
	return strings.ToLower(base32hex.EncodeToString(sum[:]))[:units]
}

func hexN(r rune, n int) string {
	s := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", n-len(s)) + s
}

// OwnTable says whether a physical table, whatever the case of its name, may be one of the driver's own: all of those contain the end of a
// database's name, which tables made by others are unlikely to contain.
func OwnTable(physical string) bool {
	return strings.Contains(strings.ToUpper(physical), escapeDatabase)
}

// HoldsRows says whether a physical table is one of the driver's own that holds rows and index entries: OwnTable, and no
// CatalogTable.
func HoldsRows(physical string) bool {
	_, name, own := strings.Cut(strings.ToUpper(physical), escapeDatabase)
	return own && !strings.EqualFold(name, ownCatalog)
}
