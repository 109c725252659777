package value

// Base is the family of a SQL type, without its length or precision.
type Base uint8

// The bases, with what a column of each stores.
const (
	TypeUnknown   Base = iota // NULL literal, untyped placeholder
	TypeBool                  // BOOL, BOOLEAN
	TypeBit                   // BIT(n): Length bits, an unsigned number whose text is octets
	TypeTinyInt               // 8 bit
	TypeSmallInt              // 16 bit
	TypeMediumInt             // 24 bit
	TypeInt                   // 32 bit
	TypeBigInt                // 64 bit
	TypeFloat                 // FLOAT: binary32
	TypeDouble                // DOUBLE, REAL
	TypeDecimal               // DECIMAL(p,s), NUMERIC: exact
	TypeChar                  // CHAR(n), VARCHAR(n), n characters
	TypeText                  // TINYTEXT … LONGTEXT
	TypeEnum                  // ENUM('a','b'): one of the texts
	TypeSet                   // SET('a','b'): texts joined by commas
	TypeBinary                // BINARY(n), VARBINARY(n), n octets
	TypeBlob                  // TINYBLOB … LONGBLOB
	TypeDate                  // year 1 to 9999
	TypeDateTime              // DATETIME(p), TIMESTAMP(p): UTC, 100 ns at most
	TypeTime                  // TIME(p): signed duration
	TypeYear                  // 1901 to 2155, and 0
	TypeJSON                  // JSON text, checked
	TypeUUID                  // 128 bit
)

// Type is a SQL type as a column declares it or an expression has it.
type Type struct {
	Base      Base
	Unsigned  bool
	Collation Collation
	Coercion  Coercion // of an expression
	Length    int      // characters or octets, bits of BIT; 0: no limit but the store's; 1 of TINYINT(1)
	Precision int      // digits in all of DECIMAL, FLOAT(M,D); of a second of DATETIME and TIME, -1 where not known
	Scale     int      // digits behind the point of DECIMAL, FLOAT(M,D)
	Names     []string // ENUM and SET members
	Truth     bool     // of a condition: its 1 and 0 are true and false in JSON
	Declared  string   // the name as written, upper case: VARCHAR, TINYTEXT; "" for expressions

	members map[string]int // the place of each in Names; nil if there are few
}

// Coercion says what gave a text its collation: if two differ, the lower one's is used.
type Coercion int8

// The coercions.
const (
	Explicit Coercion = iota - 3 // COLLATE
	Octets                       // BINARY
	Mixed                        // columns of different collations
	Implicit                     // a column
	Literal                      // a literal or argument, by the connection
	Computed                     // something that is not a text itself
)

// String is MySQL's name for it.
func (c Coercion) String() string {
	return [...]string{"EXPLICIT", "IMPLICIT", "NONE", "IMPLICIT", "COERCIBLE", "IGNORABLE"}[c-Explicit]
}
