package tests

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"
	"testing"
)

// TestSkipLocked: the rows that one transaction has, another one passes over, or is told of.
func TestSkipLocked(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, "CREATE TABLE job (id INT PRIMARY KEY, state VARCHAR(10), owner INT, KEY (state))", "CREATE TABLE owner (id INT PRIMARY KEY, name VARCHAR(10))",
			"INSERT INTO job VALUES (1, 'new', 1), (2, 'new', 1), (3, 'done', 1), (4, 'new', 1)", "INSERT INTO owner VALUES (1, 'ann')")
		begin := func() *sql.Tx {
			tx, err := db.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { tx.Rollback() })
			return tx
		}
		holds := func(tx *sql.Tx, query string, want ...int) {
			t.Helper()
			ids, err := idsOf(t.Context(), tx, query)
			if err != nil || !slices.Equal(ids, want) {
				t.Errorf("%s: %v %v, want %v", query, ids, err, want)
			}
		}
		a, b, c := begin(), begin(), begin()
		holds(a, "SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED", 1)
		holds(a, "SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED", 1) // its own
		holds(b, "SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED", 2)
		holds(c, "SELECT j.id FROM job j JOIN owner o ON o.id = j.owner WHERE j.state = 'new' FOR UPDATE OF j SKIP LOCKED", 4)
		holds(c, "SELECT id FROM owner FOR UPDATE NOWAIT", 1) // nobody has it: it was read, not of the tables named
		if _, err := idsOf(t.Context(), b, "SELECT id FROM job WHERE state = 'new' FOR UPDATE NOWAIT"); numberOf(err) != 3572 {
			t.Errorf("NOWAIT: %v", err)
		}
		holds(b, "SELECT id FROM owner FOR SHARE SKIP LOCKED")
		runAll(t, a, "UPDATE job SET state = 'done' WHERE id = 1")
		if err := a.Commit(); err != nil {
			t.Error(err)
		}
		runAll(t, b, "DELETE FROM job WHERE id = 2")
		if err := errors.Join(b.Commit(), c.Rollback()); err != nil {
			t.Error(err)
		}
		holds(begin(), "SELECT id FROM job WHERE state = 'new' FOR UPDATE SKIP LOCKED", 4)
	})
}

func idsOf(ctx context.Context, tx rowsQueryer, query string) (ids []int, err error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// TestQueue: many workers that take jobs of a table at a time do each job once, and none of their commits fails.
func TestQueue(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, db *sql.DB) {
		const workers, jobs = 4, 24
		runAll(t, db, "CREATE TABLE job (id INT PRIMARY KEY AUTO_INCREMENT, state VARCHAR(10) NOT NULL, KEY (state))")
		for range jobs {
			runAll(t, db, "INSERT INTO job (state) VALUES ('new')")
		}
		var mu sync.Mutex
		done := map[int]int{}
		together(workers, func(int) {
			for {
				tx, err := db.BeginTx(t.Context(), nil)
				if err != nil {
					t.Error(err)
					return
				}
				ids, err := idsOf(t.Context(), tx, "SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED")
				if err != nil || len(ids) == 0 {
					if tx.Rollback(); err != nil {
						t.Error(err)
					}
					mu.Lock()
					n := len(done)
					mu.Unlock()
					if n == jobs || err != nil || t.Failed() {
						return
					}
					continue
				}
				mu.Lock()
				done[ids[0]]++
				mu.Unlock()
				if _, err := tx.ExecContext(t.Context(), "UPDATE job SET state = 'done' WHERE id = ?", ids[0]); err != nil {
					t.Error(err)
				}
				if err := tx.Commit(); err != nil {
					t.Errorf("job %d: %v", ids[0], err)
					return
				}
			}
		})
		for id, times := range done {
			if times != 1 {
				t.Errorf("job %d was done %d times", id, times)
			}
		}
	})
}
