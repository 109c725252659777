package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
)

// fileOf writes a file for a test.
func fileOf(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// loaded loads a file, and gives what is said of it.
func loaded(t *testing.T, db *database, o loadOptions, files ...string) (said string, err error) {
	t.Helper()
	var out bytes.Buffer
	err = load(t.Context(), db, files, o, newTask(&out))
	return out.String(), err
}

// answer gives the rows of a query as text.
func (d *database) answer(t *testing.T, query string) string {
	t.Helper()
	rows, err := d.rows(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, row := range rows {
		lines = append(lines, strings.Join(row, ","))
	}
	return strings.Join(lines, "\n")
}

func TestGuess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"a.csv", "id,n,big,zip,price,x,ok,day,at,who,note\n1,5,3000000000,00501,1.50,1e5,true,2024-02-29,2024-01-01T10:00:00.5Z,8890f0a8-e6d4-11f1-b406-f2272d4e3f25,\n2,-7,1,10001,12.125,2,FALSE,2024-01-01,2024-01-01 10:00:00,8890f0a8-e6d4-11f1-b406-f2272d4e3f26,a long text of more than twenty letters\n",
			"`id` INT,\n  `n` INT,\n  `big` BIGINT,\n  `zip` VARCHAR(20),\n  `price` DECIMAL(10,3),\n  `x` DOUBLE,\n  `ok` BOOL,\n  `day` DATE,\n  `at` DATETIME(6),\n  `who` UUID,\n  `note` VARCHAR(50),\n  PRIMARY KEY (`id`)"},
		{"a.csv", "a,id\nx,1\nx,2\n", "`a` VARCHAR(20),\n  `id` INT,\n  PRIMARY KEY (`id`)"},
		{"a.csv", "a,b\nx,1\nx,1\n", "`a` VARCHAR(20),\n  `b` INT\n)"},
		{"a.csv", "a,b\n18446744073709551615,2024-13-01\n", "`a` DECIMAL(22,0),\n  `b` VARCHAR(20)"},
		{"a.jsonl", `{"id": "x1", "tags": [1], "n": null}` + "\n\n" + `{"id": "x2", "more": {"a": 1}, "n": 1.5}`,
			"`id` VARCHAR(20),\n  `tags` JSON,\n  `n` DECIMAL(10,1),\n  `more` JSON,\n  PRIMARY KEY (`id`)"},
		{"a.tsv", "id\tb\n1\tx\\ty\n", "`id` INT,\n  `b` VARCHAR(20),\n  PRIMARY KEY (`id`)"},
	} {
		db := opened(t, "mem://", "")
		said, err := loaded(t, db, loadOptions{dryRun: true}, fileOf(t, c.name, c.text))
		if err != nil || !strings.Contains(said, c.want) || !strings.Contains(said, "guessed from") {
			t.Errorf("%v\n%s\nwant\n%s", err, said, c.want)
		}
		if tables := db.answer(t, "SHOW TABLES"); tables != "" {
			t.Errorf("--dry-run makes %s", tables)
		}
		if said, err := loaded(t, db, loadOptions{rejects: 0}, fileOf(t, c.name, c.text)); err != nil || db.answer(t, "SHOW TABLES") != "a" {
			t.Errorf("%v %s", err, said)
		}
	}
}

// TestLoadBack: what dump writes of a table load reads, all of it.
func TestLoadBack(t *testing.T) {
	t.Parallel()
	db := opened(t, "mem://", everyType)
	for _, table := range []string{"numbers", "texts", "times", "odd `name"} {
		for _, format := range []string{"csv", "jsonl"} {
			list, _, err := db.definitions(t.Context(), table)
			if err != nil {
				t.Fatal(err)
			}
			again := opened(t, "mem://", "SET sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO');"+list[0].create)
			file := fileOf(t, "x."+format, dumped(t, db, dumpOptions{format: format}, table))
			said, err := loaded(t, again, loadOptions{table: table}, file)
			if err != nil {
				t.Errorf("%s as %s: %v %s", table, format, err, said)
				rejected, _ := os.ReadFile(file + rejectsEnding)
				t.Logf("%s", rejected)
				continue
			}
			names, _ := db.column(t.Context(), "SHOW COLUMNS FROM "+ask.Quoted(table), 0)
			want, err1 := db.digest(t.Context(), table, names, newTask(&bytes.Buffer{}))
			got, err2 := again.digest(t.Context(), table, names, newTask(&bytes.Buffer{}))
			if got != want || errors.Join(err1, err2) != nil {
				t.Errorf("%s as %s: %v, want %v: %v %v", table, format, got, want, err1, err2)
			}
		}
	}
}

