package nearlyfree_test

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// An error whose place is known shows it, whatever class it is of.
func TestErrorPlace(t *testing.T) {
	db := nearlyfreetest.Open(t)
	if _, err := db.Exec(`CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100), INDEX (title))`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sql, want string
		is        error
	}{
		{"SELECT id,\n  titel FROM book",
			"Error 1054 (42S22): Unknown column 'titel' in 'field list' (did you mean title?), at line 2, column 3\n  titel FROM book\n  ^",
			nearlyfree.ErrUnknownColumn},
		{"SELECT b.titles FROM book b JOIN book c ON c.id = b.id",
			"Error 1054 (42S22): Unknown column 'b.titles' in 'field list' (did you mean title?), at line 1, column 8\n" +
				"SELECT b.titles FROM book b JOIN book c ON c.id = b.id\n       ^",
			nearlyfree.ErrUnknownColumn},
		{"INSERT INTO book (id, tilte) VALUES (1, 'x')",
			"Error 1054 (42S22): Unknown column 'tilte' in 'field list' (did you mean title?), at line 1, column 23\n" +
				"INSERT INTO book (id, tilte) VALUES (1, 'x')\n                      ^", nearlyfree.ErrUnknownColumn},
		{"SELECT id\nFROM book WHERE NOSUCH(id)",
			"Error 1305 (42000): FUNCTION NOSUCH does not exist, at line 2, column 17\nFROM book WHERE NOSUCH(id)\n                ^",
			nearlyfree.ErrNotSupported},
		{"SELECT FROM book",
			"Error 1064 (42000): syntax error at line 1, column 8 near \"FROM\": expected an expression; as a name this word needs backticks\nSELECT FROM book\n       ^",
			nearlyfree.ErrSyntax},
		{"ALTER TABLE book WITH PARENT",
			"Error 1235 (42000): ALTER TABLE … INTERLEAVE IN PARENT and WITH PARENT (only CREATE TABLE has them) are not supported, at line 1, column 18\n" +
				"ALTER TABLE book WITH PARENT\n                 ^",
			nearlyfree.ErrNotSupported},
		{"SELECT x FROM nosuch", "Error 1146 (42S02): Table 'nearlyfree.nosuch' doesn't exist, at line 1, column 15\nSELECT x FROM nosuch\n              ^", nearlyfree.ErrNoTable},
	} {
		_, err := db.Query(c.sql)
		if err == nil || err.Error() != c.want || !errors.Is(err, c.is) {
			t.Errorf("%s\n got %v\nwant %s", c.sql, err, c.want)
		}
	}
}

// Where one statement runs another one, places in an error are places in the text of that one.
func TestErrorPlaceInside(t *testing.T) {
	c, err := nearlyfreetest.Open(t).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const want = "Error 1054 (42S22): Unknown column 'title' in 'field list', at line 2, column 3\n  title FROM book\n  ^"
	for _, s := range []struct{ sql, want string }{
		{sql: `CREATE TABLE book (id INT PRIMARY KEY)`},
		{`PREPARE s FROM 'SELECT id,\n  title FROM book'`, want},
		{`EXECUTE s`, "Error 1243 (HY000): Unknown prepared statement handler (s) given to EXECUTE"},
		{sql: `ALTER TABLE book ADD COLUMN title INT`},
		{sql: `PREPARE s FROM 'SELECT id,\n  title FROM book'`},
		{sql: `EXECUTE s`},
		{sql: `ALTER TABLE book DROP COLUMN title`},
		{`EXECUTE s`, want},
	} {
		_, err := c.ExecContext(t.Context(), s.sql)
		if (err != nil || s.want != "") && (err == nil || err.Error() != s.want) {
			t.Errorf("%s\n got %v\nwant %s", s.sql, err, s.want)
		}
	}
}

// An error of a transaction has that class, whatever its number.
func TestTransactionErrors(t *testing.T) {
	db := nearlyfreetest.Open(t)
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	var e *nearlyfree.Error
	_, err = tx.Exec(`ROLLBACK TO SAVEPOINT here`)
	if !errors.As(err, &e) || e.Number != nearlyfree.CodeNoSuchFunction || e.State != "42000" || e.Message != "SAVEPOINT here does not exist" ||
		!errors.Is(err, nearlyfree.ErrTransaction) || errors.Is(err, nearlyfree.ErrNotSupported) {
		t.Errorf("no savepoint: %v", err)
	}
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.ExecContext(t.Context(), `BEGIN`); err != nil {
		t.Fatal(err)
	}
	_, err = c.BeginTx(t.Context(), nil)
	if !errors.As(err, &e) || e.Number != 0 || e.State != "" || !errors.Is(err, nearlyfree.ErrTransaction) {
		t.Errorf("a second transaction: %v", err)
	}
}

// A COMMIT whose BEGIN was lost, because the pool was given both, says so rather than nothing.
func TestBeginWithoutConn(t *testing.T) {
	db := nearlyfreetest.Open(t)
	db.SetMaxOpenConns(1)
	for _, end := range []string{"COMMIT", "ROLLBACK"} {
		for _, sql := range []string{`CREATE TABLE IF NOT EXISTS book (id INT AUTO_INCREMENT PRIMARY KEY)`, `BEGIN`, `INSERT INTO book () VALUES ()`} {
			if _, err := db.Exec(sql); err != nil {
				t.Fatal(err)
			}
		}
		_, err := db.Exec(end)
		if !errors.Is(err, nearlyfree.ErrTransaction) || !strings.Contains(err.Error(), "sql.Conn") {
			t.Errorf("%s after a BEGIN that was lost: %v", end, err)
		}
		if _, err := db.Exec(end); err != nil {
			t.Errorf("the next %s: %v", end, err)
		}
	}
	for _, sql := range []string{`SET autocommit = 0; INSERT INTO book () VALUES ()`, `INSERT INTO book () VALUES ()`} {
		if _, err := db.Exec(sql); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Exec("COMMIT"); !errors.Is(err, nearlyfree.ErrTransaction) || !strings.Contains(err.Error(), "that SET autocommit = 0 began") {
		t.Errorf("COMMIT of a transaction that no BEGIN began: %v", err)
	}
	if _, err := db.Exec(`BEGIN; INSERT INTO book () VALUES (); COMMIT`); err != nil {
		t.Errorf("a transaction in one text: %v", err)
	}
}

// A server that never answers is out of reach, and no deadline of the caller's has ended.
func TestServerThatNeverAnswers(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	connector, err := nearlyfree.NewConnector(&nearlyfree.Config{
		Store: "http://" + silent.Addr().String() + "/devstoreaccount1",
		Retry: nearlyfree.RetryOptions{MaxTries: 2, FirstDelay: time.Millisecond, TryTimeout: 20 * time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	_, err = db.Query("SELECT * FROM t")
	var e *nearlyfree.Error
	if !errors.As(err, &e) || !errors.Is(err, nearlyfree.ErrUnreachable) || !e.Retryable || !strings.Contains(e.Message, "tried 2 times") {
		t.Errorf("the error is %v", err)
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		t.Errorf("%v is taken for the caller's deadline", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := db.QueryContext(ctx, "SELECT * FROM t"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("at the caller's deadline the error is %v", err)
	}
}
