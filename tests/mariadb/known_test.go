package mariadb

import (
	"regexp"
	"strings"
)

// differences are all that stay. What MySQL 8.0 says is by its manual and its source.
var differences = []difference{
	{
		name: "JSON is text", who: mariaDB, what: "fails there", there: 1267, text: regexp.MustCompile(`JSON|\bj\b|\br_j\b`),
		reason:  "MariaDB's JSON is a text in utf8mb4_bin, which it refuses to mix with texts of another collation.",
		example: "SELECT id FROM t WHERE j = v",
	},
	{
		name: "JSON is text, of three collations", who: mariaDB, there: 1270, text: regexp.MustCompile(`JSON|\bj\b|\br_j\b`),
		reason:  "The same for functions of three texts.",
		example: "SELECT LEAST(j, v, c) FROM t",
	},
	{
		name: "JSON is text, refused here, too", who: mariaDB, what: "errors", there: 1267, text: regexp.MustCompile(`JSON|\bj\b|\br_j\b`),
		reason:  "MariaDB looks at the collations before it looks at the documents.",
		example: "SELECT JSON_MERGE_PATCH(NULL, IFNULL(c, j)) FROM t",
	},
	{
		name: "JSON compares and sorts as text", who: mariaDB, text: regexp.MustCompile(`\bj\b|\br_j\b`), values: anyValues,
		reason:  "MySQL compares a JSON column by what its documents hold; MariaDB by their text.",
		example: "SELECT id FROM t ORDER BY j, id",
	},
	{
		name: "rows found by JSON", who: mariaDB, what: "number of rows", text: regexp.MustCompile(`\bj\b|\br_j\b`),
		reason:  "The same in a condition.",
		example: "SELECT id FROM t WHERE j < 2",
	},
	{
		name: "JSON text that is none", who: mariaDB, what: "errors", here: 3140, there: 4025,
		reason:  "MariaDB's JSON columns are texts with a CHECK: error 4025 where MySQL has 3140.",
		example: "INSERT INTO t (id, j) VALUES (99, 'x')",
	},
	{
		name: "JSON text that is none, of a function", who: mariaDB, what: "fails here", here: 3141,
		reason:  "JSON functions of a text that is no JSON are NULL with a warning in MariaDB, error 3141 in MySQL.",
		example: "SELECT JSON_DEPTH('x')",
	},
	{
		name: "JSON function of a number", who: mariaDB, what: "fails here", here: 3146,
		reason:  "MySQL's JSON functions take texts and documents only.",
		example: "SELECT JSON_LENGTH(1)",
	},
	{
		name: "times in JSON", who: mariaDB, what: "rows", text: regexp.MustCompile(`JSON_`), values: func(a, b string) bool { return strings.ReplaceAll(a, ".000000", "") == b },
		reason:  "A time that becomes a part of a document has six digits of a second in MySQL.",
		example: "SELECT JSON_ARRAY(TIME'10:11:12')",
	},
	{
		name: "octets in JSON", who: mariaDB, text: regexp.MustCompile(`JSON_`), values: func(a, b string) bool { return strings.Contains(a, "base64:type") },
		reason:  "Octets that become a part of a document are base64 there in MySQL.",
		example: "SELECT JSON_ARRAY(x'414243')",
	},
	{
		name: "JSON_CONTAINS where the path leads to nothing", who: mariaDB, text: regexp.MustCompile(`JSON_CONTAINS\(`), values: func(a, b string) bool { return a == "NULL" && b == "0" },
		reason:  "MySQL's manual: NULL if the path does not identify a section of the target document.",
		example: "SELECT JSON_CONTAINS('{}', '1', '$.a')",
	},
	{
		name: "JSON functions of a path to nothing", who: mariaDB, text: regexp.MustCompile(`JSON_ARRAY_APPEND|JSON_ARRAY_INSERT`), values: func(a, b string) bool { return a != "NULL" && b == "NULL" },
		reason:  "MySQL's manual: a path that does not lead to anything is ignored, and the document is given as it is.",
		example: "SELECT JSON_ARRAY_APPEND('1', '$.b', 2)",
	},
	{
		name: "octets that are no UTF-8", who: mariaDB, there: 1300, text: regexp.MustCompile(`0x|x'|b'|\bb\b|\br_b\b`),
		reason:  "MariaDB turns a hexadecimal literal beside a text into the text's character set; MySQL compares both as octets.",
		example: "SELECT id FROM t WHERE v = 0xFF",
	},
	{
		name: "STDDEV and VARIANCE of exact numbers", who: mariaDB, text: regexp.MustCompile(`STD|VAR`), values: roundedTo,
		reason:  "MariaDB shows four digits more than the argument has; MySQL 8.0 gives all digits of the DOUBLE.",
		example: "SELECT STDDEV(i) FROM (SELECT 1 AS i UNION SELECT 2 UNION SELECT 4) d",
	},
	{
		name: "negative zero", who: mariaDB, values: func(a, b string) bool { return strings.HasPrefix(b, "-0") && "-"+a == b },
		reason:  "MariaDB's DECIMAL can be -0.00.",
		example: "SELECT MOD(-1.50, -1.5)",
	},
	{
		name: "AVG cut to nines", who: mariaDB, text: regexp.MustCompile(`AVG.*GROUP BY`), values: func(a, b string) bool { return strings.Trim(b, "9.-") == "" && len(b) > 4 },
		reason:  "MariaDB keeps the average of a function in a column that may be too narrow, where it groups by a temporary table.",
		example: "SELECT MIN(id), COUNT(*), AVG(ASCII('true')) FROM t GROUP BY c ORDER BY MIN(id)",
	},
	{
		name: "LEAST and GREATEST of numbers and texts", who: mariaDB, text: regexp.MustCompile(`(LEAST|GREATEST)\(`), values: anyValues,
		reason:  "MySQL 8.0's manual: arguments that are a mix of numbers and texts are compared as texts. MariaDB compares them as numbers.",
		example: "SELECT GREATEST(1, 'a')",
	},
	{
		name: "LEAST and GREATEST of numbers and texts, written", who: mariaDB, there: 1292, text: regexp.MustCompile(`(LEAST|GREATEST)\(`),
		reason:  "So in strict mode MariaDB wants the texts to be numbers.",
		example: "UPDATE t SET v = LEAST(1, 'a')",
	},
	{
		name: "a text that is no date beside one", who: mariaDB, here: 1525,
		reason:  "MySQL 8.0.16 and later refuse a constant that is no date where it is compared with dates; MariaDB warns.",
		example: "SELECT DATE'2024-01-31' = 'a'",
	},
	{
		name: "the text of a DOUBLE literal", who: mariaDB, text: regexp.MustCompile(`\de[-+]?\d`), values: func(a, b string) bool { return strings.Contains(b, "e") && sameNumber(a, b) },
		reason:  "MariaDB keeps a DOUBLE literal's text as it was written, where it becomes a text.",
		example: "SELECT 'a' UNION ALL SELECT 1e-5 ORDER BY 1",
	},
	{
		name: "GROUP BY TRUE", who: mariaDB, what: "fails there", there: 1056, text: regexp.MustCompile(`GROUP BY (TRUE|FALSE)`),
		reason:  "MariaDB takes TRUE as the position 1.",
		example: "SELECT MIN(id) FROM t GROUP BY TRUE",
	},
	{
		name: "REPLACE by NULL", who: mariaDB, text: regexp.MustCompile(`REPLACE\(.*NULL\)`), values: func(a, b string) bool { return a == "NULL" },
		reason:  "A function of NULL is NULL; MariaDB gives the text where there is nothing to replace.",
		example: "SELECT REPLACE('a', 'b', NULL)",
	},
	{
		name: "UPDATE to a DEFAULT that is none", who: mariaDB, what: "fails there", there: 1364, text: regexp.MustCompile(`UPDATE.*DEFAULT`),
		reason:  "MariaDB says it even where no row is changed.",
		example: "UPDATE t SET id = DEFAULT WHERE id = 77",
	},
	{
		name: "years before 1", who: we, text: regexp.MustCompile(`INTERVAL|DATE_SUB|SUBDATE|DATE_ADD`), values: func(a, b string) bool { return a == "NULL" && strings.HasPrefix(b, "0000-") },
		reason:  "Dates have the years 1 to 9999 here.",
		example: "SELECT DATE_SUB('0001-01-01', INTERVAL 1 MONTH)",
	},
	{
		name: "texts over 16 MiB", who: we, what: "fails here", here: 1301,
		reason:  "A text that grows over 16 MiB is an error here; MySQL gives NULL with a warning.",
		example: "SELECT LENGTH(REPEAT('a', 20240131))",
	},
	{
		name: "BOOL holds two values", who: we, here: 1264, text: regexp.MustCompile(`BOOLEAN|\bbo\b`),
		reason:  "BOOL is a type of its own here, and takes TRUE, FALSE, 1 and 0 only; in MySQL it is TINYINT(1).",
		example: "INSERT INTO t (id, bo) VALUES (99, 2)",
	},
	{
		name: "a DOUBLE too long for a text column", who: we, what: "fails here", here: 1406, text: regexp.MustCompile(`(?i)\de[-+]?\d|SIN|COS|SQRT|LOG|EXP|POW|ATAN|DEGREES|RADIANS`),
		reason:  "MySQL shows fewer digits of a DOUBLE where they do not fit a text column; here that is refused.",
		example: "INSERT INTO t (id, c) VALUES (99, 0.12345678901234e0)",
	},
	{
		name: "REGEXP_SUBSTR without a match", who: mariaDB, text: regexp.MustCompile(`REGEXP_SUBSTR`), values: func(a, b string) bool { return a == "NULL" && b == "" },
		reason:  "MySQL's REGEXP_SUBSTR is NULL where nothing matches, MariaDB's is empty.",
		example: "SELECT REGEXP_SUBSTR('a', 'b')",
	},
	{
		name: "logarithm of what has none", who: mariaDB, here: 3020, text: regexp.MustCompile(`LOG|LN`),
		reason:  "MySQL's error is 3020, MariaDB's 1365.",
		example: "INSERT INTO t (id, d) VALUES (99, LN(-1))",
	},
	{
		name: "a DELETE or UPDATE of no rows by a condition that is no number", who: mariaDB, what: "fails here", here: 1292, text: regexp.MustCompile(`DELETE|UPDATE`),
		reason:  "A condition of constants is computed before any row is read, so it fails in strict mode; MariaDB warns.",
		example: "DELETE FROM t WHERE 1 = 'a'",
	},
	{
		name: "YEAR is signed", who: we, what: "fails there", there: 1690, text: regexp.MustCompile(`\by\b|\br_y\b`),
		reason:  "In MySQL a YEAR is unsigned, and a year from which more than it is is taken an error.",
		example: "SELECT y - 3000 FROM t",
	},
	{
		name: "ROUND beyond BIGINT UNSIGNED", who: we, what: "fails here", here: 1690, text: regexp.MustCompile(`ROUND\(`),
		reason:  "What does not fit is an error; MySQL gives what is left of the number in 64 bits.",
		example: "SELECT ROUND(18446744073709551615, -1)",
	},
	{
		name: "TIME_TO_SEC of a fraction", who: mariaDB, text: regexp.MustCompile(`TIME_TO_SEC`), values: func(a, b string) bool { return strings.HasPrefix(b, a+".") },
		reason:  "MySQL's TIME_TO_SEC is an integer.",
		example: "SELECT TIME_TO_SEC('10:11:12.5')",
	},
}

func anyValues(string, string) bool { return true }

func sameNumber(a, b string) bool {
	x, y := number(a), number(b)
	return x != nil && y != nil && x.Cmp(y) == 0
}
