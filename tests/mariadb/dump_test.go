package mariadb

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// dumped is a database with all that a dump may hold. A part that begins with ! is left out by --skip.
var dumped = []string{
	`CREATE TABLE numbers (id INT(10) UNSIGNED NOT NULL AUTO_INCREMENT, ti TINYINT(3) UNSIGNED, si SMALLINT(5) ZEROFILL, mi MEDIUMINT, bi BIGINT(20) UNSIGNED,
		de DECIMAL(20,6) NOT NULL DEFAULT 1.5, fl FLOAT, dou DOUBLE, bo TINYINT(1) DEFAULT 1, b1 BIT(1), b9 BIT(9), y YEAR, PRIMARY KEY (id), KEY de (de), UNIQUE KEY ti_si (ti, si))
		ENGINE=InnoDB AUTO_INCREMENT=100 DEFAULT CHARSET=latin1 COMMENT='it''s a "comment"; with a semicolon'`,
	"INSERT INTO numbers VALUES (7, 255, 42, -8388608, 18446744073709551615, -12345678901234.123456, 1.5, -2.25e-300, 0, b'1', b'101010101', 2024)",
	"INSERT INTO numbers (ti) VALUES (NULL), (3)",
	`CREATE TABLE texts (code CHAR(3) NOT NULL, name VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci NOT NULL DEFAULT '', body LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci,
		old VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci, raw BLOB, fixed BINARY(4), kind ENUM('a','it''s','') DEFAULT 'a', marks SET('x','y','z'), doc JSON,
		PRIMARY KEY (code, name), KEY name (name(10)), KEY old (old), KEY raw (raw(8)))
		ENGINE=InnoDB DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci ROW_FORMAT=DYNAMIC`,
	`INSERT INTO texts VALUES ('a', 'O''Hara; -- no comment', 'line\nline\r\n\ttab "quoted" \\ back /* no */ 😀', 'Grüße', x'00ff27225c0a0d1a', x'01', 'it''s', 'x,z', '{"a": [1, "b\\n"]}'),
		('b', '', NULL, NULL, NULL, NULL, NULL, '', NULL), ('c', '\\N', 'NULL', 'O\'x', '', NULL, '', NULL, '[]')`,
	`CREATE TABLE times (id VARCHAR(36) PRIMARY KEY, d DATE, t TIME(3), dt DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6), ts TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
		total INT GENERATED ALWAYS AS (CHAR_LENGTH(id) + 1) STORED, virt VARCHAR(40) GENERATED ALWAYS AS (CONCAT(id, '!')) VIRTUAL, CHECK (CHAR_LENGTH(id) < 30))`,
	"INSERT INTO times (id, d, t, dt, ts) VALUES ('x', '2024-02-29', '-100:00:00.125', '1999-12-31 23:59:59.999999', '2024-03-31 02:30:00'), ('y', NULL, NULL, NULL, NULL)",
	`CREATE TABLE parent (a INT, b VARCHAR(10) CHARACTER SET ascii, PRIMARY KEY (a, b), UNIQUE KEY b (b))`,
	`CREATE TABLE child (id INT PRIMARY KEY, a INT, b VARCHAR(10) CHARACTER SET ascii, up INT, CONSTRAINT to_parent FOREIGN KEY (a, b) REFERENCES parent (a, b) ON DELETE CASCADE ON UPDATE CASCADE,
		CONSTRAINT to_self FOREIGN KEY (up) REFERENCES child (id) ON DELETE SET NULL)`,
	"INSERT INTO parent VALUES (1, 'x'), (2, 'y')",
	"INSERT INTO child VALUES (1, 1, 'x', 1), (2, NULL, 'q', 1), (3, 2, 'y', 2)",
	`CREATE TABLE divided (id INT, made DATE, PRIMARY KEY (id, made)) PARTITION BY RANGE (YEAR(made)) (PARTITION old VALUES LESS THAN (2000), PARTITION recent VALUES LESS THAN MAXVALUE)`,
	"INSERT INTO divided VALUES (1, '1999-01-01'), (2, '2020-05-05')",
	`CREATE TABLE spread (id INT PRIMARY KEY, v INT) PARTITION BY HASH (id) PARTITIONS 4`,
	"INSERT INTO spread VALUES (1, 10), (2, 20), (3, 30), (4, 40), (5, 50)",
	`CREATE TABLE nothing (id INT PRIMARY KEY)`,
	`CREATE TABLE searched (id INT PRIMARY KEY, body TEXT, FULLTEXT KEY words (body))`,
	"INSERT INTO searched VALUES (1, 'one two')",
	"CREATE TRIGGER bump BEFORE INSERT ON spread FOR EACH ROW BEGIN SET NEW.v = NEW.v + 1; SET NEW.v = NEW.v + 0; END",
	"CREATE PROCEDURE counted(OUT n INT) BEGIN SELECT COUNT(*) INTO n FROM spread; END",
}

var dumpedTables = map[string]string{
	"numbers": "id", "texts": "code, name", "times": "id", "parent": "a, b", "child": "id", "divided": "id", "spread": "id", "nothing": "id", "searched": "id",
}

