package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/schema/schematest"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// people is a table with two indexes and a few rows; NULLs among them.
func people(t testing.TB, parallel int) *testDB {
	db := newTestDB(t, parallel, 4)
	p := schematest.NewTable(t, "people", 1, "id INT", "name VARCHAR(40)", "age INT", "city VARCHAR(40)")
	schematest.AddIndex(p, "name", 1)
	schematest.AddIndex(p, "city_age", 3, 2)
	db.create(p)
	rows := [][]value.Value{
		{value.FromInt(1), text("Ann"), value.FromInt(31), text("Rome")},
		{value.FromInt(2), text("Bob"), value.FromInt(25), text("Oslo")},
		{value.FromInt(3), text("Cid"), value.NullValue, text("Rome")},
		{value.FromInt(4), text("Dan"), value.FromInt(25), value.NullValue},
		{value.FromInt(5), text("Eve"), value.FromInt(47), text("Bern")},
		{value.FromInt(6), text("Bob"), value.FromInt(62), text("Oslo")},
	}
	db.insert(p, rows...)
	return db
}

func TestQueries(t *testing.T) {
	for _, parallel := range []int{1, 4} {
		db := people(t, parallel)
		n := value.FromInt
		db.expect("SELECT name, age FROM people WHERE id = ?", []string{"Ann|31"}, n(1))
		db.expect("SELECT name, age FROM people WHERE id = ?", []string{}, n(7))
		db.expect("SELECT name, age FROM people WHERE id = ?", []string{}, value.NullValue)
		db.expect("SELECT name, age FROM people WHERE id = ?", []string{"Bob|25"}, text("2"))
		db.expect("SELECT name FROM people WHERE id = ?", []string{}, value.FromFloat(2.5))
		db.expect("SELECT name, name, id FROM people WHERE id = 3", []string{"Cid|Cid|3"})
		db.expect("SELECT id FROM people WHERE id IN (5, 2, 9, 2) ORDER BY id", []string{"2", "5"})
		db.expect("SELECT id FROM people WHERE name = 'Bob' ORDER BY id", []string{"2", "6"})
		db.expect("SELECT id FROM people WHERE name LIKE 'B%' AND age > 30", []string{"6"})
		db.expect("SELECT id FROM people ORDER BY id LIMIT 2 OFFSET 1", []string{"2", "3"})
		db.expect("SELECT id FROM people ORDER BY id LIMIT ? OFFSET ?", []string{"5", "6"}, value.FromUint(1<<64-1), n(4))
		db.expect("SELECT id FROM people LIMIT 0", []string{})
		db.expect("SELECT id FROM people ORDER BY age, name DESC", []string{"3", "4", "2", "1", "5", "6"})
		db.expect("SELECT id FROM people ORDER BY age DESC, id LIMIT 3", []string{"6", "5", "1"})
		db.expect("SELECT DISTINCT age FROM people WHERE age < 40 ORDER BY age", []string{"25", "31"})
		db.expectSet("SELECT DISTINCT city FROM people", []string{"Rome", "Oslo", "NULL", "Bern"})
		db.expectSet("SELECT city, COUNT(*), SUM(age) FROM people GROUP BY city",
			[]string{"Rome|2|31", "Oslo|2|87", "NULL|1|25", "Bern|1|47"})
		db.expect("SELECT COUNT(*), COUNT(age) FROM people", []string{"6|5"})
		db.expect("SELECT COUNT(*) FROM people WHERE id > 100", []string{"0"})
		db.expectSet("SELECT city, COUNT(*) FROM people WHERE id > 100 GROUP BY city", []string{})
		db.expectSet("SELECT city FROM people GROUP BY city HAVING COUNT(*) > 1", []string{"Rome", "Oslo"})
		db.expect("SELECT 1, 'a', NULL", []string{"1|a|NULL"})
		db.expectSet("SELECT id FROM people WHERE id < 3 UNION ALL SELECT age FROM people WHERE id < 3", []string{"1", "2", "31", "25"})
		db.expectSet("SELECT age FROM people UNION SELECT age FROM people", []string{"31", "25", "NULL", "47", "62"})
		db.expectSet("SELECT age FROM people EXCEPT SELECT age FROM people WHERE id IN (1, 2)", []string{"NULL", "47", "62"})
		db.expectSet("SELECT age FROM people INTERSECT SELECT age FROM people WHERE age IS NULL OR id = 1", []string{"31", "NULL"})
		db.expect("SELECT d.n FROM (SELECT name AS n, age FROM people) d WHERE d.age > 50", []string{"Bob"})
	}
}

