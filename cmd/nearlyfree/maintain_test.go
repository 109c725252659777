package main

import (
	"bytes"
	"database/sql"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// started runs the command in another process, which reads statements from a pipe.
func started(t *testing.T, args ...string) (in io.Writer, out *bytes.Buffer, end func() error) {
	t.Helper()
	p := exec.Command(os.Args[0], args...)
	p.Env = append(os.Environ(), "NEARLYFREE_TEST_COMMAND=1")
	pipe, err := p.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out = new(bytes.Buffer)
	said, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.Stderr = out
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	// The first line that it prints says that it has the file.
	if _, err := io.WriteString(pipe, "SELECT 'ready' AS x;\n"); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, len("x\nready\n"))
	if _, err := io.ReadFull(said, line); err != nil {
		t.Fatal(err, out.String())
	}
	go io.Copy(io.Discard, said)
	return pipe, out, func() error { return errors.Join(pipe.Close(), p.Wait()) }
}

// TestInUse: a file that another process has open is backed up and looked into, and not written to.
func TestInUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "50% full.db")
	dsn := "file:" + strings.ReplaceAll(path, "%", "%25")
	opened(t, dsn, "CREATE TABLE t (id INT PRIMARY KEY, n INT, KEY (n)); INSERT INTO t VALUES (1, 1)").close()
	in, out, end := started(t, dsn, "-q")
	if _, err := open(t.Context(), dsn); err == nil || !strings.Contains(err.Error(), "in use by another process: readonly=true") {
		t.Errorf("it is opened: %v", err)
	}
	for i, text := range []string{"", "INSERT INTO t VALUES (2, 2);\nSELECT 1;\n"} {
		if _, err := io.WriteString(in, text); err != nil {
			t.Fatal(err)
		}
		want := []string{"1", "1\n2"}[i]
		for tries := 0; ; tries++ { // until the other process has run the statement
			to := filepath.Join(dir, "copy.db")
			os.Remove(to)
			var said bytes.Buffer
			if err := backup(t.Context(), dsn, to, &said); err != nil || !strings.HasPrefix(said.String(), to) {
				t.Fatal(err, said.String())
			}
			copied := opened(t, "file:"+to, "")
			reader, err := open(t.Context(), dsn+"?readonly=true")
			if err != nil {
				t.Fatal(err)
			}
			got, seen := copied.answer(t, "SELECT id FROM t ORDER BY id"), reader.answer(t, "SELECT id FROM t ORDER BY id")
			copied.close()
			reader.close()
			if got == want && seen == want {
				break
			}
			if tries == 1000 {
				t.Fatalf("the copy has %q, the reader sees %q, want %q", got, seen, want)
			}
		}
	}
	if err := end(); err != nil {
		t.Error(err, out.String())
	}
	if err := backup(t.Context(), "mem://x", "y", io.Discard); err == nil || !strings.Contains(err.Error(), "copy FROM TO") {
		t.Error(err)
	}
	if err := backup(t.Context(), dsn, path, io.Discard); err == nil || !strings.Contains(err.Error(), "is there already") || errors.Is(err, nearlyfree.ErrDuplicateKey) {
		t.Error(err)
	}
}

