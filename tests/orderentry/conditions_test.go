package orderentry

import (
	"database/sql"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// conditions are those of TPC-C's clause 3.3.2 by their numbers there, and one of the stock: each query gives what breaks one, which
// the statement behind it does.
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
	{"5: an order has a carrier just when it is not new", `SELECT o_w_id, o_id FROM orders
		WHERE (o_carrier_id IS NULL) <> EXISTS (SELECT 1 FROM new_order WHERE no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id)`,
		"UPDATE orders SET o_carrier_id = NULL"},
	{"6: an order has its lines", `SELECT o_w_id, o_id FROM orders
		WHERE o_ol_cnt <> (SELECT COUNT(*) FROM order_line WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id)`,
		"UPDATE orders SET o_ol_cnt = o_ol_cnt + 1"},
	{"7: a line is delivered with its order", `SELECT ol_w_id, ol_o_id FROM order_line JOIN orders ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
		WHERE (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL)`,
		"UPDATE order_line SET ol_delivery_d = NULL"},
	{"8: a warehouse has taken what was paid there", "SELECT w_id, w_ytd FROM warehouse WHERE w_ytd <> (SELECT COALESCE(SUM(h_amount), 0) FROM history WHERE h_w_id = w_id)",
		"DELETE FROM history"},
	{"9: a district has taken what was paid there", `SELECT d_w_id, d_id FROM district
		WHERE d_ytd <> (SELECT COALESCE(SUM(h_amount), 0) FROM history WHERE h_w_id = d_w_id AND h_d_id = d_id)`,
		"UPDATE history SET h_d_id = 0"},
	{"10: a customer owes what was delivered and not paid", `SELECT c_w_id, c_id FROM customer
		WHERE c_balance <> (SELECT COALESCE(SUM(ol_amount), 0) FROM orders JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
				WHERE o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id AND ol_delivery_d IS NOT NULL)
			- (SELECT COALESCE(SUM(h_amount), 0) FROM history WHERE h_c_w_id = c_w_id AND h_c_d_id = c_d_id AND h_c_id = c_id)`,
		"UPDATE customer SET c_balance = c_balance + 1"},
	{"12: what a customer owes and has paid was delivered", `SELECT c_w_id, c_id FROM customer
		WHERE c_balance + c_ytd_payment <> (SELECT COALESCE(SUM(ol_amount), 0) FROM orders JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
			WHERE o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id AND ol_delivery_d IS NOT NULL)`,
		"UPDATE customer SET c_ytd_payment = c_ytd_payment + 1"},
	{"the stock counts what was ordered", `SELECT s_w_id, s_i_id FROM stock WHERE s_ytd <> (SELECT COALESCE(SUM(ol_quantity), 0) FROM order_line WHERE ol_supply_w_id = s_w_id AND ol_i_id = s_i_id)
		OR s_order_cnt <> (SELECT COUNT(*) FROM order_line WHERE ol_supply_w_id = s_w_id AND ol_i_id = s_i_id)`,
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