func TestSubqueries(t *testing.T) {
	for _, parallel := range []int{1, 4} {
		db := people(t, parallel)
		db.expect("SELECT id FROM people WHERE age = (SELECT MAX(age) FROM people)", []string{"6"})
		db.expect("SELECT (SELECT name FROM people WHERE id = 99)", []string{"NULL"})
		db.expectSet("SELECT id, (SELECT COUNT(*) FROM people q WHERE q.city = p.city) FROM people p",
			[]string{"1|2", "2|2", "3|2", "4|0", "5|1", "6|2"})
		db.expectSet("SELECT id FROM people p WHERE EXISTS (SELECT 1 FROM people q WHERE q.city = p.city AND q.id <> p.id)",
			[]string{"1", "2", "3", "6"})
		db.expectSet("SELECT id FROM people p WHERE NOT EXISTS (SELECT 1 FROM people q WHERE q.city = p.city AND q.id <> p.id)",
			[]string{"4", "5"})
		db.expectSet("SELECT id FROM people WHERE city IN (SELECT city FROM people WHERE age > 40)", []string{"2", "5", "6"})
		db.expectSet("SELECT id, city IN (SELECT city FROM people WHERE id <> 2) FROM people WHERE id IN (1, 2, 4)",
			[]string{"1|1", "2|1", "4|NULL"})
		db.expectSet("SELECT id, age NOT IN (SELECT age FROM people WHERE id IN (2, 3)) FROM people WHERE id IN (1, 2, 3)",
			[]string{"1|NULL", "2|0", "3|NULL"})
		db.expectSet("SELECT id, age IN (SELECT age FROM people WHERE id > 90) FROM people WHERE id IN (1, 3)", []string{"1|0", "3|0"})
		db.expectSet("SELECT id, (city, age) IN (SELECT city, age FROM people WHERE id < 4) FROM people",
			[]string{"1|1", "2|1", "3|NULL", "4|NULL", "5|0", "6|0"})
		db.expectSet("SELECT id, age IN (SELECT q.age FROM people q WHERE q.city = p.city) FROM people p WHERE id < 5",
			[]string{"1|1", "2|1", "3|NULL", "4|0"})
		_, err := db.read(db.plan("SELECT (SELECT id FROM people)"))
		var e *sqlerr.Error
		if !errors.As(err, &e) || e.Code != 1242 {
			t.Errorf("a scalar subquery of six rows: %v", err)
		}
	}
}

func TestSubqueryRunsOnce(t *testing.T) {
	db := people(t, 1)
	for _, sub := range []string{"age = (SELECT MAX(age) FROM people)", "age + 1 IN (SELECT age FROM people)", "age > 90 OR EXISTS (SELECT 1 FROM people WHERE age = 3)"} {
		requests, _ := db.cost("SELECT id FROM people WHERE " + sub)
		// Two scans of 18 entities (rows and two entries each) have pages of 4.
		if requests > 10 {
			t.Errorf("%s: %d requests", sub, requests)
		}
	}
}