// TestCheckAndRepair: what is damaged is named and given up, and the exit status says so.
func TestCheckAndRepair(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	dsn := "file:" + path
	opened(t, dsn, "CREATE TABLE well (id INT PRIMARY KEY); CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(30)); INSERT INTO t VALUES (1, 'first'), (2, 'damaged-row'); CREATE VIEW v AS SELECT id FROM well").close()
	run := func(repair bool) (string, error) {
		db, err := open(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer db.close()
		var out bytes.Buffer
		err = maintain(t.Context(), db, nil, repair, newTask(io.Discard), &out)
		return out.String(), err
	}
	if said, err := run(false); err != nil || !strings.HasPrefix(said, "3 of 3 tables and views are correct") {
		t.Error(err, said)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(data, []byte("damaged-row"), []byte("damagEd-row")), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := run(false); !errors.Is(err, errShown) || !strings.Contains(said, "t: error: ") || !strings.Contains(said, "2 of 3 ") {
		t.Error(err, said)
	}
	if said, err := run(true); err != nil || !strings.Contains(said, "t: warning: ") {
		t.Error(err, said)
	}
	if said, err := run(false); err != nil {
		t.Error(err, said)
	}
}

func TestStats(t *testing.T) {
	t.Parallel()
	db := opened(t, "mem://", "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9), KEY (a)) PARTITION BY KEY (id) PARTITIONS 2; INSERT INTO t VALUES (1, 'x'), (2, NULL), (3, 'z'); CREATE TABLE u (id INT PRIMARY KEY); "+
		"CREATE TABLE v (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION low VALUES LESS THAN (5), PARTITION high VALUES LESS THAN MAXVALUE); INSERT INTO v VALUES (1), (5), (6)")
	var out, notes bytes.Buffer
	if _, err := stats(t.Context(), db, "csv", 5, &out, &notes); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(out.String(), "\n"); len(lines) != 5 || !strings.HasPrefix(lines[0], "table,rows,index_entries,bytes,") || !strings.HasPrefix(lines[1], "t,3,3,") || !strings.HasPrefix(lines[2], "u,0,0,0,0,0.000000,0,,") ||
		!strings.HasPrefix(lines[3], "v,3,0,") || !strings.HasSuffix(lines[3], ",2,high 00,2") {
		t.Error(out.String())
	}
	if said := notes.String(); !strings.Contains(said, "t: the largest of 2 store partitions: 0001 with 4 entities (66%), 0000 with 2 entities (33%)") && !strings.Contains(said, "0000 with 4 entities (66%), 0001 with 2 entities (33%)") || !strings.Contains(said, "in all: 6 rows, 3 index entries, ") {
		t.Error(said)
	}
}

// TestUnread: by the log of an application, the indexes that no statement of it reads by.
func TestUnread(t *testing.T) {
	t.Parallel()
	dsn, log := "file:"+filepath.Join(t.TempDir(), "x.db"), filepath.Join(t.TempDir(), "app.log")
	file, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	config, err := nearlyfree.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.Observer = &nearlyfree.StatementLog{Logger: slog.New(slog.NewJSONHandler(file, nil))}
	connector, err := nearlyfree.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	app := sql.OpenDB(connector)
	for _, s := range []string{
		"CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, d INT, e VARCHAR(9), KEY a (a), KEY b (b), KEY c (c), UNIQUE KEY d (d), KEY e (e))", "CREATE TABLE u (id INT PRIMARY KEY, a INT, KEY a (a))",
		"CREATE TABLE gone (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1, 1, 1, 1, 1, NULL)", "UPDATE t SET d = 5 WHERE b = 7", "SELECT * FROM gone", "DROP TABLE gone",
		"SELECT id FROM t WHERE e LIKE 'x%' AND e IN ('x', 'xy') ORDER BY e LIMIT 10 OFFSET 2",
	} {
		if _, err := app.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		var n int
		if err := app.QueryRow("SELECT COUNT(*) FROM u JOIN t AS x ON x.id = u.id WHERE x.a = ? AND u.id > 0", i).Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	app.Close()
	db := opened(t, dsn, "SELECT 1")
	var notes bytes.Buffer
	if err := unread(t.Context(), db, log, &notes); err != nil {
		t.Fatal(err)
	}
	want := "of 5 different statements in " + log + ", none reads by t.c, u.a; a foreign key may need it\n1 statement could not be planned here, as tables are gone or were changed\n"
	if notes.String() != want {
		t.Errorf("%s\nwant\n%s", notes.String(), want)
	}
	if err := unread(t.Context(), db, "maintain_test.go", &notes); err == nil || !strings.Contains(err.Error(), "has no statement") {
		t.Error(err)
	}
}

// TestHottest: by the log of an application that logs them, the store partitions of which its statements read and write most.
func TestHottest(t *testing.T) {
	t.Parallel()
	dsn, log := "file:"+filepath.Join(t.TempDir(), "x.db"), filepath.Join(t.TempDir(), "app.log")
	file, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	config, err := nearlyfree.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	atOnce := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.String(a.Key, "2026-01-02T03:04:05Z")
		}
		return a
	}
	config.Partitions = true
	config.Observer = &nearlyfree.StatementLog{Logger: slog.New(slog.NewJSONHandler(file, &slog.HandlerOptions{ReplaceAttr: atOnce}))}
	connector, err := nearlyfree.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	app := sql.OpenDB(connector)
	for _, s := range []string{
		"CREATE TABLE item (tenant VARCHAR(9), id INT, PRIMARY KEY (tenant, id)) PARTITION BY KEY (tenant)", "INSERT INTO item VALUES ('a', 1), ('a', 2)", "INSERT INTO item VALUES ('b', 1)",
		"DELETE FROM item WHERE tenant = 'a' AND id = 2", "DELETE FROM item WHERE tenant = 'c' AND id = 2",
	} {
		if _, err := app.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	app.Close()
	db := opened(t, dsn, "SELECT 1")
	var out, notes bytes.Buffer
	sizes, err := stats(t.Context(), db, "csv", 5, &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for most, want := range []string{1: "", 2: "  item, b: 0 entities read, 1 written by 1 statement; in one second up to 1\n"} {
		if most == 0 {
			continue
		}
		notes.Reset()
		want = "the hottest of 2 store partitions in " + log + ":\n  item, a: 1 entities read, 3 written by 2 statements; in one second up to 4\n" + want
		if err := hottest(log, sizes, most, &notes); err != nil || notes.String() != want {
			t.Errorf("%v\n%s\nwant\n%s", err, notes.String(), want)
		}
	}
	notes.Reset()
	if err := hottest("maintain_test.go", sizes, 1, &notes); err != nil || !strings.Contains(notes.String(), "Config.Partitions") {
		t.Error(err, notes.String())
	}
}
