package mariadb

import (
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// differences are all that stay. What MySQL 8.0 says is by its manual and its source.
var differences = []difference{
	{
		name: "foreign keys are judged by statement", who: we, text: regexp.MustCompile("FOREIGN KEY"),
		reason: "A statement is checked when it has written all of its rows and done its cascades, as in standard SQL. So a row may refer to one that the same statement adds, and DELETE may delete rows that refer to each other. MySQL checks each row. It refuses to insert a row that refers to a later one, and to delete a row that refers to itself or that a later row refers to.",
	},
	{
		name: "foreign keys to unique keys only", who: we, text: regexp.MustCompile("FOREIGN KEY"),
		reason: "As in MySQL 8.4, a foreign key must refer to all columns of a unique key (6125).",
	},
	{
		name: "RENAME and DROP DATABASE", who: we, text: regexp.MustCompile("CREATE DATABASE"),
		reason: "RENAME cannot move a table to another database (1235). DROP DATABASE stops the programs that use the database within the lease of definitions.",
	},
	{
		name: "foreign keys and partitions", who: we, text: regexp.MustCompile("PARTITION BY"),
		reason: "Tables with partitions may have foreign keys, and foreign keys may refer to them; MySQL refuses both (1506). If foreign keys refer to a table, ALTER TABLE … DROP and TRUNCATE PARTITION of it are refused (1701).",
	},
	{
		name: "foreign keys to other databases", who: we, text: regexp.MustCompile("CREATE DATABASE"),
		reason: "While such a foreign key refers to a table or a column, you cannot rename that (1235). If you drop a table with foreign_key_checks = 0 and make it again with foreign_key_checks = 0, as a dump does, the rows of other databases refer to it again. If you make it in another way, no row of theirs can refer to it (1452) until you drop the foreign key and add it again.",
	},
	{
		name: "the database of the data source name", who: we, text: regexp.MustCompile("CREATE DATABASE"),
		reason: "It exists though nobody has created it, so CREATE DATABASE of it is error 1007, until somebody drops it. You can connect to a database that was dropped; then each statement fails with 1049. Names of databases ignore case.",
	},
	{
		name: "columns beside WITH ROLLUP", who: we, text: regexp.MustCompile("WITH ROLLUP"),
		reason: "A column that is neither grouped nor in an aggregate is refused (1055), even if it depends on the groups, as a column depends on its table's key: rows that total several groups have no single value of it.",
	},
	{
		name: "FOR UPDATE and FOR SHARE", who: we, text: regexp.MustCompile("FOR (UPDATE|SHARE)"),
		reason: "FOR UPDATE and FOR SHARE mean the same. They wait for rows that another transaction has read in this way or has written to, if it belongs to the same sql.DB, or to the same process in memory and on a file. Other statements wait for nobody: the second one to commit gets 1213. On Azure the same happens to one of two processes that take the same row.",
	},
	{
		name: "KILL", who: we, text: regexp.MustCompile("KILL"),
		reason: "KILL reaches only the sessions of one sql.DB.",
	},
	{
		name: "temporary tables", who: we, text: regexp.MustCompile("TEMPORARY"),
		reason: "A statement may name a temporary table more than once (1137 in MySQL). When a connection goes back to the pool of a sql.DB, its temporary tables are dropped; mysqlshim keeps them.",
	},
	{
		name: "JSON_TABLE", who: we, text: regexp.MustCompile("JSON_TABLE"),
		reason: "A column of type JSON keeps a document's null. If a path leads to several elements, a JSON column gets an array of them, and other columns follow ON ERROR. FOR ORDINALITY is INT UNSIGNED.",
	},
	{
		name: "TABLE in a view", who: we, text: regexp.MustCompile("VIEW.*TABLE"),
		reason: "CREATE VIEW … AS TABLE t is refused (1235): write SELECT * FROM t.",
	},
	{
		name: "names in ON DUPLICATE KEY UPDATE", who: we, text: regexp.MustCompile("SELECT .*ON DUPLICATE KEY UPDATE"),
		reason: "In INSERT … SELECT, a bare name of a column that both tables have means the table that is written; in MySQL it is ambiguous (1052). With SELECT DISTINCT you can name only selected columns (1235).",
	},
	{
		name: "INVISIBLE indexes", who: we, text: regexp.MustCompile("INVISIBLE"),
		reason: "INVISIBLE has no effect on an index: queries use that index, too. An INVISIBLE column is as in MySQL, with two exceptions: USING does not find it, and a bare name means the visible column of that name in another table (1052 in MySQL).",
	},
	{
		name: "window functions by GROUPS", who: we, text: regexp.MustCompile("GROUPS"),
		reason: "Frames by GROUPS work, as in standard SQL; MySQL 8.0 parses them and refuses them (1235).",
	},
	{
		name: "the rounds of WITH RECURSIVE", who: we, text: regexp.MustCompile("RECURSIVE"),
		reason: "The rows of a round are computed together; MySQL computes one row after the other. The resulting rows are the same. max_memory bounds them.",
	},
	{
		name: "the text of a view", who: we, text: regexp.MustCompile("VIEW"),
		reason: "SHOW CREATE VIEW and information_schema.VIEWS show the query as it was written, with columns in place of * and the tables of columns. MySQL rewrites it, each name with its database. DEFINER and SQL SECURITY have no effect, as there are no rights.",
	},
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
		reason:  "MariaDB checks the collations before the documents.",
		example: "SELECT JSON_MERGE_PATCH(NULL, IFNULL(c, j)) FROM t",
	},
	{
		name: "JSON compares and sorts as text", who: mariaDB, also: func(f *finding) bool { return f.cells(anyValues) && comparesJSON(f.text) },
		reason:  "MySQL compares JSON columns by their documents; MariaDB by their text.",
		example: "SELECT id FROM t ORDER BY j, id",
	},
	{
		name: "rows found by JSON", who: mariaDB, text: regexp.MustCompile(`\bj\b|\br_j\b`), also: func(f *finding) bool {
			return f.what == "number of rows" || conditionOfJSON.MatchString(f.text)
		},
		reason:  "The same in a condition.",
		example: "SELECT id FROM t WHERE j < 2",
	},
	{
		name: "JSON text that is invalid", who: mariaDB, what: "errors", here: 3140, there: 4025,
		reason:  "MariaDB's JSON columns are texts with a CHECK: it reports error 4025 where MySQL reports 3140.",
		example: "INSERT INTO t (id, j) VALUES (99, 'x')",
	},
	{
		name: "JSON text that is invalid, of a function", who: mariaDB, here: 3141,
		reason:  "For a text that is not JSON, JSON functions are NULL with a warning in MariaDB, and error 3141 in MySQL.",
		example: "SELECT JSON_DEPTH('x')",
	},
	{
		name: "JSON function of a number", who: mariaDB, here: 3146,
		reason:  "MySQL's JSON functions take texts and documents only.",
		example: "SELECT JSON_LENGTH(1)",
	},
	{
		name: "times in JSON", who: mariaDB, what: "rows", text: regexp.MustCompile(`JSON_`), values: func(a, b string) bool { return zeros.ReplaceAllString(a, "$1\"") == zeros.ReplaceAllString(b, "$1\"") },
		reason:  "A time that becomes a part of a document has six digits of a second in MySQL.",
		example: "SELECT JSON_ARRAY(TIME'10:11:12')",
	},
	{
		name: "bytes in JSON", who: mariaDB, text: regexp.MustCompile(`JSON_`), also: func(f *finding) bool {
			return f.ours.number == 1406 && hexadecimal.MatchString(f.text) || f.cells(func(a, b string) bool { return strings.Contains(a, "base64:type") })
		},
		reason:  "Binary strings that become part of a document are base64 in MySQL.",
		example: "SELECT JSON_ARRAY(x'414243')",
	},
	{
		name: "JSON_CONTAINS where the path leads to nothing", who: mariaDB, text: regexp.MustCompile(`JSON_CONTAINS\(.*'\$`), also: func(f *finding) bool {
			return f.theirs.err != nil || f.ours.number == 1048 || f.what == "warnings" || f.what == "affected rows" || strings.Contains(f.text, " IS ") || f.cells(func(a, b string) bool { return a == "NULL" && strings.Trim(b, "0.\x00") == "" })
		},
		reason:  "MySQL's manual: NULL if the path does not identify a section of the target document.",
		example: "SELECT JSON_CONTAINS('{}', '1', '$.a')",
	},
	{
		name: "JSON functions of a path to nothing", who: mariaDB, text: regexp.MustCompile(`JSON_ARRAY_APPEND|JSON_ARRAY_INSERT`), also: func(f *finding) bool {
			return f.what == "affected rows" || f.cells(func(a, b string) bool { return a != "NULL" && b == "NULL" })
		},
		reason:  "MySQL's manual: a path that leads to nothing is ignored, and the document is returned unchanged.",
		example: "SELECT JSON_ARRAY_APPEND('1', '$.b', 2)",
	},
	{
		name: "the order of JSON_KEYS", who: mariaDB, what: "rows", text: regexp.MustCompile(`JSON_KEYS\(`), values: func(a, b string) bool { return len(a) == len(b) && strings.HasPrefix(a, "[") },
		reason:  "Documents have their keys in order in MySQL.",
		example: "SELECT JSON_KEYS('{\"b\": 1, \"a\": 2}')",
	},
	{
		name: "NOT NOT", who: mariaDB, text: regexp.MustCompile(`NOT \(NOT |! \(NOT |NOT \(! `),
		reason:  "It is 0 or 1; in MariaDB's conditions the value itself.",
		example: "SELECT id FROM t WHERE 2.5 BETWEEN 1 AND (NOT (NOT 2.5))",
	},
	{
		name: "binary strings beside texts without case", who: we, text: regexp.MustCompile(`\b(r_)?vci\b.*(0x|[xb]'|BASE64|UNHEX)|(0x|[xb]'|BASE64|UNHEX).*\b(r_)?vci\b`), also: func(f *finding) bool { return f.ours.err == nil && f.theirs.err == nil },
		reason:  "Binary strings from a function or a literal compare by their bytes; in MySQL by the column's collation.",
		example: "SELECT FROM_BASE64(TO_BASE64(UPPER(vci))) = vci FROM t ORDER BY id",
	},
	{
		name: "columns of two collations", who: mariaDB, text: regexp.MustCompile(`\bvci (<=>|[<>=]+) r_(c|v|x|e|st|b)\b|\b(c|v|x|e|st|b) (<=>|[<>=]+) r_vci\b`), also: func(f *finding) bool { return f.what == "rows" || f.what == "number of rows" },
		reason:  "If two columns have different collations, the binary one decides; MariaDB finds rows by the other one if that column has an index.",
		example: "SELECT id, (SELECT COUNT(*) FROM t2 WHERE vci < r_e) FROM t ORDER BY id",
	},
	{
		name: "which of two equal texts MIN and MAX give", who: mariaDB, text: regexp.MustCompile(`(MIN|MAX)\(.*vci`), values: func(a, b string) bool {
			return strings.EqualFold(strings.ReplaceAll(a, "é", "e"), strings.ReplaceAll(b, "é", "e"))
		},
		reason:  "Texts that differ only in case or accents are equal, and any of them may be the least.",
		example: "SELECT MIN(vci) FROM (SELECT id, CASE id WHEN 1 THEN 'A' ELSE 'a' END COLLATE utf8mb4_general_ci AS vci FROM t) d",
	},
	{
		name: "casts into columns of bytes", who: mariaDB, what: "fails here", here: 1292, text: regexp.MustCompile(`^(BINARY|VARBINARY|BIT|BLOB).*(CAST|EXTRACT)\(`),
		reason:  "In strict mode MariaDB does not refuse a value that a cast cuts if the column is BINARY or BIT.",
		example: "VARBINARY(5): INSERT INTO x VALUES (1, CAST('hello' AS CHAR(3)))",
	},
	{
		name: "a zero as a text", who: mariaDB, what: "state: rows", values: func(a, b string) bool { return strings.Trim(a, "0.\x00") == "" && strings.Trim(b, "\x00") == "0" },
		reason:  "A DECIMAL that is 0 shows the digits of its type; in MariaDB it shows none if it is stored in a text column.",
		example: "VARCHAR(30): INSERT INTO x VALUES (1, 0.0 % 1.50)",
	},
	{
		name: "padding of a number", who: mariaDB, text: regexp.MustCompile(`([LR]PAD|INSERT)\(`), values: func(a, b string) bool { return strings.Contains(b, "Ã") },
		reason:  "MariaDB takes the bytes of the padding for characters.",
		example: "SELECT RPAD(1, 2.5, 'é')",
	},
	{
		name: "which of two errors", who: we, what: "errors", there: 1292, text: regexp.MustCompile(`CAST\(.* AS DECIMAL| [<>=]+ \(`), also: func(f *finding) bool { return f.ours.number == 1264 || f.ours.number == 1365 },
		reason:  "If both sides of a comparison fail, and the left one is a text that is not a number, the error is about the right side; in MySQL it is about the left side.",
		example: "INSERT INTO t (id, d) VALUES (99, 'a' = CAST(99999999999999 AS DECIMAL(10,2)))",
	},
	{
		name: "a TIME below zero in IF", who: mariaDB, text: regexp.MustCompile(`(IF|IFNULL|COALESCE|CASE)\b.*\btm3?\b.*AS SIGNED|MAKEDATE\(\d+, (IF|IFNULL|COALESCE|CASE)\b.*\btm3?\b`), values: func(a, b string) bool { return a == "-"+b || a == "NULL" },
		reason:  "MariaDB forgets its sign where it becomes an integer.",
		example: "SELECT CAST(IF(NULL, NULL, tm) AS SIGNED) FROM (SELECT TIME'-01:02:03' AS tm) d",
	},
	{
		name: "texts with a fraction as bits", who: mariaDB, here: 1292, text: regexp.MustCompile(`'[^']*' ([|&^]|<<|>>)|([|&^]|<<|>>) '`),
		reason:  "A text that is not an integer is refused in strict mode.",
		example: "INSERT INTO t (id, i) VALUES (99, '1.5' | 1)",
	},
	{
		name: "TIMEDIFF of numbers", who: mariaDB, text: regexp.MustCompile(`TIMEDIFF\(`), values: func(a, b string) bool { return a != "NULL" },
		reason:  "MySQL reads numbers as times; in MariaDB TIMEDIFF of numbers is NULL.",
		example: "SELECT IFNULL(TIMEDIFF(1, 1), DATE'2024-01-31')",
	},
	{
		name: "AVG of rounded texts", who: mariaDB, text: regexp.MustCompile(`AVG\((FLOOR|CEIL|CEILING|ROUND)\(`), values: roundedTo,
		reason:  "FLOOR and CEIL of a text are DOUBLE.",
		example: "SELECT AVG(FLOOR(v)) FROM (SELECT '1' AS v UNION ALL SELECT '2' UNION ALL SELECT '2') d",
	},
	{
		name: "the order of parts of what is not a date", who: mariaDB, what: "rows", text: regexp.MustCompile(`ORDER BY.*(NAME|DAY|MONTH|YEAR|WEEK|QUARTER)[A-Z]*\(`),
		reason:  "Numbers that are not dates have no parts; in MariaDB they have the parts of a zero date.",
		example: "SELECT id FROM t ORDER BY YEAR(si), id",
	},
	{
		name: "large numbers as TIME, stored", who: mariaDB, text: regexp.MustCompile(`CAST\((\d{8,}|[\d.]+e\d+) AS TIME|TIME\((\d{8,}|[\d.]+e\d+)`), also: func(f *finding) bool {
			return f.ours.number == 1292 || f.ours.number == 1048 || f.theirs.number == 1406
		},
		reason:  "A number beyond the greatest TIME is not a time.",
		example: "INSERT INTO t (id, c) VALUES (99, CAST(20240131 AS TIME(2)))",
	},
	{
		name: "the number of ELT", who: we, text: regexp.MustCompile(`ELT\(.*\b(e|st)\b`), also: func(f *finding) bool { return f.ours.err == nil && f.theirs.err == nil },
		reason:  "ELT of an ENUM returns its text; in MySQL its number, if a number is wanted.",
		example: "SELECT ELT(1, e) + 0 FROM t ORDER BY id",
	},
	{
		name: "a quotient as a TIME", who: mariaDB, what: "state: rows", text: regexp.MustCompile(`^TIME.*/`),
		reason:  "A TIME stores the digits that a quotient shows; MariaDB stores the digits that it computed with.",
		example: "TIME(6): INSERT INTO x VALUES (1, 1 / 3)",
	},
	{
		name: "a text that a cast cuts", who: mariaDB, here: 1292, text: regexp.MustCompile(`AS CHAR\(\d`),
		reason:  "In strict mode MySQL refuses a value that a cast cuts. MariaDB reports that if a text is stored, and otherwise reports what the column makes of the result.",
		example: "INSERT INTO t (id, d2) VALUES (99, CAST('10:11:12' AS CHAR(3)))",
	},
	{
		name: "parts of what is not a time, written", who: mariaDB, what: "fails here", here: 1292, text: regexp.MustCompile(`EXTRACT\([A-Z_]+ FROM (-?[\d.]+|'[\d/-]+')\)`),
		reason:  "A number that is not a date is refused in strict mode.",
		example: "INSERT INTO t (id, tm3) VALUES (99, EXTRACT(DAY FROM 1))",
	},
	{
		name: "comparisons negated", who: mariaDB, what: "fails here", here: 1292, text: regexp.MustCompile(`- \([^()]* [<>=]+ [^()]*\)`),
		reason:  "A text that is not a number is refused in strict mode; MariaDB misses it after a sign.",
		example: "INSERT INTO t (id, v) VALUES (99, - (1 = 'a'))",
	},
	{
		name: "GROUP BY a quotient", who: mariaDB, what: "number of rows", text: regexp.MustCompile(`GROUP BY .*/`),
		reason:  "Rows are grouped by the digits that the quotient shows; MariaDB groups them by the digits that it computed with.",
		example: "SELECT MIN(id), COUNT(DISTINCT y) FROM t GROUP BY id / 300000 ORDER BY MIN(id)",
	},
	{
		name: "bytes that are not UTF-8", who: mariaDB, there: 1300, text: regexp.MustCompile(`0x|x'|b'|\bb\b|\br_b\b`),
		reason:  "MariaDB converts a hexadecimal literal beside a text to the text's character set; MySQL compares both as bytes.",
		example: "SELECT id FROM t WHERE v = 0xFF",
	},
	{
		name: "STDDEV and VARIANCE of exact numbers", who: mariaDB, text: regexp.MustCompile(`STD|VAR`), values: func(a, b string) bool { return roundedTo(a, b) || nearFloat(a, b) },
		reason:  "MariaDB shows four digits more than the argument has; MySQL 8.0 returns all digits of the DOUBLE.",
		example: "SELECT STDDEV(i) FROM (SELECT 1 AS i UNION SELECT 2 UNION SELECT 4) d",
	},
	{
		name: "negative zero", who: mariaDB, also: func(f *finding) bool {
			return f.cells(func(a, b string) bool {
				return strings.HasPrefix(b, "-0") && "-"+a == b || a == "0" && b == "3.141592653589793"
			})
		},
		reason:  "MariaDB's DECIMAL can be -0.00.",
		example: "SELECT MOD(-1.50, -1.5)",
	},
	{
		name: "AVG cut to nines", who: mariaDB, text: regexp.MustCompile(`AVG.*GROUP BY`), values: func(a, b string) bool { return strings.Trim(b, "9.-") == "" && len(b) > 4 },
		reason:  "If MariaDB groups by a temporary table, it keeps the average of a function in a column that may be too narrow.",
		example: "SELECT MIN(id), COUNT(*), AVG(ASCII('true')) FROM t GROUP BY c ORDER BY MIN(id)",
	},
	{
		name: "LEAST and GREATEST of numbers and texts", who: mariaDB, text: regexp.MustCompile(`(LEAST|GREATEST)\(`), values: anyValues,
		reason:  "MySQL 8.0's manual: arguments that are a mix of numbers and texts are compared as texts. MariaDB compares them as numbers.",
		example: "SELECT GREATEST(1, 'a')",
	},
	{
		name: "LEAST and GREATEST of numbers and texts, written", who: mariaDB, also: func(f *finding) bool { return f.ours.err != nil || f.theirs.err != nil }, text: regexp.MustCompile(`(LEAST|GREATEST)\(`),
		reason:  "So in strict mode MariaDB requires the texts to be numbers.",
		example: "UPDATE t SET v = LEAST(1, 'a')",
	},
	{
		name: "a text that is not a date beside one", who: mariaDB, here: 1525,
		reason:  "MySQL 8.0.16 and later refuse a constant that is not a date in a comparison with dates; MariaDB warns.",
		example: "SELECT DATE'2024-01-31' = 'a'",
	},
	{
		name: "the text of a DOUBLE literal", who: mariaDB, text: regexp.MustCompile(`\de[-+]?\d`), values: func(a, b string) bool { return strings.Contains(b, "e") && nearly(a, b) },
		reason:  "When a DOUBLE literal becomes a text, MariaDB keeps the text as it was written.",
		example: "SELECT 'a' UNION ALL SELECT 1e-5 ORDER BY 1",
	},
	{
		name: "GROUP BY TRUE", who: mariaDB, what: "fails there", there: 1056, text: regexp.MustCompile(`GROUP BY (TRUE|FALSE)`),
		reason:  "MariaDB takes TRUE as the position 1.",
		example: "SELECT MIN(id) FROM t GROUP BY TRUE",
	},
	{
		name: "REPLACE by NULL", who: mariaDB, text: regexp.MustCompile(`\bREPLACE\(`), also: func(f *finding) bool {
			return f.cells(func(a, b string) bool { return a == "NULL" }) || clauses.MatchString(f.text) && f.ours.err == nil && f.theirs.err == nil
		},
		reason:  "A function of NULL is NULL; MariaDB returns the text if there is nothing to replace.",
		example: "SELECT REPLACE('a', 'b', NULL)",
	},
	{
		name: "UPDATE to a missing DEFAULT", who: mariaDB, there: 1364, text: regexp.MustCompile(`UPDATE.*DEFAULT`), also: func(f *finding) bool { return f.ours.number != 1364 },
		reason:  "MariaDB reports it even if the statement changes no row.",
		example: "UPDATE t SET id = DEFAULT WHERE id = 77",
	},
	{
		name: "years before 1", who: we, text: regexp.MustCompile(`INTERVAL|DATE_SUB|SUBDATE|DATE_ADD`), values: func(a, b string) bool { return a == "NULL" && strings.HasPrefix(b, "0000-") },
		reason:  "Dates have the years 1 to 9999 here.",
		example: "SELECT DATE_SUB('0001-01-01', INTERVAL 1 MONTH)",
	},
	{
		name: "rows found by years before 1", who: we, what: "number of rows", text: regexp.MustCompile(`'000[01]-[^']*' [+-] INTERVAL`),
		reason:  "The same in a condition.",
		example: "SELECT id FROM t WHERE ('0001-01-01' + INTERVAL -1 YEAR) ORDER BY id",
	},
	{
		name: "texts over 16 MiB", who: we, here: 1301,
		reason:  "A text that grows over 16 MiB is an error; MySQL returns NULL with a warning.",
		example: "SELECT LENGTH(REPEAT('a', 20240131))",
	},
	{
		name: "BOOL holds two values", who: we, text: regexp.MustCompile(`BOOLEAN|\bbo\b`), also: func(f *finding) bool {
			return f.ours.number == 1264 || f.ours.number == 1265 || strings.Contains(f.text, "IGNORE") && f.cells(func(a, b string) bool { return a == "1" })
		},
		reason:  "BOOL is a type of its own, and takes only TRUE, FALSE, 1 and 0; in MySQL it is TINYINT(1).",
		example: "INSERT INTO t (id, bo) VALUES (99, 2)",
	},
	{
		name: "a DOUBLE in BIT", who: we, what: "fails here", here: 1406, text: regexp.MustCompile(`BIT\(`),
		reason:  "A DOUBLE below every integer is refused; MySQL stores the bits of the smallest integer.",
		example: "BIT(64): INSERT INTO x VALUES (1, -1e300)",
	},
	{
		name: "REGEXP_SUBSTR without a match", who: mariaDB, text: regexp.MustCompile(`REGEXP_SUBSTR`), also: func(f *finding) bool {
			return f.what == "fails there" || f.theirs.number == 1366 || f.theirs.number == 1292 || f.ours.number == 1048 || f.what == "number of rows" || f.cells(anyValues)
		},
		reason:  "Without a match, MySQL's REGEXP_SUBSTR is NULL and MariaDB's is empty.",
		example: "SELECT REGEXP_SUBSTR('a', 'b')",
	},
	{
		name: "logarithm of what has none", who: mariaDB, here: 3020, text: regexp.MustCompile(`LOG|LN`),
		reason:  "MySQL's error is 3020, MariaDB's 1365.",
		example: "INSERT INTO t (id, d) VALUES (99, LN(-1))",
	},
	{
		name: "a DELETE or UPDATE of no rows by a condition that is not a number", who: mariaDB, text: regexp.MustCompile(`(DELETE|UPDATE).*WHERE`), also: func(f *finding) bool { return f.ours.number == 1292 || f.ours.number == 1411 || f.ours.number == 1365 },
		reason:  "A condition of constants is computed before any row is read, so it fails in strict mode; MariaDB warns.",
		example: "DELETE FROM t WHERE 1 = 'a'",
	},
	{
		name: "YEAR is signed", who: we, text: regexp.MustCompile(`\by\b|\br_y\b`), also: func(f *finding) bool { return (f.theirs.number == 1690) != (f.ours.number == 1690) },
		reason:  "In MySQL a YEAR is unsigned, so subtracting a larger number from it is an error.",
		example: "SELECT y - 3000 FROM t",
	},
	{
		name: "ROUND beyond BIGINT UNSIGNED", who: we, here: 1690, text: regexp.MustCompile(`ROUND\(`),
		reason:  "A result that does not fit is an error; MySQL returns the number's low 64 bits.",
		example: "SELECT ROUND(18446744073709551615, -1)",
	},
	{
		name: "the year 0", who: we, text: regexp.MustCompile(`IGNORE`), also: func(f *finding) bool {
			return f.what == "affected rows" && strings.Contains(f.ours.warnings, "1265") || f.cells(func(a, b string) bool { return a == "NULL" && (strings.HasPrefix(b, "0000-00-00") || b == "0") })
		},
		reason:  "There are no zero dates here: INSERT IGNORE stores NULL for an invalid date.",
		example: "INSERT IGNORE INTO t (id, da) VALUES (99, 'x')",
	},
	{
		name: "NULL for a date that cannot be NULL", who: we, what: "fails here", here: 1048, text: regexp.MustCompile(`IGNORE`),
		reason:  "As there are no zero dates, IGNORE has no value to put in place of NULL in a NOT NULL column of dates.",
		example: "INSERT IGNORE INTO t3 (id, d) VALUES (99, NULL)",
	},
	{
		name: "numbers that are not times beside times", who: mariaDB, also: oddNumberBesideTime,
		reason:  "MySQL reads a constant beside a time as a time if it can, and otherwise compares numbers; MariaDB compares with an unreadable time.",
		example: "SELECT DATE'2024-01-31' < 2147483647",
	},
	{
		name: "casts of numbers that are not dates", who: mariaDB, text: regexp.MustCompile(`(CAST\(|DATE\()(-?[\d.]+|'[^']*'|NULL)( AS DATE|\))`),
		reason:  "The cast is NULL; in MariaDB it is a zero date inside expressions.",
		example: "SELECT CAST(1 AS DATE) NOT IN (1, NULL)",
	},
	{
		name: "what JSON functions of a path to nothing store", who: mariaDB, there: 1048, text: regexp.MustCompile(`VALUES .*JSON_ARRAY_(APPEND|INSERT)\(`),
		reason:  "The document in MySQL, NULL in MariaDB.",
		example: "VARCHAR(30) NOT NULL: INSERT INTO x VALUES (1, JSON_ARRAY_APPEND('1', '$.b', 2))",
	},
	{
		name: "the type of a number in JSON", who: mariaDB, what: "rows", text: regexp.MustCompile(`JSON_TYPE\(`), values: func(a, b string) bool {
			return a == "UNSIGNED INTEGER" && b == "INTEGER" || a == "DECIMAL" && b == "DOUBLE"
		},
		reason:  "MySQL's manual: JSON has signed and unsigned integers, and decimals that SQL gives it.",
		example: "SELECT JSON_TYPE('18446744073709551615')",
	},
	{
		name: "DECIMAL, CHAR, and a number again", who: mariaDB, what: "rows", text: regexp.MustCompile(`CONVERT\(-?\d+\.\d+, CHAR\) [-+*/]`),
		reason:  "The text of 2.5 is 2.5 beside a number, even if CONVERT makes it; MariaDB cuts it.",
		example: "SELECT (CONVERT(2.5, CHAR) * 1)",
	},
	{
		name: "zero below zero", who: mariaDB, text: regexp.MustCompile(`(MOD\(|% ?|/ )-?[\d.]+|-\d+ / \d`), also: func(f *finding) bool {
			return f.ours.err == nil && (f.theirs.number == 1264 && strings.Contains(f.of, "UNSIGNED") || f.theirs.number == 1406)
		},
		reason:  "The remainder of -1, or a small part of it, is 0. MariaDB keeps its sign: an unsigned column refuses it, and its text is longer.",
		example: "DECIMAL(6,3) UNSIGNED: INSERT INTO x VALUES (1, MOD(-1, 1.0))",
	},
	{
		name: "bytes with blanks as a number", who: mariaDB, what: "fails there", there: 1265, text: regexp.MustCompile(`(DOUBLE|FLOAT|DECIMAL|INT).*(FROM_BASE64\(TO_BASE64\(|UNHEX\(HEX\(|CAST\()'[^']* '`),
		reason:  "Blanks after a number do not count, be it a text or bytes; in MariaDB they count in bytes.",
		example: "INSERT INTO t3 (id, n) VALUES (99, FROM_BASE64(TO_BASE64('5 ')))",
	},
	{
		name: "GROUP_CONCAT in HAVING beside a number", who: mariaDB, what: "number of rows", text: regexp.MustCompile(`HAVING GROUP_CONCAT\(.*\) (<>|[<>=]+) (-?\d|TRUE|FALSE)`),
		reason:  "It is the number that its text begins with; MariaDB finds nothing.",
		example: "SELECT MIN(id), COUNT(*) FROM t GROUP BY bi HAVING GROUP_CONCAT(-0.01 ORDER BY id) = FALSE ORDER BY MIN(id)",
	},
	{
		name: "STR_TO_DATE in IN beside NULL", who: mariaDB, here: 1411, text: regexp.MustCompile(`IN \(.*NULL.*STR_TO_DATE\(|IN \(.*STR_TO_DATE\(.*NULL`), also: func(f *finding) bool { return f.theirs.err == nil },
		reason:  "A statement that writes fails where a text does not fit its format; MariaDB does not compute all of such a list.",
		example: "INSERT INTO t3 (id, v) VALUES (99, DATE'2024-01-31' IN (NULL, STR_TO_DATE('x', '%Y')))",
	},
	{
		name: "UPDATE IGNORE of a BOOL", who: we, what: "affected rows", text: regexp.MustCompile(`UPDATE IGNORE .*\bbo = `), also: func(f *finding) bool { return strings.Contains(f.ours.warnings, "1264") },
		reason:  "A value that is neither 0 nor 1 becomes the nearer of both, with a warning; TINYINT(1) keeps it.",
		example: "UPDATE IGNORE t SET bo = 5",
	},
	{
		name: "a computed zero as a text", who: mariaDB, here: 1406, text: regexp.MustCompile(`^(CHAR|VARCHAR|BINARY|VARBINARY)\(.* [-+/*%] `), also: func(f *finding) bool { return f.theirs.err == nil },
		reason:  "It shows the digits of its type, and 0.0000 is longer than CHAR(5) holds; in MariaDB it is 0.",
		example: "VARCHAR(5): INSERT INTO x VALUES (1, 0 / 5)",
	},
	{
		name: "MIN and MAX of BIT", who: mariaDB, text: regexp.MustCompile(`(MIN|MAX|GROUP_CONCAT)\((DISTINCT )?(r_)?bt\b`),
		reason:  "In MySQL a BIT is bytes where it becomes a text, and MIN and MAX of it are numbers; MariaDB mixes both.",
		example: "SELECT GROUP_CONCAT(bt ORDER BY id) FROM t",
	},
	{
		name: "times in BIT", who: we, text: regexp.MustCompile(`BIT\(`), also: func(f *finding) bool { return timeText.MatchString(f.text) },
		reason:  "A BIT column stores the number of a time; in MySQL it stores the bytes of its text.",
		example: "BIT(64): INSERT INTO x VALUES (1, DATE'2024-01-31')",
	},
	{
		name: "x'…' in a condition", who: mariaDB, text: writtenHex, instead: func(text string) string { return writtenHex.ReplaceAllString(text, "0x$1") },
		reason:  "Hexadecimal literals are numbers in numeric context in MySQL; in MariaDB only those that are written 0x….",
		example: "SELECT x'414243' IS TRUE",
	},
	{
		name: "IS NULL of what cannot be NULL", who: mariaDB, here: 1292, text: regexp.MustCompile(`IS (NOT )?(UNKNOWN|NULL)`),
		reason:  "MariaDB does not compute it.",
		example: "UPDATE t SET i = ('a' OR 'a') IS UNKNOWN",
	},
	{
		name: "rows of NULLs", who: mariaDB, text: regexp.MustCompile(`\(NULL, NULL\)`),
		reason:  "(NULL, NULL) = (NULL, NULL) is NULL; MariaDB's IS UNKNOWN says that it is not.",
		example: "SELECT ((NULL, NULL) = (NULL, NULL)) IS UNKNOWN",
	},
	{
		name: "FLOAT in JSON", who: mariaDB, text: regexp.MustCompile(`JSON_.*\b(r_)?f\b`),
		reason:  "A FLOAT becomes a DOUBLE in a document.",
		example: "SELECT JSON_ARRAY(f) FROM (SELECT CAST(0.1 AS FLOAT) AS f) d",
	},
	{
		name: "TIME has an end", who: mariaDB, values: func(a, b string) bool {
			a, b = strings.TrimPrefix(a, "-"), strings.TrimPrefix(b, "-")
			return strings.TrimRight(a, ".0") == "838:59:59" && strings.HasPrefix(b, "838:59:59.9")
		},
		reason:  "MySQL's greatest TIME is 838:59:59.000000, MariaDB's 838:59:59.999999.",
		example: "SELECT SEC_TO_TIME(12345678.90)",
	},
	{
		name: "a time that becomes an integer", who: mariaDB, text: regexp.MustCompile(`\.\d+'|\b(r_)?(tm3|d6t)\b`), also: func(f *finding) bool {
			return f.what == "last id" || timesAsBits.MatchString(f.text) || f.cells(func(a, b string) bool { return integers(a, b) || len(a) == 10 && len(b) == 10 && a > b })
		},
		reason:  "MySQL rounds a time with a fraction where an integer is wanted; MariaDB cuts.",
		example: "UPDATE t SET bi = TIMESTAMP'2024-02-29 23:59:59.999999'",
	},
	{
		name: "FROM_UNIXTIME beyond 2038", who: mariaDB, text: regexp.MustCompile(`FROM_UNIXTIME`),
		reason:  "MySQL 8.0.28 and later go to the year 3001, MariaDB 10.11 to 2038.",
		example: "SELECT FROM_UNIXTIME(4294967295)",
	},
	{
		name: "UNIX_TIMESTAMP of what is not a date", who: mariaDB, text: regexp.MustCompile(`UNIX_TIMESTAMP`), values: func(a, b string) bool { return b == "NULL" },
		reason:  "MySQL gives 0 with a warning.",
		example: "SELECT UNIX_TIMESTAMP('x')",
	},
	{
		name: "a row that fails after one that is there", who: we, what: "errors", there: 1062, also: func(f *finding) bool { return f.ours.number != 1062 },
		reason:  "INSERT reads and checks all rows before it writes the first one, so it reports an error in a later row first.",
		example: "INSERT INTO t (id, i) VALUES (1, 1), (99, 'x')",
	},
	{
		name: "DEFAULT of a column without one", who: we, what: "errors", here: 1364, text: regexp.MustCompile(`DEFAULT`),
		reason:  "Defaults are looked up before a row's values are computed, so of two errors in one row this one comes first.",
		example: "INSERT INTO t3 (d, id) VALUES ('x', DEFAULT)",
	},
	{
		name: "JSON_EXTRACT of several paths", who: mariaDB, text: regexp.MustCompile(`JSON_EXTRACT\(`),
		reason:  "MySQL gives the values in the order of the paths, MariaDB in that of the document.",
		example: "SELECT JSON_EXTRACT('[1, 2]', '$[1]', '$[0]')",
	},
	{
		name: "JSON and IGNORE", who: mariaDB, there: 4025, also: func(f *finding) bool { return f.ours.err == nil || f.ours.number == 3140 || f.ours.number == 1062 },
		reason:  "A value that is not a text becomes JSON here; MariaDB checks its text.",
		example: "INSERT INTO t (id, j) VALUES (99, DATE'2024-01-31')",
	},
	{
		name: "INSERT IGNORE of invalid JSON", who: mariaDB, here: 3140, text: regexp.MustCompile(`IGNORE`),
		reason:  "MySQL refuses it even with IGNORE; MariaDB leaves the row out.",
		example: "INSERT IGNORE INTO t (id, j) VALUES (99, 'x'), (100, '1')",
	},
	{
		name: "a row that IGNORE leaves out for its JSON", who: mariaDB, what: "affected rows", text: regexp.MustCompile(`IGNORE`), also: func(f *finding) bool { return strings.Contains(f.theirs.warnings, "4025") },
		reason:  "The same where other rows stay.",
		example: "INSERT IGNORE INTO t (id, j) VALUES (99, DATE'2024-01-31'), (100, '1')",
	},
	{
		name: "rows in lists", who: mariaDB, text: regexp.MustCompile(`\), \(|\) (NOT )?IN \(\(`),
		reason:  "A row is in a list of rows by the types of each pair; MariaDB compares a column of them by one type.",
		example: "SELECT (NULL, 'a') IN ((NULL, 1), (NULL, 'abc'))",
	},
	{
		name: "IN of a subquery with NULL", who: mariaDB, text: regexp.MustCompile(`(IN|ALL|ANY) \(SELECT r_`), also: func(f *finding) bool { return f.what == "rows" || f.what == "number of rows" },
		reason:  "MariaDB forgets a NULL of the subquery, and with it that x NOT IN is unknown, where x does not fit the column's type.",
		example: "SELECT id FROM t WHERE 1000 + i NOT IN (SELECT r_ti FROM t2)",
	},
	{
		name: "bits of a fraction", who: mariaDB, text: regexp.MustCompile(`[&|^~]|<<|>>|BIT_`), values: func(a, b string) bool { return !strings.Contains(b, ".") },
		reason:  "A DOUBLE becomes an integer by rounding a half to the even neighbour, as in MySQL.",
		example: "SELECT -2.5e0 & 1",
	},
	{
		name: "MIN and MAX of ENUM", who: mariaDB, text: regexp.MustCompile(`(MIN|MAX)\((r_)?(e|st)\b`),
		reason:  "MySQL's manual: MIN and MAX take ENUM and SET by their texts. MariaDB takes their numbers.",
		example: "SELECT MIN(e), MAX(e) FROM t",
	},
	{
		name: "rounded times", who: mariaDB, text: regexp.MustCompile(`(FLOOR|CEIL|CEILING|ROUND|TRUNCATE)\(`), also: func(f *finding) bool {
			return f.ours.number == 1292 && roundedTime.MatchString(f.text) || f.cells(func(a, b string) bool { return number(a) != nil && strings.ContainsAny(b, ":-") })
		},
		reason:  "MySQL's ROUND, FLOOR and so on turn times into numbers; MariaDB's keep times.",
		example: "SELECT FLOOR(TIMESTAMP'2024-12-31 23:59:59.5')",
	},
	{
		name: "1062 of UPDATE IGNORE", who: mariaDB, what: "warnings", text: regexp.MustCompile(`UPDATE`), also: func(f *finding) bool { return strings.Contains(f.ours.warnings, "1062") },
		reason:  "MySQL warns of rows that UPDATE IGNORE leaves as they are; MariaDB does not.",
		example: "UPDATE IGNORE t SET id = 1",
	},
	{
		name: "which warning", who: we, what: "warnings", text: regexp.MustCompile(`IGNORE`), also: func(f *finding) bool {
			return conversions.MatchString(f.ours.warnings) || conversions.MatchString(f.theirs.warnings)
		},
		reason:  "Servers differ in the number of the warning about a value that is cut or adjusted, and in whether they warn about a number's lost digits; the values agree.",
		example: "INSERT IGNORE INTO t (id, da) VALUES (99, 0e0)",
	},
	{
		name: "BIT as bytes", who: mariaDB, text: regexp.MustCompile(`\b(r_)?bt\b`), values: func(a, b string) bool { return new(big.Int).SetBytes([]byte(a)).String() == b },
		reason:  "MariaDB says that NULLIF and others of a BIT are BIT, and sends the digits of a number.",
		example: "SELECT NULLIF(bt, NULL) FROM t",
	},
	{
		name: "JSON_VALUE of true and false", who: mariaDB, text: regexp.MustCompile(`JSON_VALUE`), values: func(a, b string) bool {
			return a == "true" && b == "1" || a == "false" && b == "0" || (a == "4" || a == "5") && b == "1"
		},
		reason:  "They are true and false in MySQL, 1 and 0 in MariaDB.",
		example: "SELECT JSON_VALUE('{\"a\": true}', '$.a')",
	},
	{
		name: "JSON_VALID of a number", who: mariaDB, text: regexp.MustCompile(`JSON_VALID`),
		reason:  "MySQL's JSON_VALID is 0 for a value that is neither a text nor JSON.",
		example: "SELECT JSON_VALID(1)",
	},
	{
		name: "BIT out of range", who: mariaDB, what: "errors", here: 1406, there: 1264,
		reason:  "MySQL says that the data are too long for a BIT column.",
		example: "INSERT INTO t (id, bt) VALUES (99, 99999999999999999999.99)",
	},
	{
		name: "SUM and AVG of hexadecimal literals", who: mariaDB, text: regexp.MustCompile(`(SUM|AVG)\(.*(0x|x'|b')`),
		reason:  "In MySQL they are added up as DOUBLE, as texts are.",
		example: "SELECT SUM(0xFFFFFFFFFFFFFFFF) FROM t",
	},
	{
		name: "overflow of DECIMAL", who: mariaDB, there: 1916,
		reason:  "MariaDB has its own error number.",
		example: "INSERT INTO t (id, x) VALUES (99, -5 DIV 0x04)",
	},
	{
		name: "invalid bytes with IGNORE", who: mariaDB, text: regexp.MustCompile(`IGNORE.*(0x|x')`), also: func(f *finding) bool {
			return f.what == "affected rows" && strings.Contains(f.theirs.warnings, "1366") || f.cells(func(a, b string) bool { return strings.Contains(b, "?") })
		},
		reason:  "MySQL keeps what is before bytes that are not UTF-8; MariaDB puts question marks.",
		example: "INSERT IGNORE INTO t (id, v) VALUES (99, 0x7F80)",
	},
	{
		name: "a constant that no result needs", who: mariaDB, says: regexp.MustCompile(`^Error (1292|1411)`), text: regexp.MustCompile(`NULL|SEC_TO_TIME|FROM_UNIXTIME|UNIX_TIMESTAMP|TIMESTAMPADD|DATE'`),
		reason:  "MariaDB reads constants that no result depends on, and refuses what it cannot read; or warns where MySQL does not.",
		example: "INSERT INTO t (id, i) VALUES (99, 'a' + NULL)",
	},
	{
		name: "numbers in texts that no DOUBLE holds", who: we, what: "fails here", here: 1690, text: regexp.MustCompile(`SUM|AVG|SHA|MD5|HEX`),
		reason:  "A sum beyond the range of DOUBLE is an error.",
		example: "SELECT SUM('1e308') FROM t",
	},
	{
		name: "sums of times with a fraction", who: mariaDB, text: regexp.MustCompile(`(SUM|AVG)\(`), values: func(a, b string) bool { return nearly(a, b) && strings.Contains(a, ".") },
		reason:  "They are exact, as DECIMAL; MariaDB adds them up as DOUBLE.",
		example: "SELECT SUM(DISTINCT d6t) FROM t",
	},
	{
		name: "the text of a quotient", who: mariaDB, text: regexp.MustCompile(`/`), also: func(f *finding) bool {
			return f.what == "fails there" && f.theirs.number == 1406 || f.cells(func(a, b string) bool {
				return len(b) > len(a) && (sameNumber(a, b) || strings.HasPrefix(f.of, "JSON") && roundedTo(b, a))
			})
		},
		reason:  "MySQL shows four digits more than the dividend has; MariaDB shows the digits that it computed with where it stores a text.",
		example: "INSERT INTO t (id, v) VALUES (99, 1 / 1)",
	},
	{
		name: "DATE of a time with a fraction", who: mariaDB, text: regexp.MustCompile(`\.\d+'|MICROSECOND`), also: func(f *finding) bool {
			return f.what == "affected rows" && strings.Contains(f.text, "MICROSECOND") || f.cells(func(a, b string) bool { return len(a) == 10 && len(b) == 10 && a > b })
		},
		reason:  "MySQL's manual: '1999-12-31 23:59:59.500' becomes the date 2000-01-01. MariaDB cuts.",
		example: "INSERT INTO t (id, da) VALUES (99, TIMESTAMP'2024-12-31 23:59:59.5')",
	},
	{
		name: "REGEXP_REPLACE of nothing", who: mariaDB, text: regexp.MustCompile(`REGEXP_REPLACE\(.*'(x\*|\^\$)'`),
		reason:  "A pattern that matches nothing at all matches between characters and at the end, too; MariaDB stops after the first.",
		example: "SELECT REGEXP_REPLACE('a', 'x*', '1')",
	},
	{
		name: "INSERT … ON DUPLICATE KEY UPDATE without a value", who: mariaDB, here: 1364, text: regexp.MustCompile(`ON DUPLICATE`),
		reason:  "A column without a default and a value is an error in strict mode; MariaDB takes the type's zero where the statement may update.",
		example: "INSERT INTO t4 (id) VALUES (99) ON DUPLICATE KEY UPDATE d = 1",
	},
	{
		name: "automatic numbers end at 2^63", who: we, here: 1467,
		reason:  "AUTO_INCREMENT of a BIGINT UNSIGNED ends at 9223372036854775807.",
		example: "INSERT INTO t4 (id, d) VALUES (9223372036854775808, 1), (NULL, 1)",
	},
	{
		name: "+ before a TIME", who: mariaDB, text: regexp.MustCompile(`'\+7'`),
		reason:  "MySQL knows the sign - only.",
		example: "INSERT INTO t (id, tm) VALUES (99, '+7')",
	},
	{
		name: "large numbers as TIME", who: mariaDB, also: func(f *finding) bool { return f.ours.number == 1292 || f.ours.number == 1264 }, text: regexp.MustCompile(`(?s)(TIME|\btm3?\b|\bt\b).*(\de\d|\d{8})|^TIME.*DATE'[^']*' [-+]|AS D(OUBLE|ECIMAL)|CAST\((\d{8,}|[\d.]+e\d+|DATE'[^']*') AS (TIME|SIGNED|UNSIGNED)`),
		reason:  "A DOUBLE that is not a TIME is refused.",
		example: "INSERT INTO t (id, tm) VALUES (99, 1e10)",
	},
	{
		name: "OR and AND of constants", who: mariaDB, what: "fails there", text: regexp.MustCompile(`\b(OR|AND)\b`), says: regexp.MustCompile(`^Error (1292|1441|1690|1365)`),
		reason:  "An operand that cannot change the result is not computed; MariaDB computes all that are constants.",
		example: "SELECT id FROM t WHERE (0 AND COT(0)) ORDER BY id",
	},
	{
		name: "JSON is text, of more collations", who: mariaDB, there: 1271, text: regexp.MustCompile(`JSON|\bj\b|\br_j\b`),
		reason:  "The same for functions of more.",
		example: "SELECT CONCAT_WS(v, c, x, j) FROM t",
	},
	{
		name: "rows found by LEAST and GREATEST", who: mariaDB, also: func(f *finding) bool { return f.what == "number of rows" || f.what == "affected rows" }, text: regexp.MustCompile(`(LEAST|GREATEST)\(`),
		reason:  "The same in a condition.",
		example: "SELECT id FROM t WHERE LEAST(1, 'a')",
	},
	{
		name: "hexadecimal literals in lists", who: mariaDB, text: regexp.MustCompile(`(0x[0-9A-F]+|[xb]'[0-9A-F]*').* IN |CASE (0x|[xb]')| IN \(.*(0x|[xb]')|(0x[0-9A-F]+|[xb]'[0-9A-F]*') (NOT )?BETWEEN`),
		reason:  "IN and CASE compare each pair by its own types in MySQL: a literal is a number beside a number, bytes beside a text. MariaDB compares all in one way.",
		example: "SELECT 0x04 IN (0, v) FROM t",
	},
	{
		name: "digits of FORMAT", who: mariaDB, text: regexp.MustCompile(`FORMAT\(`), values: func(a, b string) bool { return strings.HasPrefix(b, a) },
		reason:  "MySQL's FORMAT shows at most 30 decimal places, MariaDB's 38.",
		example: "SELECT FORMAT(1, 99)",
	},
	{
		name: "the text of a rounded DOUBLE", who: we, text: regexp.MustCompile(`(ROUND|TRUNCATE|CEIL|CEILING|FLOOR)\(`), also: func(f *finding) bool { return f.theirs.number == 1406 || f.cells(sameNumber) || f.cells(roundedTo) },
		reason:  "A DOUBLE from CASE and the like shows its own digits when it becomes a text; MySQL shows as many digits as the expression declares.",
		example: "SELECT CONCAT(CASE WHEN 1 THEN ROUND(1e0, 1) ELSE 2.345 END)",
	},
	{
		name: "the text of a time that may have digits", who: mariaDB, text: regexp.MustCompile(`INTERVAL|CONVERT_TZ|TIME\(|TIMESTAMPADD`), values: func(a, b string) bool {
			return b == a+".000000" || strings.TrimRight(strings.TrimRight(b, "0"), ".") == a || strings.Contains(b, ".") && strings.TrimRight(a, "0") == b || strings.Contains(b, ".") && strings.TrimRight(b, "0") == a
		},
		reason:  "MySQL shows six digits of a second where there are any, MariaDB where there might be, or as many as the text had.",
		example: "SELECT IFNULL(ts, 1) + INTERVAL 1 MONTH FROM t ORDER BY id",
	},
	{
		name: "PERIOD_ADD of a number of months that is invalid", who: mariaDB, text: regexp.MustCompile(`PERIOD_ADD\(`),
		reason:  "A period that is beyond 64 bits or 9999 years has no meaning.",
		example: "SELECT PERIOD_ADD(202401, 20240131)",
	},
	{
		name: "booleans of a BOOL column in JSON", who: we, text: regexp.MustCompile(`JSON_.*\b(r_)?bo\b`),
		reason:  "A BOOL is true or false in a document; in MySQL it is TINYINT(1), so a number.",
		example: "SELECT JSON_ARRAY(bo) FROM t",
	},
	{
		name: "what is taken from hexadecimal literals", who: mariaDB, here: 1690, text: regexp.MustCompile(`0x|[xb]'`),
		reason:  "They are unsigned in MySQL, and a difference below zero is an error.",
		example: "SELECT CASE 1 WHEN (-1 + b'0') THEN NULL WHEN NULL THEN NULL END",
	},
	{
		name: "years before 1, written", who: we, here: 1441, text: regexp.MustCompile(`INTERVAL|SUBDATE|ADDDATE`),
		reason:  "The same in a statement that writes: an error.",
		example: "UPDATE t SET da = DATE_SUB(DATE'0001-01-01', INTERVAL 1 MONTH)",
	},

	{
		name: "INSERT IGNORE … ON DUPLICATE KEY UPDATE without a value", who: mariaDB, what: "warnings", text: regexp.MustCompile(`ON DUPLICATE`), also: func(f *finding) bool { return strings.Contains(f.ours.warnings, "1364") },
		reason:  "The same with IGNORE: a warning.",
		example: "INSERT IGNORE INTO t4 (id) VALUES (99) ON DUPLICATE KEY UPDATE d = 1",
	},
	{
		name: "TIMESTAMP of two dates", who: mariaDB, text: regexp.MustCompile(`TIMESTAMP\(`), also: func(f *finding) bool {
			return f.cells(func(a, b string) bool { return b == "NULL" }) || clauses.MatchString(f.text) && f.ours.err == nil && f.theirs.err == nil
		},
		reason:  "A date is a TIME of 00:00:00.",
		example: "SELECT TIMESTAMP(DATE'2024-01-31', DATE'2024-01-31')",
	},
	{
		name: "31.01.2024 as a number", who: mariaDB, text: regexp.MustCompile(`'31\.01\.2024'`),
		reason:  "It begins with 31.01; MariaDB reads 3101 in columns of integers.",
		example: "INSERT IGNORE INTO t (id, si) VALUES (99, '31.01.2024')",
	},
	{
		name: "texts and NULL in lists", who: mariaDB, also: func(f *finding) bool { return f.ours.number == 1292 || f.ours.number == 1365 }, text: regexp.MustCompile(`IN \(NULL|IN \(.*NULL\)|\d NOT IN \(.*'`),
		reason:  "All values in a list are computed, and one that cannot be is refused in strict mode, even if the list has a NULL, too.",
		example: "INSERT INTO t4 (id, d) VALUES (99, 1 NOT IN (NULL, 'a'))",
	},
	{
		name: "a column that is assigned twice", who: we, text: regexp.MustCompile(`UPDATE`), also: func(f *finding) bool {
			return f.theirs.number == 1048 && f.ours.number != 1048 || f.what == "warnings" && strings.Contains(f.theirs.warnings, "1048")
		},
		reason:  "NOT NULL is checked after all assignments.",
		example: "UPDATE t SET id = NULL, id = 77 WHERE id = 1",
	},
	{
		name: "texts that are no TIME beside one", who: mariaDB, text: regexp.MustCompile(`(TIME'|\b(r_)?tm3?\b|AS TIME).*'[^0-9']*'|'[^0-9']*'.*(TIME'|\b(r_)?tm3?\b|AS TIME)`),
		reason:  "MariaDB reads them as 00:00:00; in MySQL such a comparison is NULL or one of texts.",
		example: "SELECT 1 >= CAST('a' AS TIME)",
	},
	{
		name: "a date divided", who: mariaDB, text: regexp.MustCompile(`/ (DATE|TIME)|HEX\(.*/`),
		reason:  "MariaDB cuts the quotient of a text and a date.",
		example: "SELECT HEX(1) / DATE'2024-01-31'",
	},
	{
		name: "CHAR of bytes", who: mariaDB, text: regexp.MustCompile(`CHAR\(`), also: func(f *finding) bool { return f.what == "rows" || f.what == "state: rows" },
		reason:  "CHAR returns bytes, also where they are joined with texts; MariaDB makes characters of them.",
		example: "SELECT CASE WHEN NULL THEN e ELSE CHAR(65, i, 66) END FROM t ORDER BY id",
	},
	{
		name: "a TIME of a date that is invalid", who: mariaDB, text: regexp.MustCompile(`'2024-02-30 10:00:00'`),
		reason:  "MariaDB takes the time of a day that does not exist.",
		example: "SELECT CAST('2024-02-30 10:00:00' AS TIME(2))",
	},
	{
		name: ".5 as a TIME", who: mariaDB, text: regexp.MustCompile(`'\.5'`),
		reason:  "It is half a second, and rounded; MariaDB does not read it.",
		example: "SELECT CAST('.5' AS TIME)",
	},
	{
		name: "ADDTIME of numbers", who: mariaDB, text: regexp.MustCompile(`(ADDTIME|SUBTIME)\(`),
		reason:  "ADDTIME and SUBTIME of what is not a time give a text in MySQL, a TIME in MariaDB.",
		example: "SELECT CAST(SUBTIME(1, 1) AS DATE)",
	},
	{
		name: "days that are added to a TIME", who: mariaDB, text: regexp.MustCompile(`DATE_ADD|DATE_SUB|ADDDATE|SUBDATE|TIMESTAMPADD|INTERVAL`), also: func(f *finding) bool {
			return f.ours.number == 1406 && strings.Contains(f.text, "STR_TO_DATE") || f.cells(func(a, b string) bool { return len(a) > 10 && a[4] == '-' && (b == "NULL" || len(b) < 16) }) || f.ours.number == 1264 && clockText.MatchString(f.text) || f.cells(func(a, b string) bool { return nearNumber(a, 2e13, 1e13) && nearNumber(b, 0, 1e8) })
		},
		reason:  "A TIME plus days or months is a time of today plus these, since MySQL 8.0.28.",
		example: "SELECT DATE_ADD(TIME'10:11:12', INTERVAL 1 MONTH)",
	},
	{
		name: "SUM of CONVERT", who: mariaDB, text: regexp.MustCompile(`(SUM|AVG)\((CONVERT|CAST|INET_NTOA)\(`),
		reason:  "MariaDB adds up integers where it groups by a temporary table.",
		example: "SELECT MIN(id), COUNT(*), SUM(CONVERT(2.5, CHAR)) FROM t GROUP BY COALESCE(v) ORDER BY MIN(id)",
	},
	{
		name: "REGEXP_REPLACE of two collations", who: mariaDB, text: regexp.MustCompile(`REGEXP_REPLACE\((r_)?vci`),
		reason:  "The text and the pattern say whether case counts; in MariaDB the new text, too.",
		example: "SELECT REGEXP_REPLACE(vci, 'a', c) FROM t ORDER BY id",
	},
	{
		name: "ENUM and SET looked up by numbers", who: mariaDB, text: regexp.MustCompile(`(EXISTS|IN|ANY|ALL) \(SELECT.*\b(r_)?(e|st)\b|\b(e|st) .*(IN|ANY|ALL) \(SELECT`), also: func(f *finding) bool { return f.what == "rows" || f.what == "number of rows" },
		reason:  "MariaDB turns NOT EXISTS into a join that does not find what the comparison does.",
		example: "SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM t2 WHERE e = r_bt) ORDER BY id",
	},
	{
		name: "the end of an AUTO_INCREMENT column", who: we, there: 167,
		reason:  "The error is 1264 (1213 with IGNORE), in MySQL 1467.",
		example: "INSERT INTO t5 VALUES (127), (NULL)",
	},
	{
		name: "dates of a few digits", who: mariaDB, text: regexp.MustCompile(`(DATE|DAY|MONTH|YEAR|QUARTER|WEEK|NAME)[A-Z]*\(-?\d{1,5}\)`),
		reason:  "A number of fewer than six digits with a year 0 is not a date here, and NULL; in MariaDB it has parts.",
		example: "SELECT MONTHNAME(1000)",
	},
	{
		name: "the text of a COALESCE", who: mariaDB, text: regexp.MustCompile(`(COALESCE|IFNULL|IF|CASE)\b`), also: func(f *finding) bool {
			return f.what == "fails here" && f.ours.number == 1406 || strings.HasPrefix(f.what, "state") && f.cells(sameNumber)
		},
		reason:  "A number that becomes a text shows the digits of the expression's type; MariaDB shows those of the argument.",
		example: "INSERT INTO t (id, v) VALUES (99, COALESCE(1, 2.5, NULL))",
	},
	{
		name: "bytes that become a text", who: mariaDB, text: regexp.MustCompile(`CAST|CONVERT`), values: func(a, b string) bool { return a == "NULL" && strings.Contains(b, "?") },
		reason:  "A cast to CHAR of bytes that are not UTF-8 is NULL with a warning in MySQL; MariaDB puts question marks.",
		example: "SELECT CAST(0xFF AS CHAR)",
	},
	{
		name: "EXISTS over two types", who: mariaDB, text: regexp.MustCompile(`EXISTS \(SELECT`), also: func(f *finding) bool { return (f.what == "rows" || f.what == "number of rows") && ofTwoTypes(f.text) },
		reason:  "MariaDB turns EXISTS into a join that does not find what the comparison does.",
		example: "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM t2 WHERE y = r_tm) ORDER BY id",
	},
	{
		name: "bytes as JSON", who: mariaDB, here: 3144,
		reason:  "MySQL refuses bytes where a document is wanted.",
		example: "SELECT JSON_KEYS(0x7B7D)",
	},
	{
		name: "bytes into JSON columns", who: mariaDB, there: 1366, text: regexp.MustCompile(`JSON|\bj\b`),
		reason:  "MariaDB checks the characters first.",
		example: "INSERT INTO t (id, j) VALUES (99, 0xFF)",
	},
	{
		name: "numbers below zero in BIT", who: we, text: regexp.MustCompile(`BIT\(`), also: func(f *finding) bool {
			return f.theirs.number == 1264 || f.cells(func(a, b string) bool { return a != "0" && b == "0" })
		},
		reason:  "They are rounded, and their bits stored, as for integers; MariaDB refuses negative decimals.",
		example: "BIT(8): INSERT INTO x VALUES (1, -1.5)",
	},
	{
		name: "fractions in YEAR", who: we, text: regexp.MustCompile(`YEAR`), also: func(f *finding) bool { return f.what == "state: rows" || f.theirs.number == 1264 },
		reason:  "A DOUBLE is rounded; MySQL truncates it, and refuses it if it is negative.",
		example: "YEAR: INSERT INTO x VALUES (1, -0.4e0)",
	},
	{
		name: "numbers in JSON that no DOUBLE holds", who: mariaDB, here: 3140, text: regexp.MustCompile(`JSON|\bj\b`),
		reason:  "MySQL refuses them.",
		example: "INSERT INTO t (id, j) VALUES (99, '1e999')",
	},
	{
		name: "hexadecimal literals in functions", who: mariaDB, text: regexp.MustCompile(`(COALESCE|IFNULL|IF|CASE|FORMAT|ABS).*(0x|[xb]')`),
		reason:  "A literal that a function hands on is bytes in MySQL, and a number no longer.",
		example: "SELECT IFNULL(0xFF, NULL) IS TRUE",
	},
	{
		name: "HEX of a fraction", who: mariaDB, text: regexp.MustCompile(`HEX\(`),
		reason:  "A DOUBLE becomes an integer by rounding a half to the even neighbour, as in MySQL.",
		example: "SELECT HEX(-2.5e0)",
	},
	{
		name: "the empty text after a text", who: mariaDB, text: regexp.MustCompile(`LOCATE\(''`),
		reason:  "It is found there in MySQL.",
		example: "SELECT LOCATE('', 'a', 2)",
	},
	{
		name: "errors that NULL hides", who: we, what: "fails there", there: 1690,
		reason:  "If one operand is NULL, the other one is not computed.",
		example: "SELECT POW('a', -1) <> NULL",
	},
	{
		name: "parts of what is not a time", who: mariaDB, text: regexp.MustCompile(`(EXTRACT|HOUR|MINUTE|SECOND|MICROSECOND|MONTH|DAY|QUARTER|YEAR|TIME|FORMAT)[A-Z_]*\b`), values: func(a, b string) bool {
			return a == "NULL" || strings.HasPrefix(a, "59") || a == "838" || b == "0" || b == "NULL" || b == "999999" || b == "59" || b == "838"
		},
		reason:  "Numbers that are neither dates nor times are NULL; MariaDB takes the nearest TIME, or parts of a zero date.",
		example: "SELECT EXTRACT(MONTH FROM 0.1)",
	},
	{
		name: "rounded FORMAT of a DOUBLE", who: mariaDB, text: regexp.MustCompile(`FORMAT\(`),
		reason:  "FORMAT rounds the number as it is shown.",
		example: "SELECT FORMAT(1e20, 2.5)",
	},
	{
		name: "the seventh digit of SEC_TO_TIME", who: we, text: regexp.MustCompile(`SEC_TO_TIME`), values: func(a, b string) bool { return len(a) > 15 && strings.HasPrefix(a, b[:len(b)-1]) },
		reason:  "A time has seven digits of a second if no type declares fewer.",
		example: "SELECT SEC_TO_TIME(1.2345678)",
	},
	{
		name: "digits of a DOUBLE literal in a UNION", who: mariaDB, text: regexp.MustCompile(`UNION.*\de[-+]?\d|\de[-+]?\d.*UNION`), values: func(a, b string) bool { return strings.Contains(b, "e") || roundedTo(a, b) },
		reason:  "MariaDB makes the column as wide as the literal, and cuts the digits.",
		example: "SELECT 'a' UNION ALL SELECT -53e7",
	},
	{
		name: "what an UPDATE of several tables sees", who: we, what: "one statement", text: regexp.MustCompile(`UPDATE .* JOIN `),
		reason: "An assignment sees what earlier assignments have set in its own table, and other tables as they were before the statement. MySQL promises no order; it follows the order in which it joins the tables.",
	},
	{
		name: "unique keys while rows are changed", who: we, what: "fails there", there: 1062, text: regexp.MustCompile(`UPDATE`),
		reason:  "Unique keys are checked after an UPDATE has changed all rows; MySQL checks them row by row.",
		example: "UPDATE t SET id = id + 1",
	},
	{
		name: "JSON_TYPE in a text", who: mariaDB, text: regexp.MustCompile(`\(.*JSON_TYPE\(`),
		reason:  "MariaDB takes it for empty.",
		example: "SELECT CONCAT(JSON_TYPE('1'), 1)",
	},
	{
		name: "a TIME plus days in conditions", who: mariaDB, text: regexp.MustCompile(`(DATE_ADD|DATE_SUB|ADDDATE|SUBDATE)\((TIME'|(r_)?tm)|(\b(r_)?tm3?|TIME'[^']*') [-+] INTERVAL`), also: func(f *finding) bool { return clauses.MatchString(f.text) && f.ours.err == nil && f.theirs.err == nil },
		reason:  "The same: a TIME plus days is a date and time.",
		example: "SELECT id FROM t WHERE DATE_ADD(TIME'10:11:12', INTERVAL 1 DAY) > 1000000 ORDER BY id",
	},
	{
		name: "texts beyond BIGINT in BIT_XOR", who: we, text: regexp.MustCompile(`BIT_(XOR|OR|AND)\(`), values: func(a, b string) bool { return len(a) == 20 && len(b) == 19 },
		reason:  "The digits of a text column are read up to 18446744073709551615; MySQL reads them up to 9223372036854775807.",
		example: "SELECT BIT_XOR(v) FROM t WHERE v = '99999999999999999999'",
	},
	{
		name: "the collation of CONVERT … USING", who: we, text: regexp.MustCompile(`USING utf8mb4`), values: anyValues,
		reason:  "It is the connection's collation; in MySQL it is the character set's own, which ignores case.",
		example: "SELECT 'a' IN (NULL, CONVERT('A' USING utf8mb4))",
	},
	{
		name: "BETWEEN of a TIME, a date and a number", who: mariaDB, text: regexp.MustCompile(`(TIME'[^']*'|\b(r_)?tm3?|AS TIME(\(\d\))?\)) (NOT )?BETWEEN|BETWEEN .*(TIME|\btm3?|\bt\b)`), also: func(f *finding) bool { return f.ours.err == nil },
		reason:  "MySQL compares the TIME with each bound; MariaDB all three as one type.",
		example: "SELECT CAST(1 AS TIME(2)) NOT BETWEEN DATE'2024-01-31' AND 1",
	},
	{
		name: "TRUE handed on into JSON", who: mariaDB, text: regexp.MustCompile(`JSON.*(NULLIF|ROUND|TRUNCATE|CEIL|CEILING|FLOOR|ABS)\(`), values: func(a, b string) bool { return strings.Contains(b, "true") || strings.Contains(b, "false") },
		reason:  "NULLIF, ROUND and the like of TRUE are numbers.",
		example: "SELECT JSON_ARRAY(NULLIF(TRUE, NULL))",
	},
	{
		name: "the parts of 0", who: we, what: "fails here", here: 1292, text: regexp.MustCompile(`(DAY|MONTH|QUARTER|YEAR|TIMESTAMP)[A-Z]*\((FALSE|0)`),
		reason:  "There are no zero dates here: in a statement that writes, 0 is not a date.",
		example: "INSERT INTO t (id, i) VALUES (99, QUARTER(FALSE))",
	},
	{
		name: "a text below zero as YEAR", who: we, what: "errors", here: 1265, there: 1264,
		reason:  "If a text only begins with a negative number, MySQL says that it is out of range, not that it was cut.",
		example: "INSERT INTO t (id, y) VALUES (99, '-10:11:12.5')",
	},
	{
		name: "constants beyond BIGINT negated", who: we, here: 1690, text: regexp.MustCompile(`- (TRUNCATE|ROUND|ABS|FLOOR|CEIL|CEILING)\((1\d{19}|9223372036854775808)|- -9223372036854775808|- CAST\(-\d+ AS UNSIGNED|- CAST\(9223372036854775808 AS SIGNED|- \(.*[&|^~]`),
		reason:  "MySQL makes a constant of this size a DECIMAL.",
		example: "SELECT - -9223372036854775808",
	},
	{
		name: "JSON_SEARCH of a number", who: mariaDB, text: regexp.MustCompile(`JSON_SEARCH\(`), values: func(a, b string) bool { return a == "NULL" },
		reason:  "MySQL looks among the document's texts only.",
		example: "SELECT JSON_SEARCH(JSON_ARRAY(NULL, 5, NULL), 'all', '5')",
	},
	{
		name: "BINARY(n)", who: mariaDB, text: regexp.MustCompile(`'[^']*é[^']*' AS BINARY\(`),
		reason:  "MySQL counts bytes, MariaDB the characters of the text.",
		example: "SELECT CAST('éé' AS BINARY(3))",
	},
	{
		name: "a time and a BIGINT UNSIGNED", who: mariaDB, also: func(f *finding) bool { return (f.ours.number == 1690) != (f.theirs.number == 1690) }, text: regexp.MustCompile(`TIME.* [-+] .*( [&|^] |<<|>>|~)|(DATE|TIME).*[-+] (1\d{19}|9223372036854775808)|(1\d{19}|9223372036854775808) [-+].*TIME`),
		reason:  "Their sum is a BIGINT UNSIGNED; in MariaDB a BIGINT.",
		example: "SELECT SEC_TO_TIME(1) + 10000000000000000000",
	},
	{
		name: "the generated column of a row that is replaced", who: mariaDB, there: 1264, text: regexp.MustCompile(`REPLACE INTO w1 |INTO w1 .*ON DUPLICATE`),
		reason:  "MariaDB computes it again, and refuses what was kept with IGNORE.",
		example: "INSERT IGNORE INTO w1 (id, u) VALUES (1, 2147483647); REPLACE INTO w1 (id, u) VALUES (1, 2)",
	},
	{
		name: "BINARY and numbers", who: we, text: regexp.MustCompile(`(COALESCE|IFNULL|IF|CASE)\b.*\b(r_)?v?b\b`), also: func(f *finding) bool { return f.ours.err == nil && f.theirs.err == nil },
		reason:  "COALESCE and the like of binary strings and a number return whichever value is chosen; in MySQL always a binary string.",
		example: "SELECT JSON_ARRAY(IF(1, 2, b)) FROM t",
	},
	{
		name: "DOUBLE of a date beside a TIME", who: mariaDB, text: regexp.MustCompile(`AS (DOUBLE|DECIMAL\([\d,]+\))\) [<=>!]+ .*(TIME|da\b|dt\b)|TIME.* [<=>!]+ CAST\(.*AS DOUBLE`), values: anyValues,
		reason:  "They are compared as numbers; MariaDB compares them as times.",
		example: "SELECT CAST(DATE'2024-01-31' AS DOUBLE) < TIME(1)",
	},
	{
		name: "a cast out of range beside NULL", who: mariaDB, what: "fails here", here: 1264, text: regexp.MustCompile(`CAST\(NULL AS .*CAST\(`),
		reason:  "MariaDB does not compute it.",
		example: "INSERT INTO t (id, v) VALUES (99, CAST(NULL AS DECIMAL(10,2)) + CAST(TIMESTAMP'1970-01-01 00:00:01' AS DECIMAL(10,2)))",
	},
	{
		name: "DIV by a DOUBLE beyond DECIMAL", who: we, what: "fails here", here: 1690, text: regexp.MustCompile(` DIV `),
		reason:  "DIV divides DECIMALs, and refuses a DOUBLE that no DECIMAL holds.",
		example: "SELECT 1 DIV -1e300",
	},
	{
		name: "ROUND of a DOUBLE literal", who: mariaDB, text: regexp.MustCompile(`(ROUND|TRUNCATE|CEIL|CEILING|FLOOR)\(-?[\d.]+e|/ (ROUND|TRUNCATE|CEIL|CEILING|FLOOR)\(`), values: roundedTo,
		reason:  "It is a DOUBLE; in MariaDB a DECIMAL.",
		example: "SELECT 1 / ROUND(1e20)",
	},
	{
		name: "the last digit of a function", who: we, text: regexp.MustCompile(`(TAN|ATAN2|COT|SIN|COS|LOG10|LOG2|LOG|LN|EXP|POW|POWER|SQRT)\(`), also: func(f *finding) bool {
			return digests.MatchString(f.text) && f.cells(anyValues) || f.cells(func(a, b string) bool {
				a, _, _ = strings.Cut(a, ",")
				b, _, _ = strings.Cut(b, ",")
				return nearZero(a, b) || len(a) > 14 && (strings.Contains(f.text, "REPEAT(") && alikeUpTo(a, b, 14) || nearly(a, b) || len(a) == len(b) && alikeUpTo(a, b, 14) || remainders.MatchString(f.text) && nearFloat(a, b))
			})
		},
		reason:  "The last digit of a DOUBLE from TAN, LOG10 and so on may differ, and more digits of a remainder of it.",
		example: "SELECT GROUP_CONCAT(TAN(1)) FROM t",
	},
	{
		name: "numbers and their texts", who: mariaDB, text: regexp.MustCompile(`\d (=|[-+*]) CAST\(-?\d+\.\d+ AS (CHAR|BINARY)|CAST\(-?\d+\.\d+ AS (CHAR|BINARY)\) (=|[-+*])`), values: anyValues,
		reason:  "MariaDB compares an integer and the text of a decimal as integers.",
		example: "SELECT 1 = CAST(1.10 AS CHAR)",
	},
	{
		name: "errors beside NULL", who: mariaDB, what: "fails here", here: 1690, text: regexp.MustCompile(`NULL`),
		reason:  "An operand after NULL is computed; MariaDB leaves it out.",
		example: "SELECT NULL + -(-9223372036854775807 - 1)",
	},
	{
		name: "aggregates beside dates", who: mariaDB, text: regexp.MustCompile(`HAVING .*(VAR|STD|AVG|SUM|COUNT|BIT_[A-Z]+)\(`), also: func(f *finding) bool { return timeText.MatchString(f.text) && f.ours.err == nil && f.theirs.err == nil },
		reason:  "A number that is not a time beside a date, as above.",
		example: "SELECT MIN(id) FROM t HAVING BIT_AND(NULL) > DATE'2024-01-31'",
	},
	{
		name: "CONV below the least integer", who: we, text: regexp.MustCompile(`(BIN|OCT|CONV)\(`), values: func(a, b string) bool { return len(a) < 3 && len(b) > 20 },
		reason:  "CONV, BIN and OCT of a number below the smallest integer count down from the greatest one; in MySQL they return the greatest.",
		example: "SELECT BIN(1 - 99999999999999999999.99)",
	},
	{
		name: "TIME has an end, in the order of rows", who: mariaDB, text: regexp.MustCompile(`(ORDER|GROUP) BY.*(TIMEDIFF|ADDTIME|SUBTIME|SEC_TO_TIME|MAKETIME)\(`), also: func(f *finding) bool { return f.ours.err == nil && f.theirs.err == nil },
		reason:  "The same: what is beyond the greatest TIME is equal in MySQL.",
		example: "SELECT COUNT(*) FROM t GROUP BY SEC_TO_TIME(3020399 + id / 10)",
	},
	{
		name: "the end of an AUTO_INCREMENT column, with IGNORE", who: we, also: func(f *finding) bool { return strings.Contains(f.theirs.warnings, "167") },
		reason:  "The same as a warning.",
		example: "INSERT IGNORE INTO t5 VALUES (127), (NULL)",
	},
	{
		name: "LOCATE without case", who: mariaDB, text: regexp.MustCompile(`(LOCATE|INSTR|POSITION|FIND_IN_SET)\(.*\b(r_)?vci\b`), values: anyValues,
		reason:  "MySQL looks for a text by the collation, MariaDB by its characters if they are not ASCII.",
		example: "SELECT LOCATE('E', vci) FROM (SELECT 'é' COLLATE utf8mb4_general_ci AS vci) d",
	},
	{
		name: "BINARY(n) that cuts", who: mariaDB, here: 1292, text: regexp.MustCompile(`AS BINARY\(`),
		reason:  "MySQL reports what is cut, and refuses it in a statement that writes.",
		example: "INSERT INTO t (id, v) VALUES (99, CAST('hello world' AS BINARY(3)))",
	},
	{
		name: "bytes beside CHAR", who: mariaDB, text: regexp.MustCompile(`(0x[0-9A-F]+|[xb]'[^']*'|CHAR\([^()]*\)) [<>=!]+ (c|v|vci)\b|\b(c|v|vci) [<>=!]+ (0x|[xb]'|CHAR\()`), also: func(f *finding) bool { return f.ours.err == nil && f.theirs.err == nil },
		reason:  "MySQL compares bytes; MariaDB characters, without the blanks at the end.",
		example: "SELECT id FROM t WHERE 0x04 > c ORDER BY id",
	},
	{
		name: "parts of a day of a TIME", who: mariaDB, text: regexp.MustCompile(`EXTRACT\((WEEK|DAY|MONTH|QUARTER|YEAR)[A-Z_]* FROM .*(TIME|\btm)`), values: anyValues,
		reason:  "They are those of today.",
		example: "SELECT EXTRACT(WEEK FROM TIME(1))",
	},
	{
		name: "ENUM as a date", who: mariaDB, text: regexp.MustCompile(`CAST\((r_)?e AS DATE`), also: func(f *finding) bool { return f.ours.err == nil && f.theirs.err == nil },
		reason:  "The cast of a text that is not a date is NULL.",
		example: "SELECT id FROM t WHERE (CAST(e AS DATETIME) <=> e) ORDER BY id",
	},
	{
		name: "a TIME below zero as UNSIGNED", who: mariaDB, text: regexp.MustCompile(`(tm3?|TIME.*) AS UNSIGNED|(tm3?|TIME.*), UNSIGNED`), also: func(f *finding) bool {
			return f.cells(func(a, b string) bool { return len(a) == 20 && b == "0" })
		},
		reason:  "MySQL takes the bits of the integer that it rounds to.",
		example: "SELECT CAST(TIME'-01:02:03' AS UNSIGNED)",
	},
	{
		name: "JSON_CONTAINS_PATH as a date", who: mariaDB, what: "fails here", here: 1292, text: regexp.MustCompile(`JSON_CONTAINS_PATH\(`),
		reason:  "It is 0 or 1, and neither is a date; in MariaDB it is NULL where a path leads to nothing.",
		example: "INSERT INTO t3 (id, v) VALUES (99, DAY(JSON_CONTAINS_PATH('{}', 'one', '$.a')))",
	},
	{
		name: "'true' in BOOL", who: we, what: "fails there", there: 1366, text: regexp.MustCompile(`BOOLEAN|\bbo\b`),
		reason:  "A BOOL column takes the texts true and false.",
		example: "INSERT INTO t (id, bo) VALUES (99, 'true')",
	},
	{
		name: "TIME_TO_SEC of a fraction", who: mariaDB, text: regexp.MustCompile(`TIME_TO_SEC`), also: func(f *finding) bool {
			return f.theirs.number == 1406 || f.cells(func(a, b string) bool { return strings.HasPrefix(b, a+".") })
		},
		reason:  "MySQL's TIME_TO_SEC is an integer.",
		example: "SELECT TIME_TO_SEC('10:11:12.5')",
	},
	{
		name: "an interval of NULL, or a TIME", who: mariaDB, there: 1441, text: regexp.MustCompile(`INTERVAL|TIMESTAMPADD|ADDDATE|SUBDATE`), says: regexp.MustCompile(`time field overflow`),
		reason:  "A TIME plus days is a date and time, and nothing is computed with NULL; MariaDB reports an overflow.",
		example: "INSERT INTO t3 (id, v) VALUES (99, TIMESTAMPADD(WEEK, NULL, TIME'838:59:59'))",
	},
	{
		name: "hours beyond a day", who: mariaDB, text: regexp.MustCompile(`EXTRACT\([A-Z_]*HOUR[A-Z_]* FROM`), values: integers,
		reason:  "MySQL's EXTRACT returns all hours of a TIME, MariaDB's those of its last day.",
		example: "SELECT EXTRACT(HOUR FROM '100:00:00')",
	},
	{
		name: "the number of a text that is made of one", who: mariaDB, text: regexp.MustCompile(`CAST\(|CONVERT\(|INET_NTOA\(`), values: func(a, b string) bool {
			return !strings.Contains(b, ".") && strings.Contains(a, ".") && roundedTo(a, b)
		},
		reason:  "The text of 2.5 is 2.5 where a number is wanted, also where CAST or INET_NTOA makes it; MariaDB rounds it to the digits of the argument's type.",
		example: "SELECT - INET_NTOA(DATE'2024-01-31')",
	},
	{
		name: "the text of a number beside one", who: mariaDB, what: "rows", text: regexp.MustCompile(`[<>=]+ (CAST|CONVERT|INET_NTOA)\(|(AS CHAR\)|, CHAR\)|INET_NTOA\(\S+\)) [<>=]+`), values: func(a, b string) bool { return len(a) == 1 && len(b) == 1 },
		reason:  "So it is in a comparison.",
		example: "SELECT ORD('') = CONVERT(0.1, CHAR)",
	},
	{
		name: "comparisons of a quotient", who: mariaDB, text: regexp.MustCompile(`/ .*\) (<=>|[<>=]+|(NOT )?(BETWEEN|IN)) |(<=>|[<>=]+) \(.* / |NULLIF\(.* / |WHERE \(.* / `), also: func(f *finding) bool { return f.what == "rows" || f.what == "number of rows" },
		reason:  "The computed digits are compared; MariaDB compares the digits that are shown, except in IN.",
		example: "SELECT (1 / 3) = 0.3333",
	},
	{
		name: "numbers that are not times beside times, written", who: mariaDB, there: 1292, text: timeText, says: regexp.MustCompile(`(date|time) value: '-?[\d.]+(e[-+]?\d+)?'`),
		reason:  "In a statement that writes MariaDB refuses a number that is not a time where it is compared with one.",
		example: "INSERT INTO t3 (id, v) VALUES (99, 1 < DATE'2024-01-31')",
	},
	{
		name: "a TIME in YEAR", who: mariaDB, there: 1292, text: regexp.MustCompile(`YEAR|\by\b`), says: regexp.MustCompile(`Incorrect time value`),
		reason:  "A TIME becomes the YEAR of the current date.",
		example: "INSERT INTO t3 (id, y) VALUES (99, TIME'10:11:12')",
	},
	{
		name: "JSON_VALUE of true and false, written", who: mariaDB, what: "fails here", text: regexp.MustCompile(`JSON_VALUE\('`), also: func(f *finding) bool {
			return strings.Contains(f.ours.err.Error(), "'true'") || strings.Contains(f.ours.err.Error(), "'false'")
		},
		reason:  "And so no numbers.",
		example: "INSERT INTO t3 (id, y) VALUES (99, JSON_VALUE('true', '$'))",
	},
	{
		name: "STDDEV, VARIANCE and SUM of large DOUBLEs", who: mariaDB, text: regexp.MustCompile(`(STD|VAR).*\d{16}|(SUM|AVG)\(.*(\bbi\b|\bub\b|9e18)`), values: func(a, b string) bool {
			x, y := number(a), number(b)
			return x != nil && y != nil && x.Sign() > 0 && math.Abs(math.Log(floatOf(x)/floatOf(y))) < 0.05
		},
		reason:  "Rounding of numbers that no DOUBLE holds exactly depends on the order of the rows.",
		example: "SELECT SUM(d) FROM (SELECT 9e18 AS d UNION ALL SELECT 2010e0 UNION ALL SELECT -9e18) x",
	},
	{
		name: "SEC_TO_TIME of an ENUM as a text", who: mariaDB, text: regexp.MustCompile(`SEC_TO_TIME\((r_)?(e|st)\)`), values: func(a, b string) bool { return a == "15" && b == "8" || strings.TrimSuffix(a, ".000000") == b },
		reason:  "An ENUM is a text, and may have six digits of a second.",
		example: "SELECT CHARACTER_LENGTH(SEC_TO_TIME(e)) FROM t ORDER BY id",
	},
	{
		name: "a constant with more digits than a column", who: mariaDB, text: regexp.MustCompile(`JOIN .*\bd2 = -?\d*\.\d{3,}|WHERE \(-?\d*\.\d+ = (ti|si|i|bi|ub)\)`), also: func(f *finding) bool { return f.ours.err == nil && f.theirs.err == nil },
		reason:  "It equals no value of the column; MariaDB looks for what it rounds to.",
		example: "SELECT id, r_id FROM t JOIN t2 ON d2 = -1.501 ORDER BY id, r_id",
	},
	{
		name: "AVG of CASE and the like", who: we, text: regexp.MustCompile(`AVG\((DISTINCT )?(CASE|IF|IFNULL|COALESCE|NULLIF|GREATEST|LEAST)\b`), values: nearFloat,
		reason:  "A mean has the digits of its type; MySQL computes it to the digits of the values.",
		example: "SELECT AVG(CASE WHEN NULL THEN 318.000009 ELSE d END) FROM (SELECT 1.00 AS d UNION ALL SELECT 2.00 UNION ALL SELECT 2.00) x",
	},
	{
		name: "a text between an ENUM or a number and another one", who: mariaDB, what: "number of rows", text: regexp.MustCompile(`^SELECT id FROM t WHERE .*(('[^']*'|\b[cvx]|vci) (NOT )?BETWEEN |BETWEEN (CAST\(-\d+ AS UNSIGNED\)|\d{19,}))`),
		reason:  "All three are compared as DOUBLE; in MariaDB's conditions as texts.",
		example: "SELECT id FROM t WHERE 'a' NOT BETWEEN e AND ub",
	},
	{
		name: "bounds of BETWEEN", who: we, text: regexp.MustCompile(`BETWEEN`), says: regexp.MustCompile(`^Error (1264|1292|1690|1365)`),
		reason:  "In a condition on rows, the second bound is not computed if the first one decides; MySQL computes both, and either may fail.",
		example: "SELECT id FROM t WHERE id BETWEEN 99 AND 9223372036854775807 + id",
	},
	{
		name: "digits finer than a microsecond", who: we, what: "state: rows", text: regexp.MustCompile(`^(TIME|DATETIME|TIMESTAMP).*\.\d{7,}`),
		reason:  "A time is rounded once; in MySQL a number is rounded to microseconds first.",
		example: "TIME: INSERT INTO x VALUES (1, -2.5 + 0.000000001)",
	},
	{
		name: "a constant looked up in a subquery", who: mariaDB, what: "number of rows", text: regexp.MustCompile(`(IN|ALL|ANY) \(SELECT ('|-?\d|[A-Z]+')`),
		reason:  "MariaDB converts it to the column's type first.",
		example: "SELECT id FROM t WHERE i = ANY (SELECT 1.5 FROM t2) ORDER BY id",
	},
	{
		name: "BIT beside a BIGINT", who: mariaDB, what: "fails here", here: 1690, text: regexp.MustCompile(`(CASE|IF|IFNULL|COALESCE)\b.*\b(r_)?bt\b`),
		reason:  "What CASE and the like give of a BIT and a BIGINT is a BIGINT; in MariaDB a DECIMAL.",
		example: "SELECT ABS(CASE WHEN 1 THEN -9223372036854775808 ELSE bt END) FROM t",
	},
	{
		name: "constants that are computed before the statement runs", who: mariaDB, what: "errors", here: 1292, text: regexp.MustCompile(`(DATE|TIME)[A-Z_]*\(.*(IF|CASE)\b.*'`),
		reason:  "Values that they cannot read are refused in strict mode; MariaDB warns, and continues to the next error.",
		example: "CHAR(5): INSERT INTO x VALUES (1, TIMESTAMP(IF(('a' = 1), NULL, '2024-01-31')))",
	},
	{
		name: "parts of what is not a time, as operands", who: mariaDB, text: regexp.MustCompile(`(/|%|DIV|MOD) .*(MICROSECOND|SECOND|MINUTE|HOUR|DAY|MONTH)\(\d{8,}|(MICROSECOND|SECOND|MINUTE|HOUR|DAY|MONTH)\(\d{8,}\) [<>=]+ '`), also: func(f *finding) bool { return f.theirs.number == 1365 || f.theirs.number == 1292 },
		reason:  "They are NULL, and in MariaDB 0.",
		example: "INSERT INTO t3 (id, v) VALUES (99, 1 / MICROSECOND(20240131))",
	},
	{
		name: "FLOOR in GROUP_CONCAT", who: mariaDB, text: regexp.MustCompile(`GROUP_CONCAT\(DISTINCT (FLOOR|CEIL|CEILING|ROUND|TRUNCATE)\(`), values: func(a, b string) bool { return strings.HasPrefix(a, b) },
		reason:  "MariaDB cuts the text of a DOUBLE to 18 characters.",
		example: "SELECT GROUP_CONCAT(DISTINCT FLOOR(d) ORDER BY 1) FROM (SELECT 1e20 AS d) x",
	},
	{
		name: "bytes of a literal in a text", who: we, text: regexp.MustCompile(`(UPPER|LOWER|UCASE|LCASE)\(.*(0x|[xb]'|CHAR\()`), values: strings.EqualFold,
		reason:  "A text joined with a binary string is a binary string, which has no case; in MySQL a column's text stays a text.",
		example: "SELECT UPPER(CONCAT(1, e, 0x04)) FROM t ORDER BY id",
	},
	{
		name: "the case of QUOTE", who: mariaDB, text: regexp.MustCompile(`(LOWER|LCASE)\(.*QUOTE\(`), values: func(a, b string) bool { return strings.EqualFold(a, b) },
		reason:  "QUOTE returns a text, and for NULL the word NULL; in MariaDB that is bytes.",
		example: "SELECT LOWER(QUOTE(NULL))",
	},
	{
		name: "a text with more digits than a DOUBLE", who: mariaDB, what: "rows", text: regexp.MustCompile(`NULLIF\(.*\d{14,}\.\d`),
		reason:  "A text and a number are compared as DOUBLE; MariaDB compares the number that the text was made of.",
		example: "SELECT NULLIF(COALESCE(99999999999999.999999, 'a', NULL), CEIL(99999999999999.999999))",
	},
	{
		name: "-0 for 0", who: mariaDB, what: "affected rows", text: regexp.MustCompile(`UPDATE.* = \(.* [/*%] `),
		reason:  "They are different DOUBLEs, and the row counts as changed.",
		example: "UPDATE t SET d = (d * -1) WHERE d = 0",
	},
	{
		name: "a text with a date as a TIME", who: mariaDB, text: regexp.MustCompile(`EXTRACT\(DAY_[A-Z]+ FROM '|TIMEDIFF\('|EXTRACT\(DAY FROM \d{8}`),
		reason:  "A text with a date and no clock is read as a TIME by its first digits; in MariaDB it is a date.",
		example: "SELECT EXTRACT(DAY_MICROSECOND FROM '24-01-31')",
	},
	{
		name: "GROUP BY a rounded number", who: mariaDB, what: "number of rows", text: regexp.MustCompile(`GROUP BY .*\bROUND\(`),
		reason:  "MariaDB keeps it in a column that may be too narrow, where it groups by a temporary table.",
		example: "SELECT MIN(id), COUNT(*) FROM t GROUP BY COALESCE(ROUND(CAST(10000000000000000000 AS DECIMAL), ti)) ORDER BY MIN(id)",
	},
	{
		name: "control characters at the end of a text", who: we, text: regexp.MustCompile(`\bci [<>]|CHAR\(4 USING`), also: func(f *finding) bool {
			return strings.Contains(f.text, "USING") || strings.Contains(f.setup, `"\x`)
		},
		reason:  "A text is greater than its own beginning. Under a collation that pads, MySQL pads the shorter text with blanks, which are greater than control characters.",
		example: "SELECT CONCAT(vci, CHAR(4 USING utf8mb4)) < vci FROM t",
	},
	{
		name: "the order of what differs in the last digit", who: we, what: "rows", text: regexp.MustCompile(`ORDER BY .*\b(TAN|ATAN2?|COT|SIN|COS|LOG10|LOG2|LOG|LN|EXP|POW|POWER)\(`), values: func(a, b string) bool { return len(a) == 1 && len(b) == 1 },
		reason:  "The same in the order of rows.",
		example: "SELECT id FROM t ORDER BY ATAN(-19127149221598029, d2), id",
	},
	{
		name: "functions of a quotient", who: mariaDB, text: regexp.MustCompile(`\b(LOG|LN|LOG2|LOG10|A?SIN|A?COS|A?TAN|SQRT|EXP|POW|POWER)\(.* / `), values: nearFloat,
		reason:  "They get the computed digits; in MariaDB the digits that are shown, or a few more.",
		example: "SELECT ACOS((99999999999999.999999 - 1) / 99999999999999.999999)",
	},
	{
		name: "ON DUPLICATE KEY UPDATE of NULL to NULL", who: mariaDB, what: "affected rows", text: regexp.MustCompile(`ON DUPLICATE KEY UPDATE .*= NULL`),
		reason:  "A row that is what it was counts 0; in MariaDB it counts where the column has a default.",
		example: "INSERT INTO w1 (id, v) VALUES (1, NULL), (1, NULL) ON DUPLICATE KEY UPDATE v = NULL",
	},
	{
		name: "a text far below zero as an unsigned number", who: we, text: regexp.MustCompile(`UNSIGNED.*IGNORE`), values: func(a, b string) bool { return a == "0" && b == "18446744073709551615" },
		reason:  "With IGNORE it becomes 0; in MySQL the greatest number, if it does not fit 64 bits.",
		example: "BIGINT UNSIGNED: INSERT IGNORE INTO x VALUES (1, '-1e300')",
	},
	{
		name: "the DOUBLE 2^63 as BIGINT", who: we, what: "fails here", here: 1264, text: regexp.MustCompile(`^BIGINT.*922337203685477580`),
		reason:  "It is out of range; MySQL stores the greatest number.",
		example: "BIGINT: INSERT INTO x VALUES (1, 9223372036854775808e0)",
	},
	{
		name: "rows looked up by a YEAR", who: mariaDB, text: regexp.MustCompile(`(JOIN t2 ON|WHERE) ([a-z]\w* (<=>|[<>=]+) r_y|y (<=>|[<>=]+) r_\w+)\b`), also: func(f *finding) bool { return f.what == "rows" || f.what == "number of rows" },
		reason:  "A number that is not a constant stays as it is; MariaDB reads it as a year when it looks up rows by a key.",
		example: "",
	},
	{
		name: "a YEAR as a TIME", who: mariaDB, text: regexp.MustCompile(`\b(r_)?y AS TIME|(TIME|HOUR|MINUTE|SECOND|MICROSECOND|TIME_TO_SEC|TIME_FORMAT)\((r_)?y\)|\b(r_)?y (<=>|[<>=]+) (TIME'|(r_)?tm)|(TIME'[^']*'|\btm3?) (<=>|[<>=]+) (r_)?y\b`), also: func(f *finding) bool { return f.ours.err == nil && f.theirs.err == nil },
		reason:  "It is the number that it shows, 2024 is 00:20:24; in MariaDB it is midnight of no day.",
		example: "SELECT CAST(y AS TIME) FROM t ORDER BY id",
	},
	{
		name: "a constant that is not a year, beside a key of YEAR", who: mariaDB, text: regexp.MustCompile(`WHERE \(?(y [<>]=? (\d{4,}|[A-Z_]+\()|[A-Z_]+\([^()]*\) [<>]=? y\b)`), also: func(f *finding) bool { return f.what == "affected rows" || f.what == "number of rows" },
		reason:  "A number above 2155 is above all years; MariaDB finds none of them by the key.",
		example: "DELETE FROM t WHERE y <= 32768",
	},
}

