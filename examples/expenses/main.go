// Command expenses is a small real program: expense reports with their items, found by employee, by the
// beginning of a name, newest first, and by id. It prints each query with its plan, its rows, and what it
// costs on Azure. It runs on one file; with -dsn it runs on any store, Azure too:
//
//	go run ./examples/expenses
//	go run ./examples/expenses -dsn "$AZURE_STORAGE_CONNECTION_STRING"
package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

func main() {
	log.SetFlags(0)
	file := flag.String("file", filepath.Join(os.TempDir(), "nearlyfree-expenses.db"), "the database `file`; it is made anew")
	dsn := flag.String("dsn", "", "another data source `name` in its place; its tables expense and item are dropped first")
	flag.Parse()
	if err := run(context.Background(), *dsn, *file); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dsn, file string) error {
	if dsn == "" {
		if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
			return err
		}
		dsn = "file:" + file
	}
	config, err := nearlyfree.ParseDSN(dsn)
	if err != nil {
		return err
	}
	connector, err := nearlyfree.NewConnector(config)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	r := report{ctx, db, connector}
	fmt.Printf("database %s\n", config)
	if err := fill(ctx, db); err != nil {
		return err
	}
	for _, q := range queries {
		if err := r.show(q.title, q.sql, q.args...); err != nil {
			return fmt.Errorf("%s: %w", q.title, err)
		}
	}
	total := connector.Stats()
	fmt.Printf("\nAll of it: %d requests; on Azure a million runs of this program would cost $%.2f.\n", total.Requests, total.DollarsPerMillion(nearlyfree.ListPrice))
	return nil
}

var tables = []string{
	`DROP TABLE IF EXISTS item, expense`,
	`CREATE TABLE expense (
		id       VARCHAR(20)   PRIMARY KEY,
		employee VARCHAR(60)   NOT NULL COLLATE nocase,
		title    VARCHAR(100)  NOT NULL,
		created  DATETIME(6)   NOT NULL,
		total    DECIMAL(10,2) NOT NULL,
		paid     BOOL          NOT NULL DEFAULT FALSE,
		notes    TEXT,
		KEY by_employee (employee, created DESC),
		KEY newest (created DESC)
	)`,
	`CREATE TABLE item (
		expense VARCHAR(20)   NOT NULL,
		line    INT           NOT NULL,
		what    VARCHAR(100)  NOT NULL,
		amount  DECIMAL(10,2) NOT NULL,
		PRIMARY KEY (expense, line),
		FOREIGN KEY (expense) REFERENCES expense (id) ON DELETE CASCADE
	) INTERLEAVE IN PARENT expense`,
}

var queries = []struct {
	title, sql string
	args       []any
}{
	{"An expense by its id", "SELECT employee, title, total FROM expense WHERE id = ?", []any{"E-0042"}},
	{"Its items, in their order", "SELECT line, what, amount FROM item WHERE expense = ? ORDER BY line", []any{"E-0042"}},
	{"An expense with its items", "SELECT e.title, i.line, i.what FROM expense e JOIN item i ON i.expense = e.id WHERE e.id = ? ORDER BY i.line", []any{"E-0007"}},
	{"Expenses of employees whose name begins with sm", "SELECT employee, id, total FROM expense WHERE employee LIKE ? LIMIT 5", []any{"sm%"}},
	{"The newest five of one employee", "SELECT id, created, title FROM expense WHERE employee = ? ORDER BY created DESC LIMIT 5", []any{"Jones"}},
	{"The newest three of all", "SELECT created, employee, title FROM expense ORDER BY created DESC LIMIT 3", nil},
	{"Three of them by their ids", "SELECT id, title FROM expense WHERE id IN (?, ?, ?)", []any{"E-0001", "E-0007", "E-0099"}},
	{"What each employee is owed", "SELECT employee, COUNT(*) AS reports, SUM(total) AS owed FROM expense WHERE NOT paid GROUP BY employee ORDER BY owed DESC", nil},
	{"An expense is paid", "UPDATE expense SET paid = TRUE, notes = ? WHERE id = ?", []any{"wired on the 21st", "E-0042"}},
	{"An expense goes, and its items with it", "DELETE FROM expense WHERE id = ?", []any{"E-0001"}},
}

// fill makes the tables and 100 expenses of three items each, one transaction an expense.
func fill(ctx context.Context, db *sql.DB) error {
	for _, s := range tables {
		if _, err := db.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	employees := []string{"Smith", "Smithers", "Jones", "Miller"}
	day := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	for i := range 100 {
		id := fmt.Sprintf("E-%04d", i)
		amounts := []int{1250 + i, 480, 9900 + 10*i}
		items := make([]string, len(amounts))
		args := []any{}
		total := 0
		for line, cents := range amounts {
			items[line] = "(?, ?, ?, ?)"
			args = append(args, id, line+1, []string{"train", "coffee", "hotel"}[line], euros(cents))
			total += cents
		}
		if err := add(ctx, db, []any{id, employees[i%len(employees)], fmt.Sprintf("Trip %d", i), day.Add(time.Duration(i) * 7 * time.Hour), euros(total)}, items, args); err != nil {
			return err
		}
	}
	return nil
}

// add adds an expense with its items: all of it or nothing, in one entity group transaction.
func add(ctx context.Context, db *sql.DB, expense []any, items []string, args []any) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after Commit it does nothing
	if _, err := tx.ExecContext(ctx, "INSERT INTO expense (id, employee, title, created, total) VALUES (?, ?, ?, ?, ?)", expense...); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO item (expense, line, what, amount) VALUES "+strings.Join(items, ", "), args...); err != nil {
		return err
	}
	return tx.Commit()
}

func euros(cents int) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// report prints statements with their results.
type report struct {
	ctx       context.Context
	db        *sql.DB
	connector *nearlyfree.Connector
}

func (r *report) show(title, statement string, args ...any) error {
	fmt.Printf("\n-- %s\n%s\n", title, statement)
	if len(args) > 0 {
		fmt.Printf("   with %q\n", args)
	}
	if err := r.print("   | ", "EXPLAIN "+statement, args, false); err != nil {
		return err
	}
	before := r.connector.Stats()
	if err := r.print("   ", statement, args, true); err != nil {
		return err
	}
	cost := r.connector.Stats().Sub(before)
	fmt.Printf("   requests %d, entities read %d, written %d; $%.2f for a million on Azure\n",
		cost.Requests, cost.EntitiesReturned, cost.EntitiesWritten, cost.DollarsPerMillion(nearlyfree.ListPrice))
	return nil
}

func (r *report) print(indent, statement string, args []any, header bool) error {
	rows, err := r.db.QueryContext(r.ctx, statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	if header && len(names) > 0 {
		fmt.Printf("%s%s\n", indent, strings.Join(names, " | "))
	}
	cells := make([]any, len(names))
	for i := range cells {
		cells[i] = new(sql.NullString)
	}
	for rows.Next() {
		if err := rows.Scan(cells...); err != nil {
			return err
		}
		texts := make([]string, len(cells))
		for i, c := range cells {
			texts[i] = c.(*sql.NullString).String
		}
		fmt.Printf("%s%s\n", indent, strings.Join(texts, " | "))
	}
	return rows.Err()
}