// TestRejects: a row that is refused does not hold up the others, and its file can be loaded when it is mended.
func TestRejects(t *testing.T) {
	t.Parallel()
	const table = "CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL DEFAULT 7, a VARCHAR(3), CHECK (n < 100), UNIQUE KEY (a)); INSERT INTO t VALUES (1, 1, 'x');"
	for name, text := range map[string]string{
		"t.csv":   "a,id,n\nx,1,1\nx,2,2\nb,3,999\nlong,4,4\nc,five,5\nd,6\n\"e,\n\",7,7\n\\N,8,8\n,,9\n",
		"t.jsonl": `{"a":"x","id":1,"n":1}` + "\n" + `{"a":"x","id":2}` + "\n" + `{"a":"b","id":3,"n":999}` + "\n" + `{"a":"long","id":4}` + "\n" + `{"a":"c","id":"five"}` + "\n" + `{"a":"d",` + "\n" + `{"id":7,"a":"e,\n"}` + "\n" + `{"id":8,"n":8}` + "\n" + `{"id":9,"n":9,"nope":1}` + "\n" + `[1]`,
	} {
		db := opened(t, "mem://", table)
		file := fileOf(t, name, text)
		said, err := loaded(t, db, loadOptions{rejects: -1}, file)
		if !errors.Is(err, errShown) || !strings.Contains(said, "1 row already there") {
			t.Errorf("%s: %v %s", name, err, said)
		}
		if got := db.answer(t, "SELECT id, n, COALESCE(a, 'NULL') FROM t ORDER BY id"); !strings.Contains(got, "1,1,x\n7,7,e,\n") || !strings.HasSuffix(got, "8,8,NULL") {
			t.Errorf("%s:\n%s", name, got)
		}
		rejected, err := os.ReadFile(file + rejectsEnding)
		if err != nil {
			t.Fatal(err)
		}
		for _, reason := range []string{"Duplicate entry 'x' for key", "Check constraint", "Data too long for column 'a'", "five"} {
			if !strings.Contains(string(rejected), reason) {
				t.Errorf("%s: no %q in\n%s", name, reason, rejected)
			}
		}
		mended := strings.NewReplacer(`999`, `99`, "long", "l", "five", "5").Replace(string(rejected))
		if err := os.WriteFile(file+rejectsEnding, []byte(mended), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := loaded(t, db, loadOptions{rejects: -1}, file+rejectsEnding); !errors.Is(err, errShown) {
			t.Error(err)
		}
		if got := db.answer(t, "SELECT id, n, a FROM t WHERE id BETWEEN 3 AND 5 ORDER BY id"); !strings.HasPrefix(got, "3,99,b\n4,") || !strings.Contains(got, "\n5,") {
			t.Errorf("%s: mended:\n%s", name, got)
		}
	}
	db := opened(t, "mem://", table)
	file := fileOf(t, "t.csv", "id,a\n2,long\n3,long\n4,c\n")
	if said, err := loaded(t, db, loadOptions{rejects: 1}, file); !errors.Is(err, errTooManyRejects) || !strings.Contains(err.Error(), "line 3: ") {
		t.Errorf("%v %s", err, said)
	}
}

func TestLoadErrors(t *testing.T) {
	t.Parallel()
	db := opened(t, "mem://", "CREATE TABLE t (id INT PRIMARY KEY, g INT AS (id + 1))")
	for _, c := range []struct {
		name, text, want string
		o                loadOptions
	}{
		{"t.csv", "id,nope\n1,2\n", `no column "nope", it has id, g`, loadOptions{}},
		{"t.csv", "id,g\n1,2\n", `computed`, loadOptions{}},
		{"t.csv", "id,ID\n1,2\n", `twice`, loadOptions{}},
		{"v.csv", "id,ID\n1,2\n", `column "ID" twice`, loadOptions{}},
		{"v.csv", ",,\n1,2,3\n", "field 1 no name: --columns", loadOptions{}},
		{"t.csv", "", `must name the columns`, loadOptions{}},
		{"t.csv", "1\n", `--no-header needs --columns`, loadOptions{noHeader: true}},
		{"t.txt", "1\n", `--format csv`, loadOptions{}},
		{"t.parquet", "", `no support for Parquet`, loadOptions{}},
		{"u.csv", "a,b\n1\n", `1 field where the head has 2`, loadOptions{}},
		{"t.sql", "INSERT INTO t (id) VALUES (1);\n\nINSERT INTO t (id) VALUES (2), (1);", `line 3: Error 1062`, loadOptions{}},
		{"t.sql", "\nCREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET NEW.id = 1", "--skip leaves such things out", loadOptions{}},
		{"t.sql", "BEGIN; ROLLBACK", `transactions of its own`, loadOptions{}},
	} {
		if _, err := loaded(t, db, c.o, fileOf(t, c.name, c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v, want %s", c.name, c.text, err, c.want)
		}
	}
	if got := db.answer(t, "SELECT id FROM t"); got != "1" {
		t.Errorf("behind the failed files there is %s", got)
	}
	if said, err := loaded(t, db, loadOptions{columns: []string{"-", "k", "-", "-", "name"}}, fileOf(t, "v.csv", "a,b,c,d,e\nx,1,y,2020-01-01,n\n")); err != nil ||
		db.answer(t, "SELECT CONCAT(k + 1, name) FROM v") != "2n" {
		t.Errorf("fields that are passed over in a new table: %v %s", err, said)
	}
	if said, err := loaded(t, db, loadOptions{columns: []string{"-", "id"}, noHeader: true}, fileOf(t, "t.csv", "x,5\n")); err != nil || db.answer(t, "SELECT id FROM t WHERE id = 5") != "5" {
		t.Errorf("%v %s", err, said)
	}
}

// TestLoadDatabases: a file goes to databases of its own, also to that of the data source name, which it drops, and to one that nobody has.
func TestLoadDatabases(t *testing.T) {
	t.Parallel()
	const text = "DROP DATABASE IF EXISTS shop; CREATE DATABASE shop; USE shop; CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1), (2);" +
		"CREATE DATABASE IF NOT EXISTS second; USE second; CREATE TABLE u AS SELECT * FROM shop.t; INSERT INTO u VALUES (3);"
	for _, c := range []struct{ dsn, before, after, databases string }{
		{"mem://", "", "SELECT 1", "information_schema\nnearlyfree\nsecond\nshop"},
		{"mem://?database=shop", "", "SELECT 1", "information_schema\nsecond\nshop"},
		{"mem://?database=gone", "DROP DATABASE gone", "SELECT 1", "information_schema\nsecond\nshop"},
		{"mem://", "", "DROP DATABASE IF EXISTS nearlyfree", "information_schema\nsecond\nshop"},
	} {
		db := opened(t, c.dsn, c.before)
		for range 2 {
			if err := db.exec(t.Context(), "DROP DATABASE IF EXISTS second"); err != nil {
				t.Fatal(err)
			}
			if said, err := loaded(t, db, loadOptions{}, fileOf(t, "t.sql", text+c.after)); err != nil {
				t.Fatalf("%s %s: %v %s", c.dsn, c.before, err, said)
			}
			if got := db.answer(t, "SELECT (SELECT SUM(id) FROM shop.t), (SELECT SUM(id) FROM second.u)"); got != "3,6" {
				t.Errorf("%s %s: %s", c.dsn, c.before, got)
			}
			if got := db.answer(t, "SHOW DATABASES"); got != c.databases {
				t.Errorf("%s %s: databases %q, want %q", c.dsn, c.before, got, c.databases)
			}
			if got := db.answer(t, "SELECT table_schema FROM information_schema.tables WHERE table_name LIKE 'nearlyfree%'"); got != "" {
				t.Errorf("%s %s: the place is left in %s", c.dsn, c.before, got)
			}
		}
	}
}

// interrupted fails the context of a load behind some requests, as an interrupt does: the answer of the last one may be lost.
type interrupted struct {
	transport interface {
		Do(*http.Request) (*http.Response, error)
	}
	left   atomic.Int64
	cancel atomic.Pointer[context.CancelFunc]
}

func (i *interrupted) Do(r *http.Request) (*http.Response, error) {
	answer, err := i.transport.Do(r)
	if i.left.Add(-1) == -1 {
		(*i.cancel.Load())()
	}
	if err == nil && r.Context().Err() != nil {
		answer.Body.Close()
		return nil, r.Context().Err()
	}
	return answer, err
}

// TestLoadInterrupted: a load into an account that is interrupted again and again writes each row once, with a key and without.
func TestLoadInterrupted(t *testing.T) {
	t.Parallel()
	var text, keyless, statements strings.Builder
	const n = 3000
	text.WriteString("id,a\n")
	keyless.WriteString("a\n")
	for i := range n {
		fmt.Fprintf(&text, "%d,a%d\n", i, i%7)
		fmt.Fprintf(&keyless, "a%d\n", i%7)
		if i%97 == 5 {
			fmt.Fprintf(&text, "%d,far too long\n", n+i)
			keyless.WriteString("far too long\n")
		}
	}
	statements.WriteString("SET @x = 3; CREATE TABLE t (a INT); CREATE TABLE u (id INT PRIMARY KEY);\n")
	for i := range 300 {
		fmt.Fprintf(&statements, "INSERT INTO t VALUES (%d), (@x); INSERT INTO u (id) VALUES (%d);\n", i, i)
		if i%100 == 50 {
			fmt.Fprintf(&statements, "ALTER TABLE u ADD COLUMN c%d INT;\nCREATE VIEW v%d AS SELECT id FROM u;\n", i, i)
		}
	}
	for name, c := range map[string]struct{ file, text, made, query, want string }{
		"key":        {"t.csv", text.String(), "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(3), KEY (a))", "SELECT COUNT(*), COUNT(DISTINCT id), COUNT(a) FROM t", "3000,3000,3000"},
		"spread":     {"t.csv", text.String(), "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(3)) PARTITION BY KEY (id) PARTITIONS 5", "SELECT COUNT(*), COUNT(DISTINCT id), COUNT(a) FROM t", "3000,3000,3000"},
		"no key":     {"t.csv", keyless.String(), "CREATE TABLE t (a VARCHAR(3))", "SELECT COUNT(*), SUM(a = 'a0') FROM t", "3000,429"},
		"statements": {"t.sql", statements.String(), "SELECT 1", "SELECT (SELECT COUNT(*) FROM t), (SELECT SUM(a) FROM t), (SELECT COUNT(*) FROM v250)", "600,45750,300"},
		"database": {"t.sql", "DROP DATABASE IF EXISTS other; CREATE DATABASE other; USE other;" + statements.String(), "SELECT 1",
			"SELECT (SELECT COUNT(*) FROM other.t), (SELECT SUM(a) FROM other.t), (SELECT COUNT(*) FROM other.v250)", "600,45750,300"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn, account, cut := anAccount()
			file := fileOf(t, c.file, c.text)
			before := fileOf(t, "before.sql", "CREATE TABLE early (id INT PRIMARY KEY); INSERT INTO early VALUES (1);")
			first, err := openWith(t.Context(), dsn, account)
			if err != nil {
				t.Fatal(err)
			}
			defer first.close()
			if _, err := first.rows(t.Context(), "SELECT 1"); err != nil {
				t.Fatal(err)
			}
			if err := first.exec(t.Context(), c.made); err != nil {
				t.Fatal(err)
			}
			again := 0
			for ; again < 60; again++ {
				ctx, cancel := context.WithCancel(t.Context())
				db, err := openWith(ctx, dsn, account)
				if err != nil {
					t.Fatal(err)
				}
				cut.cancel.Store(&cancel)
				cut.left.Store(int64(30 * (1 + again)))
				var said bytes.Buffer
				err = load(ctx, db, []string{before, file}, loadOptions{rejects: -1}, newTask(&said))
				ended := ctx.Err() == nil || err == nil || errors.Is(err, errShown)
				cut.left.Store(1 << 40)
				db.close()
				cancel()
				if ended {
					if err != nil && !errors.Is(err, errShown) {
						t.Fatal(err, said.String())
					}
					break
				}
			}
			if got := first.answer(t, c.query); got != c.want || again < 2 {
				t.Errorf("after %d interrupts %s, want %s", again, got, c.want)
			}
			if c.file == "t.csv" {
				rejected, err := os.ReadFile(file + rejectsEnding)
				if got := strings.Count(string(rejected), "far too long"); got != 31 || err != nil {
					t.Errorf("%d rows are rejected: %v", got, err)
				}
			}
			if got := first.answer(t, "SHOW TABLES LIKE 'nearlyfree%'"); got != "" {
				t.Errorf("%s is left", got)
			}
		})
	}
}

// TestLoadInterruptedOnce: whichever request a load is interrupted at, the next one loads what is missing.
func TestLoadInterruptedOnce(t *testing.T) {
	t.Parallel()
	if os.Getenv("NEARLYFREE_AZURITE") != "" {
		t.Skip("each run begins with an empty account")
	}
	file := fileOf(t, "t.sql", `SET @x = 3; DROP DATABASE IF EXISTS other; CREATE DATABASE other; SET @y = 4; USE other; BEGIN; CREATE TABLE t (a INT); SET @z = 5; CREATE TABLE u (id INT PRIMARY KEY);
		INSERT INTO t VALUES (@x), (@y); SET @x = 6; INSERT INTO u VALUES (@z), (@x); COMMIT; ALTER TABLE t ADD COLUMN b INT; CREATE INDEX a ON t (a); DROP INDEX a ON t; CREATE TABLE gone (a INT); DROP TABLE gone;
		CREATE VIEW v AS SELECT id FROM u; INSERT INTO t (a, b) VALUES (7, 8);`)
	const query, want = "SELECT (SELECT GROUP_CONCAT(a, b) FROM other.t), (SELECT SUM(a) FROM other.t), (SELECT SUM(id) FROM other.v)", "78,14,11"
	synctest.Test(t, func(t *testing.T) { loadInterruptedOnce(t, file, query, want) })
}

func loadInterruptedOnce(t *testing.T, file, query, want string) {
	for requests := int64(1); ; requests++ {
		dsn, account, cut := anAccount()
		attempt := func(requests int64) error {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			db, err := openWith(ctx, dsn, account)
			if err != nil {
				return err
			}
			defer db.close()
			cut.cancel.Store(&cancel)
			cut.left.Store(requests)
			return load(ctx, db, []string{file}, loadOptions{}, newTask(io.Discard))
		}
		first := attempt(requests)
		if first != nil {
			if err := attempt(1 << 40); err != nil {
				t.Errorf("interrupted at request %d, %v: %v", requests, first, err)
			}
		}
		db, err := openWith(t.Context(), dsn, account)
		if err != nil {
			t.Fatal(err)
		}
		if got := db.answer(t, query); got != want {
			t.Errorf("interrupted at request %d: %s, want %s", requests, got, want)
		}
		db.close()
		if first == nil {
			return
		}
	}
}

// TestLoadKilled: a load into a file whose process is killed again and again writes each row once, and lists each rejected one once.
func TestLoadKilled(t *testing.T) {
	t.Parallel()
	const n = 60_000
	var keyed, keyless, statements strings.Builder
	keyed.WriteString("id,a\n")
	keyless.WriteString("a\n")
	statements.WriteString("CREATE TABLE t (a INT);\n")
	for i := range n {
		fmt.Fprintf(&keyed, "%d,a%d\n", i, i%7)
		fmt.Fprintf(&keyless, "a%d\n", i%7)
		if i%1000 == 7 {
			fmt.Fprintf(&keyed, "%d,far too long\n", i)
			keyless.WriteString("far too long\n")
			fmt.Fprintf(&statements, "CREATE VIEW v%d AS SELECT a FROM t;\n", i)
		}
		if i%10 == 0 {
			fmt.Fprintf(&statements, "INSERT INTO t VALUES (%d)%s;\n", i, strings.Repeat(", (1)", 9))
		}
	}
	for name, c := range map[string]struct{ file, text, made, query, want string }{
		"key":        {"t.csv", keyed.String(), "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(3))", "SELECT COUNT(*), COUNT(DISTINCT id), SUM(a = 'a0') FROM t", "60000,60000,8572"},
		"no key":     {"t.csv", keyless.String(), "CREATE TABLE t (a VARCHAR(3))", "SELECT COUNT(*), SUM(a = 'a0') FROM t", "60000,8572"},
		"statements": {"t.sql", statements.String(), "SELECT 1", "SELECT COUNT(*), SUM(a) FROM t", fmt.Sprint("60000,", 5999*6000/2*10+9*6000)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := "file:" + filepath.Join(t.TempDir(), "x.db")
			opened(t, dsn, c.made).close()
			file := fileOf(t, c.file, c.text)
			killed := 0
			for ; killed < 100; killed++ {
				p := exec.Command(os.Args[0], "load", dsn, file, "--rejects", "-1")
				p.Env = append(os.Environ(), "NEARLYFREE_TEST_COMMAND=1")
				var said bytes.Buffer
				p.Stdout, p.Stderr = &said, &said
				if err := p.Start(); err != nil {
					t.Fatal(err)
				}
				kill := time.AfterFunc(time.Duration(100+20*killed)*time.Millisecond, func() { _ = p.Process.Kill() })
				err := p.Wait()
				kill.Stop()
				if p.ProcessState.Exited() {
					if code := p.ProcessState.ExitCode(); code != boolOrder(c.file == "t.csv") {
						t.Fatal(err, said.String())
					}
					break
				}
				if strings.Contains(said.String(), c.file+": ") { // it may have been done when it was killed
					db := opened(t, dsn, "SELECT 1")
					places := db.answer(t, "SHOW TABLES LIKE 'nearlyfree%'")
					db.close()
					if places == "" {
						break
					}
				}
			}
			db := opened(t, dsn, "")
			if got := db.answer(t, c.query); got != c.want || killed < 2 {
				t.Errorf("killed %d times: %s, want %s", killed, got, c.want)
			}
			if c.file == "t.csv" {
				rejected, err := os.ReadFile(file + rejectsEnding)
				if got := strings.Count(string(rejected), "far too long"); got != 60 || err != nil {
					t.Errorf("%d rows are rejected: %v", got, err)
				}
			}
			if got := db.answer(t, "SHOW TABLES LIKE 'nearlyfree%'"); got != "" {
				t.Errorf("%s is left", got)
			}
		})
	}
}

