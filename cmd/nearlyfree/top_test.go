package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

func TestShapes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"SELECT *\n  FROM t1 WHERE a = 'it''s \\' 5' AND b = -1.5e3": "SELECT * FROM t1 WHERE a = ? AND b = -?",
		"INSERT INTO t VALUES (1, 'a'), (2, 'b')":                    "INSERT INTO t VALUES (?…)…",
		"SELECT 1 FROM t WHERE id IN (?, ?,?) AND x = 0xFF":          "SELECT ? FROM t WHERE id IN (?…) AND x = ?",
		"INSERT INTO t VALUES (1), (2)":                              "INSERT INTO t VALUES (?)…",
	} {
		if got := shapeOf(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestTop: what an application's StatementLog writes is added up by statement, also as it is written.
func TestTop(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "app.log")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	fmt.Fprintln(file, "the application begins")
	connector, err := nearlyfree.NewConnector(&nearlyfree.Config{Store: "mem://", Observer: &nearlyfree.StatementLog{Logger: slog.New(slog.NewJSONHandler(file, nil))}})
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	run := func(text string, args ...any) {
		if _, err := db.Exec(text, args...); err != nil && !strings.Contains(text, "nope") {
			t.Fatal(err)
		}
	}
	run("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	run("INSERT INTO t WITH RECURSIVE c (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < 999) SELECT n, n FROM c")
	run("INSERT INTO t SELECT id + 1000, n FROM t")
	run("INSERT INTO t SELECT id + 2000, n FROM t")
	for i := range 20 {
		run("UPDATE t SET n = 5 WHERE id = ?", i)
	}
	run("UPDATE t SET n = 5 WHERE id = nope")
	run(fmt.Sprintf("SELECT COUNT(*) FROM t WHERE n = %d", 7))
	run(fmt.Sprintf("SELECT COUNT(*) FROM t WHERE n = %d", 8))
	var out bytes.Buffer
	read, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	if err := top(t.Context(), read, topOptions{by: "times", format: "csv", most: 3}, false, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 5 || !strings.HasPrefix(lines[1], "20,39,") || !strings.HasSuffix(lines[1], ",0,0,UPDATE t SET n = ? WHERE id = ?") ||
		!strings.HasPrefix(lines[3], "2,8,") || !strings.HasSuffix(lines[3], ",0,1,SELECT COUNT(*) FROM t WHERE n = ?") {
		t.Error(out.String())
	}
	if err := top(t.Context(), read, topOptions{by: "beauty", format: "csv"}, false, &out); err == nil {
		t.Error("it is sorted by beauty")
	}
	if _, err := read.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	seen := make(chan string, 100)
	done := make(chan error, 1)
	go func() {
		done <- top(ctx, read, topOptions{by: "requests", format: "csv", most: 100, follow: true}, false, writerFunc(func(p []byte) (int, error) {
			seen <- string(p)
			return len(p), nil
		}))
	}()
	<-seen
	run("DELETE FROM t WHERE id < 1500")
	for after := time.After(time.Minute); ; {
		select {
		case text := <-seen:
			if !strings.Contains(text, "DELETE FROM t WHERE id < ?") {
				continue
			}
		case <-after:
			t.Error("what is logged later is not seen")
		}
		break
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
