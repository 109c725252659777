package tests

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestTableStatus: SHOW TABLE STATUS has MySQL's columns, by which tools read it, and when a table was made: whatever becomes of the table
// since, and in the session's time zone.
func TestTableStatus(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := openName(t, "mem://?time_zone=%2B02:00")
		defer db.Close()
		status := func(where string) string {
			t.Helper()
			rows, err := db.Query("SHOW TABLE STATUS " + where)
			if err != nil {
				t.Fatal(err)
			}
			lines, err := table(rows)
			if err != nil {
				t.Fatal(err)
			}
			return strings.Join(lines, "\n")
		}
		mustExec(t, db, "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a INT, KEY (a)) COMMENT 'told'")
		time.Sleep(time.Hour)
		mustExec(t, db, "INSERT INTO t (a) VALUES (1), (2)")
		mustExec(t, db, "ALTER TABLE t ADD COLUMN b INT")
		mustExec(t, db, "CREATE VIEW v AS SELECT id FROM t")
		mustExec(t, db, "CREATE TABLE parts (id INT PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 4")
		const want = `Name | Engine | Version | Row_format | Rows | Avg_row_length | Data_length | Max_data_length | Index_length | Data_free | Auto_increment | Create_time | Update_time | Check_time | Collation | Checksum | Create_options | Comment
parts | InnoDB | 5 | Dynamic | NULL | NULL | NULL | 0 | NULL | 0 | NULL | 2000-01-01 03:00:00 | NULL | NULL | utf8mb4_0900_bin | NULL | partitioned | ''
t | InnoDB | 3 | Dynamic | NULL | NULL | NULL | 0 | NULL | 0 | 3 | 2000-01-01 02:00:00 | NULL | NULL | utf8mb4_0900_bin | NULL | '' | told
v | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 2000-01-01 03:00:00 | NULL | NULL | NULL | NULL | NULL | VIEW`
		if got := status(""); got != want {
			t.Errorf("is\n%s\nwant\n%s", got, want)
		}
		lines := strings.Split(want, "\n")
		if got, want := status("WHERE Auto_increment = 3"), lines[0]+"\n"+lines[2]; got != want {
			t.Errorf("is\n%s\nwant\n%s", got, want)
		}
		if got, want := status("WHERE Create_time > '2000-01-01 02:30:00' AND Comment = 'VIEW'"), lines[0]+"\n"+lines[3]; got != want {
			t.Errorf("is\n%s\nwant\n%s", got, want)
		}
	})
}

// TestCreatedStays: what a file keeps of a table has the moment of its creation, and the next AUTO_INCREMENT value is known without an insert.
func TestCreatedStays(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/x.db"
	look := func(prepare string) (created, next string) {
		db, _ := openConfig(t, &nearlyfree.Config{Store: "file:" + path})
		defer db.Close()
		if prepare != "" {
			mustExec(t, db, prepare)
			mustExec(t, db, "INSERT INTO t () VALUES (), ()")
		}
		if err := db.QueryRow("SELECT CAST(create_time AS CHAR), auto_increment FROM information_schema.tables WHERE table_name = 't'").Scan(&created, &next); err != nil {
			t.Fatal(err)
		}
		return created, next
	}
	created, next := look("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT)")
	again, later := look("")
	if created != again || next != "3" || later != "3" {
		t.Errorf("made at %s, next %s; opened again: %s, %s", created, next, again, later)
	}
}
