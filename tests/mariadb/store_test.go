package mariadb

import (
	"fmt"
	"slices"
	"strings"
)

// storedTypes are the columns that values of every kind are put into.
var storedTypes = []string{"TINYINT", "TINYINT UNSIGNED", "SMALLINT", "MEDIUMINT", "INT", "INT UNSIGNED", "BIGINT", "BIGINT UNSIGNED", "DECIMAL(5,2)", "DECIMAL(20,6)", "DECIMAL(3,0)",
	"DECIMAL(6,3) UNSIGNED", "FLOAT", "DOUBLE", "DOUBLE UNSIGNED", "CHAR(5)", "VARCHAR(5)", "VARCHAR(30)", "VARCHAR(10) COLLATE utf8mb4_general_ci", "CHAR(10) COLLATE utf8mb4_unicode_ci", "TEXT",
	"TINYTEXT", "BINARY(5)", "VARBINARY(5)", "BLOB", "ENUM('a','b','abc','5')", "SET('a','b','x','z')", "BIT(1)", "BIT(8)", "BIT(64)", "DATE", "DATETIME", "DATETIME(3)", "DATETIME(6)", "TIMESTAMP NULL",
	"TIMESTAMP(3) NULL", "TIME", "TIME(3)", "TIME(6)", "YEAR", "BOOLEAN", "JSON", "INT NOT NULL", "VARCHAR(5) NOT NULL", "DATE NOT NULL", "DECIMAL(5,2) NOT NULL", "ENUM('a','b') NOT NULL", "DATETIME(3) NOT NULL"}

var storedKinds = []string{"int", "uint", "dec", "dbl", "text", "word", "hex", "date", "dt", "time", "bool", "json", "null", "small", "found"}

// stores puts values into a column and reads them back.
func (r *round) stores(n int) {
	of := r.stored[r.g.IntN(len(r.stored))]
	table := "s" + fmt.Sprint(slices.Index(storedTypes, of))
	for range n {
		r.ran++
		value := r.g.literal(pick(r.g, storedKinds))
		if r.g.one(4) {
			columns := r.g.columns
			r.g.columns = nil
			value = r.g.expr(pick(r.g, []string{"int", "dec", "dbl", "text", "date", "dt", "time", "bool", "any"}), 1+r.g.IntN(2))
			r.g.columns = columns
		}
		verb := pick(r.g, []string{"INSERT", "INSERT", "INSERT", "INSERT IGNORE", "REPLACE"})
		statement := say(fmt.Sprintf("%s INTO %s VALUES (%d, #)", verb, table, r.ran), value).framed()
		r.settleWrite(of, []string{"DELETE FROM " + table}, statement, fmt.Sprintf("SELECT * FROM %s WHERE id = %d", table, r.ran))
	}
}

// createStored makes a table for each type. What this driver does not know is left out, and said once.
func (r *round) createStored() {
	for i, of := range storedTypes {
		key := ", KEY (c)"
		if slices.Contains([]string{"TEXT", "TINYTEXT", "BLOB", "JSON"}, of) {
			key = ""
		}
		text := fmt.Sprintf("CREATE TABLE s%d (id INT PRIMARY KEY, c %s%s)", i, of, key)
		if r.makes(text) {
			r.stored = append(r.stored, of)
		}
	}
}

// makes runs a definition on all sides, and says whether it went well.
func (r *round) makes(text string) bool {
	want := r.theirs.exec(text)
	if want.err != nil {
		r.t.Fatalf("%s: %v", text, want.err)
	}
	for _, s := range []*side{r.ours, r.bare} {
		if got := s.exec(text); got.err != nil {
			r.add(finding{seed: r.seed, what: "fails here", text: text, ours: got})
			return false
		}
	}
	return true
}

// change runs a statement that writes, and compares what it says and the state after it. It gives nil where all agree.
func (r *round) change(text, state string) *finding {
	want := r.theirs.exec(text)
	adjusts := strings.Contains(text, "IGNORE") // others leave warnings seldom
	if want.err == nil && adjusts {
		want.warnings = r.theirs.warnings()
	}
	for _, s := range []*side{r.ours, r.bare} {
		got := s.exec(text)
		if got.err == nil && adjusts {
			got.warnings = s.warnings()
		}
		if what := got.differs(want); what != "" {
			return &finding{seed: r.seed, what: failure(what, got, want), text: text, ours: got, theirs: want}
		}
	}
	if f := r.ask(state); f != nil {
		f.what, f.text, f.ask = "state: "+f.what, text, nil
		return f
	}
	return nil
}

// settleWrite runs a statement on what the statements of before make, and makes it small where the sides differ.
func (r *round) settleWrite(of string, before []string, n *node, state string) {
	run := func() *finding {
		return r.change(n.text(), state)
	}
	f := run()
	if f == nil {
		return
	}
	again := func() *finding {
		for _, text := range before {
			for _, s := range []*side{r.theirs, r.ours, r.bare} {
				if a := s.exec(text); a.err != nil {
					r.t.Fatalf("%s: %s: %v", s.name, text, a.err)
				}
			}
		}
		return run()
	}
	last := *f
	last.setup, last.of = of+": ", of+": "
	if r.skips(&last) {
		return
	}
	reduce(n, nil, func() bool {
		g := again()
		if !g.shows(f) {
			return false
		}
		last = *g
		return true
	})
	last.setup, last.of = of+": ", of+": "
	r.add(last)
}
