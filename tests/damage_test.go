package tests

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// maintained gives the Msg_type and Msg_text of CHECK, REPAIR or OPTIMIZE TABLE.
func maintained(t *testing.T, db *sql.DB, statement string) string {
	t.Helper()
	rows, err := db.Query(statement)
	if err != nil {
		return err.Error()
	}
	defer rows.Close()
	var said strings.Builder
	for rows.Next() {
		var table, op, kind, text string
		if err := rows.Scan(&table, &op, &kind, &text); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&said, "%s: %s\n", kind, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return said.String()
}

func openFile(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("nearlyfree", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// damage changes a bit of a word wherever it stands in a file, as older pages may be free, behind what is wanted.
func damage(t *testing.T, path, word string, wanted func(before []byte) bool) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range content {
		if bytes.HasPrefix(content[i:], []byte(word)) && wanted(content[:i]) {
			content[i] ^= 1
		}
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedRow: a damaged row is an error to who reads it, CHECK TABLE names it, and REPAIR TABLE gives it up with what
// belonged to it; the rest is whole. A missing entry of an index is made again.
func TestDamagedRow(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"row", "entry"} {
		t.Run(what, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store.db")
			db := openFile(t, path)
			exec(t, db, "CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(40), KEY (title) INCLUDE (id))")
			exec(t, db, "INSERT INTO book VALUES (1, 'first-of-all'), (2, 'second-of-all'), (3, 'third-of-all')")
			db.Close()
			// The text stands in the row, and in the key of its entry.
			damage(t, path, "second-of-all", func(before []byte) bool { return bytes.HasSuffix(before, []byte("title!")) == (what == "entry") })
			db = openFile(t, path)
			defer db.Close()
			var n int
			err := db.QueryRow("SELECT COUNT(title) FROM book WHERE id > 0").Scan(&n)
			if what == "row" && (!errors.Is(err, nearlyfree.ErrCorrupt) || !strings.Contains(err.Error(), "REPAIR TABLE") || !strings.Contains(err.Error(), "book")) {
				t.Errorf("a query over the row gives %d, %v", n, err)
			}
			if said := maintained(t, db, "CHECK TABLE book"); !strings.Contains(said, "checksum") || !strings.Contains(said, "error: Corrupt") {
				t.Errorf("CHECK says %s", said)
			}
			if said := maintained(t, db, "REPAIR TABLE book"); !strings.Contains(said, "given up") {
				t.Errorf("REPAIR says %s", said)
			}
			if said := maintained(t, db, "CHECK TABLE book"); said != "status: OK\n" {
				t.Errorf("after REPAIR, CHECK says %s", said)
			}
			want := map[string]int{"row": 2, "entry": 3}[what]
			for _, query := range []string{"SELECT COUNT(title) FROM book", "SELECT COUNT(*) FROM book WHERE title >= 'a'"} {
				if err := db.QueryRow(query).Scan(&n); err != nil || n != want {
					t.Errorf("after REPAIR %s gives %d, %v; want %d", query, n, err, want)
				}
			}
			if said := maintained(t, db, "OPTIMIZE TABLE book"); said != "status: OK\n" {
				t.Errorf("OPTIMIZE says %s", said)
			}
		})
	}
}

// TestDamagedParts: REPAIR TABLE looks at all parts of a table, whichever of them are whole.
func TestDamagedParts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	db := openFile(t, path)
	exec(t, db, "CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(40)) PARTITION BY RANGE (id) (PARTITION a VALUES LESS THAN (10), PARTITION b VALUES LESS THAN (20), PARTITION c VALUES LESS THAN (30))")
	exec(t, db, "INSERT INTO book VALUES (1, 'whole'), (11, 'damaged-one'), (12, 'whole'), (21, 'damaged-two'), (22, 'whole')")
	db.Close()
	damage(t, path, "damaged-", func([]byte) bool { return true })
	db = openFile(t, path)
	defer db.Close()
	if said := maintained(t, db, "CHECK TABLE book"); strings.Count(said, "checksum") != 2 || !strings.HasSuffix(said, "error: Corrupt\n") {
		t.Errorf("CHECK says %s", said)
	}
	if said := maintained(t, db, "REPAIR TABLE book"); strings.Count(said, "given up") != 2 || !strings.HasSuffix(said, "status: OK\n") {
		t.Errorf("REPAIR says %s", said)
	}
	if said := maintained(t, db, "CHECK TABLE book"); said != "status: OK\n" {
		t.Errorf("after REPAIR, CHECK says %s", said)
	}
	var n int
	if err := db.QueryRow("SELECT COUNT(title) FROM book").Scan(&n); err != nil || n != 3 {
		t.Errorf("after REPAIR there are %d rows, %v; want 3", n, err)
	}
}
