package mariadb

import (
	"flag"
	"fmt"
	"math/big"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// difference is one that stays: its reason, how it is recognised, and a statement that shows it.
type difference struct {
	name    string
	who     string // who is not as MySQL 8.0
	reason  string
	example string // over the tables of TestDifferences, or, behind a type, x (id INT PRIMARY KEY, c of that type); of several statements the last one

	what   string // what differs, "" for anything; see answer.differs
	here   uint16 // error number, 0 for any
	there  uint16
	text   *regexp.Regexp
	says   *regexp.Regexp                 // MariaDB's error
	values func(ours, theirs string) bool // of the first cells that differ
	also   func(*finding) bool
	// instead is the query in which what differs is written in another way: where the sides do not agree about that one, neither,
	// it was not this difference.
	instead func(text string) string
}

const (
	mariaDB = "MariaDB"
	we      = "nearlyfree"
)

func (d *difference) match(f *finding) bool {
	return (d.what == "" || d.what == f.what || "state: "+d.what == f.what) &&
		(d.here == 0 || d.here == f.ours.number) && (d.there == 0 || d.there == f.theirs.number) &&
		(d.text == nil || d.text.MatchString(f.of+f.text)) && (d.says == nil || f.theirs.err != nil && d.says.MatchString(f.theirs.err.Error())) && (d.values == nil || f.cells(d.values)) && (d.also == nil || d.also(f)) &&
		(d.instead == nil || f.ask == nil || f.explainedBy(d.instead(f.text)))
}

// explainedBy says whether the sides agree about another query, but for what the table knows.
func (f *finding) explainedBy(text string) bool {
	g := f.ask(text)
	return g == nil || text != f.text && knownDifference(g) != nil
}

// cells asks about the first cells that differ.
func (f *finding) cells(of func(ours, theirs string) bool) bool {
	for i := range f.ours.rows {
		for j := range f.ours.rows[i] {
			if i < len(f.theirs.rows) && !f.ours.rows[i][j].equal(f.theirs.rows[i][j]) {
				return of(f.ours.rows[i][j].text, f.theirs.rows[i][j].text)
			}
		}
	}
	return false
}

func knownDifference(f *finding) *difference {
	for i := range differences {
		if differences[i].match(f) {
			return &differences[i]
		}
	}
	return nil
}

// number reads a value, nil where it is none.
func number(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return r
}

// roundedTo says whether b is a rounded to the digits that b shows.
func roundedTo(a, b string) bool {
	x, y := number(a), number(b)
	if x == nil || y == nil {
		return false
	}
	if strings.Contains(b, "e") {
		f, _ := y.Float64()
		b = strconv.FormatFloat(f, 'f', -1, 64)
	}
	_, fraction, _ := strings.Cut(b, ".")
	half := new(big.Rat).SetFrac64(6, 10)
	for range fraction {
		half.Quo(half, big.NewRat(10, 1))
	}
	return x.Sub(x, y).Abs(x).Cmp(half) <= 0
}

// TestDifferences asks for the example of each difference: one that shows nothing any more is out of date.
func TestDifferences(t *testing.T) {
	needServer(t)
	o := &oracle{t: t, findings: map[string]*finding{}, times: map[string]int{}}
	r := o.open(t, 1)
	r.makes("CREATE TABLE t3 (id INT NOT NULL PRIMARY KEY, d DATE NOT NULL DEFAULT '2024-01-31', j JSON, v VARCHAR(30), n DECIMAL(6,3), y YEAR)")
	r.makes("CREATE TABLE t5 (id TINYINT PRIMARY KEY AUTO_INCREMENT)")
	r.makes("CREATE TABLE t4 (id BIGINT UNSIGNED PRIMARY KEY AUTO_INCREMENT, d INT NOT NULL)")
	for i := range differences {
		d := &differences[i]
		if d.example == "" {
			continue
		}
		f := r.show(d.example)
		switch {
		case f == nil:
			t.Errorf("%s: both agree about its example: %s", d.name, d.example)
		case !d.match(f):
			t.Errorf("%s does not recognise its example: %s: %s\n  here:    %s\n  MariaDB: %s", d.name, d.example, f.what, f.ours, f.theirs)
		}
	}
}

var update = flag.Bool("update", false, "write docs/differences.md anew")

// TestDifferencesDoc keeps docs/differences.md what the table has.
func TestDifferencesDoc(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Differences from MySQL and MariaDB\n\nMade from tests/mariadb/known_test.go by `go test ./tests/mariadb -run TestDifferencesDoc -update`; do not edit.\n\n" +
		"Tests send random statements to this driver and to MariaDB 10.11. MySQL 8.0's manual decides which one is right. These differences remain.\n")
	for _, who := range []string{we, mariaDB} {
		title := "Not as MySQL 8.0 here"
		if who == mariaDB {
			title = "As MySQL 8.0 here, not in MariaDB"
		}
		fmt.Fprintf(&b, "\n## %s\n\n| what | why | for example |\n|---|---|---|\n", title)
		for _, d := range differences {
			if d.who == who {
				example := ""
				if d.example != "" {
					example = "`" + strings.ReplaceAll(d.example, "|", `\|`) + "`"
				}
				fmt.Fprintf(&b, "| %s | %s | %s |\n", d.name, d.reason, example)
			}
		}
	}
	const path = "../../docs/differences.md"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != b.String() {
		t.Errorf("%s is not what the table has: run go test ./tests/mariadb -run TestDifferencesDoc -update", path)
	}
}

// show runs an example on both sides.
func (r *round) show(text string) *finding {
	if of, insert, ok := strings.Cut(text, ": "); ok && storedType.MatchString(of) {
		return r.showStored(of, insert)
	}
	if strings.HasPrefix(text, "SELECT") {
		return r.ask(text)
	}
	defer func() {
		for _, s := range []*side{r.theirs, r.ours, r.bare} {
			s.exec("TRUNCATE TABLE t3")
			s.exec("TRUNCATE TABLE t4")
			s.exec("TRUNCATE TABLE t5")
			s.exec("TRUNCATE TABLE w1")
			s.exec("TRUNCATE TABLE t")
			for _, insert := range r.subject.create(false)[1:] {
				s.exec(insert)
			}
		}
	}()
	if i := strings.LastIndex(text, "; "); i >= 0 {
		for _, before := range strings.Split(text[:i], "; ") {
			r.change(before, "SELECT 1")
		}
		text = text[i+len("; "):]
	}
	state := "SELECT * FROM t ORDER BY id"
	for _, name := range []string{"t3", "t4", "t5", "w1"} {
		if strings.Contains(text, name) {
			state = "SELECT * FROM " + name + " ORDER BY id"
		}
	}
	return r.change(text, state)
}

// storedType is what an example begins with that puts something into the table x.
var storedType = regexp.MustCompile(`^[A-Z]+(\([^)]*\))?[A-Z ]*$`)

// showStored runs an example on a table x (id INT PRIMARY KEY, c of that type).
func (r *round) showStored(of, insert string) *finding {
	r.makes("CREATE TABLE x (id INT PRIMARY KEY, c " + of + ")")
	defer r.makes("DROP TABLE x")
	f := r.change(insert, "SELECT * FROM x")
	if f != nil {
		f.of = of + ": "
	}
	return f
}
