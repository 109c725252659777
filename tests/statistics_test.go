package tests

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// statisticsTables have keys of several forms, rows that lie unevenly, and all ways to spread rows.
var statisticsTables = []string{
	"CREATE TABLE customer (id INT PRIMARY KEY, surname VARCHAR(30), city VARCHAR(20), born DATE, KEY surname (surname), KEY city (city), KEY born (born))",
	"CREATE TABLE orders (id UUID PRIMARY KEY, customer INT, state VARCHAR(10), total DECIMAL(10,2), KEY customer (customer), KEY state (state, total))",
	"CREATE TABLE log (tenant INT, id INT, what VARCHAR(20), PRIMARY KEY (tenant, id), KEY what (what)) PARTITION BY KEY (tenant)",
	"CREATE TABLE item (id INT, name VARCHAR(20), PRIMARY KEY (id), KEY name (name)) PARTITION BY HASH (id) PARTITIONS 8",
	"CREATE TABLE few (id INT PRIMARY KEY, n INT, KEY n (n))",
}

// fillStatistics fills them: customers with gaps between their numbers, orders of which half are those of a tenth of the customers,
// tenants of very different sizes.
func fillStatistics(t *testing.T, conn *sql.Conn, scale int) {
	t.Helper()
	random := rand.New(rand.NewSource(1))
	fill := func(table string, n int, row func(i int) string) {
		for i := 0; i < n; {
			var rows []string
			for ; len(rows) < 1000 && i < n; i++ {
				rows = append(rows, row(i))
			}
			runAll(t, conn, "INSERT INTO "+table+" VALUES "+strings.Join(rows, ", "))
		}
	}
	id := 0
	fill("customer", 10*scale, func(i int) string {
		if id++; i%1000 == 0 {
			id += random.Intn(5000)
		}
		return fmt.Sprintf("(%d, '%c%c%d', 'city%d', '%d-%02d-%02d')", id, 'A'+random.Intn(26), 'a'+random.Intn(26), random.Intn(3*scale), random.Intn(random.Intn(20)+1), 1930+random.Intn(80), 1+random.Intn(12), 1+random.Intn(28))
	})
	fill("orders", 20*scale, func(i int) string {
		customer := random.Intn(scale)
		if i%2 == 0 {
			customer = random.Intn(10 * scale)
		}
		state := "done"
		if i%50 == 0 {
			state = "open"
		}
		return fmt.Sprintf("('%08x-%04x-4000-8000-%012x', %d, '%s', %d.%02d)", random.Uint32(), random.Intn(1<<16), random.Int63n(1<<48), customer, state, random.Intn(1000), random.Intn(100))
	})
	tenants := []int{5 * scale, 2 * scale, scale / 2}
	for tenant, n := range tenants {
		fill("log", n, func(i int) string { return fmt.Sprintf("(%d, %d, 'what%d')", tenant, i, i%10) })
	}
	fill("log", scale, func(i int) string { return fmt.Sprintf("(%d, %d, 'x')", 10+i/10, i%10) })
	fill("item", 8*scale, func(i int) string { return fmt.Sprintf("(%d, 'name%d')", i, i%100) })
	fill("few", 10, func(i int) string { return fmt.Sprintf("(%d, %d)", i, i%3) })
}

var aboutRows = regexp.MustCompile(`rows? (\d+)|about (\d+) rows`)

// TestAnalyze: what ANALYZE TABLE finds out is near to what is, and costs no more requests than it may.
func TestAnalyze(t *testing.T) {
	t.Parallel()
	const scale = 500
	for name, config := range map[string]*nearlyfree.Config{"memory": {Store: "mem://"}, "service": overService(0, false)} {
		t.Run(name, func(t *testing.T) {
			connector, conn := connect(t, config)
			runAll(t, conn, statisticsTables...)
			fillStatistics(t, conn, scale)
			for _, most := range []int{100, 12} {
				runAll(t, conn, fmt.Sprint("SET analyze_requests = ", most))
				for _, table := range []string{"customer", "orders", "log", "item", "few"} {
					var real float64
					if err := conn.QueryRowContext(context.Background(), "SELECT COUNT(*) FROM "+table).Scan(&real); err != nil {
						t.Fatal(err)
					}
					before := connector.Stats().Requests
					var of, op, kind, text string
					if err := conn.QueryRowContext(context.Background(), "ANALYZE TABLE "+table).Scan(&of, &op, &kind, &text); err != nil {
						t.Fatal(err)
					}
					requests := connector.Stats().Requests - before
					m := aboutRows.FindStringSubmatch(text)
					if m == nil {
						t.Fatalf("%s: %s", table, text)
					}
					about, _ := strconv.ParseFloat(m[1]+m[2], 64)
					t.Logf("%s (%.0f rows, %d requests): %s", table, real, requests, text)
					if strings.Contains(text, "all of them") && about != real || about < real/1.5 || about > real*1.5 {
						t.Errorf("%s has %.0f rows: %s", table, real, text)
					}
					if name == "service" && requests > int64(most)*12/10+15 {
						t.Errorf("%s: %d requests", table, requests)
					}
				}
			}
		})
	}
}