func anyValues(string, string) bool { return true }

// nearly says whether two floats are the same but for the last digits that a text column shows.
func nearly(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err == nil && err2 == nil && math.Abs(x-y) <= 1e-11*math.Abs(x)
}

// nearFloat says whether two numbers are the same as far as a FLOAT shows them.
func nearFloat(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err == nil && err2 == nil && math.Abs(x-y) <= 1e-5*math.Abs(x)
}

// nearZero says whether two numbers are the same but for what a DOUBLE near 1 does not hold.
func nearZero(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err == nil && err2 == nil && math.Abs(x-y) <= 1e-15
}

// nearNumber says whether a text is a number not further from another one than that.
func nearNumber(text string, from, most float64) bool {
	x, err := strconv.ParseFloat(text, 64)
	return err == nil && math.Abs(x-from) <= most
}

func floatOf(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}

// alikeUpTo says whether two texts are the same in the first n characters.
func alikeUpTo(a, b string, n int) bool { return len(a) > n && len(b) > n && a[:n] == b[:n] }

// comparesJSON says whether a statement does anything with a JSON column but to give it to a JSON function.
func comparesJSON(text string) bool {
	return jsonColumn.MatchString(jsonArguments.ReplaceAllString(text, "")) || strings.Contains(text, "NULLIF(JSON_")
}

