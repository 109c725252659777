package tests

import (
	"database/sql"
	"errors"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// TestJSONManual holds the JSON functions to the examples of MySQL 8.0's manual (sections 11.5 and 12.17), with the answers that
// stand there, and to what its text says beside them.
func TestJSONManual(t *testing.T) {
	t.Parallel()
	db := nearlyfreetest.Open(t)
	for _, test := range []struct{ x, want string }{
		// The JSON data type.
		{`JSON_ARRAY('a', 1, CAST('2015-07-27 09:43:47' AS DATETIME))`, `["a", 1, "2015-07-27 09:43:47.000000"]`},
		{`JSON_OBJECT('key1', 1, 'key2', 'abc')`, `{"key1": 1, "key2": "abc"}`},
		{`JSON_MERGE_PRESERVE('["a", 1]', '{"key": "value"}')`, `["a", 1, {"key": "value"}]`},
		{`JSON_TYPE('["a", "b", 1]')`, `ARRAY`},
		{`JSON_TYPE('"hello"')`, `STRING`},
		{`JSON_VALID('null')`, `1`}, {`JSON_VALID('Null')`, `0`}, {`JSON_VALID('NULL')`, `0`},
		{`CAST('null' AS JSON)`, `null`},
		{`ISNULL(null)`, `1`},
		{`JSON_OBJECT('mascot', 'Our mascot is a dolphin named "Sakila".')`, `{"mascot": "Our mascot is a dolphin named \"Sakila\"."}`},
		{`JSON_OBJECT('key1', 1, 'key2', 'abc', 'key1', 'def')`, `{"key1": "def", "key2": "abc"}`},
		{`CAST('{"x": 17, "x": "red"}' AS JSON)`, `{"x": "red"}`},
		{`CAST('{"x": 17, "x": "red", "x": [3, 5, 7]}' AS JSON)`, `{"x": [3, 5, 7]}`},
		{`JSON_MERGE_PRESERVE('[1, 2]', '["a", "b", "c"]', '[true, false]')`, `[1, 2, "a", "b", "c", true, false]`},
		{`JSON_MERGE_PATCH('[1, 2]', '["a", "b", "c"]', '[true, false]')`, `[true, false]`},
		{`JSON_MERGE_PRESERVE('{"a": 1, "b": 2}', '{"c": 3, "a": 4}', '{"c": 5, "d": 3}')`, `{"a": [1, 4], "b": 2, "c": [3, 5], "d": 3}`},
		{`JSON_MERGE_PATCH('{"a": 3, "b": 2}', '{"c": 3, "a": 4}', '{"c": 5, "d": 3}')`, `{"a": 4, "b": 2, "c": 5, "d": 3}`},
		{`JSON_MERGE_PRESERVE('1', '2')`, `[1, 2]`}, {`JSON_MERGE_PATCH('1', '2')`, `2`},
		{`JSON_MERGE_PRESERVE('[10, 20]', '{"a": "x", "b": "y"}')`, `[10, 20, {"a": "x", "b": "y"}]`},
		{`JSON_MERGE_PATCH('[10, 20]', '{"a": "x", "b": "y"}')`, `{"a": "x", "b": "y"}`},
		{`JSON_EXTRACT('{"id": 14, "name": "Aztalan"}', '$.name')`, `"Aztalan"`},
		{`JSON_EXTRACT('[3, {"a": [5, 6], "b": 10}, [99, 100]]', '$[0]')`, `3`},
		{`JSON_EXTRACT('[3, {"a": [5, 6], "b": 10}, [99, 100]]', '$[1]')`, `{"a": [5, 6], "b": 10}`},
		{`JSON_EXTRACT('[3, {"a": [5, 6], "b": 10}, [99, 100]]', '$[2]')`, `[99, 100]`},
		{`JSON_EXTRACT('[3, {"a": [5, 6], "b": 10}, [99, 100]]', '$[3]')`, `NULL`},
		{`JSON_EXTRACT('[3, {"a": [5, 6], "b": 10}, [99, 100]]', '$[1].a')`, `[5, 6]`},
		{`JSON_EXTRACT('[3, {"a": [5, 6], "b": 10}, [99, 100]]', '$[1].a[1]')`, `6`},
		{`JSON_EXTRACT('[3, {"a": [5, 6], "b": 10}, [99, 100]]', '$[2][0]')`, `99`},
		{`JSON_EXTRACT('[3, {"a": [5, 6], "b": 10}, [99, 100]]', '$[3][0]')`, `NULL`},
		{`JSON_EXTRACT('{"a fish": "shark", "a bird": "sparrow"}', '$."a fish"')`, `"shark"`},
		{`JSON_EXTRACT('{"a": 1, "b": 2, "c": [3, 4, 5]}', '$.*')`, `[1, 2, [3, 4, 5]]`},
		{`JSON_EXTRACT('{"a": 1, "b": 2, "c": [3, 4, 5]}', '$.c[*]')`, `[3, 4, 5]`},
		{`JSON_EXTRACT('{"a": {"b": 1}, "c": {"b": 2}}', '$**.b')`, `[1, 2]`},
		{`JSON_EXTRACT('[1, 2, 3, 4, 5]', '$[1 to 3]')`, `[2, 3, 4]`},
		{`JSON_EXTRACT('[1, 2, 3, 4, 5]', '$[last-3 to last-1]')`, `[2, 3, 4]`},
		{`JSON_REPLACE('"Sakila"', '$[last]', 10)`, `10`}, {`JSON_SET('"x"', '$[0]', 'a')`, `"a"`}, {`JSON_SET('"x"', '$[last-1]', 'a')`, `["a", "x"]`},
		{`JSON_SET('["a", {"b": [true, false]}, [10, 20]]', '$[1].b[0]', 1, '$[2][2]', 2)`, `["a", {"b": [1, false]}, [10, 20, 2]]`},
		{`JSON_INSERT('["a", {"b": [true, false]}, [10, 20]]', '$[1].b[0]', 1, '$[2][2]', 2)`, `["a", {"b": [true, false]}, [10, 20, 2]]`},
		{`JSON_REPLACE('["a", {"b": [true, false]}, [10, 20]]', '$[1].b[0]', 1, '$[2][2]', 2)`, `["a", {"b": [1, false]}, [10, 20]]`},
		{`JSON_REMOVE('["a", {"b": [true, false]}, [10, 20]]', '$[2]', '$[1].b[1]', '$[1].b[1]')`, `["a", {"b": [true]}]`},
		{`CAST('[1, 2]' AS JSON) < CAST('[1, 3]' AS JSON)`, `1`}, {`CAST('{"a": 1, "b": 2}' AS JSON) = CAST('{"b": 2, "a": 1}' AS JSON)`, `1`},
		{`CAST(CAST(9223372036854775807 AS JSON) AS UNSIGNED)`, `9223372036854775807`},
		// Creating.
		{`JSON_ARRAY(1, "abc", NULL, TRUE, CAST('11:30:24' AS TIME))`, `[1, "abc", null, true, "11:30:24.000000"]`},
		{`JSON_OBJECT('id', 87, 'name', 'carrot')`, `{"id": 87, "name": "carrot"}`},
		{`JSON_QUOTE('null')`, `"null"`}, {`JSON_QUOTE('"null"')`, `"\"null\""`}, {`JSON_QUOTE('[1, 2, 3]')`, `"[1, 2, 3]"`},
		{`JSON_ARRAY(1 = 1, NOT 1, 1 IS NULL, 1 IN (2), 'a' LIKE 'a', 1, IF(1, 1, 2), 1 = NULL, EXISTS (SELECT 1), 1 BETWEEN 0 AND 2)`,
			`[true, false, false, false, true, 1, 1, null, true, true]`},
		{`JSON_OBJECT('a', TRUE, 'b', 1 < 2)`, `{"a": true, "b": true}`},
		{`CAST(TRUE AS JSON)`, `true`}, {`CAST(1 AS JSON)`, `1`}, {`CAST(1 = 1 AS JSON)`, `true`}, {`CAST(1.50 AS JSON)`, `1.50`}, {`CAST(1e0 AS JSON)`, `1.0`},
		// Searching.
		{`JSON_CONTAINS('{"a": 1, "b": 2, "c": {"d": 4}}', '1', '$.a')`, `1`}, {`JSON_CONTAINS('{"a": 1, "b": 2, "c": {"d": 4}}', '1', '$.b')`, `0`},
		{`JSON_CONTAINS('{"a": 1, "b": 2, "c": {"d": 4}}', '{"d": 4}', '$.a')`, `0`}, {`JSON_CONTAINS('{"a": 1, "b": 2, "c": {"d": 4}}', '{"d": 4}', '$.c')`, `1`},
		{`JSON_CONTAINS('[1, 2]', '[1, 3]')`, `0`}, {`JSON_CONTAINS('{"a": 1, "b": 2}', '{"a": 1}')`, `1`}, {`JSON_CONTAINS('1', '[1]')`, `0`},
		{`JSON_CONTAINS('{"a": 1}', '1', '$.x')`, `NULL`}, {`JSON_CONTAINS(NULL, '1')`, `NULL`},
		{`JSON_CONTAINS_PATH('{"a": 1, "b": 2, "c": {"d": 4}}', 'one', '$.a', '$.e')`, `1`}, {`JSON_CONTAINS_PATH('{"a": 1, "b": 2, "c": {"d": 4}}', 'all', '$.a', '$.e')`, `0`},
		{`JSON_CONTAINS_PATH('{"a": 1, "b": 2, "c": {"d": 4}}', 'one', '$.c.d')`, `1`}, {`JSON_CONTAINS_PATH('{"a": 1, "b": 2, "c": {"d": 4}}', 'one', '$.a.d')`, `0`},
		{`JSON_EXTRACT('[10, 20, [30, 40]]', '$[1]')`, `20`}, {`JSON_EXTRACT('[10, 20, [30, 40]]', '$[1]', '$[0]')`, `[20, 10]`},
		{`JSON_EXTRACT('[10, 20, [30, 40]]', '$[2][*]')`, `[30, 40]`},
		{`JSON_KEYS('{"a": 1, "b": {"c": 30}}')`, `["a", "b"]`}, {`JSON_KEYS('{"a": 1, "b": {"c": 30}}', '$.b')`, `["c"]`}, {`JSON_KEYS('{}')`, `[]`}, {`JSON_KEYS('[1]')`, `NULL`},
		{`JSON_OVERLAPS("[1,3,5,7]", "[2,5,7]")`, `1`}, {`JSON_OVERLAPS("[1,3,5,7]", "[2,6,7]")`, `1`}, {`JSON_OVERLAPS("[1,3,5,7]", "[2,6,8]")`, `0`},
		{`JSON_OVERLAPS('[[1,2],[3,4],5]', '[1,[2,3],[4,5]]')`, `0`},
		{`JSON_OVERLAPS('{"a":1,"b":10,"d":10}', '{"c":1,"e":10,"f":1,"d":10}')`, `1`}, {`JSON_OVERLAPS('{"a":1,"b":10,"d":10}', '{"a":5,"e":10,"f":1,"d":20}')`, `0`},
		{`JSON_OVERLAPS('5', '5')`, `1`}, {`JSON_OVERLAPS('5', '6')`, `0`}, {`JSON_OVERLAPS('[4,5,6,7]', '6')`, `1`}, {`JSON_OVERLAPS('[4,5,"6",7]', '6')`, `0`},
		{`JSON_OVERLAPS('[4,5,6,7]', '"6"')`, `0`},
		{`JSON_SEARCH(` + searched + `, 'one', 'abc')`, `"$[0]"`}, {`JSON_SEARCH(` + searched + `, 'all', 'abc')`, `["$[0]", "$[2].x"]`},
		{`JSON_SEARCH(` + searched + `, 'all', 'ghi')`, `NULL`}, {`JSON_SEARCH(` + searched + `, 'all', '10')`, `"$[1][0].k"`},
		{`JSON_SEARCH(` + searched + `, 'all', '10', NULL, '$')`, `"$[1][0].k"`}, {`JSON_SEARCH(` + searched + `, 'all', '10', NULL, '$[*]')`, `"$[1][0].k"`},
		{`JSON_SEARCH(` + searched + `, 'all', '10', NULL, '$**.k')`, `"$[1][0].k"`}, {`JSON_SEARCH(` + searched + `, 'all', '10', NULL, '$[*][0].k')`, `"$[1][0].k"`},
		{`JSON_SEARCH(` + searched + `, 'all', '10', NULL, '$[1]')`, `"$[1][0].k"`}, {`JSON_SEARCH(` + searched + `, 'all', '10', NULL, '$[1][0]')`, `"$[1][0].k"`},
		{`JSON_SEARCH(` + searched + `, 'all', 'abc', NULL, '$[2]')`, `"$[2].x"`}, {`JSON_SEARCH(` + searched + `, 'all', '%a%')`, `["$[0]", "$[2].x"]`},
		{`JSON_SEARCH(` + searched + `, 'all', '%b%')`, `["$[0]", "$[2].x", "$[3].y"]`}, {`JSON_SEARCH(` + searched + `, 'all', '%b%', NULL, '$[0]')`, `"$[0]"`},
		{`JSON_SEARCH(` + searched + `, 'all', '%b%', NULL, '$[2]')`, `"$[2].x"`}, {`JSON_SEARCH(` + searched + `, 'all', '%b%', NULL, '$[1]')`, `NULL`},
		{`JSON_SEARCH(` + searched + `, 'all', '%b%', '', '$[1]')`, `NULL`}, {`JSON_SEARCH(` + searched + `, 'all', '%b%', '', '$[3]')`, `"$[3].y"`},
		{`JSON_SEARCH('{"a b": ["x", "x%"]}', 'all', 'x|%', '|')`, `"$.\"a b\"[1]"`},
		{`17 MEMBER OF('[23, "abc", 17, "ab", 10]')`, `1`}, {`'ab' MEMBER OF('[23, "abc", 17, "ab", 10]')`, `1`}, {`7 MEMBER OF('[23, "abc", 17, "ab", 10]')`, `0`},
		{`'a' MEMBER OF('[23, "abc", 17, "ab", 10]')`, `0`}, {`17 MEMBER OF('[23, "abc", "17", "ab", 10]')`, `0`}, {`"17" MEMBER OF('[23, "abc", 17, "ab", 10]')`, `0`},
		{`CAST('[4,5]' AS JSON) MEMBER OF('[[3,4],[4,5]]')`, `1`}, {`JSON_ARRAY(4,5) MEMBER OF('[[3,4],[4,5]]')`, `1`}, {`'[4,5]' MEMBER OF('[[3,4],[4,5]]')`, `0`},
		{`CAST('{"a":1}' AS JSON) MEMBER OF('{"a":1}')`, `1`}, {`1 + 1 MEMBER OF ('[2]') AND 1 MEMBER ('1')`, `1`}, {`TRUE MEMBER OF('[1, true]') = (1 MEMBER OF('[1]'))`, `1`},
		{`NULL MEMBER OF('[null]')`, `NULL`}, {`17 MEMBER OF(NULL)`, `NULL`},
		{`JSON_VALUE('{"fname": "Joe", "lname": "Palmer"}', '$.fname')`, `Joe`},
		{`JSON_VALUE('{"item": "shoes", "price": "49.95"}', '$.price' RETURNING DECIMAL(4,2))`, `49.95`},
		{`JSON_VALUE('{"a": true}', '$.a' RETURNING UNSIGNED) IS TRUE`, `1`}, {`JSON_VALUE('{"a": false}', '$.a' RETURNING UNSIGNED) IS TRUE`, `0`},
		{`CONCAT(JSON_VALUE('{"a": "2024-05-06"}', '$.a' RETURNING DATE) + INTERVAL 1 DAY)`, `2024-05-07`}, {`JSON_VALUE('{"a": [1]}', '$.a' RETURNING JSON)`, `[1]`},
		{`JSON_VALUE('{"a": [1]}', '$.a')`, `NULL`}, {`JSON_VALUE('{"a": null}', '$.a' DEFAULT 'e' ON EMPTY)`, `NULL`}, {`JSON_VALUE('{}', '$.a' DEFAULT 'e' ON EMPTY)`, `e`},
		{`JSON_VALUE('{"a": "x"}', '$.a' RETURNING SIGNED)`, `NULL`}, {`JSON_VALUE('{"a": "x"}', '$.a' RETURNING SIGNED NULL ON EMPTY DEFAULT -1 ON ERROR)`, `-1`},
		{`JSON_VALUE(NULL, '$.a' RETURNING SIGNED ERROR ON EMPTY)`, `NULL`}, {`JSON_VALUE('{"a": "abc"}', '$.a' RETURNING CHAR(2) DEFAULT 'z' ON ERROR)`, `z`},
		// Changing.
		{`JSON_ARRAY_APPEND('["a", ["b", "c"], "d"]', '$[1]', 1)`, `["a", ["b", "c", 1], "d"]`}, {`JSON_ARRAY_APPEND('["a", ["b", "c"], "d"]', '$[0]', 2)`, `[["a", 2], ["b", "c"], "d"]`},
		{`JSON_ARRAY_APPEND('["a", ["b", "c"], "d"]', '$[1][0]', 3)`, `["a", [["b", 3], "c"], "d"]`},
		{`JSON_ARRAY_APPEND('{"a": 1, "b": [2, 3], "c": 4}', '$.b', 'x')`, `{"a": 1, "b": [2, 3, "x"], "c": 4}`},
		{`JSON_ARRAY_APPEND('{"a": 1, "b": [2, 3], "c": 4}', '$.c', 'y')`, `{"a": 1, "b": [2, 3], "c": [4, "y"]}`}, {`JSON_ARRAY_APPEND('{"a": 1}', '$', 'z')`, `[{"a": 1}, "z"]`},
		{`JSON_ARRAY_INSERT('["a", {"b": [1, 2]}, [3, 4]]', '$[1]', 'x')`, `["a", "x", {"b": [1, 2]}, [3, 4]]`},
		{`JSON_ARRAY_INSERT('["a", {"b": [1, 2]}, [3, 4]]', '$[100]', 'x')`, `["a", {"b": [1, 2]}, [3, 4], "x"]`},
		{`JSON_ARRAY_INSERT('["a", {"b": [1, 2]}, [3, 4]]', '$[1].b[0]', 'x')`, `["a", {"b": ["x", 1, 2]}, [3, 4]]`},
		{`JSON_ARRAY_INSERT('["a", {"b": [1, 2]}, [3, 4]]', '$[2][1]', 'y')`, `["a", {"b": [1, 2]}, [3, "y", 4]]`},
		{`JSON_ARRAY_INSERT('["a", {"b": [1, 2]}, [3, 4]]', '$[0]', 'x', '$[2][1]', 'y')`, `["x", "a", {"b": [1, 2]}, [3, 4]]`},
		{`JSON_INSERT('{ "a": 1, "b": [2, 3]}', '$.a', 10, '$.c', '[true, false]')`, `{"a": 1, "b": [2, 3], "c": "[true, false]"}`},
		{`JSON_INSERT('{ "a": 1, "b": [2, 3]}', '$.a', 10, '$.c', CAST('[true, false]' AS JSON))`, `{"a": 1, "b": [2, 3], "c": [true, false]}`},
		{`JSON_MERGE('[1, 2]', '[true, false]')`, `[1, 2, true, false]`}, {`JSON_MERGE('{"name": "x"}', '{"id": 47}')`, `{"id": 47, "name": "x"}`},
		{`JSON_MERGE_PATCH('[1, 2]', '[true, false]')`, `[true, false]`}, {`JSON_MERGE_PATCH('{"name": "x"}', '{"id": 47}')`, `{"id": 47, "name": "x"}`},
		{`JSON_MERGE_PATCH('1', 'true')`, `true`}, {`JSON_MERGE_PATCH('[1, 2]', '{"id": 47}')`, `{"id": 47}`},
		{`JSON_MERGE_PATCH('{ "a": 1, "b":2 }', '{ "a": 3, "c":4 }')`, `{"a": 3, "b": 2, "c": 4}`},
		{`JSON_MERGE_PATCH('{ "a": 1, "b":2 }','{ "a": 3, "c":4 }', '{ "a": 5, "d":6 }')`, `{"a": 5, "b": 2, "c": 4, "d": 6}`},
		{`JSON_MERGE_PATCH('{"a":1, "b":2}', '{"b":null}')`, `{"a": 1}`}, {`JSON_MERGE_PATCH('{"a":{"x":1}}', '{"a":{"y":2}}')`, `{"a": {"x": 1, "y": 2}}`},
		{`JSON_MERGE_PATCH('{"a": 1}', NULL)`, `NULL`}, {`JSON_MERGE_PATCH('{"a": 1}', NULL, '[1]')`, `[1]`},
		{`JSON_MERGE_PRESERVE('[1, 2]', '[true, false]')`, `[1, 2, true, false]`}, {`JSON_MERGE_PRESERVE('{"name": "x"}', '{"id": 47}')`, `{"id": 47, "name": "x"}`},
		{`JSON_MERGE_PRESERVE('1', 'true')`, `[1, true]`}, {`JSON_MERGE_PRESERVE('[1, 2]', '{"id": 47}')`, `[1, 2, {"id": 47}]`},
		{`JSON_MERGE_PRESERVE('{ "a": 1, "b": 2 }', '{ "a": 3, "c": 4 }')`, `{"a": [1, 3], "b": 2, "c": 4}`},
		{`JSON_MERGE_PRESERVE('{ "a": 1, "b": 2 }','{ "a": 3, "c": 4 }', '{ "a": 5, "d": 6 }')`, `{"a": [1, 3, 5], "b": 2, "c": 4, "d": 6}`},
		{`JSON_REMOVE('["a", ["b", "c"], "d"]', '$[1]')`, `["a", "d"]`},
		{`JSON_REPLACE('{ "a": 1, "b": [2, 3]}', '$.a', 10, '$.c', '[true, false]')`, `{"a": 10, "b": [2, 3]}`}, {`JSON_REPLACE(NULL, '$.a', 10, '$.c', '[true, false]')`, `NULL`},
		{`JSON_SET('{ "a": 1, "b": [2, 3]}', '$.a', 10, '$.c', '[true, false]')`, `{"a": 10, "b": [2, 3], "c": "[true, false]"}`},
		{`JSON_UNQUOTE('"abc"')`, `abc`}, {`JSON_UNQUOTE('[1, 2, 3]')`, `[1, 2, 3]`}, {`JSON_UNQUOTE('"\\t\\u0032"')`, "\t2"},
		// Telling.
		{`JSON_DEPTH('{}')`, `1`}, {`JSON_DEPTH('[]')`, `1`}, {`JSON_DEPTH('true')`, `1`}, {`JSON_DEPTH('[10, 20]')`, `2`}, {`JSON_DEPTH('[[], {}]')`, `2`}, {`JSON_DEPTH('[10, {"a": 20}]')`, `3`},
		{`JSON_LENGTH('[1, 2, {"a": 3}]')`, `3`}, {`JSON_LENGTH('{"a": 1, "b": {"c": 30}}')`, `2`}, {`JSON_LENGTH('{"a": 1, "b": {"c": 30}}', '$.b')`, `1`},
		{`JSON_TYPE('{"a": [10, true]}')`, `OBJECT`}, {`JSON_TYPE(JSON_EXTRACT('{"a": [10, true]}', '$.a'))`, `ARRAY`}, {`JSON_TYPE(JSON_EXTRACT('{"a": [10, true]}', '$.a[0]'))`, `INTEGER`},
		{`JSON_TYPE(JSON_EXTRACT('{"a": [10, true]}', '$.a[1]'))`, `BOOLEAN`}, {`JSON_TYPE(NULL)`, `NULL`}, {`JSON_TYPE('1.0')`, `DOUBLE`}, {`JSON_TYPE(CAST(1.0 AS JSON))`, `DECIMAL`},
		{`JSON_TYPE('18446744073709551615')`, `UNSIGNED INTEGER`}, {`JSON_TYPE(CAST(DATE '2024-01-02' AS JSON))`, `DATE`}, {`JSON_TYPE(CAST(TIME '10:11:12' AS JSON))`, `TIME`},
		{`JSON_TYPE(CAST(TIMESTAMP '2024-01-02 10:11:12' AS JSON))`, `DATETIME`}, {`JSON_TYPE('null')`, `NULL`},
		{`JSON_VALID('{"a": 1}')`, `1`}, {`JSON_VALID('hello')`, `0`}, {`JSON_VALID('"hello"')`, `1`}, {`JSON_VALID(1)`, `0`}, {`JSON_VALID(NULL)`, `NULL`},
		{`JSON_PRETTY('123')`, `123`}, {`JSON_PRETTY("[1,3,5]")`, "[\n  1,\n  3,\n  5\n]"}, {`JSON_PRETTY('{"a":"10","b":"15","x":"25"}')`, "{\n  \"a\": \"10\",\n  \"b\": \"15\",\n  \"x\": \"25\"\n}"},
		{`JSON_PRETTY('["a",1,{"key1": "value1"},"5", [], {}, {"key2":{"key3":"valueX","key4":"valueY"}}]')`,
			"[\n  \"a\",\n  1,\n  {\n    \"key1\": \"value1\"\n  },\n  \"5\",\n  [],\n  {},\n  {\n    \"key2\": {\n      \"key3\": \"valueX\",\n      \"key4\": \"valueY\"\n    }\n  }\n]"},
		{`JSON_STORAGE_SIZE('[100, "sakila", [1, 3, 5], 425.05]')`, `45`}, {`JSON_STORAGE_SIZE('{"a": 1000, "b": "a", "c": "[1, 3, 5, 7]"}')`, `44`},
		{`JSON_STORAGE_SIZE('{"a": 1000, "b": "wxyz", "c": "[1, 3, 5, 7]"}')`, `47`}, {`JSON_STORAGE_SIZE('[100, "json", [[10, 20, 30], 3, 5], 425.05]')`, `56`},
		{`JSON_STORAGE_SIZE('{"a": 4.55, "b": "wxyz", "c": "[true, false]"}')`, `56`}, {`JSON_STORAGE_FREE('{"a": 1}')`, `0`},
	} {
		var got sql.NullString
		if err := db.QueryRow("SELECT " + test.x).Scan(&got); err != nil {
			t.Errorf("%s: %v", test.x, err)
			continue
		}
		if !got.Valid {
			got.String = "NULL"
		}
		if got.String != test.want {
			t.Errorf("%s\n gives %s\n want  %s", test.x, got.String, test.want)
		}
	}
}

// searched is the document of the manual's examples of JSON_SEARCH.
const searched = `'["abc", [{"k": "10"}, "def"], {"x":"abc"}, {"y":"bcd"}]'`

// TestJSONErrors: what MySQL refuses is refused by its number, and in its words.
func TestJSONErrors(t *testing.T) {
	t.Parallel()
	db := nearlyfreetest.Open(t)
	if _, err := db.Exec("CREATE TABLE t (id INT PRIMARY KEY, j JSON, n INT)"); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		sql, state string
		number     uint16
		message    string
	}{
		{`SELECT JSON_TYPE('hello')`, "22032", 3141, `Invalid JSON text in argument 1 to function json_type: "Invalid value." at position 0.`},
		{`SELECT JSON_TYPE(1)`, "22032", 3146, `Invalid data type for JSON data in argument 1 to function json_type; a JSON string or JSON type is required.`},
		{`SELECT CAST('[1, 2' AS JSON)`, "22032", 3141, `Invalid JSON text in argument 1 to function cast_as_json: "Missing a comma or ] after an array element." at position 5.`},
		{`SELECT JSON_MERGE_PATCH('{}', 'x')`, "22032", 3141, `Invalid JSON text in argument 2 to function json_merge_patch: "Invalid value." at position 0.`},
		{`SELECT JSON_VALID('[1') + JSON_LENGTH(x'5b5d')`, "22032", 3144, `Cannot create a JSON value from a string with CHARACTER SET 'binary'.`},
		{`SELECT JSON_EXTRACT('{"name": 1}', 'name')`, "42000", 3143, `Invalid JSON path expression. The error is around character position 1.`},
		{`SELECT JSON_EXTRACT('{}', '$.a-b')`, "42000", 3143, `Invalid JSON path expression. The error is around character position 5.`},
		{`SELECT JSON_EXTRACT('{}', '$.')`, "42000", 3143, `Invalid JSON path expression. The error is around character position 2.`},
		{`SELECT JSON_EXTRACT('{}', '$**')`, "42000", 3143, `Invalid JSON path expression. The error is around character position 3.`},
		{`SELECT JSON_EXTRACT('[]', '$[2 to 1]')`, "42000", 3143, `Invalid JSON path expression. The error is around character position 8.`},
		{`SELECT JSON_SET('[]', '$[*]', 1)`, "42000", 3149, `In this situation, path expressions may not contain the * and ** tokens or an array range.`},
		{`SELECT JSON_LENGTH('[]', '$[0 to 1]')`, "42000", 3149, `In this situation, path expressions may not contain the * and ** tokens or an array range.`},
		{`SELECT JSON_REMOVE('[]', '$')`, "42000", 3153, `The path expression '$' is not allowed in this context.`},
		{`SELECT JSON_CONTAINS_PATH('[]', 'some', '$')`, "42000", 3154, `The oneOrAll argument to json_contains_path may take these values: 'one' or 'all'.`},
		{`SELECT JSON_SEARCH('[]', 'none', 'a')`, "42000", 3154, `The oneOrAll argument to json_search may take these values: 'one' or 'all'.`},
		{`SELECT JSON_LENGTH(CONCAT(REPEAT('[', 101), REPEAT(']', 101)))`, "22032", 3157, `The JSON document exceeds the maximum depth.`},
		{`SELECT JSON_ARRAY(CAST(CONCAT(REPEAT('[', 100), REPEAT(']', 100)) AS JSON))`, "22032", 3157, `The JSON document exceeds the maximum depth.`},
		{`SELECT JSON_OBJECT(NULL, 1)`, "22032", 3158, `JSON documents may not contain NULL member names.`},
		{`SELECT JSON_ARRAY_INSERT('{"a": 1}', '$.a', 1)`, "42000", 3165, `A path expression is not a path to a cell in an array.`},
		{`SELECT JSON_UNQUOTE('"a"b"')`, "22032", 3141, `Invalid JSON text in argument 1 to function json_unquote: "The document root must not be followed by other values." at position 3.`},
		{`SELECT JSON_VALUE('{}', '$.a' ERROR ON EMPTY)`, "22035", 3966, `No value was found by 'json_value' on the specified path.`},
		{`SELECT JSON_VALUE('{"a": [1]}', '$.a' RETURNING SIGNED ERROR ON ERROR)`, "22018", 3156, `Invalid JSON value for CAST to SIGNED from column json_value at row 1`},
		{`INSERT INTO t VALUES (1, '[1, 2,', 1)`, "22032", 3140, `Invalid JSON text: "Invalid value." at position 6 in value for column 'j' at row 1`},
		{`INSERT INTO t VALUES (1, CONCAT(REPEAT('[', 101), REPEAT(']', 101)), 1)`, "22032", 3157, `The JSON document exceeds the maximum depth.`},
	} {
		_, err := db.Exec(test.sql)
		var failed *nearlyfree.Error
		if !errors.As(err, &failed) || failed.Number != test.number || failed.State != test.state || failed.Message != test.message || !errors.Is(err, nearlyfree.ErrBadValue) {
			t.Errorf("%s\n %v\n want %d (%s): %s", test.sql, err, test.number, test.state, test.message)
		}
	}
}
