package tests

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// typedColumns are a column of each kind, and values that are its ends.
var typedColumns = []struct{ kind, values string }{
	{"BOOL", "TRUE, FALSE"},
	{"TINYINT", "-128, 127"},
	{"TINYINT UNSIGNED", "0, 255"},
	{"SMALLINT", "-32768, 32767"},
	{"SMALLINT UNSIGNED", "0, 65535"},
	{"MEDIUMINT", "-8388608, 8388607"},
	{"MEDIUMINT UNSIGNED", "0, 16777215"},
	{"INT", "-2147483648, 2147483647"},
	{"INT UNSIGNED", "0, 4294967295"},
	{"BIGINT", "-9223372036854775808, 9223372036854775807"},
	{"BIGINT UNSIGNED", "1, 18446744073709551615"},
	{"YEAR", "1901, 2155"},
	{"FLOAT", "-3.4e38, 0.1"},
	{"DOUBLE", "-1e300, 0.1"},
	{"DECIMAL(10,2)", "-99999999.99, 1"},
	{"DECIMAL(20,0)", "18446744073709551615, -1"},
	{"BIT(1)", "b'1', b'0'"},
	{"BIT(64)", "18446744073709551615, 0"},
	{"CHAR(4)", "'ab', 'éßéß'"},
	{"VARCHAR(8)", "'', 'text'"},
	{"TEXT", "'a text', '17'"},
	{"ENUM('a','b')", "'a', 'b'"},
	{"SET('x','y')", "'x,y', ''"},
	{"BINARY(2)", "x'00FF', 'ab'"},
	{"VARBINARY(4)", "x'00FF', ''"},
	{"BLOB", "x'00FF', 'ab'"},
	{"DATE", "'0001-01-01', '9999-12-31'"},
	{"DATETIME", "'0001-01-01 00:00:00', '9999-12-31 23:59:59'"},
	{"DATETIME(6)", "'2024-02-29 10:11:12.123456', '2024-02-29 00:00:00'"},
	{"TIMESTAMP", "'1970-01-02 00:00:01', '2038-01-18 03:14:07'"},
	{"TIME", "'-838:59:59', '10:11:12'"},
	{"TIME(3)", "'10:11:12.123', '00:00:00'"},
	{"JSON", `'{"a": 1}', '"text"'`},
	{"UUID", "'00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'"},
}

// TestColumnTypesAreTrue: what database/sql tells of a result's columns holds of every value, for columns and expressions of
// all kinds: ScanType can be scanned into, and its values are of one Go type; Nullable, Length and DecimalSize bound them.
func TestColumnTypesAreTrue(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("nearlyfree", "mem://")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	columns := []string{"id INT PRIMARY KEY"}
	rows := [3][]string{{"1"}, {"2"}, {"3"}}
	var all []string
	for i, c := range typedColumns {
		n, f := fmt.Sprintf("n%d", i), fmt.Sprintf("f%d", i)
		columns = append(columns, n+" "+c.kind+" NULL", f+" "+c.kind+" NOT NULL")
		first, second, _ := strings.Cut(c.values, ", ")
		rows[0] = append(rows[0], first, second)
		rows[1] = append(rows[1], second, first)
		rows[2] = append(rows[2], "NULL", first)
		all = append(all, n, f)
	}
	mustExec(t, db, "CREATE TABLE t ("+strings.Join(columns, ", ")+")")
	for _, r := range rows {
		mustExec(t, db, "INSERT INTO t VALUES ("+strings.Join(r, ", ")+")")
	}
	var queries []string
	expression := func(form string, args ...any) {
		queries = append(queries, "SELECT "+fmt.Sprintf(form, args...)+" FROM t ORDER BY id")
	}
	for _, c := range all {
		for _, form := range []string{
			"%[1]s", "IF(n0, %[1]s, NULL)", "NULLIF(%[1]s, %[1]s)", "COALESCE(%[1]s, %[1]s)", "(SELECT %[1]s)", "%[1]s IS NULL", "%[1]s = %[1]s",
			"COALESCE(%[1]s, 0)", "COALESCE(%[1]s, TRUE)", "COALESCE(%[1]s, 1.5)", "COALESCE(%[1]s, 1e0)", "COALESCE(%[1]s, 'x')",
			"CASE WHEN n0 THEN %[1]s ELSE FALSE END", "IF(f0, 2, %[1]s)", "NOT %[1]s", "CONCAT(%[1]s)", "UPPER(%[1]s)", "LEFT(%[1]s, 1)",
			"CAST(%[1]s AS CHAR)", "CAST(%[1]s AS BINARY)", "JSON_ARRAY(%[1]s)", "(SELECT b.%[1]s FROM t b WHERE b.id = 9)",
		} {
			expression(form, c)
		}
		for _, form := range []string{"MIN(%[1]s)", "MAX(%[1]s)", "COUNT(%[1]s)", "GROUP_CONCAT(%[1]s)", "ANY_VALUE(%[1]s)"} {
			queries = append(queries, "SELECT "+fmt.Sprintf(form, c)+" FROM t", "SELECT "+fmt.Sprintf(form, c)+" FROM t WHERE id > 9")
		}
		queries = append(queries,
			"SELECT DISTINCT "+c+" FROM t", "SELECT "+c+" FROM (SELECT "+c+" FROM t) d", "SELECT b."+c+" FROM t a LEFT JOIN t b ON b.id = a.id + 1",
			"SELECT a."+c+" FROM t a RIGHT JOIN t b ON b.id = a.id + 1")
	}
	for i := range typedColumns {
		for j := range typedColumns {
			expression("COALESCE(n%d, f%d)", i, j)
			expression("IF(id = 1, n%d, f%d)", i, j)
			expression("CASE id WHEN 1 THEN f%d WHEN 2 THEN f%d END", i, j)
			expression("IFNULL(n%d, n%d)", i, j)
			queries = append(queries, fmt.Sprintf("SELECT n%d FROM t UNION ALL SELECT f%d FROM t", i, j))
		}
	}
	for _, c := range []string{"1", "11", "13", "14", "15", "10"} {
		for _, form := range []string{"-n%s", "n%[1]s * 1.0", "AVG(n%s)", "n%s + 0e0", "ROUND(f%s)", "MOD(f%s, 7)", "f%[1]s DIV 3", "f%s / 3", "f%s & 1"} {
			queries = append(queries, "SELECT "+fmt.Sprintf(form, c)+" FROM t")
		}
	}
	for _, q := range queries {
		if err := checkColumnTypes(db, q); err != nil {
			t.Errorf("%s: %v", q, err)
		}
	}
}