var (
	jsonColumn    = regexp.MustCompile(`\b(r_)?j\b`)
	jsonArguments = regexp.MustCompile(`JSON_[A-Z_]+\((?:[^()]*\b(?:r_)?j\b)`)
	writtenHex    = regexp.MustCompile(`x'([0-9A-F]*)'`)
)

// ofTwoTypes says whether a subquery compares columns whose types are different.
func ofTwoTypes(text string) bool {
	m := comparedColumns.FindStringSubmatch(text)
	return m == nil || typeClass(m[1]) != typeClass(m[2])
}

var comparedColumns = regexp.MustCompile(`WHERE (\w+) (?:<=>|[<>=]+) r_(\w+)\)`)

// typeClass is the same for columns of the subject whose values compare as they are.
func typeClass(column string) string {
	for _, of := range []string{"ti si i bi", "d2 d6", "c v x", "da", "dt d6t ts", "tm tm3"} {
		if slices.Contains(strings.Fields(of), column) {
			return of
		}
	}
	return column
}

func sameNumber(a, b string) bool {
	x, y := number(strings.TrimRight(a, "\x00")), number(strings.TrimRight(b, "\x00"))
	return x != nil && y != nil && x.Cmp(y) == 0
}

// integers says whether both are integers that stand side by side, or both times.
func integers(a, b string) bool {
	x, y := number(a), number(b)
	return x != nil && y != nil && x.IsInt() && y.IsInt() && !strings.Contains(a, ".") && x.Abs(x).Cmp(y.Abs(y)) > 0
}

