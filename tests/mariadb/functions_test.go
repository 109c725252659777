package mariadb

import (
	"regexp"
	"strings"
)

// shapes are the expressions that give a value of a kind. A word in small letters stands for an expression of that kind;
// kinds that only have literals (unit, format) for one of those.
var shapes = map[string][]string{
	"int": split(`int + int|int - int|int * small|int DIV int|int MOD int|int % int|- int|~ int|int & int|int \| int|int ^ int|int << small|int >> small|
		num + num|num - num|num * num|num DIV num|num % num|- num|num & num|num \| num|num ^ num|num << small
		ABS(int)|SIGN(num)|CEIL(num)|CEILING(dec)|FLOOR(num)|ROUND(num)|MOD(int, int)|CRC32(text)|BIT_COUNT(int)|
		LENGTH(text)|CHAR_LENGTH(text)|CHARACTER_LENGTH(any)|OCTET_LENGTH(any)|BIT_LENGTH(text)|ASCII(text)|ORD(text)|INSTR(text, word)|LOCATE(word, text)|
		LOCATE(word, text, small)|POSITION(word IN text)|FIELD(any, any, any)|FIELD(text, word, word, word)|FIND_IN_SET(word, text)|STRCMP(text, text)|STRCMP(any, any)|
		INTERVAL(num, num, num)|YEAR(when)|MONTH(when)|DAY(when)|DAYOFMONTH(date)|DAYOFWEEK(date)|DAYOFYEAR(date)|WEEKDAY(date)|WEEK(date)|WEEK(date, mode)|
		WEEKOFYEAR(date)|YEARWEEK(date)|YEARWEEK(date, mode)|QUARTER(date)|HOUR(when)|MINUTE(when)|SECOND(when)|MICROSECOND(when)|TO_DAYS(date)|TO_SECONDS(dt)|
		TIME_TO_SEC(time)|UNIX_TIMESTAMP(dt)|DATEDIFF(date, dt)|TIMESTAMPDIFF(unit, dt, date)|TIMESTAMPDIFF(unit, dt, dt)|EXTRACT(part FROM dt)|EXTRACT(part FROM when)|
		PERIOD_ADD(202401, small)|PERIOD_DIFF(202401, 202312)|INET_ATON('1.2.3.4')|
		CAST(any AS SIGNED)|CAST(any AS UNSIGNED)|CONVERT(any, SIGNED)|JSON_LENGTH(json)|JSON_LENGTH(json, way)|JSON_DEPTH(json)|JSON_VALID(json)|JSON_CONTAINS(json, json)|
		JSON_CONTAINS(json, '1', way)|JSON_CONTAINS_PATH(json, 'one', way, way)|JSON_CONTAINS_PATH(json, 'all', way, way)|ISNULL(any)|REGEXP_INSTR(text, regexp)`),
	"dec": split(`dec + dec|dec - dec|dec * dec|dec / dec|int / int|num / num|dec % dec|- dec|ABS(dec)|ROUND(dec, small)|ROUND(num, small)|TRUNCATE(dec, small)|TRUNCATE(num, small)|
		MOD(dec, dec)|CAST(any AS DECIMAL(10,2))|CAST(any AS DECIMAL(20,6))|CAST(num AS DECIMAL(5,1))|CAST(num AS DECIMAL)|CEIL(dec)|FLOOR(dec)|SEC_TO_TIME(small) + dec|UNIX_TIMESTAMP(dt) + dec`),
	"dbl": split(`dbl + dbl|dbl - num|dbl * dbl|dbl / num|- dbl|ABS(dbl)|SQRT(num)|POW(num, small)|POWER(small, small)|EXP(small)|LN(num)|LOG(num)|LOG(base, num)|LOG2(num)|LOG10(num)|
		SIN(num)|COS(num)|TAN(small)|COT(small)|ASIN(dec)|ACOS(dec)|ATAN(num)|ATAN(num, num)|ATAN2(num, num)|RADIANS(num)|DEGREES(small)|ROUND(dbl)|ROUND(dbl, small)|TRUNCATE(dbl, small)|
		text + int|text * dec|text - text|CAST(any AS DOUBLE)`),
	"text": split(`CONCAT(text, text)|CONCAT(any, any)|CONCAT(any, text, any)|CONCAT_WS(word, text, any, text)|LEFT(text, small)|RIGHT(text, small)|SUBSTR(text, small)|SUBSTRING(text, small, small)|
		SUBSTRING(text FROM small FOR small)|MID(text, small, small)|SUBSTRING_INDEX(text, word, small)|UPPER(text)|LOWER(text)|UCASE(text)|LCASE(word)|TRIM(text)|LTRIM(text)|RTRIM(text)|
		TRIM(BOTH word FROM text)|TRIM(LEADING word FROM text)|TRIM(TRAILING word FROM text)|REPLACE(text, word, word)|REVERSE(text)|REPEAT(text, small)|SPACE(small)|LPAD(text, small, word)|RPAD(text, small, word)|
		INSERT(text, small, small, word)|ELT(small, text, word, any)|HEX(any)|HEX(int)|UNHEX(HEX(text))|QUOTE(text)|BIN(int)|OCT(int)|CONV(text, base, base)|CONV(int, 10, base)|CHAR(int)|CHAR(65, small, 66)|
		FORMAT(num, small)|FORMAT(dec, small)|MD5(text)|SHA1(text)|SHA2(text, 256)|TO_BASE64(text)|FROM_BASE64(TO_BASE64(text))|CAST(any AS CHAR)|CAST(any AS CHAR(3))|CAST(text AS BINARY)|CAST(word AS BINARY(3))|
		CONVERT(any, CHAR)|CONVERT(text USING utf8mb4)|DATE_FORMAT(when, format)|DATE_FORMAT(dt, format)|TIME_FORMAT(time, tformat)|DAYNAME(date)|MONTHNAME(date)|SOUNDEX(word)|MAKE_SET(int, word, word, word)|
		EXPORT_SET(small, 'Y', 'N', ',', 4)|INET_NTOA(int)|JSON_UNQUOTE(JSON_EXTRACT(json, way))|JSON_TYPE(json)|JSON_QUOTE(word)|REGEXP_REPLACE(text, regexp, word)|REGEXP_SUBSTR(text, regexp)|
		JSON_VALUE(json, way)|INET6_NTOA(INET6_ATON('::1'))`),
	"date": split(`DATE(when)|DATE(dt)|LAST_DAY(date)|MAKEDATE(2024, int)|FROM_DAYS(TO_DAYS(date))|CAST(any AS DATE)|CAST(dt AS DATE)|DATE_ADD(date, INTERVAL small DAY)|DATE_SUB(date, INTERVAL small MONTH)|
		ADDDATE(date, small)|SUBDATE(date, small)|date + INTERVAL small unit|date - INTERVAL small unit|STR_TO_DATE(found, find)`),
	"dt": split(`DATE_ADD(dt, INTERVAL small unit)|DATE_SUB(dt, INTERVAL int unit)|DATE_ADD(when, INTERVAL small unit)|dt + INTERVAL small unit|dt - INTERVAL span double|DATE_ADD(dt, INTERVAL span double)|
		TIMESTAMP(date)|TIMESTAMP(date, time)|TIMESTAMPADD(unit, small, dt)|FROM_UNIXTIME(int)|CAST(any AS DATETIME)|CAST(when AS DATETIME(3))|CAST(dt AS DATETIME)|ADDTIME(dt, time)|SUBTIME(dt, time)|
		CONVERT_TZ(dt, '+00:00', '+02:00')|STR_TO_DATE(found, find)`),
	"time": split(`TIME(when)|CAST(any AS TIME)|CAST(when AS TIME(2))|SEC_TO_TIME(num)|MAKETIME(small, small, small)|ADDTIME(time, time)|SUBTIME(time, time)|TIMEDIFF(time, time)|TIMEDIFF(dt, dt)`),
	"bool": split(`num = num|any = any|any <> any|any < any|any <= any|any > any|any <=> any|text = text|word < text|date = dt|date < date|dt >= when|time = time|time < dt|int = text|dec = text|
		num BETWEEN num AND num|any BETWEEN any AND any|text BETWEEN text AND text|date BETWEEN date AND dt|any NOT BETWEEN any AND any|any IN (any, any)|int IN (int, int, num)|text IN (word, text)|any NOT IN (any, any)|
		dt IN (date, dt)|text LIKE pattern|text NOT LIKE pattern|any LIKE pattern|text REGEXP regexp|text RLIKE regexp|text NOT REGEXP regexp|any IS NULL|any IS NOT NULL|cond IS TRUE|any IS NOT TRUE|num IS FALSE|
		cond IS UNKNOWN|NOT cond|cond AND cond|cond OR cond|cond XOR cond|any AND any|any OR any|NOT any|! num|(any, any) = (any, any)|(int, text) IN ((int, text), (int, word))|
		hex = num|hex < int|hex IN (int, text)`),
	"json": split(`JSON_OBJECT('a', any, 'b', int)|JSON_ARRAY(any, int, text)|JSON_EXTRACT(json, way)|JSON_EXTRACT(json, way, way)|JSON_SET(json, way, int)|JSON_INSERT(json, way, word)|JSON_REPLACE(json, way, dec)|
		JSON_REMOVE(json, way)|JSON_KEYS(json)|JSON_ARRAY_APPEND(json, way, int)|JSON_ARRAY_INSERT(json, '$[0]', int)|JSON_MERGE_PATCH(json, json)|JSON_MERGE_PRESERVE(json, json)|JSON_SEARCH(json, 'one', word)|JSON_SEARCH(json, 'all', word)`),
}

