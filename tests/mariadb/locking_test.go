package mariadb

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestLockingReads runs transactions side by side that read FOR UPDATE, and compares what each of their statements gives. A line is a
// session and its statement. One with & waits for another session: the lines behind it are run meanwhile.
func TestLockingReads(t *testing.T) {
	needServer(t)
	for _, script := range []string{
		// it sees what the other one has committed
		`a BEGIN; a SELECT n FROM t WHERE id = 1 FOR UPDATE; b BEGIN; &b SELECT n FROM t WHERE id = 1 FOR UPDATE; a UPDATE t SET n = 11 WHERE id = 1; a COMMIT; b UPDATE t SET n = n + 1 WHERE id = 1; b COMMIT`,
		// or what was there before
		`a BEGIN; a UPDATE t SET n = 11 WHERE id = 1; b BEGIN; &b SELECT n FROM t WHERE id = 1 FOR UPDATE; a ROLLBACK; b COMMIT`,
		// outside of a transaction
		`a BEGIN; a UPDATE t SET n = 11 WHERE id = 1; &b SELECT n FROM t WHERE id = 1 FOR UPDATE; a COMMIT; a SELECT n FROM t WHERE id = 1 FOR UPDATE`,
		// deleted meanwhile
		`a BEGIN; a DELETE FROM t WHERE id = 2; b BEGIN; &b SELECT id, n FROM t WHERE id IN (1, 2, 3) ORDER BY id FOR UPDATE; a COMMIT; b COMMIT`,
		// no longer what is wanted
		`a BEGIN; a SELECT id FROM t WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE; b BEGIN; &b SELECT id FROM t WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE; a UPDATE t SET state = 'done' WHERE id = 1; a COMMIT; b COMMIT`,
		// by one index and another one
		`a BEGIN; a SELECT n FROM t WHERE mail = 'b' FOR UPDATE; b BEGIN; &b SELECT n FROM t WHERE state = 'new' AND id = 2 FOR UPDATE; a UPDATE t SET n = 21 WHERE id = 2; a COMMIT; b COMMIT`,
		// three that wait for each other: who comes last is rolled back
		`a BEGIN; b BEGIN; c BEGIN; a SELECT n FROM t WHERE id = 1 FOR UPDATE; b SELECT n FROM t WHERE id = 2 FOR UPDATE; c SELECT n FROM t WHERE id = 3 FOR UPDATE; ` +
			`&a SELECT n FROM t WHERE id = 2 FOR UPDATE; &b SELECT n FROM t WHERE id = 3 FOR UPDATE; c SELECT n FROM t WHERE id = 1 FOR UPDATE; c ROLLBACK; b COMMIT; a COMMIT`,
		// it has waited long enough: the transaction goes on
		`b SET innodb_lock_wait_timeout = 1; a BEGIN; a SELECT n FROM t WHERE id = 1 FOR UPDATE; b BEGIN; b UPDATE t SET n = 31 WHERE id = 3; b SELECT n FROM t WHERE id = 1 FOR UPDATE; b COMMIT; a ROLLBACK`,
		// a savepoint gives nothing back
		`a BEGIN; a SELECT n FROM t WHERE id = 3 FOR UPDATE; a SAVEPOINT s; a SELECT n FROM t WHERE id = 1 FOR UPDATE; a ROLLBACK TO s; b BEGIN; &b SELECT n FROM t WHERE id = 1 FOR UPDATE; a UPDATE t SET n = 11 WHERE id = 1; a COMMIT; b COMMIT`,
		// BEGIN behind a deadlock begins anew
		`a BEGIN; b BEGIN; a SELECT n FROM t WHERE id = 1 FOR UPDATE; a SELECT n FROM t WHERE id = 3 FOR UPDATE; b SELECT n FROM t WHERE id = 2 FOR UPDATE; &a SELECT n FROM t WHERE id = 2 FOR UPDATE; ` +
			`b SELECT n FROM t WHERE id = 1 FOR UPDATE; b BEGIN; a COMMIT; b UPDATE t SET n = 12 WHERE id = 1; b COMMIT`,
		// the variable
		`b SELECT @@innodb_lock_wait_timeout; b SET innodb_lock_wait_timeout = 7; b SELECT @@innodb_lock_wait_timeout; b SET innodb_lock_wait_timeout = DEFAULT; b SELECT @@innodb_lock_wait_timeout`,
	} {
		t.Run("", func(t *testing.T) {
			theirs := runLocking(t, openTheirs(t), script)
			for n := range uint64(5) {
				if ours := runLocking(t, openNth(t, "here", n), script); ours != theirs {
					t.Errorf("%s\n%s\nMariaDB:\n%s", script, ours, theirs)
				}
			}
		})
	}
}

// runLocking runs a script, and gives what came of each line.
func runLocking(t *testing.T, s *side, script string) string {
	t.Helper()
	for _, text := range []string{"CREATE TABLE t (id INT PRIMARY KEY, mail VARCHAR(10), state VARCHAR(10), n INT, UNIQUE KEY (mail), KEY (state))",
		"INSERT INTO t VALUES (1, 'a', 'new', 10), (2, 'b', 'new', 20), (3, 'c', 'new', 30)"} {
		if a := s.exec(text); a.err != nil {
			t.Fatal(a.err)
		}
	}
	sessions := map[string]*side{}
	for _, name := range []string{"a", "b", "c"} {
		sessions[name] = s.beside(t)
		sessions[name].exec("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED") // else MariaDB also locks what is between rows
	}
	waiting := map[string]chan string{} // by session
	var out []string
	end := func(name string) {
		if done := waiting[name]; done != nil {
			out = append(out, name+" "+<-done)
			delete(waiting, name)
		}
	}
	for line := range strings.SplitSeq(script, "; ") {
		name, text, ok := strings.Cut(line, " ")
		if !ok {
			continue
		}
		waits := strings.HasPrefix(name, "&")
		name = strings.TrimPrefix(name, "&")
		end(name)
		done := make(chan string, 1)
		go func() { done <- sessions[name].outcome(text) }()
		if waits {
			waiting[name] = done
			s.untilSent(text, done)
			continue
		}
		out = append(out, name+" "+<-done)
	}
	for _, name := range []string{"a", "b", "c"} {
		end(name)
	}
	return strings.Join(append(out, s.outcome("SELECT id, mail, state, n FROM t ORDER BY id")), "\n")
}

func (s *side) outcome(text string) string {
	if !strings.HasPrefix(text, "SELECT") {
		a := s.exec(text)
		return fmt.Sprintf("%d, error %d", a.affected, a.number)
	}
	a := s.query(text)
	return fmt.Sprintf("%v, error %d", a.rows, a.number)
}

// untilSent waits until another session runs a statement, or has run it.
func (s *side) untilSent(text string, done <-chan string) {
	for len(done) == 0 {
		if len(s.query("SELECT 1 FROM information_schema.PROCESSLIST WHERE INFO = '"+strings.ReplaceAll(text, "'", "''")+"'").rows) > 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}
