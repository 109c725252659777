package main

import (
	"bufio"
	"errors"
	"os"
	"strings"
	"testing"
)

func TestGuessSeparator(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long; text, ", 2000)
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"a,b\n1,2\n", 0, ","},
		{"a;b\n1;2\n", 0, ";"},
		{"a\tb\n1\t2\n", 0, "\t"},
		{"a|b\r\n1|2\r\n", 0, "|"},
		{"a;b\n1,5;2,5\n", 0, ";"},                                  // decimal commas
		{"\"a,x\";\"b\"\n1;2\n", 0, ";"},                            // a comma in quotes
		{"name;a\n\"x\n,y\";1\n\n", 0, ";"},                         // a line's end in quotes
		{"a,b\n1;1,2;2\n3;3,4;4\n", 0, ","},                         // semicolons in values
		{"a\nx;y\nz\n", 0, ","},                                     // one column
		{"note;more\nx\ny\nz\n", 0, ","},                            // also one
		{"a;b\n", 0, ";"},                                           // no record
		{"", 0, ","},                                                // nothing
		{"a,b\n1\n", 0, ","},                                        // no separator gives as many
		{"a;b\n1;2\n3;4\n5\n7;8\n", 0, ";"},                         // one record is wrong
		{"1;2;3\n4;5;6\n", 3, ";"},                                  // no head
		{"1;2\n4;5\n", 1, ","},                                      // a column that is named
		{"x;1,2\ny;3,4\n", 2, ","},                                  // both do: the likelier one
		{"a;b\n" + strings.Repeat("1;\""+long+"\n\"\n", 9), 0, ";"}, // cut off
	} {
		if got := guessSeparator(bufio.NewReaderSize(strings.NewReader(c.text), 1<<16), c.columns); got != c.want {
			t.Errorf("%.40q: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestSeparator: fields are told apart by what stands between them, and what is refused is listed as it was.
func TestSeparator(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, separator, option, said string }{
		{"t.csv", ";", "", "separated by semicolons"},
		{"t.csv", "\t", "", "separated by tabs"},
		{"t.csv", "|", "", "separated by |"},
		{"t.csv", ",", "", ""},
		{"t.csv", "\t", `\t`, ""},
		{"t.csv", "§", "§", ""},
		{"t.tsv", "\t", "", ""},
	} {
		text := strings.ReplaceAll("a~id~n\nx,y~1~1,5\nlonger~2~far too long\nd~3\nü~4~\n", "~", c.separator)
		if c.separator == "," {
			text = "a,id,n\n\"x,y\",1,\"1,5\"\nlonger,2,far too long\nd,3\nü,4,\n"
		}
		db := opened(t, "mem://", "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(7), n VARCHAR(3))")
		file := fileOf(t, c.name, text)
		o := loadOptions{rejects: -1, separator: c.option}
		said, err := loaded(t, db, o, file)
		if !errors.Is(err, errShown) || !strings.Contains(said, c.said) || strings.Count(said, "separated") != boolOrder(c.said != "") {
			t.Errorf("%q: %v %s", c.separator, err, said)
		}
		rejected, err := os.ReadFile(file + rejectsEnding)
		want := strings.ReplaceAll("longer~2~far too long~3~", "~", c.separator)
		head := strings.ReplaceAll("a~id~n~_line~_reason\n", "~", c.separator)
		if err != nil || !strings.HasPrefix(string(rejected), head) || !strings.Contains(string(rejected), want) || strings.Count(string(rejected), "\n") != 3 {
			t.Errorf("%q: %v %s", c.separator, err, rejected)
		}
		text = head + strings.Replace(strings.Split(string(rejected), "\n")[2], "far too long", "f,\"", 1) + "\n"
		if c.separator == "," {
			text = strings.Replace(text, "f,\"", "\"f,\"\"\"", 1)
		}
		if err := os.WriteFile(file+rejectsEnding, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if said, err := loaded(t, db, o, file+rejectsEnding); err != nil {
			t.Errorf("%q: %v %s", c.separator, err, said)
		}
		if got := db.answer(t, "SELECT GROUP_CONCAT(id, a, n ORDER BY id SEPARATOR ' ') FROM t"); !strings.HasPrefix(got, "1x,y1,5 2longerf,\"") {
			t.Errorf("%q: %s", c.separator, got)
		}
	}
	db := opened(t, "mem://", "")
	if _, err := loaded(t, db, loadOptions{}, fileOf(t, "people.csv", "id;price;born\n1;1.5;2001-02-03\n2;2.5;2001-02-03\n")); err != nil || db.answer(t, "SELECT SUM(price) * 10, MAX(YEAR(born)) FROM people") != "40.0,2001" {
		t.Errorf("a table that is made: %v %s", err, db.answer(t, "SELECT SUM(price) * 10, MAX(YEAR(born)) FROM people"))
	}
	for _, c := range []struct{ name, separator, want string }{
		{"t.csv", "::", "one character"},
		{"t.csv", `"`, "no quote"},
		{"t.csv", "\n", "no quote"},
		{"t.jsonl", ";", "--separator is for CSV"},
		{"t.tsv", ";", "say --format csv"},
		{"t.sql", ";", "--separator is for CSV"},
	} {
		if _, err := loaded(t, db, loadOptions{separator: c.separator}, fileOf(t, c.name, "a;b\n1;2\n")); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v", c.name, c.separator, err)
		}
	}
}
