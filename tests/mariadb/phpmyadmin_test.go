package mariadb

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// TestPhpMyAdmin: what phpMyAdmin exports, keys, AUTO_INCREMENT and foreign keys behind the rows, is loaded as it is, and holds what MariaDB
// makes of it. It is loaded by the command that looks ahead for keys, and run as it stands.
func TestPhpMyAdmin(t *testing.T) {
	needServer(t)
	for name, command := range map[string][]string{"loaded": {"load"}, "run": nil} {
		t.Run(name, func(t *testing.T) { loadPhpMyAdmin(t, command) })
	}
}

func loadPhpMyAdmin(t *testing.T, command []string) {
	config, err := mysql.ParseDSN(serverDSN)
	if err != nil {
		t.Fatal(err)
	}
	if config.Net != "unix" {
		t.Skip("the server is on another machine")
	}
	const dump = "testdata/phpmyadmin.sql"
	text, err := os.Open(dump)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	theirs := openTheirs(t)
	client := exec.Command("mariadb", "--no-defaults", "--socket="+config.Addr, "--user=root", theirs.query("SELECT DATABASE()").rows[0][0].text)
	client.Stdin = text
	if out, err := client.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := "file:" + filepath.Join(t.TempDir(), "shop.db")
	load := exec.Command("go", append(append([]string{"run", "../../cmd/nearlyfree"}, command...), file, dump)...)
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ours := openOurs(t, "here", file)
	for _, query := range []string{
		"SELECT * FROM category ORDER BY id", "SELECT * FROM customer ORDER BY id", "SELECT * FROM log ORDER BY what", "SELECT * FROM `order` ORDER BY id",
		"SELECT * FROM order_category ORDER BY order_id, category_id", "SELECT * FROM open_orders ORDER BY id",
		"SELECT TABLE_NAME, COLUMN_NAME, ORDINAL_POSITION, IS_NULLABLE, COLUMN_KEY, EXTRA LIKE '%auto_increment%' FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1, 3",
		"SELECT TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, NON_UNIQUE FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1, LOWER(INDEX_NAME), 3",
		"SELECT CONSTRAINT_NAME, TABLE_NAME, REFERENCED_TABLE_NAME, REPLACE(UPDATE_RULE, 'RESTRICT', 'NO ACTION'), REPLACE(DELETE_RULE, 'RESTRICT', 'NO ACTION') FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() ORDER BY 1",
	} {
		got, want := ours.query(query), theirs.query(query)
		if what := got.differs(want); what != "" {
			t.Errorf("%s: %s\n%s\nwant\n%s", query, what, got, want)
		}
		if len(got.rows) == 0 {
			t.Errorf("%s: no rows", query)
		}
	}
	for _, s := range []string{
		"INSERT INTO category (title) VALUES ('after')", "INSERT INTO customer (email) VALUES ('after')", "INSERT INTO `order` (customer_id) VALUES (1)",
		"INSERT INTO `order` (customer_id) VALUES (99)", "INSERT INTO order_category VALUES (10, 1, 5)", "INSERT INTO category (title) VALUES ('books')", "DELETE FROM customer WHERE id = 1",
	} {
		got, want := ours.exec(s), theirs.exec(s)
		if got.lastID != want.lastID || got.number != want.number {
			t.Errorf("%s: id %d, %v, want %d, %v", s, got.lastID, got.err, want.lastID, want.err)
		}
	}
	const all = "SELECT (SELECT GROUP_CONCAT(id ORDER BY id) FROM category), (SELECT GROUP_CONCAT(id ORDER BY id) FROM customer), (SELECT GROUP_CONCAT(id ORDER BY id) FROM `order`)"
	if got, want := ours.query(all), theirs.query(all); got.differs(want) != "" || !strings.Contains(want.String(), "20") {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
