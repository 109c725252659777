package tests

import (
	"strconv"
	"strings"
	"testing"
)

// estimatedWrites are statements over the statisticsTables and those of TestEstimatesOfWrites, in this order.
var estimatedWrites = []string{
	"INSERT INTO customer VALUES (100001, 'New', 'city0', '2000-01-01')",
	"INSERT INTO customer VALUES (100002, 'New', 'city0', '2000-01-01'), (100003, 'Newer', 'city1', '2000-01-01')",
	"INSERT INTO customer SELECT id + 200000, surname, city, born FROM customer WHERE id BETWEEN 100 AND 400",
	"REPLACE INTO customer VALUES (100001, 'Newest', 'city0', '2000-01-01')",
	"INSERT IGNORE INTO customer VALUES (100001, 'x', 'y', NULL), (100007, 'x', 'y', NULL)",
	"INSERT INTO customer VALUES (100001, 'x', 'y', NULL) ON DUPLICATE KEY UPDATE surname = 'again'",
	"UPDATE customer SET surname = 'changed' WHERE id = 77", "UPDATE customer SET surname = 'changed' WHERE id BETWEEN 100 AND 700",
	"UPDATE customer SET born = '1999-01-01' WHERE city = 'city19'", "UPDATE customer SET id = id + 500000 WHERE id = 100002",
	"DELETE FROM customer WHERE id = 100001", "DELETE FROM customer WHERE id > 200000 AND id < 200350", "DELETE FROM customer WHERE surname LIKE 'Mb%'",
	"INSERT INTO orders SELECT UUID(), id, 'new', 5 FROM few", "UPDATE orders SET total = total + 1 WHERE state = 'open'", "UPDATE orders SET state = 'done' WHERE customer = 5",
	"DELETE FROM orders WHERE customer = 6", "DELETE o FROM few f JOIN orders o ON o.customer = f.id", "UPDATE few f JOIN customer c ON c.id = f.id SET c.city = 'few', f.n = 7",
	"INSERT INTO log VALUES (0, 100000, 'x'), (0, 100001, 'x')", "INSERT INTO log VALUES (0, 100002, 'x'), (1, 100000, 'x'), (2, 100000, 'x')",
	"UPDATE log SET what = 'other' WHERE tenant = 15", "UPDATE log SET what = 'other' WHERE tenant IN (11, 12)", "DELETE FROM log WHERE tenant = 13", "DELETE FROM log WHERE tenant = 0 AND id < 700",
	"INSERT INTO item VALUES (100000, 'x')", "INSERT INTO item VALUES (100001, 'x'), (100002, 'x'), (100003, 'x'), (100004, 'x'), (100005, 'x'), (100006, 'x'), (100007, 'x'), (100008, 'x'), (100009, 'x'), (100010, 'x')",
	"UPDATE item SET name = 'y' WHERE id = 5", "UPDATE item SET name = 'y' WHERE name = 'name7'", "DELETE FROM item WHERE id IN (1, 2, 3, 4, 5)",
	"INSERT INTO author VALUES (1000, 'new')", "INSERT INTO book VALUES (10000, 1, 'x')", "INSERT INTO book VALUES (10001, 1, 'x'), (10002, 1, 'y'), (10003, 2, 'z')", "INSERT INTO book SELECT id + 20000, author, title FROM book WHERE id < 50",
	"UPDATE book SET title = 'none' WHERE id = 7", "UPDATE book SET author = 3 WHERE id = 7", "DELETE FROM book WHERE id = 10001", "DELETE FROM author WHERE id = 5", "DELETE FROM author WHERE id BETWEEN 10 AND 14", "DELETE FROM author WHERE id = 1000",
	"INSERT INTO chapter VALUES (1, 100, 'x')", "INSERT INTO chapter SELECT id, 200, 'x' FROM book WHERE id BETWEEN 60 AND 70", "DELETE FROM shelf WHERE id = 3", "DELETE FROM shelf WHERE id BETWEEN 10 AND 20", "INSERT INTO board VALUES (1, 100)",
	"INSERT INTO member VALUES (1, 1000, 'new@x')", "INSERT INTO member VALUES (1, 1001, 'a@x'), (2, 1002, 'b@x'), (3, 1003, 'c@x')", "UPDATE member SET email = 'c@y' WHERE tenant = 3 AND id = 1003", "DELETE FROM member WHERE tenant = 2",
	"UPDATE member SET id = id + 5000 WHERE tenant = 4", "DELETE FROM few",
}