// checkColumnTypes reads a query of one column, and holds what is told of the column against each value.
func checkColumnTypes(db *sql.DB, query string) error {
	rows, err := db.Query(query)
	if err != nil {
		if strings.Contains(err.Error(), "Error ") { // MySQL refuses it, too: a collation, a range
			return nil
		}
		return err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	c := types[0]
	mayBeNull, known := c.Nullable()
	if !known {
		return fmt.Errorf("%s: whether it may be NULL is not known", c.DatabaseTypeName())
	}
	for rows.Next() {
		dest := reflect.New(c.ScanType())
		var plain any
		if err := rows.Scan(dest.Interface()); err != nil {
			return fmt.Errorf("%s: %v", c.DatabaseTypeName(), err)
		}
		if err := rows.Scan(&plain); err != nil {
			return err
		}
		if plain == nil {
			if !mayBeNull {
				return fmt.Errorf("%s: NULL in a column that cannot be", c.DatabaseTypeName())
			}
			continue
		}
		if want := driverTypes[c.DatabaseTypeName()]; want != "" && fmt.Sprintf("%T", plain) != want {
			return fmt.Errorf("%s: %v is a %T, want %s", c.DatabaseTypeName(), plain, plain, want)
		}
		length := 0
		switch x := plain.(type) {
		case string:
			length = utf8.RuneCountInString(x)
		case []byte:
			length = len(x)
		}
		if most, ok := c.Length(); ok && int64(length) > most {
			return fmt.Errorf("%s(%d): %v is longer", c.DatabaseTypeName(), most, plain)
		}
		if precision, scale, ok := c.DecimalSize(); ok {
			if err := checkDecimalSize(c.DatabaseTypeName(), plain, precision, scale); err != nil {
				return err
			}
		}
	}
	return ignoreNumbered(rows.Err())
}

// driverTypes is the one Go type in which all values of a type are handed out.
var driverTypes = map[string]string{
	"BOOL": "bool", "TINYINT": "int64", "UNSIGNED TINYINT": "int64", "SMALLINT": "int64", "UNSIGNED SMALLINT": "int64", "MEDIUMINT": "int64",
	"UNSIGNED MEDIUMINT": "int64", "INT": "int64", "UNSIGNED INT": "int64", "BIGINT": "int64", "UNSIGNED BIGINT": "uint64", "YEAR": "int64",
	"FLOAT": "float64", "DOUBLE": "float64", "DECIMAL": "string", "CHAR": "string", "VARCHAR": "string", "TEXT": "string", "ENUM": "string",
	"SET": "string", "UUID": "string", "TIME": "string", "BIT": "[]uint8", "BINARY": "[]uint8", "VARBINARY": "[]uint8", "BLOB": "[]uint8", "JSON": "[]uint8",
	"DATE": "time.Time", "DATETIME": "time.Time", "TIMESTAMP": "time.Time",
}

func checkDecimalSize(name string, v any, precision, scale int64) error {
	switch x := v.(type) {
	case string:
		whole, fraction, _ := strings.Cut(strings.TrimPrefix(x, "-"), ".")
		if name == "DECIMAL" && (int64(len(fraction)) != scale || int64(len(strings.TrimPrefix(whole, "0"))) > precision-scale) || int64(len(fraction)) > scale {
			return fmt.Errorf("%s(%d,%d): %s", name, precision, scale, x)
		}
	case time.Time:
		if x.Nanosecond()%int(math.Pow10(9-int(scale))) != 0 {
			return fmt.Errorf("%s(%d): %s", name, scale, x)
		}
	}
	return nil
}

// ignoreNumbered drops an error that MySQL has, too.
func ignoreNumbered(err error) error {
	if err != nil && strings.HasPrefix(err.Error(), "Error ") {
		return nil
	}
	return err
}

// TestDocumentsScan: a JSON column scans into what Go programs keep documents in.
func TestDocumentsScan(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("nearlyfree", "mem://")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	mustExec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, j JSON)")
	mustExec(t, db, `INSERT INTO t VALUES (1, '{"a": 1}')`)
	var raw json.RawMessage
	var octets []byte
	var text string
	if err := db.QueryRow("SELECT j, j, j FROM t").Scan(&raw, &octets, &text); err != nil {
		t.Fatal(err)
	}
	if string(raw) != `{"a": 1}` || string(octets) != text || text != string(raw) {
		t.Errorf("got %s, %s, %s", raw, octets, text)
	}
	if err := db.QueryRow("SELECT j->'$.a' FROM t").Scan(&raw); err != nil || string(raw) != "1" {
		t.Errorf("got %s, %v", raw, err)
	}
}
