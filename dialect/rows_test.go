package dialect

import "testing"

// TestLiteralRows: rows of literals, which the parser does not run for, are read as those are that it reads.
func TestLiteralRows(t *testing.T) {
	rows := "(1, 'a', 1.5, NULL, .5), (0x41, b'01', 1e3, 'it''s', 20.), (2, '', 3., null, 'x\\n')"
	read := func(sql string) *Insert {
		p, err := Parse(sql, Options{})
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return p.Statement.(*Insert)
	}
	plain := read("INSERT INTO t VALUES " + rows)
	other := read("INSERT INTO t VALUES " + rows + ", (1, 2, 3, 4, 1+1)")
	other.Rows = other.Rows[:len(plain.Rows)]
	if got, want := dump(plain), dump(other); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, sql := range []string{"VALUES (1) (2)", "VALUES (1),", "VALUES (1,)", "VALUES ('a' , 'b'"} {
		if _, err := Parse("INSERT INTO t "+sql, Options{}); err == nil {
			t.Errorf("%s is read", sql)
		}
	}
	allocations := func(sql string) float64 { return testing.AllocsPerRun(10, func() { read(sql) }) }
	many := "INSERT INTO t VALUES (1, 'a', 1.5)"
	for range 100 {
		many += ", (1, 'a', 1.5)"
	}
	if n := allocations(many); n > 600 { // a literal each, and the rows
		t.Errorf("100 rows of three literals take %v allocations", n)
	}
}
