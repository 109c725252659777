package tests

import (
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// eachWrite is at how many of the writes another change comes between: at every third, or with 1 at all of them.
var eachWrite = flag.Int("each-write", testrun.Of(6, 9), "at which of its writes TestChangeDied has another change come behind the interruption")

// TestChangeDied ends the process that changes a definition before each of its writes, and after each whose answer it
// does not get, while another one writes between all of them. That one sees no wrong row at any time. Then it sends the same
// statement, or another change before that, and the table is what both lead to. All is in virtual time.
func TestChangeDied(t *testing.T) {
	t.Parallel()
	for n, change := range []string{
		"CREATE INDEX made ON %s (v)",
		"CREATE UNIQUE INDEX made ON %s (v)",
		"ALTER TABLE %s ADD INDEX made (v DESC, w) COPY KEYS",
		"ALTER TABLE %s DROP INDEX old, ADD UNIQUE made (v) GLOBAL",
		"DROP INDEX kept ON %s",
		"ALTER TABLE %s ADD PRIMARY KEY (v)",
		"ALTER TABLE %s DROP PRIMARY KEY, ADD PRIMARY KEY (v, id)",
		"ALTER TABLE %s MODIFY COLUMN v BIGINT",
		"ALTER TABLE %s MODIFY COLUMN v VARCHAR(20)",
		"ALTER TABLE %s MODIFY COLUMN w VARCHAR(20) COLLATE nocase",
		"ALTER TABLE %s MODIFY COLUMN v INT NOT NULL",
		"ALTER TABLE %s ADD COLUMN x INT NOT NULL DEFAULT 7",
		"ALTER TABLE %s ADD COLUMN x CHAR(36) NOT NULL DEFAULT (UUID())",
		"ALTER TABLE %s ADD COLUMN x INT AS (v + 1) STORED NOT NULL",
		"ALTER TABLE %s ADD COLUMN x CHAR(36) NOT NULL DEFAULT (UUID()) UNIQUE",
		"ALTER TABLE %s ADD CONSTRAINT more CHECK (v > 0)",
		"ALTER TABLE %s CHANGE COLUMN w x VARCHAR(10)",
		"ALTER TABLE %s DROP COLUMN w",
		"ALTER TABLE %s ADD COLUMN x INT NOT NULL DEFAULT 7, DROP INDEX kept, ADD INDEX made (v), MODIFY COLUMN w VARCHAR(20) COLLATE nocase",
		"ALTER TABLE %s ADD COLUMN x CHAR(36) NOT NULL DEFAULT (UUID()), ADD UNIQUE made (v), ADD CHECK (v > 0), DROP COLUMN w",
		"ALTER TABLE %s DROP INDEX kept, ADD INDEX kept (v), RENAME COLUMN w TO x",
		"RENAME TABLE %s TO u",
		"TRUNCATE TABLE %s",
		"DROP TABLE %s",
	} {
		t.Run(strings.ReplaceAll(change, "%s", "t"), func(t *testing.T) {
			t.Parallel()
			points, step := 0, 1
			if testing.Short() { // with the race detector, whose findings do not hang on the place
				step = 3
			}
			for _, lost := range testrun.Of([]bool{false, true}, []bool{n%2 == 0}) {
				run := func(n int, between string) (died bool) {
					synctest.Test(t, func(t *testing.T) {
						i := &interruption{shop: newShop(t), change: change, between: between, n: n, lost: lost, rows: map[int]int{}}
						died = i.run()
					})
					points++
					return died
				}
				last := 1
				for run(last, "") && !t.Failed() {
					last += step
				}
				for i, between := range []string{"ALTER TABLE %s ADD COLUMN y INT", "CREATE INDEX beside ON %s (w)"} {
					for n := 1 + i; n <= last && !t.Failed(); n += *eachWrite {
						run(n, between)
					}
				}
			}
			t.Log(points, "interruptions")
		})
	}
}

// interruption is one run of TestChangeDied.
type interruption struct {
	*shop
	change, between string
	n               int  // the write at which the process dies
	lost            bool // it reaches the store
	other           *shopper
	maker           *sql.DB
	name            string
	rows            map[int]int // the values of v by id
	next            int         // of v
	emptied         bool        // a statement empties the table, and has begun
}

func (i *interruption) run() (died bool) {
	i.other = i.enter(false)
	i.name = "t"
	create := "CREATE TABLE t (id INT PRIMARY KEY, v INT, w VARCHAR(10), KEY kept (w))"
	if strings.Contains(i.change, "GLOBAL") {
		create = strings.TrimSuffix(create, ")") + ", UNIQUE KEY old (v) GLOBAL) PARTITION BY HASH (id) PARTITIONS 2"
	}
	if strings.Contains(i.change, "PRIMARY KEY") {
		create = strings.ReplaceAll(create, " PRIMARY KEY", "")
	}
	mustExec(i.T, i.other.DB, create)
	if strings.Contains(i.change, "DROP PRIMARY KEY") {
		mustExec(i.T, i.other.DB, "ALTER TABLE t ADD PRIMARY KEY (id)")
	}
	for range 6 {
		i.write()
	}
	written, own := 0, false
	i.maker = i.connectBy(1, func(r *http.Request) azuretest.Fault {
		if !ofStatement(r) {
			return azuretest.Fault{Refuse: died}
		}
		if died {
			return azuretest.Fault{Refuse: true}
		}
		if !own {
			own = true
			i.write()
			if written+1 == i.n { // before earlier writes, runs that died there have looked
				i.look("meanwhile")
			}
			own = false
		}
		written++
		died = written == i.n
		return azuretest.Fault{Refuse: died && !i.lost, LoseAnswer: died && i.lost}
	})
	i.emptied = strings.HasPrefix(i.change, "TRUNCATE") || strings.HasPrefix(i.change, "DROP TABLE")
	_, err := i.maker.Exec(fmt.Sprintf(i.change, "t"))
	if !died && err != nil {
		i.Errorf("without an interruption: %v", err)
	}
	i.find()
	i.write()
	i.look("when it has died")
	if i.between != "" {
		i.again(i.between)
		i.write()
		i.look("behind another change")
	}
	if !i.emptied {
		i.again(i.change)
		i.find()
		i.write()
		i.look("when it was sent again")
		i.check()
	}
	return died
}

func (i *interruption) fail(format string, args ...any) {
	i.Helper()
	i.Errorf("%s, died at write %d (its answer lost: %v), then %q: %s", i.change, i.n, i.lost, i.between, fmt.Sprintf(format, args...))
}

// find looks for the name that the table has now; "" where it is dropped.
func (i *interruption) find() {
	var name string
	if err := i.other.QueryRow("SHOW TABLES").Scan(&name); err != nil && !strings.HasPrefix(i.change, "DROP TABLE") {
		i.fail("%v", err)
	}
	i.name = name
}

// write has the other process insert, update and delete a row.
func (i *interruption) write() {
	if i.name == "" {
		return
	}
	i.next++
	id, v := i.next%7, 1000-i.next
	var text string
	var args []any
	old, there := i.rows[id]
	switch {
	case there && i.next%5 == 0:
		text, args = "DELETE FROM %s WHERE id = ?", []any{id}
	case there:
		text, args = "UPDATE %s SET v = ? WHERE id = ?", []any{v, id}
	default:
		text, args = "INSERT INTO %s (id, v) VALUES (?, ?)", []any{id, v}
	}
	result, err := i.other.Exec(fmt.Sprintf(text, i.name), args...)
	switch {
	case i.emptied && (errors.Is(err, nearlyfree.ErrNoTable) || errors.Is(err, nearlyfree.ErrDuplicateKey)), errors.Is(err, nearlyfree.ErrNoTable) && strings.HasPrefix(i.change, "RENAME"):
		i.find()
		return
	case err != nil:
		i.fail("%s %v: %v", text, args, err)
		return
	}
	if n, _ := result.RowsAffected(); n != 1 && !i.emptied {
		i.fail("%s %v: %d rows, v was %d", text, args, n, old)
	}
	if args[len(args)-1] == id && len(args) == 1 {
		delete(i.rows, id)
	} else {
		i.rows[id] = v
	}
}

// look has the other process read all rows by each path.
func (i *interruption) look(when string) {
	if i.emptied || i.name == "" {
		return
	}
	queries := []string{"SELECT id, v FROM %s", "SELECT id, v FROM %s WHERE v > '0' ORDER BY v DESC", "SELECT id, v FROM %s WHERE id BETWEEN 0 AND 9"}
	for _, index := range i.indexes() {
		queries = append(queries, "SELECT id, v FROM %s FORCE INDEX ("+index+") WHERE v > '0' ORDER BY id")
	}
	for _, query := range queries {
		rows, err := i.other.Query(fmt.Sprintf(query, i.name))
		if err != nil {
			if !errors.Is(err, nearlyfree.ErrNoTable) {
				i.fail("%s: %s: %v", when, query, err)
			}
			continue
		}
		got := map[int]int{}
		for rows.Next() {
			var id, v int
			if err := rows.Scan(&id, &v); err != nil {
				i.fail("%s: %s: %v", when, query, err)
			}
			if _, twice := got[id]; twice {
				i.fail("%s: %s: row %d twice", when, query, id)
			}
			got[id] = v
		}
		if err := rows.Err(); err != nil {
			i.fail("%s: %s: %v", when, query, err)
		}
		if !maps.Equal(got, i.rows) {
			i.fail("%s: %s: %v, want %v", when, query, got, i.rows)
		}
	}
}

// indexes are those that can be read.
func (i *interruption) indexes() []string {
	rows, err := i.other.Query("SELECT DISTINCT INDEX_NAME FROM information_schema.STATISTICS WHERE table_schema = DATABASE() AND TABLE_NAME = ? AND COMMENT = ''", i.name)
	if err != nil {
		i.fail("%v", err)
		return nil
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			i.fail("%v", err)
		}
		names = append(names, name)
	}
	return names
}

