package tests

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
)

// silence makes a service accept some requests and never answer them.
type silence struct {
	about atomic.Pointer[func(r *http.Request) bool] // nil: all are answered
	begun chan struct{}                              // has an element when a request waits
}

func (s *silence) fault(_ int, r *http.Request) azuretest.Fault {
	if about := s.about.Load(); about != nil && (*about)(r) {
		select {
		case s.begun <- struct{}{}:
		default:
		}
		return azuretest.Fault{Delay: time.Hour}
	}
	return azuretest.Fault{}
}

// fall begins it for some requests.
func (s *silence) fall(about func(r *http.Request) bool) { s.about.Store(&about) }

func silentService(t *testing.T) (*sql.DB, *silence) {
	t.Helper()
	config, s := overService(0, false), &silence{begun: make(chan struct{}, 1)}
	config.SchemaLease = time.Nanosecond
	config.Transport.(*azuretest.Transport).SetFault(s.fault)
	connector, err := nearlyfree.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() {
		s.about.Store(nil)
		db.Close()
	})
	return db, s
}

// TestDeadlineBehindAnother: a statement ends by its own deadline while another one, without any, waits for a request that
// both need.
func TestDeadlineBehindAnother(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct{ key, statement string }{
		"the version of the definitions": {"RowKey='catalog'", "SELECT n FROM t"},
		"a block of values":              {"sequence!", "INSERT INTO t (n) VALUES (1)"},
		"a table without a definition":   {"/Others(", "SELECT * FROM Others"},
	} {
		t.Run(what, func(t *testing.T) {
			db, silent := silentService(t)
			for _, statement := range []string{"CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, n INT)", "SELECT n FROM t"} {
				if _, err := db.Exec(statement); err != nil {
					t.Fatal(err)
				}
			}
			silent.fall(func(r *http.Request) bool { return strings.Contains(r.URL.Path, c.key) })
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			other := make(chan error, 1)
			go func() {
				_, err := db.ExecContext(ctx, c.statement)
				other <- err
			}()
			select {
			case <-silent.begun:
			case err := <-other:
				t.Fatalf("%s sent no such request: %v", c.statement, err)
			}
			if !inTime(t, db, 300*time.Millisecond, c.statement) {
				t.Errorf("%s did not need the request", c.statement)
			}
			cancel()
			if err := <-other; !errors.Is(err, context.Canceled) {
				t.Errorf("the other statement: %v", err)
			}
		})
	}
}

// TestDeadlineOfCommit: Commit goes by the context of BeginTx.
func TestDeadlineOfCommit(t *testing.T) {
	t.Parallel()
	db, silent := silentService(t)
	if _, err := db.Exec("CREATE TABLE t (id INT PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	silent.fall(func(*http.Request) bool { return true })
	done := make(chan error, 1)
	go func() { done <- tx.Commit() }()
	select {
	case err := <-done:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	case <-time.After(time.Second + overdue):
		t.Errorf("Commit has not returned %v after its deadline", overdue)
	}
}

// TestDeadlineOfFilling: a CREATE TABLE … AS whose rows cannot be written does not wait until the table can be dropped.
func TestDeadlineOfFilling(t *testing.T) {
	t.Parallel()
	db, silent := silentService(t)
	for _, statement := range []string{"CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)"} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	var dead atomic.Bool
	silent.fall(func(r *http.Request) bool {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/Z8t()") {
			dead.Store(true)
		}
		return dead.Load()
	})
	if !inTime(t, db, time.Second, "CREATE TABLE c AS SELECT id FROM t") {
		t.Error("the rows were read before")
	}
}

// TestDeadlinesOfStatements: each kind of statement ends by its deadline in front of a service that answers nothing any more.
func TestDeadlinesOfStatements(t *testing.T) {
	t.Parallel()
	db, silent := silentService(t)
	for _, statement := range []string{"CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, n INT)", "INSERT INTO t (n) VALUES (1), (2)"} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	held, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := held.ExecContext(t.Context(), "DO GET_LOCK('held', 0)"); err != nil {
		t.Fatal(err)
	}
	silent.fall(func(*http.Request) bool { return true })
	const deadline = 50 * time.Millisecond
	for _, statement := range []string{
		"SELECT n FROM t", "SELECT * FROM t WHERE id IN (SELECT n FROM t)", "SELECT 1", "SELECT * FROM Others", "SELECT * FROM information_schema.tables",
		"INSERT INTO t (n) VALUES (1)", "INSERT INTO t (n) SELECT n FROM t", "REPLACE INTO t VALUES (1, 1)", "UPDATE t SET n = 3", "DELETE FROM t",
		"CREATE TABLE c (id INT PRIMARY KEY)", "CREATE TABLE c AS SELECT n FROM t", "CREATE INDEX byN ON t (n)", "DROP INDEX byN ON t",
		"ALTER TABLE t ADD COLUMN b INT NOT NULL DEFAULT 3", "ALTER TABLE t MODIFY n BIGINT", "RENAME TABLE t TO v", "TRUNCATE TABLE t", "DROP TABLE t",
		"CHECK TABLE t", "REPAIR TABLE t", "OPTIMIZE TABLE t", "SHOW TABLES", "SHOW CREATE TABLE t", "DESCRIBE t", "EXPLAIN SELECT n FROM t",
		"DO GET_LOCK('other', 10)", "DO IS_USED_LOCK('held')",
	} {
		inTime(t, db, deadline, statement)
	}
	for what, f := range map[string]func(ctx context.Context) error{
		"Ping": db.PingContext,
		"Prepare": func(ctx context.Context) error {
			_, err := db.PrepareContext(ctx, "SELECT n FROM t")
			return err
		},
		"BeginTx": func(ctx context.Context) error {
			tx, err := db.BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			if _, err = tx.ExecContext(ctx, "INSERT INTO t VALUES (8, 8)"); err == nil {
				err = tx.Commit()
			}
			return err
		},
		"the next statement of a connection that holds a lock": func(ctx context.Context) error {
			held.Close()
			_, err := db.ExecContext(ctx, "SELECT n FROM t")
			return err
		},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		begun := time.Now()
		err := f(ctx)
		cancel()
		if late := time.Since(begun) - deadline; late > overdue {
			t.Errorf("%s: returned %v after its deadline", what, late)
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
