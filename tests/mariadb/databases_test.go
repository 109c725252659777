package mariadb

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// databasesScript runs on both sides: A, B and C are databases. Lines that begin with ? are queries.
const databasesScript = `
CREATE DATABASE A
CREATE DATABASE A
CREATE SCHEMA IF NOT EXISTS A
CREATE DATABASE IF NOT EXISTS B DEFAULT CHARACTER SET = utf8mb4 COLLATE = utf8mb4_0900_bin
?SHOW DATABASES LIKE 'A'
?SELECT schema_name FROM information_schema.schemata WHERE schema_name IN ('A', 'B', 'C') ORDER BY 1
USE A
?SELECT DATABASE()
CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(10), KEY v (v))
CREATE TABLE B.t (id INT PRIMARY KEY, v VARCHAR(10), w INT, UNIQUE KEY w (w))
CREATE TABLE C.t (id INT PRIMARY KEY)
INSERT INTO t (v) VALUES ('a1'), ('a2'), ('a3')
INSERT INTO B.t VALUES (1, 'b1', 10), (2, 'b2', 20)
INSERT INTO C.t VALUES (1)
?SELECT t.v, B.t.v FROM t JOIN B.t ON B.t.id = t.id ORDER BY 1
?SELECT A.t.v, t.id FROM A.t WHERE A.t.v > 'a1' ORDER BY 1
?SELECT x.v FROM t x, B.t x
?SELECT A.x.v FROM t x
?SELECT B.t.v FROM t
?SELECT t.v FROM t, B.t
?SELECT (SELECT MAX(w) FROM B.t WHERE B.t.id <= A.t.id) AS m FROM t ORDER BY id
UPDATE t, B.t SET t.v = 'x', B.t.w = B.t.w + t.id WHERE B.t.id = t.id
?SELECT * FROM t ORDER BY id
?SELECT * FROM B.t ORDER BY id
UPDATE B.t SET v = 'only' WHERE B.t.id = 2
DELETE A.t FROM A.t JOIN B.t ON B.t.id = A.t.id WHERE B.t.w = 22
DELETE FROM B.t WHERE B.t.id = 1
INSERT INTO B.t (id, v) SELECT id + 10, v FROM t
INSERT INTO B.t (id, v) SELECT id, v FROM t ON DUPLICATE KEY UPDATE B.t.v = CONCAT(VALUES(v), '!')
?SELECT B.x.v FROM B.t x
?SELECT A.x.v FROM B.t x
?SELECT y.v, B.x.v, A.x.id FROM B.t x, t x, B.t y WHERE B.x.id = y.id AND A.x.id = 1 ORDER BY 1
REPLACE INTO B.t SET id = 2, v = 'new'
?SELECT * FROM B.t ORDER BY id
CREATE VIEW seen AS SELECT a.id, b.v FROM t a LEFT JOIN B.t b ON b.id = a.id + 10
CREATE VIEW B.seen AS SELECT id, v FROM t WHERE id > 1
?SELECT * FROM seen ORDER BY id
?SELECT * FROM B.seen ORDER BY id
USE B
?SELECT * FROM seen ORDER BY id
?SELECT * FROM A.seen ORDER BY id
INSERT INTO seen (id, v) VALUES (9, 'view')
?SELECT * FROM A.t ORDER BY id
?SELECT * FROM t ORDER BY id
?SHOW TABLES
?SHOW TABLES FROM A
?SHOW FULL TABLES IN A WHERE Table_type = 'VIEW'
?SHOW TABLES FROM C
USE C
?SELECT DATABASE()
?SELECT table_schema, table_name, table_type FROM information_schema.tables WHERE table_schema IN ('A', 'B') ORDER BY 1, 2
?SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'A' ORDER BY 1, ordinal_position
?SELECT table_schema, COUNT(*) FROM information_schema.columns WHERE table_schema LIKE 'A' OR table_schema = 'B' GROUP BY 1 ORDER BY 1
?SELECT index_name FROM information_schema.statistics WHERE table_schema = DATABASE() ORDER BY 1
?SELECT constraint_name FROM information_schema.table_constraints WHERE 'A' = constraint_schema AND table_name = 't'
?SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = NULL
BEGIN
INSERT INTO A.t VALUES (50, 'tx')
INSERT INTO t VALUES (50, 'tx', 50)
?SELECT COUNT(*) FROM A.t JOIN t ON t.id = A.t.id
ROLLBACK
?SELECT COUNT(*) FROM A.t JOIN t ON t.id = A.t.id
BEGIN
INSERT INTO A.t VALUES (51, 'tx')
INSERT INTO t VALUES (51, 'tx', 51)
COMMIT
?SELECT COUNT(*) FROM A.t JOIN t ON t.id = A.t.id
ALTER TABLE A.t ADD COLUMN n INT NOT NULL DEFAULT 4
CREATE INDEX n ON A.t (n)
DROP INDEX n ON A.t
CREATE TABLE copied LIKE A.t
CREATE TABLE A.made AS SELECT id, w FROM t
?SELECT * FROM A.made ORDER BY id
RENAME TABLE A.made TO A.done, copied TO again
ALTER TABLE A.done RENAME TO A.made
TRUNCATE A.made
?SELECT COUNT(*) FROM A.made
DROP TABLE A.made, nosuch
DROP TABLE A.made, again
DROP TABLE A.made
DROP TABLE IF EXISTS A.made
DROP VIEW A.seen, seen
?SHOW TABLES
CREATE TABLE A.par (id INT PRIMARY KEY, u INT UNIQUE)
CREATE TABLE kid (id INT PRIMARY KEY, p INT, q INT, CONSTRAINT kp FOREIGN KEY (p) REFERENCES A.par (id) ON DELETE RESTRICT ON UPDATE RESTRICT, CONSTRAINT kq FOREIGN KEY (q) REFERENCES A.par (u) ON DELETE CASCADE ON UPDATE SET NULL)
?SELECT constraint_name, table_name, referenced_table_name, referenced_column_name, referenced_table_schema = 'A' AS a FROM information_schema.key_column_usage WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL ORDER BY 1
?SELECT constraint_name, unique_constraint_schema = 'A' AS a, unique_constraint_name, update_rule, delete_rule, referenced_table_name FROM information_schema.referential_constraints WHERE constraint_schema = DATABASE() ORDER BY 1
INSERT INTO A.par VALUES (1, 10), (2, 20), (3, 30)
INSERT INTO kid VALUES (1, 1, NULL), (2, NULL, 20), (3, 3, 30)
INSERT INTO kid VALUES (4, 9, NULL)
UPDATE kid SET q = 11 WHERE id = 1
DELETE FROM A.par WHERE id = 1
DELETE FROM A.par WHERE id = 2
?SELECT * FROM kid ORDER BY id
UPDATE A.par SET u = 33 WHERE id = 3
?SELECT * FROM kid ORDER BY id
UPDATE A.par SET id = 8 WHERE id = 3
TRUNCATE A.par
DROP TABLE A.par
ALTER TABLE kid DROP FOREIGN KEY kp
DELETE FROM A.par WHERE id = 3
ALTER TABLE kid ADD CONSTRAINT kp FOREIGN KEY (p) REFERENCES A.par (id)
UPDATE kid SET p = 1 WHERE id = 3
ALTER TABLE kid ADD CONSTRAINT kp FOREIGN KEY (p) REFERENCES A.par (id)
DELETE FROM A.par WHERE id = 1
RENAME TABLE kid TO child
DELETE FROM A.par WHERE id = 1
SET foreign_key_checks = 0
DROP TABLE A.par
SET foreign_key_checks = 1
INSERT INTO child VALUES (5, 1, NULL)
SET foreign_key_checks = 0
CREATE TABLE A.par (id INT PRIMARY KEY, u INT UNIQUE)
SET foreign_key_checks = 1
INSERT INTO A.par VALUES (1, 10)
INSERT INTO child VALUES (5, 1, NULL)
DELETE FROM A.par WHERE id = 1
DROP TABLE child
?SHOW TABLES FROM A
?SHOW TABLES
DROP TABLE A.par
ALTER DATABASE A CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci
CREATE TABLE A.folded (v VARCHAR(5) PRIMARY KEY)
INSERT INTO A.folded VALUES ('a')
INSERT INTO A.folded VALUES ('A')
ALTER DATABASE C CHARACTER SET utf8mb4
DROP DATABASE A
DROP DATABASE A
DROP DATABASE IF EXISTS A
?SHOW DATABASES LIKE 'A'
?SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'A'
DROP DATABASE B
?SELECT DATABASE()
?SELECT * FROM t
CREATE TABLE t (id INT PRIMARY KEY)
INSERT INTO t VALUES (1)
?SHOW TABLES
DROP TABLE t
CREATE DATABASE information_schema
CREATE DATABASE A
USE A
?SHOW TABLES
DROP DATABASE A
`

