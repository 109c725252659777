package tests

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// TestEntwined: the statements of several transactions of all levels follow each other in an order made by chance. Whatever commits, each
// row has its index entries and no entry is without its row, and foreign keys hold. It runs in one goroutine, so a seed fails again.
func TestEntwined(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		if s.dear || s.name == "file" {
			continue
		}
		for seed := range s.few(300) {
			t.Run(fmt.Sprint(s.name, " ", seed), func(t *testing.T) {
				config := s.config(t)
				e := &entwined{t: t, db: nearlyfreetest.OpenConfig(t, config), rnd: rand.New(rand.NewPCG(uint64(seed), 17)), named: strings.NewReplacer().Replace}
				switch seed % 4 {
				case 1:
					e.inDatabases(config)
				case 2:
					e.divided = true
				}
				e.run()
			})
		}
	}
}

type entwined struct {
	t   *testing.T
	db  *sql.DB
	rnd *rand.Rand
	log []string

	named   func(string) string // puts the tables' names into a statement
	divided bool                // the tables have partitions, and rows refer to ids
}

// inDatabases puts each table into a database of its own.
func (e *entwined) inDatabases(config *nearlyfree.Config) {
	in := namedBy(config)
	for _, name := range []string{"@b", "@a"} {
		mustExec(e.t, e.db, in("CREATE DATABASE "+name))
		e.t.Cleanup(func() { mustExec(e.t, e.db, in("DROP DATABASE "+name)) })
	}
	e.named = strings.NewReplacer("parent", in("@b.parent"), "child", in("@a.child")).Replace
}

func (e *entwined) run() {
	action := []string{"RESTRICT", "CASCADE", "SET NULL"}[e.rnd.IntN(3)]
	global := []string{"", " GLOBAL"}[e.rnd.IntN(2)]
	copies := []string{"", "", " COPY KEYS"}
	key, by, to := "UNIQUE KEY u (u)", "", "u"
	if e.divided {
		key, by, to, global = "KEY u (u)", " PARTITION BY RANGE (id) (PARTITION a VALUES LESS THAN (2), PARTITION b VALUES LESS THAN MAXVALUE)", "id", ""
	}
	runAll(e.t, e.db,
		e.named("CREATE TABLE parent (id INT PRIMARY KEY, u INT, v INT, "+key+global+copies[e.rnd.IntN(3)]+", KEY v (v)"+copies[e.rnd.IntN(3)]+")"+by),
		e.named("CREATE TABLE child (id INT PRIMARY KEY, p INT, n INT, KEY n (n), FOREIGN KEY (p) REFERENCES parent ("+to+") ON DELETE "+action+" ON UPDATE "+action+")"+by))
	ctx, cancel := context.WithTimeout(e.t.Context(), time.Minute)
	defer cancel()
	levels := []sql.IsolationLevel{sql.LevelDefault, sql.LevelReadUncommitted, sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSnapshot, sql.LevelSerializable}
	var open [3]*sql.Tx
	for range 40 {
		i := e.rnd.IntN(4)
		if i == len(open) {
			statement := e.statement()
			_, err := e.db.ExecContext(ctx, statement)
			e.note(fmt.Sprint("alone: ", statement), err)
			continue
		}
		switch e.rnd.IntN(8) {
		case 1:
			if open[i] == nil {
				continue
			}
			statement := []string{"SAVEPOINT here", "ROLLBACK TO here"}[e.rnd.IntN(2)]
			_, err := open[i].ExecContext(ctx, statement)
			if numberOf(err) == nearlyfree.CodeNoSuchFunction {
				err = nil
			}
			e.note(fmt.Sprint(i, ": ", statement), err)
		case 0:
			if open[i] == nil {
				continue
			}
			e.note(fmt.Sprint(i, ": COMMIT"), open[i].Commit())
			open[i] = nil
			e.check()
		default:
			if open[i] == nil {
				level := levels[e.rnd.IntN(len(levels))]
				tx, err := e.db.BeginTx(ctx, &sql.TxOptions{Isolation: level})
				if err != nil {
					e.t.Fatal(err)
				}
				defer tx.Rollback()
				open[i], e.log = tx, append(e.log, fmt.Sprint(i, ": BEGIN ", level))
			}
			statement := e.statement()
			_, err := open[i].ExecContext(ctx, statement)
			e.note(fmt.Sprint(i, ": ", statement), err)
		}
		if e.t.Failed() {
			break
		}
	}
	e.check()
}

