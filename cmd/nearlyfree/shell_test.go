//go:build unix

package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestMain lets the test start this program as it is: the command, where asked for.
func TestMain(m *testing.M) {
	if os.Getenv("NEARLYFREE_TEST_COMMAND") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestErrorOfDriver: an error that the driver gives names the program once.
func TestErrorOfDriver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	opened(t, "file:"+path, "CREATE TABLE t (id INT PRIMARY KEY)").close()
	for _, args := range [][]string{{"bolt://nowhere"}, {"repair", "file:" + path + "?readonly=true"}} {
		c := exec.Command(os.Args[0], args...)
		c.Env = append(os.Environ(), "NEARLYFREE_TEST_COMMAND=1")
		out, err := c.CombinedOutput()
		if said := string(out); err == nil || !strings.HasPrefix(said, "nearlyfree: ") || strings.Count(said, "nearlyfree: ") != 1 {
			t.Errorf("%s: it ends with %v and says %s", args, err, said)
		}
	}
}

// TestQuiet: -q may stand before a command of several words, too, and leaves what is wrong.
func TestQuiet(t *testing.T) {
	dsn := "file:" + filepath.Join(t.TempDir(), "x.db")
	file := fileOf(t, "t.csv", "id,a\n1,x\n2,y\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-q", "load", dsn, file, "--key", "id"}, "CREATE TABLE `t` (\n  `id` INT,\n  `a` VARCHAR(20),\n  PRIMARY KEY (`id`)\n);\n-- guessed from 2 records\n"},
		{[]string{"load", "-q", dsn, file}, file + ": 2 rows already there, unchanged\n"},
		{[]string{"--quiet", "dump", dsn, "t", "--format", "csv"}, "id,a\n1,x\n2,y\n"},
		{[]string{"-q", dsn, "-c", "SELECT COUNT(*) AS n FROM t"}, "n\n2\n"},
		{[]string{"-q", "copy", dsn, "mem://"}, ""},
		{[]string{"-q", "load", dsn, "nowhere.csv", "--table", "t"}, "nearlyfree: nowhere.csv: open nowhere.csv: no such file or directory\n"},
	} {
		p := exec.Command(os.Args[0], c.args...)
		p.Env = append(os.Environ(), "NEARLYFREE_TEST_COMMAND=1")
		if said, err := p.CombinedOutput(); string(said) != c.want || (err != nil) != strings.HasPrefix(c.want, "nearlyfree: ") {
			t.Errorf("%q: %v %s", c.args, err, said)
		}
	}
}

// terminal is a command that runs on one.
type terminal struct {
	t    *testing.T
	file *os.File
	mu   sync.Mutex
	said strings.Builder
}

func startShell(t *testing.T, args ...string) *terminal {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c := exec.CommandContext(ctx, os.Args[0], args...)
	c.Env = append(os.Environ(), "NEARLYFREE_TEST_COMMAND=1", "TERM=xterm", "XDG_CACHE_HOME="+t.TempDir(), "HOME="+t.TempDir())
	file, err := pty.StartWithSize(c, &pty.Winsize{Rows: 40, Cols: 100})
	if err != nil {
		t.Skipf("there is no terminal here: %v", err)
	}
	term := &terminal{t: t, file: file}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 4096)
		for {
			n, err := file.Read(buf)
			term.mu.Lock()
			term.said.Write(buf[:n])
			term.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		_ = c.Wait()
		file.Close()
		<-done
	})
	return term
}

// types types a text, and waits until the shell has answered another, and asks again.
func (term *terminal) types(text, answer string) {
	term.t.Helper()
	from := term.write(text)
	for deadline := time.Now().Add(time.Minute); !term.answered(from, answer); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			term.t.Fatalf("%q is typed, and %q does not come:\n%s", text, answer, term.since(from))
		}
	}
}

// interrupts types a statement that takes long, and Ctrl-C until it ends: the statement may not run yet.
func (term *terminal) interrupts(text string) {
	term.t.Helper()
	from := term.write(text)
	for deadline := time.Now().Add(time.Minute); !term.answered(from, "interrupted"); time.Sleep(20 * time.Millisecond) {
		term.write("\x03")
		if time.Now().After(deadline) {
			term.t.Fatalf("%q goes on:\n%s", text, term.since(from))
		}
	}
}

// write types a text. It gives how much had been said before.
func (term *terminal) write(text string) (from int) {
	term.t.Helper()
	term.mu.Lock()
	from = term.said.Len()
	term.mu.Unlock()
	if _, err := io.WriteString(term.file, text); err != nil {
		term.t.Fatal(err)
	}
	return from
}

func (term *terminal) since(from int) string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.said.String()[from:]
}

func (term *terminal) answered(from int, answer string) bool {
	_, behind, ok := strings.Cut(term.since(from), answer)
	return ok && (strings.HasSuffix(answer, " ") || strings.Contains(behind, "> "))
}

// TestTerminal: a statement over several lines, completion, history, and Ctrl-C, which ends a statement and not the shell.
func TestTerminal(t *testing.T) {
	term := startShell(t, "mem://")
	term.types("", "nearlyfree> ")
	term.types("CREATE TABLE customer (id INT PRIMARY KEY,\r", "... ")
	term.types("surname VARCHAR(20));\r", "done · ")
	term.types("INSERT INTO cust\t(id, sur\t) VALUES (1, 'Meier');\r", "1 row affected")
	term.types("SELECT surname FROM customer;\r", "│ Meier   │")
	term.types("SELECT\r", "... ")
	term.types("\x03", "nearlyfree> ") // gives up what was typed
	term.types("SELECT nope FROM customer;\r", "^")
	term.types("CREATE DATABASE shop;\r", "done · ")
	term.types("use shop\r", "done · ")
	term.types("SELECT DATABASE();\r", "│ shop ")
	term.types("use nearlyfree\r", "done · ")
	term.interrupts("SELECT SLEEP(600);\r")
	term.types("SELECT 40 + 2 AS answer;\r", "│     42 │")
	term.types("\x1b[A\r", "│     42 │") // the line before
}