var (
	timeText    = regexp.MustCompile(`(DATE|TIME|TIMESTAMP)'|\b(r_)?(da|dt|d6t|ts|tm|tm3)\b|(?:^|[^P])DATE|TIME|LAST_DAY|FROM_DAYS`)
	hexadecimal = regexp.MustCompile(`0x|[xb]'`)
	timesAsBits = regexp.MustCompile(`(MAKE_SET|INTERVAL|EXPORT_SET|INET_NTOA).*tm3`)
	// columnList are the columns of an INSERT.
	columnList = regexp.MustCompile(`INTO \w+ \([^)]*\)`)
	// zeros are those at the end of a second's digits in a document.
	zeros           = regexp.MustCompile(`(:\d\d|\.\d*[1-9])\.?0+"`)
	numberColumns   = regexp.MustCompile(`\b(r_)?(ti|si|i|bi|ub|d2|d6|f|d|bt|bo|n|u|x)\b`)
	numberFunctions = regexp.MustCompile(`\b(SQRT|DEGREES|RADIANS|TO_SECONDS|EXP|POW|POWER|LN|LOG|LOG2|LOG10|SIN|COS|TAN|COT|ASIN|ACOS|ATAN|ATAN2|ASCII|ORD|CRC32|BIT_COUNT|BIT_LENGTH|[A-Z_]*LENGTH|FIELD|INSTR|LOCATE|STRCMP|SIGN|ABS|TO_DAYS|INET_ATON|DATEDIFF)\(`)
	// conversions are the warnings of values that do not fit.
	conversions = regexp.MustCompile(`1264|1265|1292|1366|1406|1411|1441|3020|1365`)
	// conditionOfJSON is that of a statement that writes.
	conditionOfJSON = regexp.MustCompile(`(UPDATE|DELETE).* (WHERE|ORDER BY) .*\bj\b`)
	clauses         = regexp.MustCompile(`WHERE|GROUP BY|ORDER BY`)
	clockText       = regexp.MustCompile(`TIME'|\b(r_)?tm3?\b|TIME`)
	quotes          = regexp.MustCompile(`'(?:[^'\\]|''|\\.)*'|0x[0-9A-F]+`)
	digests         = regexp.MustCompile(`([A-Z_]*LENGTH|MD5|SHA1|SHA2|HEX|TO_BASE64|REVERSE|RIGHT)\(`)
	roundedTime     = regexp.MustCompile(`(FLOOR|CEIL|CEILING|ROUND|TRUNCATE)\((DATE|TIME|[A-Z_]*(DATE|TIME|DAY)[A-Z]*\()`)
	conditional     = regexp.MustCompile(`^UPDATE .* WHERE `) // whether it fails may hang on its condition
	remainders      = regexp.MustCompile(`[%]|MOD`)
	numerals        = regexp.MustCompile(`-?\b\d+(\.\d+)?(e[-+]?\d+)?\b|TRUE|FALSE`)
)