// choices give a value of the kind that they are asked for; same is that kind.
var choices = split(`IF(cond, same, same)|IF(any, same, any)|IFNULL(same, same)|IFNULL(any, same)|COALESCE(same, any, same)|NULLIF(same, same)|NULLIF(same, any)|CASE WHEN cond THEN same ELSE same END|
	CASE any WHEN any THEN same WHEN any THEN any END|CASE WHEN cond THEN same WHEN cond THEN any END|GREATEST(same, same)|LEAST(same, same)|GREATEST(same, any)|LEAST(any, same, same)`)

func split(text string) []string {
	var all []string
	for _, s := range strings.Split(strings.ReplaceAll(text, `\|`, "\x00"), "|") {
		for _, line := range strings.Split(s, "\n") {
			if line = strings.TrimSpace(strings.ReplaceAll(line, "\x00", "|")); line != "" {
				all = append(all, line)
			}
		}
	}
	return all
}

var smallWord = regexp.MustCompile(`'[^']*'|[a-z]+|[A-Z_0-9]+`)

// shape fills a shape's words.
func (g *generator) shape(text, same string, depth int) *node {
	n := &node{}
	at := 0
	for _, place := range smallWord.FindAllStringIndex(text, -1) {
		word := text[place[0]:place[1]]
		if word == "same" {
			word = same
		}
		if _, ok := literals[word]; !ok && shapes[word] == nil {
			continue
		}
		n.words = append(n.words, text[at:place[0]])
		n.kids = append(n.kids, g.expr(word, depth-1))
		at = place[1]
	}
	n.words = append(n.words, text[at:])
	if c := text[0]; c < 'A' || c > 'Z' || strings.HasPrefix(text, "NOT ") {
		n.words[0], n.words[len(n.words)-1] = "("+n.words[0], n.words[len(n.words)-1]+")"
	}
	return n
}

// expr gives an expression of a kind, at times of another one.
func (g *generator) expr(kind string, depth int) *node {
	if kind == "cond" {
		kind = "bool"
		depth = max(depth, 1)
	}
	if of := groups[kind]; of != nil {
		kind = pick(g, of)
	}
	if g.one(25) && shapes[kind] != nil {
		kind = pick(g, groups["any"])
	}
	if shapes[kind] == nil && kind != "small" && kind != "uint" && kind != "word" && kind != "hex" {
		n := g.literal(kind)
		n.frame = kind != "null"
		return n
	}
	if depth <= 0 || g.one(4) || shapes[kind] == nil {
		return g.atom(kind)
	}
	if g.one(5) {
		return g.shape(pick(g, choices), kind, depth)
	}
	return g.shape(pick(g, shapes[kind]), kind, depth)
}

// atom is a column or a constant.
func (g *generator) atom(kind string) *node {
	if of := g.columns[kind]; of != nil && !g.one(3) {
		n := leaf(pick(g, of))
		n.column = n.words[0]
		return n
	}
	return g.literal(kind)
}