// again has the other process run a change, which may be made already.
func (i *interruption) again(change string) {
	if i.name == "" {
		return
	}
	made := []uint16{nearlyfree.CodeMultiplePrimaryKey, nearlyfree.CodeDuplicateKeyName, nearlyfree.CodeDuplicateColumn, nearlyfree.CodeCantDropField, nearlyfree.CodeTableExists, nearlyfree.CodeUnknownColumn, nearlyfree.CodeDuplicateCheck, nearlyfree.CodeKeyColumnMissing}
	_, err := i.other.Exec(fmt.Sprintf(change, i.name))
	var e *nearlyfree.Error
	if err != nil && !(errors.As(err, &e) && slices.Contains(made, e.Number)) {
		i.fail("%s: %v", change, err)
	}
}

// check makes sure that nothing is left half made.
func (i *interruption) check() {
	rows, err := i.other.Query("CHECK TABLE " + i.name)
	if err != nil {
		i.fail("%v", err)
		return
	}
	defer rows.Close()
	for rows.Next() {
		var table, op, kind, text string
		if err := rows.Scan(&table, &op, &kind, &text); err != nil || kind != "status" {
			i.fail("CHECK TABLE: %s %s %v", kind, text, err)
		}
	}
	if n := count(i.T, i.other.DB, "SELECT COUNT(*) FROM information_schema.STATISTICS WHERE table_schema = DATABASE() AND COMMENT <> ''"); n != 0 {
		i.fail("%d indexes are not made", n)
	}
	if n := count(i.T, i.other.DB, "SELECT COUNT(*) FROM information_schema.STATISTICS WHERE table_schema = DATABASE() AND INDEX_NAME = 'PRIMARY'"); n == 0 {
		i.fail("there is no primary key")
	}
	if strings.Contains(i.change, "COLUMN x") {
		if n := count(i.T, i.other.DB, "SELECT COUNT(*) FROM "+i.name+" WHERE x IS NULL"); n != 0 {
			i.fail("%d rows have no x", n)
		}
	}
}