// oddNumberBesideTime says whether a statement has a time and a number that is none.
func oddNumberBesideTime(f *finding) bool {
	text := columnList.ReplaceAllString(f.text, "")
	if !timeText.MatchString(text) || (f.ours.err != nil || f.theirs.err != nil) && !conditional.MatchString(text) || f.what == "last id" || f.what == "warnings" {
		return false
	}
	if numberColumns.MatchString(text) || numberFunctions.MatchString(text) {
		return true
	}
	for _, n := range numerals.FindAllString(quotes.ReplaceAllString(text, "''"), -1) {
		if v, err := strconv.ParseInt(n, 10, 64); err != nil || !readsAsTime(v, clockText.MatchString(text)) {
			return true
		}
	}
	return false
}

// readsAsTime says whether an integer can be read as a date, or a date and time, or, beside a TIME, a time of day.
func readsAsTime(v int64, ofDay bool) bool {
	date := func(d int64) bool { return d/100%100 >= 1 && d/100%100 <= 12 && d%100 >= 1 && d%100 <= 28 }
	clock := func(c int64) bool { return c/100%100 < 60 && c%100 < 60 }
	hour := func(c int64) bool { return c/10000%100 < 24 }
	switch {
	case v < 0:
		return false
	case ofDay && v <= 8385959 && clock(v):
		return true
	case v > 999999999999:
		return v < 100000000000000 && date(v/1000000) && clock(v%1000000) && hour(v)
	}
	return v < 100000000 && date(v)
}