func TestJoins(t *testing.T) {
	for _, parallel := range []int{1, 3} {
		db := people(t, parallel)
		o := schematest.NewTable(t, "orders", 1, "id INT", "person INT", "item VARCHAR(20)")
		schematest.AddIndex(o, "person", 1)
		db.create(o)
		for i, item := range []string{"pen", "cup", "pen", "hat"} {
			person := value.FromInt([]int64{1, 2, 1, 9}[i])
			db.insert(o, []value.Value{value.FromInt(int64(i + 1)), person, text(item)})
		}
		db.insert(o, []value.Value{value.FromInt(5), value.NullValue, text("bag")})
		db.expectSet("SELECT o.id, p.name FROM orders o JOIN people p ON p.id = o.person", []string{"1|Ann", "2|Bob", "3|Ann"})
		db.expectSet("SELECT o.id, p.name FROM orders o LEFT JOIN people p ON p.id = o.person",
			[]string{"1|Ann", "2|Bob", "3|Ann", "4|NULL", "5|NULL"})
		db.expectSet("SELECT o.id, p.name FROM orders o RIGHT JOIN people p ON p.id = o.person AND o.item = 'cup'",
			[]string{"NULL|Ann", "2|Bob", "NULL|Cid", "NULL|Dan", "NULL|Eve", "NULL|Bob"})
		db.expectSet("SELECT p.id, o.id FROM people p JOIN orders o ON o.person < p.id AND o.item = 'cup'",
			[]string{"3|2", "4|2", "5|2", "6|2"})
		db.expectSet("SELECT p.name FROM people p WHERE p.id IN (SELECT person FROM orders)", []string{"Ann", "Bob"})
		db.expectSet("SELECT a.id, b.id FROM people a, people b WHERE a.age = b.age AND a.id < b.id", []string{"2|4"})
		db.expectSet("SELECT a.id, b.id FROM people a JOIN people b ON a.age <=> b.age AND a.id <> 2 AND b.id <> 4 WHERE a.id < 5",
			[]string{"1|1", "3|3", "4|2"})
		db.expect("SELECT p.name, o.item FROM people p JOIN orders o ON o.person = p.id ORDER BY o.id LIMIT 1", []string{"Ann|pen"})
	}
}

func TestLookupSharesKeys(t *testing.T) {
	db := people(t, 1)
	o := schematest.NewTable(t, "orders", 1, "id INT", "person INT")
	db.create(o)
	for i := range int64(300) {
		db.insert(o, ints(i, 1+i%2))
	}
	requests, _ := db.cost("SELECT o.id, p.name FROM orders o JOIN people p ON p.id = o.person")
	if requests > 75+2 {
		t.Errorf("300 rows of 75 pages with two matches each took %d requests", requests)
	}
}

func TestVirtual(t *testing.T) {
	db := newTestDB(t, 1, 0)
	v := schematest.NewTable(t, "v", 0, "a INT", "b VARCHAR(9)")
	v.Virtual = func(context.Context, schema.Wanted) ([][]value.Value, error) {
		return [][]value.Value{{value.FromInt(1), text("x")}, {value.FromInt(2), text("y")}}, nil
	}
	if err := v.Init(); err != nil {
		t.Fatal(err)
	}
	db.tables["v"] = v
	db.expect("SELECT b FROM v WHERE a > 1", []string{"y"})
	db.expect("SELECT b, a FROM v LIMIT 1", []string{"x|1"})
	db.expect("SELECT x.a, y.a FROM v x JOIN v y ON x.a < y.a", []string{"1|2"})
}

func TestUnionTypes(t *testing.T) {
	db := people(t, 1)
	p := db.plan("SELECT id FROM people WHERE id = 1 UNION ALL SELECT name FROM people WHERE id = 2")
	rows, err := db.read(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if row[0].Kind() != value.String {
			t.Errorf("%v of a union with text is no text", row[0])
		}
	}
}

func TestLimitArguments(t *testing.T) {
	db := people(t, 1)
	for _, v := range []value.Value{value.FromInt(-1), text("x"), value.NullValue} {
		if _, err := db.read(db.plan("SELECT id FROM people LIMIT ?"), v); err == nil {
			t.Errorf("LIMIT %v is taken", v)
		}
	}
}