// numbersOfDatabases are those of MySQL 8.0 where MariaDB has others.
var numbersOfDatabases = map[string]uint16{
	"INSERT INTO C.t VALUES (1)":             1049, // MariaDB: 1146
	"CREATE DATABASE information_schema":     1044, // there too; it depends on who asks
	"CREATE SCHEMA IF NOT EXISTS A":          0,    // 1 row affected
	"DROP TABLE A.made, nosuch":              1051, // MariaDB drops the one that is there
	"DROP TABLE A.made, again":               0,
	"ALTER DATABASE C CHARACTER SET utf8mb4": 1049,
	"DROP TABLE A.par":                       0, // 3730 where rows refer to it; MariaDB: 1451
	"ALTER TABLE kid ADD CONSTRAINT kp FOREIGN KEY (p) REFERENCES A.par (id)": 0, // MariaDB counts the rows
}

// TestDatabases: several databases are here what they are in MariaDB.
func TestDatabases(t *testing.T) {
	needServer(t)
	theirs := openTheirs(t)
	stamp := fmt.Sprint(time.Now().UnixNano())
	names := strings.NewReplacer("'A'", "'db_a"+stamp+"'", "'B'", "'db_b"+stamp+"'", "'C'", "'db_c"+stamp+"'")
	words := func(line string) string {
		line = names.Replace(line)
		for _, name := range []string{"A", "B", "C"} {
			parts := strings.Fields(line)
			for i, word := range parts {
				for _, before := range []string{"", "(", "= ", "CONCAT("} {
					switch {
					case word == before+name || word == before+name+",":
						parts[i] = strings.Replace(word, name, "db_"+strings.ToLower(name)+stamp, 1)
					case strings.HasPrefix(word, before+name+"."):
						parts[i] = before + "db_" + strings.ToLower(name) + stamp + word[len(before)+1:]
					}
				}
			}
			line = strings.Join(parts, " ")
		}
		return line
	}
	lines := strings.Split(strings.TrimSpace(databasesScript), "\n")
	for i := range lines {
		lines[i] = words(lines[i])
	}
	numbers := map[string]uint16{}
	for text, number := range numbersOfDatabases {
		numbers[words(text)] = number
	}
	for _, ours := range []*side{openOurs(t, "memory", "mem://"), openOurs(t, "file", "file:"+filepath.Join(t.TempDir(), "d.db")), openAccount(t, "account", "")} {
		for line := range bothAnswer(strings.Join(lines, "\n"), ours, theirs) {
			if number, known := numbers[line.text]; known {
				if number != 0 && line.got.number != number {
					t.Errorf("%s, %s: %s, want %d", ours.name, line.text, line.got, number)
				}
				continue
			}
			line.compare(t)
		}
		for _, name := range []string{"A", "B"} {
			theirs.exec(words("DROP DATABASE IF EXISTS " + name))
		}
		theirs.exec("USE mysql")
	}
}

