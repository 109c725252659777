package orderentry

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/nearlyfreedb/nearlyfree"
)

// terminal is where somebody works.
type terminal struct {
	db   *sql.DB
	rnd  *rand.Rand
	home int // its warehouse
}

// errUnusedItem ends a new order with an item that does not exist.
var errUnusedItem = errors.New("item number is not valid")

// tx is what a transaction's statements are run by. The first error ends it.
type tx struct {
	*sql.Tx
	ctx context.Context
	err error
}

func (t *tx) exec(query string, args ...any) {
	if t.err != nil {
		return
	}
	if _, err := t.ExecContext(t.ctx, query, args...); err != nil {
		t.err = fmt.Errorf("%s: %w", query, err)
	}
}

// get reads one row.
func (t *tx) get(query string, args []any, into ...any) {
	if t.err != nil {
		return
	}
	if err := t.QueryRowContext(t.ctx, query, args...).Scan(into...); err != nil {
		t.err = fmt.Errorf("%s: %w", query, err)
	}
}

// none says that the last get has found no row, and forgets that.
func (t *tx) none() bool {
	if !errors.Is(t.err, sql.ErrNoRows) {
		return false
	}
	t.err = nil
	return true
}

// run runs a transaction at one of two levels.
func (t *terminal) run(ctx context.Context, fn func(*tx)) error {
	level := []sql.IsolationLevel{sql.LevelDefault, sql.LevelSerializable}[t.rnd.IntN(2)]
	return nearlyfree.RunTx(ctx, t.db, &sql.TxOptions{Isolation: level}, func(inner *sql.Tx) error {
		x := &tx{Tx: inner, ctx: ctx}
		fn(x)
		return x.err
	})
}

func (t *terminal) district() int { return 1 + t.rnd.IntN(districts) }

// sometimes is true so many times of a hundred.
func (t *terminal) sometimes(percent int) bool { return t.rnd.IntN(100) < percent }

// otherWarehouse gives the terminal's own warehouse, or sometimes another one.
func (t *terminal) otherWarehouse(percent int) int {
	if t.sometimes(percent) {
		return 1 + t.rnd.IntN(warehouses)
	}
	return t.home
}

// line is what is ordered of an item.
type line struct{ item, supply, quantity int }

// newOrder enters an order, and gives its number.
func (t *terminal) newOrder(ctx context.Context) (number int, district int, err error) {
	w, d, c := t.home, t.district(), 1+t.rnd.IntN(customers)
	var lines []line
	for range 3 + t.rnd.IntN(6) {
		lines = append(lines, line{1 + t.rnd.IntN(items), t.otherWarehouse(10), 1 + t.rnd.IntN(10)})
	}
	if t.sometimes(1) {
		lines[len(lines)-1].item = items + 1
	}
	enter := func(x *tx) {
		var wTax, dTax, discount float64
		x.get("SELECT w_tax FROM warehouse WHERE w_id = ?", []any{w}, &wTax)
		x.get("SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = ? AND d_id = ? FOR UPDATE", []any{w, d}, &number, &dTax)
		x.exec("UPDATE district SET d_next_o_id = ? WHERE d_w_id = ? AND d_id = ?", number+1, w, d)
		x.get("SELECT c_discount FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?", []any{w, d, c}, &discount)
		x.exec("INSERT INTO orders VALUES (?, ?, ?, ?, NOW(), NULL, ?)", w, d, number, c, len(lines))
		x.exec("INSERT INTO new_order VALUES (?, ?, ?)", w, d, number)
		for i, l := range lines {
			var price float64
			var quantity int
			x.get("SELECT i_price FROM item WHERE i_id = ?", []any{l.item}, &price)
			if x.none() {
				x.err = errUnusedItem
			}
			x.get("SELECT s_quantity FROM stock WHERE s_w_id = ? AND s_i_id = ? FOR UPDATE", []any{l.supply, l.item}, &quantity)
			if quantity -= l.quantity; quantity < 10 {
				quantity += 91
			}
			remote := 0
			if l.supply != w {
				remote = 1
			}
			x.exec("UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ? WHERE s_w_id = ? AND s_i_id = ?",
				quantity, l.quantity, remote, l.supply, l.item)
			x.exec("INSERT INTO order_line VALUES (?, ?, ?, ?, ?, ?, NULL, ?, ?)", w, d, number, i+1, l.item, l.supply, l.quantity, fmt.Sprintf("%.2f", float64(l.quantity)*price))
		}
	}
	// On an account each statement reads its own moment, and no lock is held: the number may be another order's by the time that a
	// line is entered, which finds that one's line.
	for range 20 {
		if err = t.run(ctx, enter); !errors.Is(err, nearlyfree.ErrDuplicateKey) {
			break
		}
	}
	return number, d, err
}

