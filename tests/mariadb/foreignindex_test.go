package mariadb

import (
	"strings"
	"testing"
)

// TestForeignKeyIndexes: the index that a foreign key brings along goes when another one serves the key, just as in MariaDB.
func TestForeignKeyIndexes(t *testing.T) {
	needServer(t)
	for _, script := range []string{
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, FOREIGN KEY (a) REFERENCES p (id)); CREATE INDEX x ON c (a)",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, FOREIGN KEY (a) REFERENCES p (id)); CREATE INDEX x ON c (a, b)",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, FOREIGN KEY (a) REFERENCES p (id)); CREATE INDEX x ON c (b, a)",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, FOREIGN KEY (a) REFERENCES p (id)); CREATE UNIQUE INDEX x ON c (a)",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT); ALTER TABLE c ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id); CREATE INDEX x ON c (a)",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT); ALTER TABLE c ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id); CREATE INDEX f ON c (a)",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT); ALTER TABLE c ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id); CREATE INDEX f ON c (a, b)",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT); ALTER TABLE c ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id); CREATE INDEX f ON c (b)",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT); ALTER TABLE c ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id), ADD INDEX x (a)",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, FOREIGN KEY (a) REFERENCES p (id)); ALTER TABLE c ADD INDEX x (a), DROP INDEX a",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, FOREIGN KEY (a) REFERENCES p (id)); ALTER TABLE c DROP INDEX a, ADD INDEX x (a)",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, FOREIGN KEY (a) REFERENCES p (id)); ALTER TABLE c DROP INDEX a, ADD INDEX a (a, b)",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, FOREIGN KEY (a) REFERENCES p (id)); ALTER TABLE c ADD INDEX x (a), RENAME INDEX a TO z",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, FOREIGN KEY (a) REFERENCES p (id)); ALTER TABLE c RENAME INDEX a TO z; CREATE INDEX x ON c (a)",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id)); ALTER TABLE c DROP FOREIGN KEY f; CREATE INDEX x ON c (a)",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id)); ALTER TABLE c DROP FOREIGN KEY f; CREATE TABLE d LIKE c; CREATE INDEX x ON d (a); SHOW INDEX FROM d",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, KEY mine (a), FOREIGN KEY (a) REFERENCES p (id)); CREATE INDEX x ON c (a, b)",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, FOREIGN KEY (a) REFERENCES p (id), FOREIGN KEY (a, b) REFERENCES p (id, u))",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, FOREIGN KEY (a, b) REFERENCES p (id, u), FOREIGN KEY (a) REFERENCES p (id))",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, FOREIGN KEY (a) REFERENCES p (id)); ALTER TABLE c ADD CONSTRAINT g FOREIGN KEY (a, b) REFERENCES p (id, u)",
		"CREATE TABLE c (a INT, b INT, FOREIGN KEY (a) REFERENCES p (id)); ALTER TABLE c ADD PRIMARY KEY (a, b)",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, FOREIGN KEY (a) REFERENCES p (id)); CREATE INDEX x ON c (a); DROP INDEX x ON c",
		"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, FOREIGN KEY (a) REFERENCES p (id)); ALTER TABLE c ADD COLUMN d INT, ADD INDEX x (a, d)",
	} {
		ours, theirs := openOurs(t, "memory", "mem://"), openTheirs(t)
		got, want := indexesAfter(ours, script), indexesAfter(theirs, script)
		if got != want {
			t.Errorf("%s: has the indexes\n%s\nMariaDB\n%s", script, got, want)
		}
		if a := ours.query("CHECK TABLE c"); a.err != nil || len(a.rows) != 1 || a.rows[0][3].text != "OK" {
			t.Errorf("%s: CHECK TABLE: %s", script, a)
		}
	}
}

// indexesAfter gives the indexes of the table c, which has rows when its first statement has made it.
func indexesAfter(s *side, script string) string {
	s.exec("CREATE TABLE p (id INT PRIMARY KEY, u INT, UNIQUE KEY pair (id, u))")
	s.exec("INSERT INTO p VALUES (1, 1), (2, 2)")
	var out []string
	for i, text := range strings.Split(script, "; ") {
		if a := s.exec(text); a.err != nil {
			out = append(out, text+" is refused")
		}
		if i == 0 {
			s.exec("INSERT INTO c (a, b) VALUES (1, 1), (2, 2)")
		}
	}
	for _, row := range s.query("SHOW INDEX FROM c").rows {
		out = append(out, row[2].text+"("+row[4].text+")")
	}
	return strings.Join(out, " ")
}
