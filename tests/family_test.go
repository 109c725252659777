package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// TestFamilies runs the same random writes and queries over tables inside one another that are declared WITH PARENT,
// and over such that are not: the copies change what is read, never what comes out.
func TestFamilies(t *testing.T) {
	t.Parallel()
	for i, s := range stores {
		runs, steps := testrun.Few(21), 60
		if s.name != "memory" {
			runs, steps = testrun.Few(8), 25
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			joined := 0
			for seed := i * runs; seed < (i+1)*runs; seed++ { // other kinds of tables in each store
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					p := newFamilies(t, s, uint64(seed))
					p.run(steps)
					joined += p.joined
				})
			}
			if joined < runs/2 {
				t.Errorf("%d joins were of one range", joined)
			}
		})
	}
}

// familyKind is how the tables a, b inside a and c inside b are declared.
type familyKind struct {
	key       []string // of a, and what b's and c's begin with
	types     []string
	inside    string // order of the last of those in b's and c's key
	desc      string // of b's last part
	partition string
	values    []string // of the last part of key, as SQL
}

var familyKinds = []familyKind{
	{key: []string{"k"}, types: []string{"INT"}, values: []string{"1", "2", "3", "4", "5", "-7"}},
	{key: []string{"k"}, types: []string{"INT"}, partition: "PARTITION BY RANGE (k) (PARTITION p0 VALUES LESS THAN (3), PARTITION p1 VALUES LESS THAN MAXVALUE)",
		values: []string{"1", "2", "3", "4", "5", "-7"}},
	{key: []string{"k"}, types: []string{"INT"}, inside: " DESC", desc: " DESC", values: []string{"1", "2", "3", "4"}},
	{key: []string{"k"}, types: []string{"BIGINT"}, desc: " DESC", partition: "PARTITION BY HASH (k) PARTITIONS 3", values: []string{"1", "2", "3", "4", "5", "-7"}},
	{key: []string{"k"}, types: []string{"VARCHAR(400) COLLATE nocase"}, values: []string{"'Ann'", "'ann'", "'Annabel'", "'5!y'",
		"CONCAT(REPEAT('long', 80), 'a')", "CONCAT(REPEAT('LONG', 80), 'b')", "CONCAT(REPEAT('long', 80), 'c')"}},
	{key: []string{"t", "k"}, types: []string{"VARCHAR(20)", "INT"}, partition: "PARTITION BY KEY (t)", values: []string{"1", "2", "3", "4"}},
	{key: []string{"t", "k"}, types: []string{"VARCHAR(20)", "DATE"}, desc: " DESC", values: []string{"'2026-01-01'", "'1066-10-14'", "'2026-12-31'"}},
}

// families is two databases that hold the same.
type families struct {
	*testing.T
	*rand.Rand
	kind   familyKind
	conns  [2]*sql.Conn // without copies, with
	joined int
	log    []string
}

func newFamilies(t *testing.T, s store, seed uint64) *families {
	p := &families{T: t, Rand: rand.New(rand.NewPCG(seed, 5)), kind: familyKinds[seed%uint64(len(familyKinds))]}
	late := p.IntN(2) == 0           // there are rows before the copies
	other := p.pick(p.kind.desc, "") // the order of a key need not be its parent's
	for i, with := range []string{"", " WITH PARENT"} {
		db := nearlyfreetest.OpenConfig(t, s.config(t))
		conn, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		p.conns[i] = conn
		key := strings.Join(p.kind.key, ", ")
		columns := ""
		for j, name := range p.kind.key {
			columns += name + " " + p.kind.types[j] + ", "
		}
		inside := key + p.kind.inside
		create := []string{
			fmt.Sprintf("CREATE TABLE a (%sx INT, s VARCHAR(20), PRIMARY KEY (%s), KEY (x)) %s", columns, key, p.kind.partition),
			fmt.Sprintf("CREATE TABLE b (%sn INT, x VARCHAR(9), s VARCHAR(20), PRIMARY KEY (%s, n%s), KEY (x), FOREIGN KEY (%s) REFERENCES a (%s) ON DELETE CASCADE) INTERLEAVE IN PARENT a%s",
				columns, inside, p.kind.desc, key, key, with),
			fmt.Sprintf("CREATE TABLE c (%sn INT, m INT, s VARCHAR(20), PRIMARY KEY (%s, n%s, m), FOREIGN KEY (%s, n) REFERENCES b (%s, n) ON DELETE CASCADE) INTERLEAVE IN PARENT b%s",
				columns, inside, other, key, key, with),
		}
		for j, sql := range create {
			if _, err := conn.ExecContext(context.Background(), sql); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			if j == 0 && late {
				rows := rand.New(rand.NewPCG(seed, 6))
				for range 4 {
					conn.ExecContext(context.Background(), (&families{Rand: rows, kind: p.kind}).insert("a")) // duplicates are refused
				}
			}
		}
	}
	return p
}

