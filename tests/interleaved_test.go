package tests

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestNoOrphans deletes parents while others put children into them, with and without transactions: whatever
// comes first, there is never a child without a parent, and no index entry without its row.
func TestNoOrphans(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		for _, onDelete := range []string{"CASCADE", "RESTRICT"} {
			t.Run(s.name+"/"+onDelete, func(t *testing.T) {
				db := open(t, s)
				exec(t, db, "CREATE TABLE expense (id INT PRIMARY KEY, who VARCHAR(20), KEY (who))")
				exec(t, db, `CREATE TABLE item (expense INT, n INT AUTO_INCREMENT, what VARCHAR(20), PRIMARY KEY (expense, n), KEY (what),
					FOREIGN KEY (expense) REFERENCES expense (id) ON DELETE `+onDelete+`) INTERLEAVE IN PARENT expense`)
				c := &contest{T: t, db: db}
				c.run()
				if n := count(t, db, "SELECT COUNT(*) FROM item i LEFT JOIN expense e ON e.id = i.expense WHERE e.id IS NULL"); n != 0 {
					t.Errorf("%d items without an expense", n)
				}
				if n := count(t, db, "SELECT COUNT(*) FROM item"); n != c.inserted-c.removed && onDelete == "RESTRICT" {
					t.Errorf("%d items, and %d were inserted, %d deleted", n, c.inserted, c.removed)
				}
				rows, err := db.Query("CHECK TABLE expense, item")
				if err != nil {
					t.Fatal(err)
				}
				lines, err := table(rows)
				if err != nil || len(lines) != 3 {
					t.Errorf("CHECK TABLE: %q, %v", lines, err)
				}
				if !c.met() {
					t.Errorf("%d inserted, %d without a parent, %d parents deleted: the writers never met", c.inserted, c.missing, c.deleted)
				}
			})
		}
	}
}

// contest is writers of the same few parents.
type contest struct {
	*testing.T
	db *sql.DB

	mu                                  sync.Mutex
	inserted, removed, missing, deleted int
}

const parents = 3

// run lets the writers meet in 25 rounds, and in more where the machine has kept them apart.
func (c *contest) run() {
	for round := uint64(0); round < 25 || round < 1000 && !c.met(); round++ {
		for id := range parents {
			c.allowed(c.try(c.db, "INSERT IGNORE INTO expense VALUES (?, 'Ann')", id))
		}
		var wg sync.WaitGroup
		rnd := rand.New(rand.NewPCG(round, 1))
		for _, w := range rnd.Perm(6) {
			ids := rnd.Perm(parents)
			wg.Go(func() {
				for _, id := range ids {
					switch w {
					case 0, 1:
						c.insert(c.db, id)
					case 2:
						c.transact(id)
					default:
						c.delete(id, w == 3)
					}
				}
			})
		}
		wg.Wait()
	}
}

// met says that each kind of writer came first at times.
func (c *contest) met() bool { return c.missing > 0 && c.inserted > 0 && c.deleted > 0 }

type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func (c *contest) try(db execer, query string, args ...any) error {
	_, err := db.ExecContext(c.Context(), query, args...)
	return err
}

// allowed fails the test for an error that none of these statements may give.
func (c *contest) allowed(err error) bool {
	var e *nearlyfree.Error
	if err != nil && (!errors.As(err, &e) || !errors.Is(err, nearlyfree.ErrForeignKey) && !e.Retryable) {
		c.Error(err)
	}
	return err == nil
}

func (c *contest) add(n *int, by int) {
	c.mu.Lock()
	*n += by
	c.mu.Unlock()
}

func (c *contest) insert(db execer, id int) {
	err := c.try(db, "INSERT INTO item (expense, what) VALUES (?, 'a'), (?, 'b')", id, id)
	switch {
	case c.allowed(err):
		c.add(&c.inserted, 2)
	case errors.Is(err, nearlyfree.ErrForeignKey):
		c.add(&c.missing, 1)
	}
}

// transact inserts an item and deletes the parent with it, or leaves it.
func (c *contest) transact(id int) {
	tx, err := c.db.BeginTx(c.Context(), nil)
	if err != nil {
		c.Error(err)
		return
	}
	defer tx.Rollback()
	if !c.allowed(c.try(tx, "INSERT INTO item (expense, what) VALUES (?, 'c')", id)) {
		return
	}
	if id == 0 {
		c.allowed(c.try(tx, "DELETE FROM item WHERE expense = 0 AND what = 'c'")) // its own
		c.allowed(c.try(tx, "DELETE FROM expense WHERE id = 0"))
		c.allowed(tx.Commit())
		return
	}
	if c.allowed(tx.Commit()) {
		c.add(&c.inserted, 1)
	}
}

func (c *contest) delete(id int, items bool) {
	if items {
		r, err := c.db.ExecContext(c.Context(), "DELETE FROM item WHERE expense = ?", id)
		if c.allowed(err) {
			n, _ := r.RowsAffected()
			c.add(&c.removed, int(n))
		}
	}
	r, err := c.db.ExecContext(c.Context(), "DELETE FROM expense WHERE id = ?", id)
	if c.allowed(err) {
		n, _ := r.RowsAffected()
		c.add(&c.deleted, int(n))
	}
}

func open(t *testing.T, s store) *sql.DB {
	t.Helper()
	connector, err := nearlyfree.NewConnector(s.config(t))
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}

func exec(t *testing.T, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func count(t *testing.T, db *sql.DB, query string) (n int) {
	t.Helper()
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}
