// Package orderentry runs a wholesaler's order entry in the manner of TPC-C, in small: nine tables, five transactions written as an
// application would with RunTx, at the default level with FOR UPDATE and at the serializable one. Its consistency conditions (clause 3.3.2 of TPC-C) hold in
// memory, over a file and over a simulated account, also after a process has died.
package orderentry

import (
	"database/sql"
	"fmt"
	"testing"
)

// How much there is of everything. Few of all make the transactions meet.
const (
	warehouses = 2
	districts  = 2 // of a warehouse
	customers  = 6 // of a district
	items      = 20
)

var definitions = []string{
	`CREATE TABLE warehouse (w_id INT PRIMARY KEY, w_name VARCHAR(10) NOT NULL, w_tax DECIMAL(4,4) NOT NULL, w_ytd DECIMAL(12,2) NOT NULL)
		PARTITION BY HASH (w_id) PARTITIONS 2`,
	`CREATE TABLE district (d_w_id INT, d_id INT, d_tax DECIMAL(4,4) NOT NULL, d_ytd DECIMAL(12,2) NOT NULL, d_next_o_id INT NOT NULL, PRIMARY KEY (d_w_id, d_id),
		FOREIGN KEY (d_w_id) REFERENCES warehouse (w_id)) PARTITION BY HASH (d_w_id) PARTITIONS 2`,
	`CREATE TABLE customer (c_w_id INT, c_d_id INT, c_id INT, c_last VARCHAR(16) NOT NULL, c_credit CHAR(2) NOT NULL, c_discount DECIMAL(4,4) NOT NULL,
		c_balance DECIMAL(12,2) NOT NULL, c_ytd_payment DECIMAL(12,2) NOT NULL, c_payment_cnt INT NOT NULL, c_delivery_cnt INT NOT NULL, c_data VARCHAR(500) NOT NULL,
		PRIMARY KEY (c_w_id, c_d_id, c_id), KEY by_name (c_w_id, c_d_id, c_last)) PARTITION BY KEY (c_w_id) PARTITIONS 4`,
	`CREATE TABLE history (h_c_w_id INT NOT NULL, h_c_d_id INT NOT NULL, h_c_id INT NOT NULL, h_w_id INT NOT NULL, h_d_id INT NOT NULL, h_amount DECIMAL(6,2) NOT NULL,
		FOREIGN KEY (h_c_w_id, h_c_d_id, h_c_id) REFERENCES customer (c_w_id, c_d_id, c_id))`,
	`CREATE TABLE orders (o_w_id INT, o_d_id INT, o_id INT, o_c_id INT NOT NULL, o_entry_d DATETIME NOT NULL, o_carrier_id INT, o_ol_cnt INT NOT NULL,
		PRIMARY KEY (o_w_id, o_d_id, o_id), UNIQUE KEY of_customer (o_w_id, o_d_id, o_c_id, o_id)) PARTITION BY HASH (o_w_id) PARTITIONS 2`,
	`CREATE TABLE new_order (no_w_id INT, no_d_id INT, no_o_id INT, PRIMARY KEY (no_w_id, no_d_id, no_o_id),
		FOREIGN KEY (no_w_id, no_d_id, no_o_id) REFERENCES orders (o_w_id, o_d_id, o_id)) PARTITION BY HASH (no_w_id) PARTITIONS 2`,
	`CREATE TABLE item (i_id INT PRIMARY KEY, i_name VARCHAR(24) NOT NULL, i_price DECIMAL(5,2) NOT NULL)`,
	`CREATE TABLE stock (s_w_id INT, s_i_id INT, s_quantity INT NOT NULL, s_ytd INT NOT NULL, s_order_cnt INT NOT NULL, s_remote_cnt INT NOT NULL,
		PRIMARY KEY (s_w_id, s_i_id)) PARTITION BY HASH (s_w_id) PARTITIONS 2`,
	`CREATE TABLE order_line (ol_w_id INT, ol_d_id INT, ol_o_id INT, ol_number INT, ol_i_id INT NOT NULL, ol_supply_w_id INT NOT NULL, ol_delivery_d DATETIME,
		ol_quantity INT NOT NULL, ol_amount DECIMAL(6,2) NOT NULL, PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)) PARTITION BY HASH (ol_w_id) PARTITIONS 2`,
}

// fill makes the tables, and the rows that are there before the first order.
func fill(db *sql.DB) error {
	for _, s := range definitions {
		if _, err := db.Exec(s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	insert := func(query string, args ...any) {
		if err == nil {
			_, err = tx.Exec(query, args...)
		}
	}
	for i := range items {
		insert("INSERT INTO item VALUES (?, ?, ?)", i+1, fmt.Sprint("item ", i+1), float64(100+37*i)/100)
	}
	for w := 1; w <= warehouses; w++ {
		insert("INSERT INTO warehouse VALUES (?, ?, 0.0825, 0)", w, fmt.Sprint("house ", w))
		for i := range items {
			insert("INSERT INTO stock VALUES (?, ?, ?, 0, 0, 0)", w, i+1, 10+i)
		}
		for d := 1; d <= districts; d++ {
			insert("INSERT INTO district VALUES (?, ?, 0.05, 0, 1)", w, d)
			for c := range customers {
				insert("INSERT INTO customer VALUES (?, ?, ?, ?, ?, 0.1, 0, 0, 0, 0, '')", w, d, c+1, lastName(c), []string{"GC", "BC"}[c%2])
			}
		}
	}
	if err != nil {
		return err
	}
	return tx.Commit()
}

// lastName gives a customer's name, which two of them have.
func lastName(c int) string { return []string{"BARBAROUGHT", "OUGHTABLE", "PRIESE"}[c%3] }

func start(t *testing.T, db *sql.DB) {
	t.Helper()
	if err := fill(db); err != nil {
		t.Fatal(err)
	}
}
