package definitions

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// definer is a process that changes definitions.
type definer struct {
	*round
	db     *sql.DB
	random *rand.Rand
}

func (r *round) define(db *sql.DB, random *rand.Rand) {
	d := &definer{r, db, random}
	for range *statements {
		if r.failed.Load() {
			return
		}
		d.step()
		time.Sleep(time.Duration(random.Int64N(int64(*lease))))
	}
}

// step runs a statement that changes a definition.
func (d *definer) step() {
	t := d.tables[d.random.IntN(len(d.tables))]
	name, other := t.name(), t.names[0]
	if name == other {
		other = t.names[1]
	}
	index := fmt.Sprint("i", d.random.IntN(2))
	whole := func() []*event { return []*event{t.contents.beginClear(func(string) bool { return true })} }
	reset := func(columns ...string) func() []*event {
		return func() (events []*event) {
			for _, column := range columns {
				events = append(events, t.contents.beginReset(column))
			}
			return events
		}
	}
	form := []string{"INT", "BIGINT", "VARCHAR(20)", "DECIMAL(12,0)"}[d.random.IntN(4)]
	switch n := d.random.IntN(27); {
	case n < 4:
		columns := []string{"(v)", "(w, v)", "(v DESC, w) INCLUDE (x)", "(x, v) COPY KEYS"}[d.random.IntN(4)]
		d.run(nil, "CREATE INDEX %s ON %s %s", index, name, columns)
	case n < 6:
		d.run(nil, "DROP INDEX %s ON %s", index, name)
	case n == 6:
		d.run(reset("x"), "ALTER TABLE %s ADD COLUMN x INT NOT NULL DEFAULT 5", name)
	case n == 7:
		d.run(reset("x"), "ALTER TABLE %s DROP COLUMN x", name)
	case n == 8 || n == 9:
		d.run(reset("y"), "ALTER TABLE %s ADD COLUMN y INT", name)
	case n == 10:
		d.run(reset("y"), "ALTER TABLE %s DROP COLUMN y", name)
	case n == 11 || n == 12:
		d.run(nil, "ALTER TABLE %s MODIFY COLUMN v %s NOT NULL", name, form)
	case n < 15:
		defer t.gate.share()()
		if d.run(nil, "RENAME TABLE %s TO %s", name, other) == done {
			t.second.Store(other == t.names[1])
		}
	case n == 15:
		d.run(whole, "TRUNCATE TABLE %s", name)
	case n == 16 && d.kind.name == "interval":
		from := d.random.IntN(parents/10) * 10
		part := func() []*event {
			return []*event{t.contents.beginClear(func(key string) bool { return idOf(key) >= from && idOf(key) < from+10 })}
		}
		d.run(part, "ALTER TABLE %s DROP PARTITION p%d", name, from)
	case n == 17:
		to := d.random.IntN(parents)
		some := func(key string) bool { return idOf(key) < to }
		d.run(func() []*event {
			events := []*event{t.contents.beginClear(some)}
			if t.child != nil {
				events = append(events, t.child.contents.beginClear(some))
			}
			return events
		}, "DELETE FROM %s WHERE id < %d", name, to)
	case n == 20 || n == 21:
		d.run(nil, "ALTER TABLE %s ADD COLUMN z CHAR(36) NOT NULL DEFAULT (UUID())", name)
	case n == 22:
		d.run(nil, "ALTER TABLE %s DROP COLUMN z", name)
	case n == 23:
		d.run(reset("x"), "ALTER TABLE %s ADD COLUMN x INT NOT NULL DEFAULT 5, ADD INDEX %s (x, v), MODIFY COLUMN v %s NOT NULL", name, index, form)
	case n == 24:
		d.run(nil, "ALTER TABLE %s DROP INDEX %s, ADD INDEX %[2]s (w, v)", name, index)
	case n == 25:
		d.run(reset("x", "y"), "ALTER TABLE %s DROP COLUMN x, DROP INDEX %s, ADD COLUMN y INT", name, index)
	case n == 26:
		key := "z, id" // without z it is unique still
		if t.parent != nil {
			key += ", k"
		}
		d.run(nil, "ALTER TABLE %s ADD COLUMN z CHAR(36) NOT NULL DEFAULT (UUID()), ADD UNIQUE %s (%s)", name, index, key)
	case n == 18 && t.child != nil:
		d.run(func() []*event {
			all := func(string) bool { return true }
			return []*event{t.contents.beginClear(all), t.child.contents.beginClear(all)}
		}, "DROP TABLE %s, %s", name, t.child.name())
	case n == 18:
		d.run(whole, "DROP TABLE %s", name)
	default:
		d.make(t)
	}
}

// make makes a table, and what lives inside it, where it is dropped.
func (d *definer) make(t *table) {
	defer t.gate.enter()()
	if name, err := t.find(d.db); err != nil || name != "" {
		return
	}
	d.run(nil, "%s", t.create())
	if t.child != nil {
		d.make(t.child)
	}
}

// find gives the name by which a table is there; "" for none.
func (t *table) find(db *sql.DB) (string, error) {
	rows, err := db.Query("SHOW TABLES")
	if err != nil {
		return "", err
	}
	defer rows.Close()
	found := ""
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return "", err
		}
		if name == t.names[0] || name == t.names[1] {
			found = name
		}
	}
	return found, rows.Err()
}

// run runs a statement that changes a definition. begin gives the events that it is.
func (d *definer) run(begin func() []*event, format string, args ...any) effect {
	statement := fmt.Sprintf(format, args...)
	var events []*event
	if begin != nil {
		events = begin()
	}
	d.note("definer begins %s", statement)
	_, err := d.db.Exec(statement)
	how := effectOf(err)
	for _, e := range events {
		d.tables[0].contents.end(e, how)
	}
	d.note("definer ends %s: %v", statement, err)
	var e *nearlyfree.Error
	if how == possible {
		d.unclean.Store(true)
	}
	if err != nil && (!errors.As(err, &e) || !d.expected(err, tableExists, unknownColumn, noParent,
		1060, 1061, 1072, 1091, 1507, 1508, 1701, 1824, 3730, 1451)) {
		d.fail("%s: %v", statement, err)
	}
	return how
}
