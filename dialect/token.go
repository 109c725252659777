package dialect

import "strings"

// tokenKind says what a token is.
type tokenKind uint8

const (
	tokEnd     tokenKind = iota // behind the last token; its start is the text's length
	tokWord                     // an unquoted name or keyword
	tokQuoted                   // `name`, and "name" where quotes mean identifiers
	tokString                   // 'text', and "text" where quotes mean strings
	tokInt                      // 12
	tokDecimal                  // 1.5
	tokFloat                    // 1e3
	tokHex                      // X'0a', 0x0a
	tokBit                      // B'01', 0b01
	tokArg                      // ?, $1, :name, @name
	tokSystem                   // @@name
	tokUser                     // @`name`, @'name', and @name in SET
	tokOp                       // an operator or a mark
)

// token is a piece of the text. Its words and values are cut out of the text when they are asked for.
type token struct {
	kind       tokenKind
	start, end int32
	// word is the text of a tokWord in upper case and of a tokOp as written; "" for all others, so that
	// a quoted name is never taken for a keyword.
	word string
	// match is the index of the parenthesis that closes, or opens, this one.
	match int32
	// arg is the index of a placeholder among the arguments.
	arg int32
}

// upper is s in upper case, for letters of ASCII only: strings.ToUpper makes an S of the long s U+017F, and so could make a keyword of another
// word.
func upper(s string) string {
	for i := 0; i < len(s); i++ {
		if 'a' <= s[i] && s[i] <= 'z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'a' <= b[i] && b[i] <= 'z' {
					b[i] -= 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// lower is s in lower case, letters of ASCII only.
func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// set makes a set of the words in s.
func set(s string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// reserved are the words that give a statement its structure: never a name without backticks. Every other word is a name wherever a name can
// appear, unlike in MySQL, which reserves 260.
var reserved = set(`SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT UNION EXCEPT INTERSECT AND OR XOR NOT IN
	IS LIKE BETWEEN REGEXP RLIKE CASE WHEN THEN ELSE AS ON USING JOIN LEFT RIGHT INNER CROSS NATURAL
	STRAIGHT_JOIN SET INTO VALUES INSERT UPDATE DELETE REPLACE CREATE DROP ALTER TABLE WITH EXISTS DIV MOD
	NULL TRUE FALSE DISTINCT ALL FOR INTERVAL ASC DESC DEFAULT COLLATE BINARY LOCK RETURNING
	CHECK CONSTRAINT FOREIGN PRIMARY REFERENCES UNIQUE LATERAL`)

// callable are the reserved words that are also the names of functions.
var callable = set(`LEFT RIGHT REPLACE INSERT MOD VALUES`)

// keywords are the words that a typing error may have meant: those of queries, then those of definitions.
var keywords = []string{"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "FROM", "WHERE", "GROUP", "ORDER", "HAVING",
	"LIMIT", "OFFSET", "UNION", "VALUES", "JOIN", "LEFT", "INNER", "BETWEEN", "DISTINCT", "INTO", "TABLE",
	"AUTO_INCREMENT", "COMMENT", "COPY KEYS", "DEFAULT", "FOREIGN", "GLOBAL", "INCLUDE", "INTERLEAVE", "INTERVAL", "NOT NULL", "PARTITION",
	"PARTITIONS", "PRIMARY KEY", "PROPERTY", "REFERENCES", "STORED", "UNIQUE", "VIRTUAL", "WITH PARENT"}

// keywordLike is the keyword that another word is a typing error of: two letters swapped, or one wrong, missing or too many. "" if there is
// none.
func keywordLike(word string) string {
	if len(word) < 4 || reserved[word] {
		return ""
	}
	for _, k := range keywords {
		if word != k && typo(word, k) {
			return k
		}
	}
	return ""
}

// didYouMean ends an error at a word that is a typing error of a keyword; "" if it is not.
func didYouMean(word string) string {
	if k := keywordLike(word); k != "" {
		return "; did you mean " + k + "?"
	}
	return ""
}

// typo says whether a and b differ by one typing error.
func typo(a, b string) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 1 && len(b) <= 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}

// isName says whether t can be a name.
func (t *token) isName() bool {
	return t.kind == tokQuoted || t.kind == tokWord && !reserved[t.word]
}