// TestDumpOfDatabases: what mariadb-dump --databases writes is loaded as it is, by the command.
func TestDumpOfDatabases(t *testing.T) {
	needServer(t)
	dump, err := exec.LookPath("mariadb-dump")
	if err != nil {
		t.Skip("mariadb-dump is not installed")
	}
	config, err := mysql.ParseDSN(serverDSN)
	if err != nil {
		t.Fatal(err)
	}
	if config.Net != "unix" {
		t.Skip("the server is on another machine")
	}
	theirs := openTheirs(t)
	stamp := fmt.Sprint(time.Now().UnixNano())
	a, b := "first"+stamp, "Second-"+stamp
	for _, text := range []string{
		"CREATE DATABASE " + a + " CHARACTER SET utf8mb4", "CREATE DATABASE `" + b + "` CHARACTER SET latin1",
		"CREATE TABLE " + a + ".t (id INT PRIMARY KEY, v VARCHAR(20), KEY v (v))", "INSERT INTO " + a + ".t VALUES (1, 'x'), (2, 'y')",
		"CREATE TABLE `" + b + "`.t (id INT PRIMARY KEY, v VARCHAR(20))", "INSERT INTO `" + b + "`.t VALUES (1, 'z')",
		"CREATE DEFINER=root@localhost VIEW `" + b + "`.both_v AS SELECT p.v AS p, q.v AS q FROM " + a + ".t p JOIN `" + b + "`.t q ON q.id = p.id",
	} {
		if got := theirs.exec(text); got.err != nil {
			t.Fatal(got.err)
		}
	}
	t.Cleanup(func() {
		theirs.exec("DROP DATABASE " + a)
		theirs.exec("DROP DATABASE `" + b + "`")
	})
	command := filepath.Join(t.TempDir(), "nearlyfree")
	if out, err := exec.Command("go", "build", "-o", command, "../../cmd/nearlyfree").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, options := range []string{"", "--add-drop-database", "--no-create-db"} {
		args := append([]string{"--no-defaults", "--socket=" + config.Addr, "--user=root", "--default-character-set=utf8mb4"}, strings.Fields(options)...)
		text, err := exec.Command(dump, append(args, "--databases", a, b)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		file := "file:" + filepath.Join(t.TempDir(), "dump.db")
		before := ""
		if options == "--no-create-db" {
			before = "CREATE DATABASE " + a + "; CREATE DATABASE `" + b + "`;\n"
		}
		for range 2 { // also over what is there
			load := exec.Command(command, file, "--quiet")
			var said bytes.Buffer
			load.Stdin, load.Stdout, load.Stderr = strings.NewReader(before+string(text)), &said, &said
			if err := load.Run(); err != nil {
				t.Fatalf("%s: %v\n%s\n%s", options, err, said.Bytes(), text)
			}
			before = ""
		}
		ours := openOurs(t, "file", file)
		for _, query := range []string{
			"SELECT * FROM " + a + ".t ORDER BY id", "SELECT * FROM `" + b + "`.t", "SELECT * FROM `" + b + "`.both_v",
			"SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema IN ('" + a + "', '" + b + "') ORDER BY LOWER(table_schema), table_name",
		} {
			if got, want := ours.query(query), theirs.query(query); got.differs(want) != "" {
				t.Errorf("%s: %s: %s\n%s\nwant\n%s", options, query, got.differs(want), got, want)
			}
		}
	}
}
