package mariadb

import (
	"fmt"
	"math/rand/v2"
	"slices"
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

// TestForeignKeyIndexAlters has random ALTER TABLEs add, drop and rename indexes and foreign keys, and compares what is refused and which
// indexes there are.
func TestForeignKeyIndexAlters(t *testing.T) {
	needServer(t)
	for n := range uint64(max(*statements/800, 10)) {
		t.Run(fmt.Sprint(*seed+n), func(t *testing.T) {
			r := rand.New(rand.NewPCG(*seed+n, 78))
			of := func(words ...string) string { return words[r.IntN(len(words))] }
			ours, theirs := openNth(t, "here", n), openTheirs(t)
			sent := []string{
				"CREATE TABLE p (id INT PRIMARY KEY, u INT, UNIQUE KEY pair (id, u))", "INSERT INTO p VALUES (1, 1), (2, 2)",
				"CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, CONSTRAINT f1 FOREIGN KEY (a) REFERENCES p (id))", "INSERT INTO c (a, b) VALUES (1, 1), (2, 2)",
			}
			for _, text := range sent {
				if a, b := ours.exec(text), theirs.exec(text); a.err != nil || b.err != nil {
					t.Fatal(text, a, b)
				}
			}
			for range 25 {
				var actions []string
				names := []string{"g", "h", "f1", "f2"}
				r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
				for _, name := range names[:1+r.IntN(3)] { // each name once: MySQL has an order of its own
					actions = append(actions, of(
						"ADD "+of("", "", "UNIQUE ")+"INDEX "+name+" ("+of("a", "a", "b", "a, b", "b, a")+")",
						"DROP INDEX "+name,
						"RENAME INDEX "+name+" TO "+names[3],
						"ADD CONSTRAINT f"+name[len(name)-1:]+" FOREIGN KEY ("+of("a) REFERENCES p (id)", "b) REFERENCES p (id)", "a, b) REFERENCES p (id, u)"),
						"DROP FOREIGN KEY f"+name[len(name)-1:]))
				}
				text := "ALTER TABLE c " + strings.Join(actions, ", ")
				a, b := ours.exec(text), theirs.exec(text)
				sent = append(sent, text)
				got, want := indexNames(ours), indexNames(theirs)
				if own(got) != own(want) && (a.err == nil || b.err != nil) || strings.Contains(a.String()+b.String(), "Duplicate key name") {
					return // MariaDB keeps, or names anew, some that foreign keys have brought along
				}
				if (a.err == nil) != (b.err == nil) || got != want {
					t.Fatalf("%s:\n%v\nMariaDB: %v\nindexes\n%s\nMariaDB\n%s", strings.Join(sent, ";\n"), a.err, b.err, got, want)
				}
			}
			if a := ours.query("CHECK TABLE c"); a.err != nil || len(a.rows) != 1 || a.rows[0][3].text != "OK" {
				t.Errorf("%s: CHECK TABLE: %s", strings.Join(sent, ";\n"), a)
			}
		})
	}
}

// indexNames are the indexes of the table c, sorted: MariaDB shows unique ones first.
func indexNames(s *side) string {
	var out []string
	for _, row := range s.query("SHOW INDEX FROM c").rows {
		out = append(out, row[2].text+" "+row[3].text+" "+row[4].text+" "+row[1].text)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// own are those of the names that foreign keys have.
func own(indexes string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(indexes, ", "), func(ix string) bool { return ix[0] != 'f' }), ", ")
}
