package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// anAccount gives what opens an account, and what interrupts its use. It is Azurite where NEARLYFREE_AZURITE says that there is one, else it
// is simulated.
func anAccount() (dsn string, account func(*nearlyfree.Config), cut *interrupted) {
	cut = &interrupted{transport: http.DefaultClient}
	if dsn = os.Getenv("NEARLYFREE_AZURITE"); dsn == "" {
		dsn = "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key
		cut.transport = &azuretest.Transport{Service: azuretest.NewService(embedded.OpenMemory(embedded.Options{}))}
	}
	cut.left.Store(1 << 40)
	name := fmt.Sprintf("c%d", rand.Int64N(1e12))
	return dsn, func(config *nearlyfree.Config) {
		config.Database, config.Transport, config.SchemaLease, config.Bulk = name, cut, 50*time.Millisecond, nearlyfree.BulkChunked
	}, cut
}

func copied(ctx context.Context, from, to *database, restart bool) (said string, err error) {
	var out bytes.Buffer
	err = copyAll(ctx, from, to, restart, newTask(&out))
	return out.String(), err
}

// manyRows has tables with a key, with a key that spreads them, without a key, and interleaved, and a view.
func manyRows(n int) string {
	var b strings.Builder
	b.WriteString(`CREATE TABLE keyed (id INT PRIMARY KEY, d DECIMAL(9,3), at DATETIME(6), doc JSON, raw BLOB, KEY (d));
		CREATE TABLE tenants (tenant INT, id INT, a VARCHAR(9), f FLOAT, PRIMARY KEY (tenant, id)) PARTITION BY KEY (tenant);
		CREATE TABLE keyless (a INT, b BIT(3)); CREATE TABLE part (id INT, n INT, PRIMARY KEY (id, n), FOREIGN KEY (id) REFERENCES keyed (id)) INTERLEAVE IN PARENT keyed;
		CREATE VIEW v AS SELECT id, n FROM part WHERE n > 1;`)
	for _, table := range []string{
		"keyed SELECT %d + n, n / 8, '2024-01-01' + INTERVAL n MINUTE, JSON_ARRAY(n), UNHEX(HEX(n))", "tenants SELECT n %% 7, %d + n, CONCAT('a', n), n / 3",
		"keyless SELECT %d + n %% 3, n %% 8", "part SELECT %d + n, n %% 3",
	} {
		for i := 0; i < n; i += 500 {
			fmt.Fprintf(&b, "INSERT INTO "+table+" FROM (WITH RECURSIVE c (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < 499) SELECT n FROM c) x;\n", i)
		}
	}
	return b.String()
}

// TestCopy: a copy has all that a store has, and copying into what is not empty is refused.
func TestCopy(t *testing.T) {
	t.Parallel()
	from := opened(t, "mem://", everyType)
	dsn, account, _ := anAccount()
	to, err := openWith(t.Context(), dsn, account)
	if err != nil {
		t.Fatal(err)
	}
	defer to.close()
	said, err := copied(t.Context(), from, to, false)
	if err != nil || !strings.Contains(said, "both are the same: ") {
		t.Fatal(err, said)
	}
	if got, want := to.state(t), from.state(t); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if said, err := copied(t.Context(), from, to, false); err == nil || !strings.Contains(err.Error(), "is in TO already") {
		t.Errorf("%v %s", err, said)
	}
	back := opened(t, "file:"+filepath.Join(t.TempDir(), "x.db"), "")
	if said, err := copied(t.Context(), to, back, false); err != nil {
		t.Error(err, said)
	}
	if got, want := back.state(t), from.state(t); got != want {
		t.Errorf("back: %s\nwant\n%s", got, want)
	}
}

// TestCopyInterrupted: a copy into an account that is interrupted again and again is the same in the end. What was changed in the meantime shows.
func TestCopyInterrupted(t *testing.T) {
	t.Parallel()
	file := "file:" + filepath.Join(t.TempDir(), "from.db")
	opened(t, file, manyRows(2000)).close()
	dsn, account, cut := anAccount()
	again := 0
	attempt := func(requests int, restart bool) (said string, err error, ended bool) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		to, err := openWith(ctx, dsn, account)
		if err != nil {
			t.Fatal(err)
		}
		defer to.close()
		cut.cancel.Store(&cancel)
		cut.left.Store(int64(requests))
		from, err := open(ctx, file)
		if err != nil {
			t.Fatal(err)
		}
		defer from.close()
		said, err = copied(ctx, from, to, restart)
		cut.left.Store(1 << 40)
		return said, err, ctx.Err() == nil
	}
	for ; again < 60; again++ {
		if said, err, ended := attempt(60*(1+again), false); ended || strings.Contains(said, "both are the same") {
			if ended && err != nil {
				t.Fatal(err, said)
			}
			break
		}
	}
	to, err := openWith(t.Context(), dsn, account)
	if err != nil {
		t.Fatal(err)
	}
	defer to.close()
	from := opened(t, file, "")
	want := from.state(t)
	from.close()
	if got := to.state(t); got != want || again < 2 {
		t.Errorf("after %d interrupts %s\nwant\n%s", again, got, want)
	}
	for _, name := range []string{"part", "keyed", "tenants", "keyless"} {
		if err := errors.Join(to.exec(t.Context(), "DROP VIEW IF EXISTS v", "DROP TABLE "+name)); err != nil {
			t.Fatal(err)
		}
	}
	// Interrupted with the row copied, which is changed then.
	for requests, reached := 150, false; !reached; requests += 50 {
		if _, err, ended := attempt(requests, false); ended {
			t.Fatal("it is not interrupted", err)
		}
		reached = to.db.QueryRow("SELECT 1 FROM keyed WHERE id = 3").Scan(new(int)) == nil
	}
	opened(t, file, "UPDATE keyed SET d = 77 WHERE id = 3").close()
	said, err, _ := attempt(1<<30, false)
	if !errors.Is(err, errShown) || !strings.Contains(said, "keyed differs: FROM has 2000 rows, digest ") {
		t.Errorf("%v %s", err, said)
	}
}