// run makes changes and compares what can be read after them.
func (p *families) run(steps int) {
	in := false
	for step := range steps {
		switch n := p.IntN(20); {
		case step == steps/2 && !in:
			p.both("ALTER TABLE a ADD COLUMN y INT NOT NULL DEFAULT 7, MODIFY s VARCHAR(30), ADD INDEX s (s)")
			p.both("ALTER TABLE b ADD INDEX s (s, n), MODIFY s VARCHAR(30)")
		case n == 0 && !in:
			p.both("BEGIN")
			in = true
		case n < 4 && in:
			p.both([]string{"COMMIT", "COMMIT", "ROLLBACK"}[p.IntN(3)])
			in = false
		default:
			p.both(p.change())
		}
		for range 3 {
			p.both(p.query())
		}
		if p.Failed() {
			p.Fatalf("after\n%s", strings.Join(p.log[max(0, len(p.log)-25):], "\n"))
		}
	}
	if in {
		p.both("COMMIT")
	}
	p.both("CHECK TABLE a, b, c")
	if answer := p.answer(1, "CHECK TABLE a, b, c"); len(answer) != 3 {
		p.Errorf("CHECK TABLE: %q", answer)
	}
}

func (p *families) pick(list ...string) string { return list[p.IntN(len(list))] }
func (p *families) value() string              { return p.pick(p.kind.values...) }
func (p *families) number() string             { return fmt.Sprint(p.IntN(5)) }
func (p *families) text() string               { return p.pick("'u'", "'v'", "'vw'", "NULL") }

// keys gives values of the key, and of n.
func (p *families) keys(n int) string {
	list := make([]string, 0, 4)
	if len(p.kind.key) > 1 {
		list = append(list, p.pick("'acme'", "'beta'"))
	}
	list = append(list, p.value())
	for range n {
		list = append(list, p.number())
	}
	return strings.Join(list, ", ")
}

func (p *families) insert(table string) string {
	switch table {
	case "a":
		return fmt.Sprintf("INSERT INTO a (%s, x, s) VALUES (%s, %s, %s)", strings.Join(p.kind.key, ", "), p.keys(0), p.pick("NULL", p.number()), p.text())
	case "b":
		return fmt.Sprintf("INSERT INTO b VALUES (%s, '%s', %s)", p.keys(1), p.number(), p.text())
	}
	return fmt.Sprintf("INSERT INTO c VALUES (%s, %s)", p.keys(2), p.text())
}

// onePartition narrows a write that may fail: of several partitions some would have been written then.
func (p *families) onePartition() string {
	if len(p.kind.key) > 1 {
		return " AND t = 'acme'"
	}
	return ""
}

