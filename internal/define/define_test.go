package define

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	form "github.com/nearlyfreedb/nearlyfree/internal/schema/stored"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// TestDefineRoundTrip: what SHOW CREATE TABLE prints defines the same table.
func TestDefineRoundTrip(t *testing.T) {
	for _, sql := range []string{
		"CREATE TABLE t (id INT PRIMARY KEY)",
		"CREATE TABLE t (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, email VARCHAR(50) NOT NULL UNIQUE, KEY (email), KEY (email, id DESC)) AUTO_INCREMENT=100 COMMENT='it''s \\\\ here'",
		"CREATE TABLE t (a INT, b TEXT COLLATE nocase, c BLOB, PRIMARY KEY (a, b), KEY k (b(10) DESC, c(3)) COMMENT 'x')",
		"CREATE TABLE `my table` (`a``b` INT DEFAULT 5, `größe` DOUBLE DEFAULT -1.5, d DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), e ENUM('x','it''s') DEFAULT 'x')",
		"CREATE TABLE t (a INT, b INT AS (a * 2) STORED, c VARCHAR(5) AS (CONCAT(a, 'x')), CHECK (a > 0), CONSTRAINT big CHECK (b < 100))",
		"CREATE TABLE t (tenant VARCHAR(20), id INT, PRIMARY KEY (tenant, id)) PARTITION BY KEY (tenant)",
		"CREATE TABLE t (id INT PRIMARY KEY, x INT, y INT, z INT, KEY x (x) INCLUDE (y, z), KEY z (z) COPY KEYS) PARTITION BY HASH (id) PARTITIONS 16",
		"CREATE TABLE t (a DECIMAL(10,2) NOT NULL DEFAULT 1.50, b BOOL DEFAULT TRUE, c TINYINT(1), d BIT(1), e YEAR, f TIME(3), g JSON, h UUID, i VARBINARY(16), j SET('a','b'), k DATE COMMENT 'day')",
		"CREATE TABLE t (a TINYTEXT, b MEDIUMBLOB, c DOUBLE PRECISION, d REAL, e CHAR(3), f VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci",
	} {
		one, err := define(sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		text := schema.CreateTableSQL(one)
		two, err := define(text)
		if err != nil {
			t.Errorf("%s: %v\n%s", sql, err, text)
			continue
		}
		if a, b := stored(t, one), stored(t, two); a != b {
			t.Errorf("%s\n%s\n%s", text, a, b)
		}
		if again := schema.CreateTableSQL(two); again != text {
			t.Errorf("%s\n%s", text, again)
		}
	}
}

// stored is the definition as the catalog keeps it.
func stored(t *testing.T, table *schema.Table) string {
	t.Helper()
	text, err := form.Encode(table)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestBindTexts: a definition that comes back from the catalog is as it was.
func TestBindTexts(t *testing.T) {
	table, err := define("CREATE TABLE t (id INT PRIMARY KEY, a INT DEFAULT (1 + 2), b DATETIME DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, c INT AS (a + id) STORED, CHECK (c > a))")
	if err != nil {
		t.Fatal(err)
	}
	back, err := form.Decode(stored(t, table))
	if err != nil {
		t.Fatal(err)
	}
	if err := back.Init(); err != nil {
		t.Fatal(err)
	}
	was, err := planner.Texts(table)
	if err != nil {
		t.Fatal(err)
	}
	is, err := planner.Texts(back)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range is.Columns {
		old := was.Columns[i]
		for _, pair := range [][2]expr.Node{{c.DefaultExpr, old.DefaultExpr}, {c.OnUpdateExpr, old.OnUpdateExpr}, {c.GeneratedExpr, old.GeneratedExpr}} {
			if (pair[0] == nil) != (pair[1] == nil) || pair[0] != nil && !expr.Equal(pair[0], pair[1]) {
				t.Errorf("%s: %v, was %v", c.Name, pair[0], pair[1])
			}
		}
	}
	if got := expr.String(is.Checks[0].Expr); got != "c > a" || is.Checks[0].Name != "t_chk_1" {
		t.Errorf("check %s %s", is.Checks[0].Name, got)
	}
	if c, ok := is.Columns[1].DefaultExpr.(*expr.Const); !ok || c.V != value.FromInt(3) {
		t.Errorf("default %v", is.Columns[1].DefaultExpr)
	}
}

func TestDefineNames(t *testing.T) {
	table, err := define("CREATE TABLE t (a INT UNIQUE, b INT UNIQUE, KEY (a, b), KEY a_2 (b), x_01 INT, Timestamp INT)")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, ix := range table.Indexes {
		names = append(names, ix.Name+"/"+ix.KeyName)
	}
	if got := strings.Join(names, " "); got != "a/a b/b a_2/a_2 a_3/a_3" {
		t.Error(got)
	}
	row := table.Columns[len(table.Columns)-1]
	if row.Name != rowIDName || !row.Hidden || table.Key[0].Column != len(table.Columns)-1 {
		t.Errorf("row id %+v, key %+v", row, table.Key)
	}
	if p := table.Columns[3].Property; p == "Timestamp" || table.Columns[2].Property == "x_01" {
		t.Errorf("properties %s %s", p, table.Columns[2].Property)
	}
}

func TestDefineErrors(t *testing.T) {
	for _, c := range []struct {
		sql  string
		code int
		text string
	}{
		{"CREATE TABLE t (a INT, A INT)", 1060, "Duplicate column name 'A'"},
		{"CREATE TABLE t (a NOSUCH)", 1064, "Column 'a': unknown type NOSUCH"},
		{"CREATE TABLE t (a DECIMAL(90,2))", 1064, "Column 'a': "},
		{"CREATE TABLE t (a INT, PRIMARY KEY (b))", 1072, "Key column 'b' doesn't exist in table"},
		{"CREATE TABLE t (a INT, KEY (b))", 1072, "Key column 'b' doesn't exist in table"},
		{"CREATE TABLE t (a INT, KEY k (a, a))", 1060, "Duplicate column name 'a'"},
		{"CREATE TABLE t (a INT, KEY k (a), KEY K (a))", 1061, "Duplicate key name 'K'"},
		{"CREATE TABLE t (a INT PRIMARY KEY, b INT, PRIMARY KEY (b))", 1068, "Multiple primary key defined"},
		{"CREATE TABLE t (a INT NULL PRIMARY KEY)", 1171, "All parts of a PRIMARY KEY must be NOT NULL"},
		{"CREATE TABLE t (a INT AUTO_INCREMENT)", 1075, "Incorrect table definition; there can be only one auto column and it must be defined as a key"},
		{"CREATE TABLE t (a INT AUTO_INCREMENT PRIMARY KEY, b INT AUTO_INCREMENT, KEY (b))", 1075, "Incorrect table definition"},
		{"CREATE TABLE t (a TEXT AUTO_INCREMENT PRIMARY KEY)", 1063, "Incorrect column specifier for column 'a'"},
		{"CREATE TABLE t (a INT DEFAULT 'x')", 1067, "Invalid default value for 'a'"},
		{"CREATE TABLE t (a TINYINT DEFAULT 300)", 1067, "Invalid default value for 'a'"},
		{"CREATE TABLE t (a INT NOT NULL DEFAULT NULL)", 1067, "Invalid default value for 'a'"},
		{"CREATE TABLE t (a DATETIME DEFAULT '0000-00-00 00:00:00')", 1067, "Invalid default value for 'a'"},
		{"CREATE TABLE t (a INT, b INT DEFAULT (c))", 1054, "Unknown column 'c' in 'default of b'"},
		{"CREATE TABLE t (a INT ON UPDATE CURRENT_TIMESTAMP)", 1294, "Invalid ON UPDATE clause for 'a' column"},
		{"CREATE TABLE t (a VARCHAR(5) COLLATE klingon)", 1273, "Unknown collation: 'klingon' (there are utf8mb4_0900_bin, nocase, utf8mb4_bin, utf8mb4_general_ci, utf8mb4_unicode_ci, utf8mb4_unicode_520_ci, utf8mb4_0900_ai_ci, utf8mb4_0900_as_ci, utf8mb4_0900_as_cs)"},
		{"CREATE TABLE t (a INT, KEY (a(5)))", 1089, "Incorrect prefix key"},
		{"CREATE TABLE t (a TEXT, PRIMARY KEY (a(5)))", 1235, "a primary key over the beginning of a column (a(5)) is not supported"},
		{"CREATE TABLE t (a JSON, KEY (a))", 3152, "JSON column 'a' supports indexing only via generated columns"},
		{"CREATE TABLE t (a INT, KEY `PRIMARY` (a))", 1280, "Incorrect index name 'PRIMARY'"},
		{"CREATE TABLE t (a INT AS (NOW()))", 3102, "Expression of generated column 'a' contains a disallowed function."},
		{"CREATE TABLE t (a INT AS (b + 1), b INT AS (1))", 3107, "Generated column can refer only to generated columns defined prior to it."},
		{"CREATE TABLE t (a INT AUTO_INCREMENT PRIMARY KEY, b INT AS (a))", 3109, "Generated column 'b' cannot refer to auto-increment column."},
		{"CREATE TABLE t (a INT, CHECK (b > 1))", 1054, "Unknown column 'b' in 'check constraint t_chk_1 expression'"},
		{"CREATE TABLE t (a INT, CHECK (a > RAND()))", 3814, "An expression of a check constraint 't_chk_1' contains disallowed function."},
		{"CREATE TABLE t (a INT, CONSTRAINT c CHECK (a > 1), CONSTRAINT C CHECK (a > 2))", 3822, "Duplicate check constraint name 'C'."},
		{"CREATE TABLE t (a INT, CHECK (ETag = 'x'))", 1054, "Unknown column 'ETag'"},
		{"CREATE TABLE t (a INT PRIMARY KEY, b INT) PARTITION BY KEY (b)", 1503, "A PRIMARY KEY must include all columns"},
		{"CREATE TABLE t (a INT PRIMARY KEY, b INT UNIQUE) PARTITION BY KEY (a)", 1503, "A UNIQUE INDEX must include all columns"},
		{"CREATE TABLE t (a INT) PARTITION BY HASH (a) PARTITIONS 4", 1503, ""},
		{"CREATE TABLE t (a INT PRIMARY KEY) PARTITION BY RANGE (a)", 1492, "For RANGE partitions each partition must be defined"},
		{"CREATE TABLE t (a INT PRIMARY KEY) PARTITION BY RANGE (a + 1) (PARTITION p VALUES LESS THAN (5))", 1235, "PARTITION BY RANGE of anything but a column, YEAR(column), TO_DAYS(column) or UNIX_TIMESTAMP(column) is not supported"},
		{"CREATE TABLE t (a INT PRIMARY KEY, b INT) PARTITION BY RANGE (b) (PARTITION p VALUES LESS THAN (5))", 1503, "A PRIMARY KEY must include all columns in the table's partitioning function"},
		{"CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b), UNIQUE (b)) PARTITION BY RANGE (a) (PARTITION p VALUES LESS THAN (5))", 1503, "A UNIQUE INDEX must include all columns in the table's partitioning function"},
		{"CREATE TABLE t (a INT PRIMARY KEY) PARTITION BY RANGE (a) (PARTITION p VALUES LESS THAN (5), PARTITION q VALUES LESS THAN (5))", 1493, "VALUES LESS THAN value must be strictly increasing for each partition"},
		{"CREATE TABLE t (a INT PRIMARY KEY) PARTITION BY RANGE (a) (PARTITION p VALUES LESS THAN (NULL))", 1493, "VALUES LESS THAN value must be strictly increasing for each partition"},
		{"CREATE TABLE t (a INT PRIMARY KEY) PARTITION BY RANGE (a) (PARTITION p VALUES LESS THAN MAXVALUE, PARTITION q VALUES LESS THAN (9))", 1481, "MAXVALUE can only be used in last partition definition"},
		{"CREATE TABLE t (a INT PRIMARY KEY) PARTITION BY RANGE (a) (PARTITION p VALUES LESS THAN (5), PARTITION P VALUES LESS THAN (6))", 1517, "Duplicate partition name P"},
		{"CREATE TABLE t (a INT PRIMARY KEY) PARTITION BY RANGE (a) (PARTITION p VALUES LESS THAN ('x'))", 1697, ""},
		{"CREATE TABLE t (a INT PRIMARY KEY) PARTITION BY RANGE (a) (PARTITION p VALUES LESS THAN (RAND()))", 1064, "the values of a partition are constants"},
		{"CREATE TABLE t (a INT PRIMARY KEY) PARTITION BY RANGE (a) (PARTITION p VALUES IN (1))", 1064, "partition p: RANGE partitions have VALUES LESS THAN (…)"},
		{"CREATE TABLE t (a INT PRIMARY KEY) PARTITION BY LIST (a) (PARTITION p VALUES IN (1, 2), PARTITION q VALUES IN (2))", 1495, "Multiple definition of same constant in list partitioning"},
		{"CREATE TABLE t (a INT PRIMARY KEY) PARTITION BY RANGE (YEAR(a)) (PARTITION p VALUES LESS THAN (5))", 1235, "PARTITION BY … (YEAR(a)) of a column that is not a date is not supported"},
		{"CREATE TABLE t (a DATE PRIMARY KEY) PARTITION BY RANGE (YEAR(a)) (PARTITION p VALUES LESS THAN (0))", 1697, ""},
		{"CREATE TABLE t (a DATE PRIMARY KEY) PARTITION BY RANGE (a) INTERVAL (1)", 1210, ""},
		{"CREATE TABLE t (a INT PRIMARY KEY) PARTITION BY RANGE (a) INTERVAL (1 DAY)", 1210, ""},
		{"CREATE TABLE t (a DATE PRIMARY KEY) PARTITION BY RANGE (a) INTERVAL (1 HOUR)", 1210, ""},
		{"CREATE TABLE t (a INT PRIMARY KEY) PARTITION BY HASH (a) PARTITIONS 100000", 1499, "Too many partitions"},
	} {
		_, err := define(c.sql)
		var known *sqlerr.Error
		if !errors.As(err, &known) || known.Code != c.code || !strings.HasPrefix(known.Message, c.text) {
			t.Errorf("%s: %v, want %d %s", c.sql, err, c.code, c.text)
		}
	}
	columns := make([]string, schema.MaxColumns+1)
	for i := range columns {
		columns[i] = schema.Numbered("c", i) + " INT"
	}
	if _, err := define("CREATE TABLE t (" + strings.Join(columns, ", ") + ")"); err == nil {
		t.Error("more columns than an entity has properties")
	}
}

// TestDefineAs: a query's columns make columns that hold its values.
func TestDefineAs(t *testing.T) {
	a, err := define("CREATE TABLE a (id INT PRIMARY KEY, x DECIMAL(8,3), y VARCHAR(10) COLLATE nocase)")
	if err != nil {
		t.Fatal(err)
	}
	query, err := dialect.Parse("SELECT id, x, y, COUNT(*) AS n, NULL AS nothing, 'abc' AS t FROM a GROUP BY id", dialect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := planner.Build(query, only{a}, planner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	table, err := DefineAs(&dialect.CreateTable{Table: dialect.TableName{Name: "b"}}, p.Columns, planner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, c := range table.Columns {
		types = append(types, c.Name+" "+c.Type.String())
	}
	want := "id INT, x DECIMAL(8,3), y VARCHAR(10), n BIGINT, nothing TEXT, t TEXT, _rowid UUID"
	if got := strings.Join(types, ", "); got != want || table.Columns[2].Type.Collation != value.NoCase {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Many checks without a name get one each; looking for a free one takes no longer than the checks are many.
func TestManyChecks(t *testing.T) {
	checks := make([]string, 2900)
	for i := range checks {
		checks[i] = fmt.Sprintf("CHECK (a <> %d)", i)
	}
	d, err := define("CREATE TABLE t (a INT, CONSTRAINT t_chk_2 CHECK (a > 0), " + strings.Join(checks, ", ") + ")")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range d.Checks {
		seen[c.Name] = true
	}
	if len(d.Checks) != 2901 || len(seen) != 2901 || !seen["t_chk_2901"] || seen["t_chk_2902"] {
		t.Errorf("%d checks have %d names", len(d.Checks), len(seen))
	}
}

// only is a schema of one table.
type only struct{ table *schema.Table }

func (o only) Table(_, name string) (*schema.Table, error) { return o.table, nil }

func define(sql string) (*schema.Table, error) {
	p, err := dialect.Parse(sql, dialect.Options{})
	if err != nil {
		return nil, err
	}
	return Define(p.Statement.(*dialect.CreateTable), planner.Options{})
}
