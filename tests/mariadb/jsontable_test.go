package mariadb

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestJSONTable asks both sides for the rows of random documents. Columns of type JSON, and DEFAULTs that are no numbers, are not asked
// for: JSON is a text in MariaDB, and its DEFAULT is a value, in MySQL a document. Nor for what a column cuts, which MariaDB takes.
func TestJSONTable(t *testing.T) {
	needServer(t)
	n := 400
	if testing.Short() {
		n = 60
	}
	g := &jsonTables{windows{rand.New(rand.NewPCG(3, 19))}, 0}
	ours, theirs := openOurs(t, "ours", "mem://"), openTheirs(t)
	both := func(text string) {
		for _, s := range []*side{ours, theirs} {
			if a := s.exec(text); a.err != nil {
				t.Fatalf("%s: %s: %v", s.name, text, a.err)
			}
		}
	}
	both("CREATE TABLE d (id INT PRIMARY KEY, doc LONGTEXT)")
	for i := range 20 {
		both(fmt.Sprintf("INSERT INTO d VALUES (%d, '%s')", i, g.document(3)))
	}
	both("INSERT INTO d VALUES (20, NULL)")
	for range n {
		text := g.query()
		if a, b := ours.query(text), theirs.query(text); a.differs(b) != "" {
			t.Errorf("%s: %s\nours %v\nthey %v", a.differs(b), text, a, b)
		}
	}
}

// jsonTables makes documents and queries at random.
type jsonTables struct {
	windows
	columns int // of the query so far
}

func (g *jsonTables) document(depth int) string {
	if depth == 0 || g.IntN(5) == 0 {
		return g.of("1", "22", "-3", `"5"`, `"17"`, `"40"`, "true", "null", "{}", "[]")
	}
	parts := make([]string, g.IntN(4))
	object := g.IntN(2) == 0
	for i := range parts {
		if parts[i] = g.document(depth - 1); object {
			parts[i] = fmt.Sprintf(`"%c": %s`, 'a'+i, parts[i])
		}
	}
	if object {
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (g *jsonTables) path(several bool) string {
	path := "$"
	for range g.IntN(3) {
		path += g.of(".a", ".b", "[0]", "[1]", ".c")
	}
	if several && g.IntN(3) > 0 {
		path += g.of("[*]", ".*", "[*]")
	}
	return path
}

func (g *jsonTables) list(depth int) string {
	list := make([]string, 1+g.IntN(3))
	for i := range list {
		g.columns++
		name := fmt.Sprintf("c%d", g.columns)
		switch g.IntN(6) {
		case 0:
			list[i] = name + " FOR ORDINALITY"
		case 1:
			list[i] = name + " INT EXISTS PATH '" + g.path(true) + "'"
		case 2:
			if depth > 0 {
				g.columns--
				list[i] = "NESTED PATH '" + g.path(true) + "' COLUMNS (" + g.list(depth-1) + ")"
				continue
			}
			fallthrough
		default:
			list[i] = name + g.of(" INT", " VARCHAR(20)", " DECIMAL(6,2)") + " PATH '" + g.path(false) + "'" +
				g.of("", "", " DEFAULT '7' ON EMPTY", " NULL ON EMPTY") + g.of("", "", " DEFAULT '99' ON ERROR", " NULL ON ERROR")
		}
	}
	return strings.Join(list, ", ")
}

func (g *jsonTables) query() string {
	g.columns = 0
	table := "JSON_TABLE(d.doc, '" + g.path(true) + "' COLUMNS (" + g.list(2) + ")) AS t"
	order := " ORDER BY 1"
	for i := range g.columns {
		order += fmt.Sprintf(", %d", i+2)
	}
	return "SELECT d.id, t.* FROM d " + g.of("JOIN "+table, "LEFT JOIN "+table+" ON TRUE", "JOIN "+table+" ON d.id % 2 = 0") + g.of("", " WHERE d.id > 5") + order
}