func (p *families) change() string {
	switch p.IntN(16) {
	case 0:
		return fmt.Sprintf("UPDATE a SET x = %s, s = %s WHERE k = %s", p.number(), p.text(), p.value())
	case 1:
		return fmt.Sprintf("UPDATE a SET k = %s WHERE k = %s", p.value(), p.value()) + p.onePartition()
	case 2:
		return fmt.Sprintf("UPDATE b SET x = '%s', s = %s WHERE n = %s", p.number(), p.text(), p.number())
	case 3:
		return fmt.Sprintf("UPDATE b SET k = %s WHERE k = %s AND n = %s", p.value(), p.value(), p.number()) + p.onePartition()
	case 4:
		return fmt.Sprintf("DELETE FROM a WHERE k = %s", p.value())
	case 5:
		return fmt.Sprintf("DELETE FROM b WHERE n = %s", p.number())
	case 6:
		return fmt.Sprintf("REPLACE INTO a (%s, x, s) VALUES (%s, %s, %s)", strings.Join(p.kind.key, ", "), p.keys(0), p.number(), p.text())
	case 7:
		return fmt.Sprintf("UPDATE a JOIN b ON %s SET a.s = b.s WHERE a.k = %s", p.on("a", "b"), p.value())
	case 8:
		return fmt.Sprintf("DELETE b FROM a JOIN b ON %s WHERE a.x = b.n", p.on("a", "b"))
	case 9, 10:
		return p.insert("c")
	case 11, 12:
		return p.insert("a")
	}
	return p.insert("b")
}

// on is what two of the tables are joined by: the key of the first.
func (p *families) on(parent, child string) string {
	var conds []string
	for _, name := range p.kind.key {
		conds = append(conds, fmt.Sprintf("%s.%s = %s.%s", parent, name, child, name))
	}
	if parent == "b" {
		conds = append(conds, "c.n = b.n")
	}
	p.Shuffle(len(conds), func(i, j int) { conds[i], conds[j] = conds[j], conds[i] })
	return strings.Join(conds, " AND ")
}

// where is conditions on two of the tables.
func (p *families) where(parent, child string) string {
	var conds []string
	for range p.IntN(4) {
		of := p.pick(parent, child)
		conds = append(conds, p.pick(
			fmt.Sprintf("%s.k = %s", of, p.value()), fmt.Sprintf("%s.k = %s", of, p.value()),
			fmt.Sprintf("%s.k %s %s", of, p.pick("<", "<=", ">", ">=", "<>"), p.value()),
			fmt.Sprintf("%s.k BETWEEN %s AND %s", of, p.value(), p.value()),
			fmt.Sprintf("%s.k IN (%s, %s)", of, p.value(), p.value()),
			fmt.Sprintf("(%s.k = %s OR %s.k = %s)", parent, p.value(), child, p.value()),
			fmt.Sprintf("(%s.k = %s AND %s.n > %s OR %s.k > %s)", parent, p.value(), child, p.number(), child, p.value()),
			fmt.Sprintf("%s.s %s %s", of, p.pick("=", "<", "<>"), p.text()),
			fmt.Sprintf("%s.s IS %sNULL", of, p.pick("", "NOT ")),
			fmt.Sprintf("%s.n %s %s", child, p.pick("=", "<", ">="), p.number()),
			fmt.Sprintf("%s.s = %s.s", parent, child),
			fmt.Sprintf("%s.k %s %s", of, p.pick("=", "<", ">="), p.pick("'2.5'", "5", "'1066-10-14 12:00'")),
			fmt.Sprintf("%s.%s", of, p.pick("t", "k")+" LIKE 'a%'"),
			"1 = 1",
		))
	}
	text := strings.Join(conds, " AND ")
	if len(p.kind.key) == 1 {
		text = strings.ReplaceAll(text, ".t ", ".k ")
	}
	return text
}