// note writes down what was done. An error that nobody expects is a failure.
func (e *entwined) note(what string, err error) {
	e.log = append(e.log, fmt.Sprintf("%s -- %v", what, err))
	if err != nil && !isExpected(err) {
		e.fail(err)
	}
}

func (e *entwined) fail(what any) {
	e.t.Helper()
	e.t.Fatalf("%v after\n%s", what, strings.Join(e.log, "\n"))
}

func (e *entwined) statement() string {
	n := func() int { return e.rnd.IntN(4) }
	all := []string{
		fmt.Sprintf("INSERT INTO parent VALUES (%d, %d, %d)", n(), n(), n()),
		fmt.Sprintf("INSERT IGNORE INTO parent VALUES (%d, %d, %d), (%d, %d, %d)", n(), n(), n(), n(), n(), n()),
		fmt.Sprintf("INSERT INTO parent VALUES (%d, %d, %d) ON DUPLICATE KEY UPDATE v = v + 1, u = %d", n(), n(), n(), n()),
		fmt.Sprintf("REPLACE INTO parent VALUES (%d, %d, %d)", n(), n(), n()),
		fmt.Sprintf("UPDATE parent SET u = %d WHERE id = %d", n(), n()),
		fmt.Sprintf("UPDATE parent SET v = %d WHERE u = %d", n(), n()),
		fmt.Sprintf("UPDATE parent SET id = %d WHERE u = %d", n(), n()),
		fmt.Sprintf("UPDATE parent SET u = u + 1 WHERE v = %d ORDER BY u DESC", n()),
		fmt.Sprintf("UPDATE parent SET u = NULL WHERE v = %d", n()),
		fmt.Sprintf("DELETE FROM parent WHERE id = %d", n()),
		fmt.Sprintf("DELETE FROM parent WHERE u = %d", n()),
		fmt.Sprintf("DELETE FROM parent WHERE v = %d", n()),
		fmt.Sprintf("INSERT INTO child VALUES (%d, %d, %d)", n(), n(), n()),
		fmt.Sprintf("REPLACE INTO child VALUES (%d, %d, %d)", n(), n(), n()),
		fmt.Sprintf("UPDATE child SET p = %d WHERE id = %d", n(), n()),
		fmt.Sprintf("UPDATE child SET n = n + 1 WHERE p = %d", n()),
		fmt.Sprintf("DELETE FROM child WHERE n = %d", n()),
		fmt.Sprintf("DELETE FROM child WHERE id = %d", n()),
	}
	return e.named(all[e.rnd.IntN(len(all))])
}

// check looks whether all fits together.
func (e *entwined) check() {
	e.t.Helper()
	rows, err := e.db.Query(e.named("CHECK TABLE parent, child"))
	if err != nil {
		e.fail(err)
	}
	defer rows.Close()
	if lines, err := table(rows); err != nil || len(lines) != 3 {
		e.fail(fmt.Sprint(lines, err))
	}
	var orphans int
	to := "u"
	if e.divided {
		to = "id"
	}
	if err := e.db.QueryRow(e.named("SELECT COUNT(*) FROM child WHERE p IS NOT NULL AND p NOT IN (SELECT " + to + " FROM parent WHERE " + to + " IS NOT NULL)")).Scan(&orphans); err != nil || orphans > 0 {
		e.fail(fmt.Sprint(orphans, " children without a parent ", err))
	}
}
