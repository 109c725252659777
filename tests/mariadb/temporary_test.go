package mariadb

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestTemporary sends random statements over temporary tables, which hide others of their names or are alone, and over tables that are
// stored, with transactions around them, and compares answers, errors, affected rows and all tables.
func TestTemporary(t *testing.T) {
	needServer(t)
	for n := range uint64(max(*statements/800, 10)) {
		t.Run(fmt.Sprint(*seed+n), func(t *testing.T) {
			r := &temporaryRound{T: t, Rand: rand.New(rand.NewPCG(*seed+n, 80)), ours: openNth(t, "here", n), theirs: openTheirs(t)}
			for range 150 {
				r.step()
			}
		})
	}
}

// temporaryRound is two sessions, one on each side.
type temporaryRound struct {
	*testing.T
	*rand.Rand
	ours, theirs *side
	sent         []string
}

const temporaryTables = 3

func (r *temporaryRound) of(words ...string) string { return words[r.IntN(len(words))] }

func (r *temporaryRound) table() string { return fmt.Sprintf("t%d", r.IntN(temporaryTables)) }

func (r *temporaryRound) number() string { return fmt.Sprint(r.IntN(12)) }

func (r *temporaryRound) step() {
	text := r.statement()
	r.sent = append(r.sent, text)
	if strings.HasPrefix(text, "SELECT") {
		r.compare(text, r.ours.query(text), r.theirs.query(text))
		return
	}
	ours, theirs := r.ours.exec(text), r.theirs.exec(text)
	if verb, _, _ := strings.Cut(text, " "); verb == "ALTER" || verb == "CREATE" || verb == "DROP" {
		ours.affected, theirs.affected = 0, 0 // MariaDB copies some tables and counts their rows
	}
	r.compare(text, ours, theirs)
	for i := range temporaryTables {
		all := fmt.Sprintf("SELECT * FROM t%d ORDER BY id, 2", i)
		r.compare(text+"; "+all, r.ours.query(all), r.theirs.query(all))
	}
}

func (r *temporaryRound) compare(text string, ours, theirs answer) {
	if strings.HasPrefix(text, "CREATE") && ours.err != nil && theirs.err != nil {
		return // where the table is there and the one that it is to be like is not, either is told
	}
	same := slices.EqualFunc(ours.rows, theirs.rows, func(a, b []cell) bool { return slices.EqualFunc(a, b, cell.equal) })
	if ours.number != theirs.number || !same || ours.err == nil && ours.affected != theirs.affected || (ours.err == nil) != (theirs.err == nil) {
		r.Fatalf("%s\nhere: %s\nMariaDB: %s\nafter:\n%s", text, ours, theirs, strings.Join(r.sent, ";\n"))
	}
}

func (r *temporaryRound) statement() string {
	t := r.table()
	where := r.of("", " WHERE id = "+r.number(), " WHERE k > "+r.number(), " WHERE k IN (SELECT k FROM "+r.of("t0", "t1", "t2")+")")
	switch r.IntN(22) {
	case 0, 1:
		return "CREATE " + r.of("TEMPORARY TABLE ", "TEMPORARY TABLE ", "TABLE ") + r.of("", "IF NOT EXISTS ") + t + " (id INT PRIMARY KEY, k INT" + r.of("", ", KEY k (k)", ", UNIQUE KEY k (k)") + ")"
	case 2:
		other := r.table() // of its own name it is 1066 there, where it is not looked for before the table is there here
		for other == t {
			other = r.table()
		}
		return "CREATE TEMPORARY TABLE " + t + " LIKE " + other
	case 3: // MariaDB rolls back too much where the table is there
		drop := "DROP TEMPORARY TABLE IF EXISTS " + t
		r.sent = append(r.sent, drop)
		r.compare(drop, r.ours.exec(drop), r.theirs.exec(drop))
		return "CREATE TEMPORARY TABLE " + t + " (id INT PRIMARY KEY) AS SELECT id, k FROM " + r.table()
	case 4:
		return "DROP TEMPORARY TABLE " + r.of("", "IF EXISTS ") + t
	case 5:
		return "DROP TABLE " + r.of("", "IF EXISTS ") + t
	case 6, 7:
		return r.of("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT s", "ROLLBACK TO s")
	case 8, 9, 10, 11:
		return r.of("INSERT", "INSERT", "INSERT IGNORE", "REPLACE") + " INTO " + t + " (id, k) VALUES (" + r.number() + ", " + r.number() + "), (" + r.number() + ", " + r.number() + ")"
	case 12:
		return "INSERT INTO " + t + " (id, k) SELECT id + 12, k + 20 FROM " + r.table()
	case 13:
		return "INSERT INTO " + t + " (id, k) VALUES (" + r.number() + " + 1, " + r.number() + ") ON DUPLICATE KEY UPDATE k = k + 50"
	case 14, 15:
		return "UPDATE " + t + " SET k = 500 + 12 * id + " + r.number() + strings.Replace(where, "SELECT k FROM", "SELECT id FROM", 1)
	case 16:
		return "DELETE FROM " + t + where
	case 17:
		return "UPDATE " + t + " a JOIN " + r.table() + " b ON b.id = a.id + 1 SET a.k = 200 + a.id"
	case 18:
		return "SELECT a.id, a.k, b.k FROM " + t + " a LEFT JOIN " + r.table() + " b ON b.id = a.k ORDER BY a.id, b.id"
	case 19:
		return "SELECT k, COUNT(*) FROM " + t + where + " GROUP BY k ORDER BY k"
	case 20:
		return "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE' ORDER BY 1"
	}
	return r.of("ALTER TABLE "+t+" ADD COLUMN x INT DEFAULT 1", "ALTER TABLE "+t+" DROP COLUMN x", "CREATE INDEX later ON "+t+" (k)", "DROP INDEX later ON "+t, "TRUNCATE TABLE "+t)
}