func (p *families) query() string {
	parent, child := "a", "b"
	if p.IntN(3) == 0 {
		parent, child = "b", "c"
	}
	var order []string
	for _, name := range p.kind.key {
		order = append(order, parent+"."+name)
	}
	order = append(order, "b.n")
	if child == "c" {
		order = append(order, "c.m")
	}
	columns := fmt.Sprintf("%s.k, %s.*, %s.s, %s.n", parent, child, parent, child)
	from := fmt.Sprintf("%s %sJOIN %s ON %s", parent, p.pick("", "LEFT ", "LEFT "), child, p.on(parent, child))
	switch p.IntN(8) {
	case 0: // the rows inside alone
		columns, from = "*", child
		for i := range order {
			order[i] = child + order[i][1:]
		}
	case 1:
		if strings.Contains(from, "LEFT") {
			from += p.pick(" AND ", " AND ") + p.pick(parent+".s = 'v'", child+".s = 'v'", child+".n > 1", parent+".s = "+child+".s")
		}
	case 2:
		from = fmt.Sprintf("a JOIN b ON %s %sJOIN c ON %s", p.on("a", "b"), p.pick("", "LEFT "), p.on("b", "c"))
		columns, order = "a.s, b.*, c.*", append(order, "c.m")
	case 3:
		from = fmt.Sprintf("%s, %s", child, parent)
	}
	if strings.Contains(from, "LEFT") && p.IntN(3) == 0 {
		order = append([]string{child + ".k"}, order...)
	}
	sql := " FROM " + from
	where := p.where(parent, child)
	if from == child {
		where = strings.ReplaceAll(where, parent+".", child+".")
	}
	if strings.Contains(from, ", ") {
		where = strings.TrimSuffix(p.on(parent, child)+" AND "+where, " AND ")
	}
	if where != "" {
		sql += " WHERE " + where
	}
	switch p.IntN(6) {
	case 0:
		return fmt.Sprintf("SELECT COUNT(*), MIN(%s.k), MAX(%s.n), SUM(%s.n)", child, child, child) + sql
	case 1:
		if from != child {
			return fmt.Sprintf("SELECT %s.k, COUNT(%s.s), SUM(%s.n)%s GROUP BY %s.k ORDER BY %s.k", parent, child, child, sql, parent, parent)
		}
	case 2:
		return "SELECT " + columns + sql
	case 3:
		p.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		return "SELECT " + columns + sql + " ORDER BY " + strings.Join(order, p.pick(", ", " DESC, "))
	}
	if p.kind.desc != "" && p.IntN(2) == 0 {
		for i, key := range order {
			if p.kind.inside != "" && strings.HasSuffix(key, ".k") || strings.HasSuffix(key, ".n") {
				order[i] += " DESC"
			}
		}
	}
	sql += " ORDER BY " + strings.Join(order, ", ")
	if p.IntN(2) == 0 {
		sql += fmt.Sprintf(" LIMIT %d", 1+p.IntN(4))
		if p.IntN(3) == 0 {
			sql += fmt.Sprintf(" OFFSET %d", p.IntN(3))
		}
	}
	return "SELECT " + columns + sql
}

// both runs a statement on both databases, whose answers must be the same.
func (p *families) both(query string) {
	p.log = append(p.log, query+";")
	want, got := p.answer(0, query), p.answer(1, query)
	if strings.HasPrefix(query, "SELECT") && !strings.Contains(query, "ORDER BY") {
		slices.Sort(want)
		slices.Sort(got)
	}
	if !slices.Equal(want, got) {
		p.Errorf("%s\nwithout copies %q\nwith copies    %q\n%s", query, want, got, strings.Join(p.answer(1, "EXPLAIN "+query), "\n"))
	}
	if strings.HasPrefix(query, "SELECT") && p.IntN(4) == 0 && strings.Contains(strings.Join(p.answer(1, "EXPLAIN "+query), "\n"), "family scan") {
		p.joined++
	}
}

// answer gives the rows of a query, the rows that a write affected, or the number of the error.
func (p *families) answer(i int, query string) []string {
	ctx := context.Background()
	var err error
	if word, _, _ := strings.Cut(query, " "); slices.Contains([]string{"SELECT", "EXPLAIN", "CHECK"}, word) {
		var rows *sql.Rows
		if rows, err = p.conns[i].QueryContext(ctx, query); err == nil {
			var lines []string
			if lines, err = table(rows); err == nil {
				for j := range lines {
					if strings.HasPrefix(query, "CHECK") { // each has a database of its own on a shared store
						_, lines[j], _ = strings.Cut(lines[j], ".")
					}
				}
				return lines[1:]
			}
		}
	} else {
		var r sql.Result
		if r, err = p.conns[i].ExecContext(ctx, query); err == nil {
			n, _ := r.RowsAffected()
			return []string{fmt.Sprint("affected ", n)}
		}
	}
	var e *nearlyfree.Error
	if !errors.As(err, &e) || e.Number == 1064 || e.Number == 1054 {
		p.Errorf("%s: %v", query, err)
		return nil
	}
	return []string{fmt.Sprint("error ", e.Number)}
}
