package mariadb

import (
	"math/big"
	"regexp"
	"strings"
	"testing"
)

// difference is one that stays: its reason, how it is recognised, and a statement that shows it.
type difference struct {
	name    string
	who     string // who is not as MySQL 8.0
	reason  string
	example string // over the table t of TestDifferences

	what   string // what differs, "" for anything; see answer.differs
	here   uint16 // error number, 0 for any
	there  uint16
	text   *regexp.Regexp
	values func(ours, theirs string) bool // of the first cells that differ
}

const (
	mariaDB = "MariaDB"
	we      = "nearlyfree"
)

func (d *difference) match(f *finding) bool {
	return (d.what == "" || d.what == f.what || "state: "+d.what == f.what) &&
		(d.here == 0 || d.here == f.ours.number) && (d.there == 0 || d.there == f.theirs.number) &&
		(d.text == nil || d.text.MatchString(f.setup+f.text)) && (d.values == nil || f.cells(d.values))
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
	if x == nil || y == nil || strings.ContainsAny(b, "eE") {
		return false
	}
	_, fraction, _ := strings.Cut(b, ".")
	half := new(big.Rat).SetFrac64(6, 10)
	for range fraction {
		half.Quo(half, big.NewRat(10, 1))
	}
	return x.Sub(x, y).Abs(x).Cmp(half) <= 0
}

// differences are all that stay.
var differences = []difference{
	{
		name: "JSON is text", who: mariaDB, what: "fails there", there: 1267, text: regexp.MustCompile(`JSON|\bj\b|\br_j\b`),
		reason:  "MariaDB's JSON is a text in utf8mb4_bin, which it refuses to mix with texts of another collation.",
		example: "SELECT id FROM t WHERE j = v",
	},
	{
		name: "JSON text that is none", who: mariaDB, what: "errors", here: 3140, there: 4025,
		reason:  "MariaDB's JSON columns are texts with a CHECK: error 4025 where MySQL has 3140.",
		example: "INSERT INTO t (id, j) VALUES (99, 'x')",
	},
	{
		name: "JSON text that is none, of a function", who: mariaDB, what: "fails here", here: 3141,
		reason:  "JSON functions of a text that is no JSON are NULL with a warning in MariaDB, error 3141 in MySQL.",
		example: "SELECT JSON_DEPTH('x')",
	},
	{
		name: "octets that are no UTF-8", who: mariaDB, what: "fails there", there: 1300, text: regexp.MustCompile(`0x|x'|b'|\bb\b`),
		reason:  "MariaDB turns a hexadecimal literal beside a text into the text's character set; MySQL compares both as octets.",
		example: "SELECT id FROM t WHERE v = 0xFF",
	},
	{
		name: "STDDEV and VARIANCE of exact numbers", who: mariaDB, what: "rows", text: regexp.MustCompile(`STD|VAR`), values: roundedTo,
		reason:  "MariaDB shows four digits more than the argument has; MySQL 8.0 gives all digits of the DOUBLE.",
		example: "SELECT STDDEV(i) FROM (SELECT 1 AS i UNION SELECT 2 UNION SELECT 4) d",
	},
	{
		name: "negative zero", who: mariaDB, what: "rows", values: func(a, b string) bool { return strings.HasPrefix(b, "-0") && "-"+a == b },
		reason:  "MariaDB's DECIMAL can be -0.00.",
		example: "SELECT MOD(-1.50, -1.5)",
	},
	{
		name: "AVG cut to nines", who: mariaDB, what: "rows", text: regexp.MustCompile(`AVG`), values: func(a, b string) bool { return strings.Trim(b, "9.-") == "" && len(b) > 4 },
		reason:  "MariaDB keeps the average of a function in a column that may be too narrow, where it groups by a temporary table.",
		example: "",
	},
}

// TestDifferences asks for the example of each difference: one that shows nothing any more is out of date.
func TestDifferences(t *testing.T) {
	needServer(t)
	o := &oracle{t: t, findings: map[string]*finding{}}
	r := o.open(t, 1)
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

// show runs an example on both sides.
func (r *round) show(text string) *finding {
	if strings.HasPrefix(text, "SELECT") {
		return r.ask(text)
	}
	return r.change(text, "SELECT * FROM t ORDER BY id")
}
