package orderentry

import (
	"database/sql"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// delivered joins customers with what was delivered to them.
const delivered = `(SELECT o_w_id, o_d_id, o_c_id, SUM(ol_amount) delivered FROM orders JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
		WHERE ol_delivery_d IS NOT NULL GROUP BY o_w_id, o_d_id, o_c_id) o ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id`

// conditions are those of TPC-C's clause 3.3.2 by their numbers there, and one of the stock: each query gives what breaks one, which
// the statement behind it does. Each reads its tables once, whatever they hold: a subquery for each order would be a request for each.
var conditions = []struct{ what, broken, breaks string }{
	{"1: a warehouse has taken what its districts have", "SELECT w_id, w_ytd FROM warehouse WHERE w_ytd <> (SELECT SUM(d_ytd) FROM district WHERE d_w_id = w_id)",
		"UPDATE warehouse SET w_ytd = w_ytd + 1"},
	{"2: the next number is one more than that of the last order", `SELECT d_w_id, d_id FROM district
		WHERE d_next_o_id - 1 <> (SELECT COALESCE(MAX(o_id), 0) FROM orders WHERE o_w_id = d_w_id AND o_d_id = d_id)
			OR d_next_o_id - 1 < (SELECT COALESCE(MAX(no_o_id), 0) FROM new_order WHERE no_w_id = d_w_id AND no_d_id = d_id)`,
		"UPDATE district SET d_next_o_id = d_next_o_id + 1"},
	{"3: new orders have no gaps", "SELECT no_w_id, no_d_id FROM new_order GROUP BY no_w_id, no_d_id HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)",
		"INSERT IGNORE INTO new_order SELECT o_w_id, o_d_id, o_id FROM orders WHERE o_id = 1"},
	{"4: a district's orders have all their lines", `SELECT d_w_id, d_id FROM district
		WHERE (SELECT COALESCE(SUM(o_ol_cnt), 0) FROM orders WHERE o_w_id = d_w_id AND o_d_id = d_id) <> (SELECT COUNT(*) FROM order_line WHERE ol_w_id = d_w_id AND ol_d_id = d_id)`,
		"DELETE FROM order_line WHERE ol_number = 1"},
	{"5: an order has a carrier just when it is not new", `SELECT o_w_id, o_id FROM orders LEFT JOIN new_order ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id
		WHERE (o_carrier_id IS NULL) <> (no_o_id IS NOT NULL)`,
		"UPDATE orders SET o_carrier_id = NULL"},
	{"6: an order has its lines", `SELECT o_w_id, o_id FROM orders LEFT JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
		GROUP BY o_w_id, o_d_id, o_id, o_ol_cnt HAVING o_ol_cnt <> COUNT(ol_number)`,
		"UPDATE orders SET o_ol_cnt = o_ol_cnt + 1"},
	{"7: a line is delivered with its order", `SELECT ol_w_id, ol_o_id FROM order_line JOIN orders ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
		WHERE (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL)`,
		"UPDATE order_line SET ol_delivery_d = NULL"},
	{"8: a warehouse has taken what was paid there", "SELECT w_id, w_ytd FROM warehouse WHERE w_ytd <> (SELECT COALESCE(SUM(h_amount), 0) FROM history WHERE h_w_id = w_id)",
		"DELETE FROM history"},
	{"9: a district has taken what was paid there", `SELECT d_w_id, d_id FROM district
		WHERE d_ytd <> (SELECT COALESCE(SUM(h_amount), 0) FROM history WHERE h_w_id = d_w_id AND h_d_id = d_id)`,
		"UPDATE history SET h_d_id = 0"},
	{"10: a customer owes what was delivered and not paid", `SELECT c_w_id, c_id FROM customer LEFT JOIN ` + delivered + `
		LEFT JOIN (SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount) paid FROM history GROUP BY h_c_w_id, h_c_d_id, h_c_id) h ON h_c_w_id = c_w_id AND h_c_d_id = c_d_id AND h_c_id = c_id
		WHERE c_balance <> COALESCE(delivered, 0) - COALESCE(paid, 0)`,
		"UPDATE customer SET c_balance = c_balance + 1"},
	{"12: what a customer owes and has paid was delivered", `SELECT c_w_id, c_id FROM customer LEFT JOIN ` + delivered + `
		WHERE c_balance + c_ytd_payment <> COALESCE(delivered, 0)`,
		"UPDATE customer SET c_ytd_payment = c_ytd_payment + 1"},
	{"the stock counts what was ordered", `SELECT s_w_id, s_i_id FROM stock
		LEFT JOIN (SELECT ol_supply_w_id, ol_i_id, SUM(ol_quantity) quantity, COUNT(*) n FROM order_line GROUP BY ol_supply_w_id, ol_i_id) o
			ON ol_supply_w_id = s_w_id AND ol_i_id = s_i_id
		WHERE s_ytd <> COALESCE(quantity, 0) OR s_order_cnt <> COALESCE(n, 0)`,
		"UPDATE stock SET s_ytd = s_ytd + 1"},
}

// breaches gives what breaks a condition.
func breaches(t *testing.T, q interface {
	Query(query string, args ...any) (*sql.Rows, error)
}, query string) (all []string) {
	t.Helper()
	rows, err := q.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var of, what string
		if err := rows.Scan(&of, &what); err != nil {
			t.Fatal(err)
		}
		all = append(all, of+", "+what)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return all
}

// checkConditions says which conditions are broken, and where an index does not match its table.
func checkConditions(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, c := range conditions {
		for _, b := range breaches(t, db, c.broken) {
			t.Errorf("condition %s: broken for %s", c.what, b)
		}
	}
	if err := nearlyfreetest.Check(db); err != nil {
		t.Error(err)
	}
}

// TestConditions: each condition shows when it is broken.
func TestConditions(t *testing.T) {
	t.Parallel()
	db := open(t, &nearlyfree.Config{Store: "mem://"})
	start(t, db)
	workAll(t, []*sql.DB{db}, nobody, 2)
	for _, c := range conditions {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(c.breaks); err != nil {
			t.Fatalf("%s: %v", c.breaks, err)
		}
		if breaches(t, tx, c.broken) == nil {
			t.Errorf("condition %s: not broken by %s", c.what, c.breaks)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
	}
}
