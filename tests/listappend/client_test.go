package listappend

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// lists is how many there are: most in a table of several partitions, two in one with an index.
const lists = 6

func tableOf(list int) string {
	if list < 4 {
		return "a"
	}
	return "b"
}

var definitions = []string{
	"CREATE TABLE a (id INT PRIMARY KEY, v TEXT NOT NULL) PARTITION BY HASH (id) PARTITIONS 4",
	"CREATE TABLE b (id INT PRIMARY KEY, g INT NOT NULL, v TEXT NOT NULL, KEY g (g))",
	"INSERT INTO a VALUES (0, ''), (1, ''), (2, ''), (3, '')",
	"INSERT INTO b VALUES (4, 40, ''), (5, 50, '')",
}

// numbersOf reads what a list holds: numbers with commas between, or before each.
func numbersOf(text string) (numbers []int, err error) {
	for _, s := range strings.FieldsFunc(text, func(c rune) bool { return c == ',' }) {
		n, err := strconv.Atoi(s)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// recorder keeps what clients do.
type recorder struct {
	clock  atomic.Int64
	number atomic.Int64

	mu   sync.Mutex
	done []*transaction
}

// client runs transactions one after the other.
type client struct {
	*recorder
	*process
	name  string
	rnd   *rand.Rand
	level func(rnd *rand.Rand) sql.IsolationLevel
}

// session is what runs statements: a transaction, or a database for one statement by itself.
type session interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// run does some transactions, and gives the first error that is none of those that may come.
func (c *client) run(ctx context.Context, transactions int) error {
	for i := range transactions {
		if c.dead.Load() {
			return nil
		}
		c.pause()
		t := &transaction{name: fmt.Sprint(c.name, ".", i)}
		inner, cancel := context.WithCancel(ctx)
		if c.rnd.IntN(16) == 0 {
			cancel()
			inner, cancel = context.WithTimeout(ctx, time.Duration(c.rnd.IntN(60))*time.Millisecond)
		}
		level := c.level(c.rnd)
		t.begin = c.clock.Add(1)
		err := c.transact(inner, t, level)
		t.end = c.clock.Add(1)
		t.outcome, err = c.told(inner, err)
		cancel()
		c.mu.Lock()
		c.done = append(c.done, t)
		c.mu.Unlock()
		if err != nil {
			return fmt.Errorf("%v: %w", t, err)
		}
	}
	return nil
}

// pause lets a client wait for whole milliseconds, so that several go on at one moment of the virtual time.
func (c *client) pause() { time.Sleep(time.Duration(c.rnd.IntN(3)) * time.Millisecond) }

var errRollback = errors.New("rolled back as the client wants it")

// told reads an error of a transaction: what came of it, and the error again where nothing explains it.
func (c *client) told(ctx context.Context, err error) (outcome, error) {
	var e *nearlyfree.Error
	switch errors.As(err, &e); {
	case err == nil:
		return committed, nil
	case e != nil && e.Applied == nearlyfree.AppliedUnknown:
		return unknown, nil
	case errors.Is(err, errRollback), errors.Is(err, nearlyfree.ErrConflict), errors.Is(err, nearlyfree.ErrUnreachable), errors.Is(err, nearlyfree.ErrThrottled), ctx.Err() != nil, c.dead.Load():
		return aborted, nil
	}
	return aborted, err
}

// transact runs a single statement, a transaction that reads, or one of any kind.
func (c *client) transact(ctx context.Context, t *transaction, level sql.IsolationLevel) error {
	kind := c.rnd.IntN(8)
	if kind == 0 { // which reads what is newest
		return c.operate(ctx, c.db, t, c.rnd.IntN(8))
	}
	t.serializable = level == sql.LevelSerializable
	readOnly := kind == 1 && t.serializable
	tx, err := c.db.BeginTx(ctx, &sql.TxOptions{Isolation: level, ReadOnly: readOnly})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for range 1 + c.rnd.IntN(4) {
		op := c.rnd.IntN(10)
		if readOnly {
			op %= readers
		}
		if err := c.operate(ctx, tx, t, op); err != nil {
			return err
		}
		c.pause()
	}
	if c.rnd.IntN(16) == 0 {
		return errors.Join(errRollback, tx.Rollback())
	}
	return tx.Commit()
}

// readers is how many kinds of operations only read: the first ones. The last two are of several statements.
const readers = 4

// operate does an operation of some kind on a list.
func (c *client) operate(ctx context.Context, s session, t *transaction, kind int) error {
	list := c.rnd.IntN(lists)
	table := tableOf(list)
	switch {
	case kind == 0:
		return c.read(ctx, s, t, "SELECT id, v FROM "+table)
	case kind == 1 && table == "b":
		return c.read(ctx, s, t, "SELECT id, v FROM b WHERE g = ?", 10*list)
	case kind == 2:
		return c.read(ctx, s, t, "SELECT id, v FROM a WHERE id IN (?, ?) UNION ALL SELECT id, v FROM b WHERE g > ?", list, (list+1)%4, 10*list)
	case kind < readers:
		return c.read(ctx, s, t, "SELECT id, v FROM "+table+" WHERE id = ?", list)
	}
	write := func(query string, args ...any) error {
		n := int(c.number.Add(1))
		t.operations = append(t.operations, operation{list: list, append: n})
		for i, a := range args {
			if a == nil {
				args[i] = fmt.Sprint(",", n)
			}
		}
		_, err := s.ExecContext(ctx, query, args...)
		return err
	}
	switch kind {
	case 4:
		return write("INSERT INTO "+table+" (id, v"+ofB(table, ", g")+") VALUES (?, 'none'"+ofB(table, ", 0")+") ON DUPLICATE KEY UPDATE v = CONCAT("+table+".v, ?)", list, nil)
	case 5, 6, 7:
		return write("UPDATE "+table+" SET v = CONCAT(v, ?) WHERE id = ?", nil, list)
	}
	// A program that reads a list and writes all of it.
	if err := c.read(ctx, s, t, "SELECT id, v FROM "+table+" WHERE id = ? FOR UPDATE", list); err != nil {
		return err
	}
	var whole strings.Builder
	for _, n := range t.operations[len(t.operations)-1].read {
		fmt.Fprint(&whole, ",", n)
	}
	if kind == 8 {
		return write("UPDATE "+table+" SET v = CONCAT(?, ?) WHERE id = ?", whole.String(), nil, list)
	}
	return write("REPLACE INTO "+table+" (id, v"+ofB(table, ", g")+") VALUES (?, CONCAT(?, ?)"+ofB(table, ", ?")+")", append([]any{list, whole.String(), nil}, []any{10 * list}[:len(ofB(table, "1"))]...)...)
}

// ofB is what is said of the second table only.
func ofB(table, text string) string {
	if table == "b" {
		return text
	}
	return ""
}

// read reads lists.
func (c *client) read(ctx context.Context, s session, t *transaction, query string, args ...any) error {
	rows, err := s.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var o operation
		var text string
		if err := rows.Scan(&o.list, &text); err != nil {
			return err
		}
		if o.read, err = numbersOf(text); err != nil {
			return err
		}
		t.operations = append(t.operations, o)
	}
	return rows.Err()
}