// TestDump: what mariadb-dump writes is loaded as it is, by the command, and every row is what it was.
func TestDump(t *testing.T) {
	needServer(t)
	dump, err := exec.LookPath("mariadb-dump")
	if err != nil {
		t.Skip("mariadb-dump is not installed")
	}
	theirs := openTheirs(t)
	for _, s := range dumped {
		if a := theirs.exec(s); a.err != nil {
			t.Fatalf("%.100s: %v", s, a.err)
		}
	}
	config, err := mysql.ParseDSN(serverDSN)
	if err != nil {
		t.Fatal(err)
	}
	if config.Net != "unix" {
		t.Skip("the server is on another machine")
	}
	database := theirs.query("SELECT DATABASE()").rows[0][0].text
	command := filepath.Join(t.TempDir(), "nearlyfree")
	if out, err := exec.Command("go", "build", "-o", command, "../../cmd/nearlyfree").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, options := range []string{
		"", "--hex-blob --complete-insert", "--skip-opt --skip-extended-insert", "--order-by-primary --single-transaction --no-autocommit", "--replace --skip-tz-utc",
		"--insert-ignore --skip-comments --skip-set-charset", "--skip-quote-names --skip-add-locks --disable-keys", "--triggers --routines --events",
	} {
		t.Run(options, func(t *testing.T) {
			args := append([]string{"--no-defaults", "--socket=" + config.Addr, "--user=root", "--default-character-set=utf8mb4"}, strings.Fields(options)...)
			text, err := exec.Command(dump, append(args, database)...).Output()
			if err != nil {
				t.Fatal(err)
			}
			file := "file:" + filepath.Join(t.TempDir(), "dump.db")
			load := exec.Command(command, file, "--skip", "--quiet")
			var said bytes.Buffer
			load.Stdin, load.Stdout, load.Stderr = bytes.NewReader(text), &said, &said
			if err := load.Run(); err != nil {
				t.Fatalf("%v\n%s", err, said.Bytes())
			}
			leftOut := []string{"FULLTEXT KEY words of `searched`", "TRIGGER bump"}
			if strings.Contains(options, "--routines") {
				leftOut = append(leftOut, "PROCEDURE counted")
			}
			for _, what := range leftOut {
				if !strings.Contains(strings.ReplaceAll(said.String(), "`", ""), strings.ReplaceAll(what, "`", "")) {
					t.Errorf("%s is not listed: %s", what, said.String())
				}
			}
			back := theirs
			if options == "" {
				back = dumpedBack(t, command, file, config.Addr)
			}
			ours := openOurs(t, "here", file)
			for table, key := range dumpedTables {
				query := fmt.Sprintf("SELECT * FROM %s ORDER BY %s", table, key)
				got, want := ours.query(query), theirs.query(query)
				if what := got.differs(want); what != "" {
					t.Errorf("%s: %s\n%s\nwant\n%s", query, what, got, want)
				}
				if got := back.query(query); got.differs(want) != "" {
					t.Errorf("back in MariaDB: %s: %s\n%s\nwant\n%s", query, got.differs(want), got, want)
				}
			}
			columns := "SELECT TABLE_NAME, COLUMN_NAME, ORDINAL_POSITION, IS_NULLABLE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1, 3"
			if got, want := ours.query(columns), theirs.query(columns); got.differs(want) != "" {
				t.Errorf("%s:\n%s\nwant\n%s", columns, got, want)
			}
		})
	}
}

// dumpedBack has the command dump a file, and MariaDB load that: with views, and keys of which MariaDB knows nothing.
func dumpedBack(t *testing.T, command, file, socket string) *side {
	t.Helper()
	text := "CREATE TABLE only_here (id INT PRIMARY KEY, a VARCHAR(9) COLLATE utf8mb4_0900_ai_ci, b BOOL, g INT AS (id * 2) STORED NOT NULL, KEY (a) INCLUDE (b), UNIQUE KEY (b) GLOBAL) PARTITION BY KEY (id);" +
		"INSERT INTO only_here (id, a, b) VALUES (1, 'Ä', TRUE), (2, NULL, NULL);" +
		"CREATE VIEW seen AS SELECT id FROM only_here WHERE a = 'a'; CREATE VIEW again AS SELECT id + 1 AS next FROM seen"
	if out, err := exec.Command(command, file, "-q", "-c", text).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var said bytes.Buffer
	dump := exec.Command(command, "dump", file)
	dump.Stderr = &said
	sql, err := dump.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.Bytes())
	}
	if out, err := exec.Command(command, file, "-q", "-c", "DROP VIEW again, seen; DROP TABLE only_here").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	back := openTheirs(t)
	client := exec.Command("mariadb", "--no-defaults", "--socket="+socket, "--user=root", back.query("SELECT DATABASE()").rows[0][0].text)
	client.Stdin = bytes.NewReader(sql)
	if out, err := client.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, sql)
	}
	if got := fmt.Sprint(back.query("SELECT next FROM again").rows); got != fmt.Sprint(back.query("SELECT 2").rows) {
		t.Errorf("the views give %s", got)
	}
	return back
}