// TestEstimatesOfWrites: what EXPLAIN says of writes is within a factor of two of what they take on an account for nine of ten, and never
// below the least.
func TestEstimatesOfWrites(t *testing.T) {
	t.Parallel()
	connector, conn := connect(t, overService(0, false))
	runAll(t, conn, statisticsTables...)
	runAll(t, conn, "CREATE TABLE author (id INT PRIMARY KEY, name VARCHAR(20))",
		"CREATE TABLE book (id INT PRIMARY KEY, author INT, title VARCHAR(20), FOREIGN KEY (author) REFERENCES author (id) ON DELETE CASCADE)",
		"CREATE TABLE chapter (book INT, n INT, title VARCHAR(20), PRIMARY KEY (book, n), FOREIGN KEY (book) REFERENCES book (id) ON DELETE CASCADE)",
		"CREATE TABLE shelf (id INT PRIMARY KEY, name VARCHAR(20))", "CREATE TABLE board (shelf INT, n INT, PRIMARY KEY (shelf, n), FOREIGN KEY (shelf) REFERENCES shelf (id) ON DELETE CASCADE) INTERLEAVE IN PARENT shelf",
		"CREATE TABLE member (tenant INT, id INT, email VARCHAR(30), PRIMARY KEY (tenant, id), UNIQUE KEY email (email) GLOBAL) PARTITION BY KEY (tenant)")
	fillStatistics(t, conn, 200)
	numbers := func(n int, row string) string {
		rows := make([]string, n)
		for i := range rows {
			rows[i] = strings.NewReplacer("#/4", strconv.Itoa(i/4), "#%4", strconv.Itoa(i%4), "#/9", strconv.Itoa(i/9), "#%9", strconv.Itoa(i%9), "#", strconv.Itoa(i)).Replace(row)
		}
		return strings.Join(rows, ", ")
	}
	runAll(t, conn, "INSERT INTO author VALUES "+numbers(100, "(#, 'a#')"), "INSERT INTO book VALUES "+numbers(400, "(#, #/4, 't#')"), "INSERT INTO chapter VALUES "+numbers(900, "(#/9, #%9, 'c#')"),
		"INSERT INTO shelf VALUES "+numbers(50, "(#, 's#')"), "INSERT INTO board VALUES "+numbers(200, "(#/4, #%4)"), "INSERT INTO member VALUES "+numbers(90, "(#/9, #, 'm#@x')"))
	runAll(t, conn, "ANALYZE TABLE customer, orders, log, item, few, author, book, chapter, shelf, board, member")
	far := 0
	for _, statement := range estimatedWrites {
		text := answer(t.Context(), conn, "EXPLAIN "+statement)
		m := aboutRequests.FindStringSubmatch(text)
		if m == nil {
			t.Errorf("%s: no estimate\n%s", statement, text)
			continue
		}
		least, _ := strconv.ParseFloat(m[1], 64)
		about, _ := strconv.ParseFloat(m[2], 64)
		before := connector.Stats()
		runAll(t, conn, statement)
		cost := connector.Stats().Sub(before)
		real := float64(cost.Requests - cost.SchemaRequests)
		if about < least || real < least {
			t.Errorf("%s: about %v, took %v, and at least %v", statement, about, real, least)
		}
		if about > 2*real || real > 2*about {
			far++
			t.Logf("%s: about %v, and took %v\n%s", statement, about, real, text)
		}
	}
	t.Logf("%d of %d are far off", far, len(estimatedWrites))
	if far*10 > len(estimatedWrites) {
		t.Errorf("%d of %d estimates are far off", far, len(estimatedWrites))
	}
}