// TestWrongFiles: a file that cannot be meant is refused before a table is made of it, with what to do.
func TestWrongFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"a.csv", ",name\n0,Ann\n", "the first line gives field 1 no name: --columns"},
		{"a.csv", "id,\n0,Ann\n", "the first line gives field 2 no name: --columns"},
		{"a.tsv", "id\t\n0\tAnn\n", "the first line gives field 2 no name: --columns"},
		{"a.jsonl", `[{"id": 1}, {"id": 2}]`, "it is an array"},
		{"a.json", "[\n  {\"id\": 1},\n  {\"id\": 2}\n]\n", "it is an array"},
		{"a.json", "\uFEFF [ {\n\"id\": 1}]\n", "it is an array"},
	} {
		db := opened(t, "mem://", "")
		said, err := loaded(t, db, loadOptions{}, fileOf(t, c.name, c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || db.answer(t, "SHOW TABLES") != "" {
			t.Errorf("%q: %v %s", c.text, err, said)
		}
	}
	db := opened(t, "mem://", "")
	if said, err := loaded(t, db, loadOptions{columns: []string{"-", "name"}}, fileOf(t, "a.csv", ",name\n0,Ann\n")); err != nil || db.answer(t, "SELECT * FROM a") != "Ann" {
		t.Error(err, said)
	}
}

// TestNoCharacters: what is no text is refused, and not changed into one.
func TestNoCharacters(t *testing.T) {
	t.Parallel()
	db := opened(t, "mem://", "CREATE TABLE a (id INT PRIMARY KEY, n VARCHAR(9))")
	for name, text := range map[string]string{
		"a.csv":   "id,n\n1,\xff\n2,\uFFFD\n",
		"a.jsonl": `{"id":1,"n":"` + "\xff" + `"}` + "\n" + `{"id":3,"n":"\ud800"}` + "\n" + `{"id":5,"n":"\\ufffd\ud800"}` + "\n" + `{"id":4,"n":"\ufffd\ud83d\ude00"}`,
	} {
		if said, err := loaded(t, db, loadOptions{rejects: -1}, fileOf(t, name, text)); !errors.Is(err, errShown) {
			t.Errorf("%s: %v %s", name, err, said)
		}
	}
	if got := db.answer(t, "SELECT id, HEX(n) FROM a"); got != "2,EFBFBD\n4,EFBFBDF09F9880" {
		t.Error(got)
	}
}