// customerOf finds a customer by number or by name, of whom the middle one is meant.
func (x *tx) customerOf(w, d, c int, byName bool) (id int) {
	if !byName || x.err != nil {
		return c
	}
	rows, err := x.QueryContext(x.ctx, "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? ORDER BY c_id", w, d, lastName(c-1))
	if err != nil {
		x.err = err
		return 0
	}
	defer rows.Close()
	var found []int
	for rows.Next() {
		var n int
		if x.err = rows.Scan(&n); x.err != nil {
			return 0
		}
		found = append(found, n)
	}
	if x.err = rows.Err(); x.err != nil {
		return 0
	}
	if len(found) != customers/3 {
		x.err = fmt.Errorf("%d customers are called %s", len(found), lastName(c-1))
		return 0
	}
	return found[len(found)/2]
}

// payment takes a customer's money.
func (t *terminal) payment(ctx context.Context) error {
	w, d, c, byName := t.home, t.district(), 1+t.rnd.IntN(customers), t.sometimes(60)
	ofWarehouse, ofDistrict := t.otherWarehouse(15), t.district()
	amount := fmt.Sprintf("%d.%02d", 1+t.rnd.IntN(5000), t.rnd.IntN(100))
	return t.run(ctx, func(x *tx) {
		x.exec("UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?", amount, w)
		x.exec("UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?", amount, w, d)
		id := x.customerOf(ofWarehouse, ofDistrict, c, byName)
		var credit, data string
		x.get("SELECT c_credit, c_data FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ? FOR UPDATE", []any{ofWarehouse, ofDistrict, id}, &credit, &data)
		if credit == "BC" {
			data = fmt.Sprintf("%d %d %d %s|%s", id, d, w, amount, data)
			data = data[:min(500, len(data))]
		}
		x.exec("UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?, c_payment_cnt = c_payment_cnt + 1, c_data = ? WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
			amount, amount, data, ofWarehouse, ofDistrict, id)
		x.exec("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?)", ofWarehouse, ofDistrict, id, w, d, amount)
	})
}

// orderStatus shows a customer's last order. Its lines are those that it was entered with.
func (t *terminal) orderStatus(ctx context.Context) error {
	w, d, c, byName := t.home, t.district(), 1+t.rnd.IntN(customers), t.sometimes(60)
	return t.run(ctx, func(x *tx) {
		var balance float64
		var order, count, lines int
		id := x.customerOf(w, d, c, byName)
		x.get("SELECT c_balance FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?", []any{w, d, id}, &balance)
		x.get("SELECT o_id, o_ol_cnt FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC LIMIT 1", []any{w, d, id}, &order, &count)
		if x.none() {
			return
		}
		x.get("SELECT COUNT(*) FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?", []any{w, d, order}, &lines)
		if x.err == nil && lines != count {
			x.err = fmt.Errorf("order %d of district %d, %d has %d lines, and %d of them are there", order, w, d, count, lines)
		}
	})
}

// delivery delivers the oldest order of each district.
func (t *terminal) delivery(ctx context.Context) error {
	w, carrier := t.home, 1+t.rnd.IntN(10)
	return t.run(ctx, func(x *tx) {
		for d := 1; d <= districts; d++ {
			var order, customer int
			var amount string
			x.get("SELECT no_o_id FROM new_order WHERE no_w_id = ? AND no_d_id = ? ORDER BY no_o_id LIMIT 1 FOR UPDATE", []any{w, d}, &order)
			if x.none() {
				continue
			}
			x.exec("DELETE FROM new_order WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?", w, d, order)
			x.get("SELECT o_c_id FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?", []any{w, d, order}, &customer)
			x.exec("UPDATE orders SET o_carrier_id = ? WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?", carrier, w, d, order)
			x.exec("UPDATE order_line SET ol_delivery_d = NOW() WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?", w, d, order)
			x.get("SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?", []any{w, d, order}, &amount)
			x.exec("UPDATE customer SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?", amount, w, d, customer)
		}
	})
}

// stockLevel counts the items of the last orders of which little is left.
func (t *terminal) stockLevel(ctx context.Context) error {
	w, d, threshold := t.home, t.district(), 10+t.rnd.IntN(11)
	return t.run(ctx, func(x *tx) {
		var next, low int
		x.get("SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?", []any{w, d}, &next)
		x.get(`SELECT COUNT(DISTINCT s_i_id) FROM order_line JOIN stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id
			WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= ? AND s_quantity < ?`, []any{w, d, next, next - 20, threshold}, &low)
	})
}