func TestMemoryBound(t *testing.T) {
	db := people(t, 1)
	db.rt.MaxMemory = 300
	for sql, operator := range map[string]string{
		"SELECT id FROM people ORDER BY age":                                               "sort",
		"SELECT DISTINCT age, name FROM people":                                            "distinct",
		"SELECT id FROM people EXCEPT SELECT 1":                                            "except",
		"SELECT 1 INTERSECT SELECT id FROM people":                                         "intersect",
		"SELECT age, COUNT(*) FROM people GROUP BY age":                                    "group by",
		"SELECT a.id FROM people a JOIN people b ON a.age = b.age":                         "hash join",
		"SELECT a.id FROM people a JOIN people b ON a.age < b.age":                         "join",
		"SELECT id FROM people WHERE age + 1 NOT IN (SELECT age FROM people WHERE id > 0)": "subquery",
	} {
		_, err := db.read(db.plan(sql))
		var e *MemoryError
		if !errors.As(err, &e) || e.Operator != operator || !strings.Contains(e.Error(), "max_memory") {
			t.Errorf("%s: %v\n%s", sql, err, strings.Join(db.plan(sql).Explain(nil), "\n"))
		}
	}
	// What a top-n sort holds depends on n alone.
	db.expect("SELECT id FROM people ORDER BY age DESC LIMIT 1", []string{"6"})
}

func TestMaxEntities(t *testing.T) {
	db := people(t, 1)
	db.rt.MaxEntities = 3
	_, err := db.read(db.plan("SELECT id FROM people ORDER BY age"))
	var e *TooManyEntitiesError
	if !errors.Is(err, ErrTooManyEntities) || !errors.As(err, &e) || e.Max != 3 || e.Read <= 3 {
		t.Errorf("got %v", err)
	}
	db.expect("SELECT id FROM people ORDER BY id LIMIT 3", []string{"1", "2", "3"})
}

func TestPlanIsShared(t *testing.T) {
	db := people(t, 4)
	p := db.plan("SELECT p.name, q.id FROM people p JOIN people q ON q.city = p.city WHERE p.id = ? ORDER BY q.id")
	done := make(chan error)
	for range 4 {
		go func() {
			for i := range 50 {
				rows, err := db.read(p, value.FromInt(int64(1+i%2)))
				if err == nil && len(rows) != 2 {
					err = fmt.Errorf("%d rows", len(rows))
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestCursorAfterEnd(t *testing.T) {
	db := people(t, 2)
	ctx := context.Background()
	for _, sql := range []string{
		"SELECT id FROM people WHERE id = 1", "SELECT id FROM people", "SELECT id FROM people ORDER BY age",
		"SELECT age, COUNT(*) FROM people GROUP BY age", "SELECT a.id FROM people a JOIN people b ON a.age = b.age",
		"SELECT a.id FROM people a JOIN people b ON a.id = b.age", "SELECT id FROM people LIMIT 2", "SELECT 1",
		"SELECT a.id FROM people a JOIN people b ON a.age < b.age", "SELECT id FROM people UNION SELECT 3", "SELECT id FROM people EXCEPT SELECT 3",
	} {
		c, err := db.rt.Query(ctx, db.execution(db.plan(sql)))
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = c.Next(ctx)
		}
		for range 2 {
			if err != io.EOF {
				t.Errorf("%s: behind the end: %v", sql, err)
			}
			_, err = c.Next(ctx)
		}
		for range 2 {
			if err := c.Close(); err != nil {
				t.Errorf("%s: close: %v", sql, err)
			}
		}
		if _, err = c.Next(ctx); err != io.EOF {
			t.Errorf("%s: after close: %v", sql, err)
		}
		if got := len(c.Columns()); got == 0 {
			t.Errorf("%s: %d columns", sql, got)
		}
	}
}
