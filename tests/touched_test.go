package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// partitionsOf are what statements have said that they read and wrote.
type partitionsOf struct {
	mu            sync.Mutex
	last          []nearlyfree.PartitionUse
	read, written int64 // as Stats has them
}

func (p *partitionsOf) Statement(_ context.Context, s *nearlyfree.Statement) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last, p.read, p.written = s.Partitions(), s.Stats.EntitiesReturned, s.Stats.EntitiesWritten
}

// String is what the last statement said: each store partition with the entities read and written.
func (p *partitionsOf) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	read, written := p.read, p.written
	for _, u := range p.last {
		read, written = read-u.Read, written-u.Written
		all = append(all, fmt.Sprintf("%s %d/%d", u.PartitionKey, u.Read, u.Written))
	}
	if read != 0 || written != 0 {
		all = append(all, fmt.Sprintf("and elsewhere %d/%d", read, written))
	}
	return strings.Join(all, ", ")
}

// runOn runs a statement, and reads its rows.
func runOn(ctx context.Context, conn *sql.Conn, statement string) error {
	rows, err := conn.QueryContext(ctx, statement)
	if err != nil {
		return err
	}
	for rows.Next() {
	}
	return errors.Join(rows.Err(), rows.Close())
}

// TestPartitions: on each store a statement tells which store partitions it has read and written, and how many entities of each; where nobody
// asks, nothing.
func TestPartitions(t *testing.T) {
	t.Parallel()
	for _, store := range []string{"mem://", "file:", "account", "groups"} {
		t.Run(strings.Trim(store, ":/"), func(t *testing.T) {
			t.Parallel()
			said := &partitionsOf{}
			c := &nearlyfree.Config{Store: store, Observer: said, Partitions: true}
			var db *sql.DB
			switch store {
			case "account":
				db = nearlyfreetest.OpenAccountConfig(t, c).DB
			case "groups":
				c.Transactions = nearlyfree.TransactionsGroup
				db = nearlyfreetest.OpenAccountConfig(t, c).DB
			default:
				if store == "file:" {
					c.Store += filepath.Join(t.TempDir(), "x.db")
				}
				db = nearlyfreetest.OpenConfig(t, c)
			}
			conn, err := db.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			exec(t, db, "CREATE TABLE item (tenant VARCHAR(9), id INT, note VARCHAR(20), PRIMARY KEY (tenant, id), KEY (tenant, note)) PARTITION BY KEY (tenant)")
			for _, step := range []struct{ statement, want string }{
				{"INSERT INTO item VALUES ('a', 1, 'x'), ('a', 2, 'y'), ('a', 3, 'z')", "a 0/6"},
				{"INSERT INTO item VALUES ('b', 1, 'x')", "b 0/2"},
				{"SELECT * FROM item WHERE tenant = 'a' AND id = 2", "a 1/0"},
				{"SELECT * FROM item WHERE tenant = 'a' AND id = 9", ""},
				{"SELECT tenant, note FROM item WHERE tenant IN ('a', 'b') AND note >= 'x'", "a 3/0, b 1/0"},
				{"SELECT * FROM item", "a 3/0, b 1/0"},
				{"SELECT 1", ""},
				{"UPDATE item SET note = 'w' WHERE tenant = 'a' AND id = 1", "a 1/3"},
				{"DELETE FROM item WHERE tenant = 'b' AND id = 1", "b 1/2"},
				{"CREATE TEMPORARY TABLE passing (id INT PRIMARY KEY)", ""},
				{"INSERT INTO passing VALUES (1), (2)", ""},
				{"SELECT i.id FROM item i JOIN passing p ON p.id = i.id WHERE i.tenant = 'a' AND i.id = 2", "a 1/0"},
				{"BEGIN", ""},
				{"DELETE FROM item WHERE tenant = 'a' AND id = 2", "a 2/0"},
				{"COMMIT", "a 0/2"},
			} {
				if err := runOn(t.Context(), conn, step.statement); err != nil {
					t.Fatal(step.statement, err)
				}
				if got := said.String(); got != step.want {
					t.Errorf("%s: %q, want %q", step.statement, got, step.want)
				}
			}
		})
	}
	said := &partitionsOf{}
	db := nearlyfreetest.OpenConfig(t, &nearlyfree.Config{Store: "mem://", Observer: said})
	exec(t, db, "CREATE TABLE t (id INT PRIMARY KEY)")
	exec(t, db, "INSERT INTO t VALUES (1)")
	if said.last != nil {
		t.Error("nobody has asked:", said)
	}
}