// TestCopyInterruptedOnce: whichever request a copy is interrupted at, the next one copies what is missing.
func TestCopyInterruptedOnce(t *testing.T) {
	t.Parallel()
	if os.Getenv("NEARLYFREE_AZURITE") != "" {
		t.Skip("each run begins with an empty account")
	}
	file := "file:" + filepath.Join(t.TempDir(), "from.db")
	opened(t, file, `CREATE TABLE parent (id INT PRIMARY KEY, s VARCHAR(9), KEY (s)); INSERT INTO parent VALUES (1, 'a'), (2, 'b');
		CREATE TABLE child (id INT AUTO_INCREMENT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (id)); INSERT INTO child (p) VALUES (1), (1), (2);
		CREATE TABLE keyless (a INT); INSERT INTO keyless VALUES (1), (1), (2); CREATE VIEW v AS SELECT a FROM keyless;`).close()
	synctest.Test(t, func(t *testing.T) { copyInterruptedOnce(t, file) })
}

func copyInterruptedOnce(t *testing.T, file string) {
	for requests := int64(1); ; requests++ {
		dsn, account, cut := anAccount()
		var said string
		attempt := func(requests int64) error {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			to, err := openWith(ctx, dsn, account)
			if err != nil {
				return err
			}
			defer to.close()
			from, err := open(ctx, file)
			if err != nil {
				return err
			}
			defer from.close()
			cut.cancel.Store(&cancel)
			cut.left.Store(requests)
			said, err = copied(ctx, from, to, false)
			return err
		}
		first := attempt(requests)
		if first != nil {
			if err := attempt(1 << 40); err != nil {
				t.Errorf("interrupted at request %d, %v: %v\n%s", requests, first, err, said)
			}
		}
		from := opened(t, file, "")
		to, err := openWith(t.Context(), dsn, account)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := to.state(t), from.state(t); got != want {
			t.Errorf("interrupted at request %d: %s, want %s", requests, got, want)
		}
		from.close()
		to.close()
		if first == nil {
			return
		}
	}
}

// TestCopyKilled: a copy whose process is killed again and again has every row once; --restart begins anew.
func TestCopyKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to := "file:"+filepath.Join(dir, "from.db"), "file:"+filepath.Join(dir, "to.db")
	source := opened(t, from, manyRows(10_000))
	want := source.state(t)
	source.close()
	run := func(after time.Duration, args ...string) (ended bool, said string) {
		p := exec.Command(os.Args[0], append([]string{"copy", from, to}, args...)...)
		p.Env = append(os.Environ(), "NEARLYFREE_TEST_COMMAND=1")
		var out bytes.Buffer
		p.Stdout, p.Stderr = &out, &out
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(after, func() { _ = p.Process.Kill() })
		defer kill.Stop()
		err := p.Wait()
		if p.ProcessState.Exited() && err != nil {
			t.Fatal(err, out.String())
		}
		return p.ProcessState.Exited() || strings.Contains(out.String(), "both are the same"), out.String()
	}
	killed := 0
	for ended := false; !ended && killed < 100; killed++ {
		ended, _ = run(time.Duration(60+30*killed) * time.Millisecond)
	}
	made := opened(t, to, "")
	if got := made.state(t); got != want || killed < 3 {
		t.Errorf("killed %d times: %s\nwant\n%s", killed, got, want)
	}
	made.close()
	if err := os.Remove(filepath.Join(dir, "to.db")); err != nil {
		t.Fatal(err)
	}
	if ended, said := run(200 * time.Millisecond); ended {
		t.Fatal("it is not killed", said)
	}
	if ended, said := run(time.Hour, "--restart"); !ended || !strings.Contains(said, "both are the same") || strings.Contains(said, "goes on") {
		t.Error(said)
	}
}
