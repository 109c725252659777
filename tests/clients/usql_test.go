package clients

import (
	"bytes"
	"os"
	process "os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUsql builds usql, of github.com/xo/usql, with mysqlshim in place of MySQL's driver, as docs/clients.md says, and has it make, fill and
// describe tables. It needs a checkout of usql, named by NEARLYFREE_USQL: its go.mod asks for every database that there is.
func TestUsql(t *testing.T) {
	checkout := os.Getenv("NEARLYFREE_USQL")
	if checkout == "" {
		t.Skip("NEARLYFREE_USQL names no checkout of github.com/xo/usql")
	}
	binary := buildUsql(t, checkout)
	stores := map[string]string{"memory": "mem://usql", "file": "file:" + filepath.Join(t.TempDir(), "data")}
	if azurite := os.Getenv("NEARLYFREE_AZURITE"); azurite != "" {
		stores["azurite"] = azurite
	}
	const script = `
CREATE TABLE author (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(40) NOT NULL, KEY (name));
CREATE TABLE book (id INT PRIMARY KEY AUTO_INCREMENT, author INT NOT NULL, title VARCHAR(80), price DECIMAL(8,2), FOREIGN KEY (author) REFERENCES author (id));
INSERT INTO author (name) VALUES ('Ann'), ('Bob');
INSERT INTO book (author, title, price) VALUES (1, 'One', 9.50), (1, 'Two', 12), (2, 'Three', NULL);
CREATE VIEW dear AS SELECT title FROM book WHERE price > 10;
SELECT a.name || '!' AS who, COUNT(*) AS books, SUM(b.price) AS worth FROM author a JOIN book b ON b.author = a.id GROUP BY a.name ORDER BY a.name;
\begin
DELETE FROM book;
\rollback
SELECT COUNT(*) AS books FROM book;
\dt
\pset format aligned
\d book
\pset format csv
\dv
\di
\dn
\df
\copy my://root@localhost/shop my://root@localhost/shop 'SELECT name FROM author' 'author(name)'
SELECT COUNT(*) AS authors FROM author;
SELECT nope FROM author;
`
	for name, store := range stores {
		t.Run(name, func(t *testing.T) {
			c := process.Command(binary, "my://root@localhost/shop", "-X", "--csv")
			c.Env = append(os.Environ(), "NEARLYFREE_STORE="+store)
			c.Stdin = strings.NewReader(script)
			var said bytes.Buffer
			c.Stdout, c.Stderr = &said, &said
			if err := c.Run(); err == nil || c.ProcessState.ExitCode() != 1 { // as its last statement fails
				t.Fatal(err, said.String())
			}
			rest := said.String()
			for _, want := range []string{
				"who,books,worth\nAnn!,2,21.50\nBob!,1,\n", "books\n3\n", "shop,author,\"BASE TABLE\"\nshop,book,\"BASE TABLE\"\n", "decimal(8,2)", "book_ibfk_1", "shop,dear,VIEW\n",
				"shop,author,BTREE,book\n", "shop,def\n", "COPY 2\n", "authors\n4\n", "Unknown column 'nope'",
			} {
				_, behind, ok := strings.Cut(rest, want)
				if !ok {
					t.Fatalf("there is no %q in what it said:\n%s", want, said.String())
				}
				rest = behind
			}
		})
	}
}

// buildUsql builds it, and leaves its checkout as it is.
func buildUsql(t *testing.T, checkout string) (binary string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(checkout, name))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	root, err := filepath.Abs("../..")
	must(t, err)
	binary = filepath.Join(dir, "usql")
	for _, args := range [][]string{
		{"mod", "edit", "-replace=github.com/go-sql-driver/mysql=" + filepath.Join(root, "mysqlshim"), "-replace=github.com/nearlyfreedb/nearlyfree=" + root,
			"-droprequire=sqlflow.org/gohive", "-droprequire=sqlflow.org/gomaxcompute", filepath.Join(dir, "go.mod")},
		{"build", "-mod=mod", "-modfile=" + filepath.Join(dir, "go.mod"), "-tags=no_base mysql", "-o", binary, "."},
	} {
		c := process.Command("go", args...)
		c.Dir = checkout
		c.Env = append(os.Environ(), "GOWORK=off")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
	}
	return binary
}