// TestAnalyzeBeside: a transaction that is open goes on by the definition that it has, whatever its level, and what ANALYZE TABLE has
// found out is there for whoever opens the store later.
func TestAnalyzeBeside(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]*nearlyfree.Config{"memory": {Store: "mem://"}, "service": overService(0, false)} {
		for _, level := range []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelSerializable} {
			t.Run(fmt.Sprint(name, " ", level), func(t *testing.T) {
				connector, conn := connect(t, config)
				runAll(t, conn, "CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, n INT, KEY n (n))", "REPLACE INTO t VALUES (1, 1), (2, 2)")
				db := sql.OpenDB(connector)
				defer db.Close()
				tx, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: level})
				if err != nil {
					t.Fatal(err)
				}
				defer tx.Rollback()
				runAll(t, tx, "UPDATE t SET n = n + 1 WHERE id = 1")
				runAll(t, conn, "ANALYZE TABLE t")
				runAll(t, tx, "SELECT COUNT(*) FROM t WHERE n > 0", "UPDATE t SET n = n + 1 WHERE id = 2")
				if err := tx.Commit(); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// TestPlansByStatistics: a plan goes by what ANALYZE TABLE has found out, and by what reading costs: requests on the service, and in memory
// where an option bounds them; else in memory what is read.
func TestPlansByStatistics(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]*nearlyfree.Config{"memory": {Store: "mem://"}, "bounded memory": {Store: "mem://", MaxRequests: 1 << 40}, "service": overService(0, false)} {
		t.Run(name, func(t *testing.T) {
			_, conn := connect(t, config)
			runAll(t, conn, statisticsTables...)
			fillStatistics(t, conn, 200)
			join := "hash join"
			if name == "memory" {
				join = "lookup join"
			}
			cases := []struct{ query, before, after string }{
				// Nearly all orders are done: the customer tells more, though the other index has both columns.
				{"SELECT id FROM orders WHERE state = 'done' AND total > 5 AND customer = 7", "orders.state", "orders.customer"},
				{"SELECT id FROM orders WHERE state = 'open' AND total < 1 AND customer < 2500", "orders.state", "orders.state"},
				// A short range of dates has fewer rows than a frequent city.
				{"SELECT id FROM customer WHERE city = 'city0' AND born BETWEEN '1950-01-01' AND '1950-02-01'", "customer.city", "customer.born"},
				{"SELECT id FROM customer WHERE city = 'city18' AND born > '1935-01-01'", "customer.city", "customer.city"},
				// Many customers are joined with few rows by one read of these, or ten of them are read by key.
				{"SELECT c.surname FROM customer c JOIN few ON few.id = c.id WHERE c.city = 'city0'", "lookup join", join},
			}
			for _, c := range cases {
				if plan := answer(t.Context(), conn, "EXPLAIN "+c.query); !strings.Contains(plan, c.before) {
					t.Errorf("%s:\n%s", c.query, plan)
				}
			}
			runAll(t, conn, "ANALYZE TABLE customer, orders, few")
			for _, c := range cases {
				if plan := answer(t.Context(), conn, "EXPLAIN "+c.query); !strings.Contains(plan, c.after) {
					t.Errorf("%s, with statistics:\n%s", c.query, plan)
				}
			}
		})
	}
}

// estimated are statements over the statisticsTables.
var estimated = []string{
	"SELECT * FROM customer WHERE id = 77", "SELECT * FROM customer WHERE id IN (5, 77, 99)", "SELECT * FROM customer WHERE id < 500", "SELECT * FROM customer WHERE id BETWEEN 100 AND 2500",
	"SELECT * FROM customer", "SELECT COUNT(*) FROM customer WHERE city = 'city0'", "SELECT * FROM customer WHERE city = 'city19'", "SELECT * FROM customer WHERE surname LIKE 'M%'", "SELECT * FROM customer WHERE surname LIKE 'Mb%'",
	"SELECT * FROM customer WHERE born > '1990-01-01'", "SELECT * FROM customer WHERE YEAR(born) = 1950", "SELECT * FROM customer WHERE born BETWEEN '1950-01-01' AND '1950-03-01'",
	"SELECT * FROM customer WHERE surname LIKE '%7'", "SELECT * FROM customer ORDER BY id LIMIT 10", "SELECT * FROM customer ORDER BY born DESC LIMIT 2000", "SELECT city, COUNT(*) FROM customer GROUP BY city",
	"SELECT * FROM orders", "SELECT * FROM orders WHERE customer = 5", "SELECT * FROM orders WHERE customer = 3999", "SELECT * FROM orders WHERE state = 'open'", "SELECT * FROM orders WHERE state = 'done'",
	"SELECT * FROM orders WHERE state = 'done' AND total > 900", "SELECT * FROM orders WHERE state = 'open' AND total BETWEEN 100 AND 200", "SELECT * FROM orders WHERE id > '80000000-0000-0000-0000-000000000000'",
	"SELECT * FROM orders WHERE total > 990", "SELECT customer, COUNT(*) FROM orders GROUP BY customer", "SELECT DISTINCT state FROM orders",
	"SELECT * FROM log WHERE tenant = 0", "SELECT * FROM log WHERE tenant = 2", "SELECT * FROM log WHERE tenant = 15", "SELECT * FROM log WHERE tenant = 0 AND what = 'what3'", "SELECT * FROM log WHERE tenant IN (0, 1)", "SELECT * FROM log WHERE tenant = 0 AND id < 700",
	"SELECT COUNT(*) FROM log", "SELECT COUNT(*) FROM log WHERE what = 'x'",
	"SELECT * FROM item", "SELECT * FROM item WHERE id = 5", "SELECT * FROM item WHERE name = 'name7'", "SELECT * FROM item WHERE id IN (1, 2, 3, 4, 5)",
	"SELECT * FROM few", "SELECT * FROM few WHERE n = 1",
	"SELECT * FROM few JOIN customer ON customer.id = few.id", "SELECT * FROM few f JOIN orders o ON o.customer = f.id", "SELECT * FROM customer c JOIN orders o ON o.customer = c.id", "SELECT * FROM customer c JOIN orders o ON o.customer = c.id WHERE c.city = 'city19'",
	"SELECT * FROM customer c JOIN orders o ON o.customer = c.id WHERE c.surname LIKE 'Mb%'", "SELECT * FROM orders o JOIN customer c ON o.customer = c.id WHERE o.state = 'open' AND o.total < 50",
	"SELECT * FROM orders o LEFT JOIN few f ON f.id = o.customer WHERE o.state = 'open'", "SELECT * FROM log l JOIN item i ON i.id = l.id WHERE l.tenant = 12",
	"SELECT * FROM customer c WHERE EXISTS (SELECT 1 FROM few f WHERE f.id = c.id)", "SELECT COUNT(*) FROM orders WHERE customer IN (SELECT id FROM few)",
	"SELECT COUNT(*) FROM item i JOIN few f ON f.id = i.id WHERE f.n = 2", "SELECT * FROM customer c JOIN customer d ON d.id = c.id + 1 WHERE c.city = 'city18'",
	"SELECT id FROM few UNION ALL SELECT id FROM customer", "SELECT * FROM customer WHERE id = 1 OR id = 50", "SELECT * FROM customer WHERE city = 'city0' AND born > '2000-01-01'",
}

var aboutRequests = regexp.MustCompile(`requests ≥ (\d+)  about (\d+) requests?`)

// TestEstimates: with statistics the requests that EXPLAIN says are within a factor of two of what they are for nine statements of ten,
// and never below the least.
func TestEstimates(t *testing.T) {
	t.Parallel()
	_, conn := connect(t, &nearlyfree.Config{Store: "mem://"})
	runAll(t, conn, statisticsTables...)
	fillStatistics(t, conn, 400)
	runAll(t, conn, "ANALYZE TABLE customer, orders, log, item, few")
	far := 0
	for _, query := range estimated {
		lines := strings.Split(answer(t.Context(), conn, "EXPLAIN ANALYZE "+query), "\n")
		text := strings.Join(lines, "\n")
		m := aboutRequests.FindStringSubmatch(text)
		if m == nil {
			t.Errorf("%s: no estimate\n%s", query, text)
			continue
		}
		least, _ := strconv.ParseFloat(m[1], 64)
		about, _ := strconv.ParseFloat(m[2], 64)
		real := 0.0
		for _, line := range lines {
			if strings.HasPrefix(line, "requests ≥") {
				real = float64(did(line)["requests"])
			}
		}
		if about < least {
			t.Errorf("%s: about %v, and at least %v", query, about, least)
		}
		if about > 2*real || real > 2*about {
			far++
			t.Logf("%s: about %v, and took %v\n%s", query, about, real, text)
		}
	}
	for query, want := range map[string]string{
		"SELECT * FROM orders WHERE total > 990":         "would help",
		"SELECT * FROM customer WHERE surname LIKE '%7'": "",
		"SELECT * FROM customer WHERE id = 7":            "",
	} {
		text := answer(t.Context(), conn, "EXPLAIN "+query)
		_, warning, _ := strings.Cut(text, "warning: ")
		if want == "" && warning != "" || !strings.Contains(warning, want) {
			t.Errorf("%s: %q\n%s", query, warning, text)
		}
		if _, statement, help := strings.Cut(warning, ": "); help { // it is SQL, and helps
			statement, _, _ = strings.Cut(statement, " would help")
			runAll(t, conn, statement, "ANALYZE TABLE orders")
			if text := answer(t.Context(), conn, "EXPLAIN "+query); strings.Contains(text, "warning") {
				t.Errorf("%s, after %s:\n%s", query, statement, text)
			}
		}
	}
	t.Logf("%d of %d are far off", far, len(estimated))
	if far*10 > len(estimated) {
		t.Errorf("%d of %d estimates are far off", far, len(estimated))
	}
}
