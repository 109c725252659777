package main

import (
	"os"
	"strings"
	"testing"
)

// TestLoadMended: a load that failed goes on when what is wrong is mended, behind the part of the file that is done, and only there.
func TestLoadMended(t *testing.T) {
	t.Parallel()
	const first = "-- it is a dump\nCREATE TABLE t (id INT PRIMARY KEY);\nINSERT INTO t VALUES (1), (2);\n"
	for _, c := range []struct{ name, before, failed, after, want, said string }{
		{"mended", first + "INSERT INTO t VALUES (x);\n", "line 4: ", first + "INSERT INTO t VALUES (3);\nINSERT INTO t VALUES (4);", "1,2,3,4", "continuing after 2 statements"},
		{"a comment before", first + "INSERT INTO t VALUES (x);\n", "line 4: ", "-- mended\n" + first + "INSERT INTO t VALUES (3);", "1,2,3", ""},
		{"taken out", first + "INSERT INTO t VALUES (x);\nSET @x = 4; INSERT INTO t VALUES (@x);", "line 4: ", first + "SET @x = 5; INSERT INTO t VALUES (@x);", "1,2,5", ""},
		{"nothing is left", first + "INSERT INTO t VALUES (x);\n", "line 4: ", first, "1,2", ""},
		{"what is done", first + "INSERT INTO t VALUES (x);\n", "line 4: ", strings.Replace(first, "(2)", "(7)", 1) + "INSERT INTO t VALUES (3);", "1,2", "an earlier load has loaded the first 2 statements, and these have changed since"},
		{"less than is done", first + "INSERT INTO t VALUES (x);\n", "line 4: ", "CREATE TABLE t (id INT PRIMARY KEY);", "1,2", "these have changed since"},
		{"no table was made", first + "CREATE TABLE t (id INT);\n", "line 4: Error 1050", first + "CREATE TABLE t (id INT);\nINSERT INTO t VALUES (3)", "1,2", "line 4: Error 1050"},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := opened(t, "mem://", "")
			file := fileOf(t, "t.sql", c.before)
			if said, err := loaded(t, db, loadOptions{}, file); err == nil || !strings.Contains(err.Error(), c.failed) {
				t.Fatalf("%v %s", err, said)
			}
			if err := os.WriteFile(file, []byte(c.after), 0o600); err != nil {
				t.Fatal(err)
			}
			said, err := loaded(t, db, loadOptions{}, file)
			if err != nil {
				said += err.Error()
			}
			if !strings.Contains(said, c.said) || (err != nil) != (strings.Contains(c.said, "changed") || strings.Contains(c.said, "Error")) {
				t.Errorf("%v %s", err, said)
			}
			if got := db.answer(t, "SELECT GROUP_CONCAT(id ORDER BY id) FROM t"); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if err == nil {
				return
			}
			if _, err := loaded(t, db, loadOptions{restart: true}, file); err == nil || !strings.Contains(err.Error(), "drop what an earlier load has made") {
				t.Errorf("--restart: %v", err)
			}
		})
	}
}

// TestLoadMendedRows: so it is with records.
func TestLoadMendedRows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, bad, mended, first, other string }{
		"t.csv":   {"a,id\n" + strings.Repeat("x,\n", batchRows), "long\n", "y,1\n", "x,\n", "z,\n"},
		"t.tsv":   {"a\tid\n" + strings.Repeat("x\t\\N\n", batchRows), "long\n", "y\t1\n", "x\t\\N\n", "z\t\\N\n"},
		"t.jsonl": {strings.Repeat(`{"a": "x"}`+"\n", batchRows), "{\n", `{"a": "y"}` + "\n", `"x"`, `"z"`},
	} {
		db := opened(t, "mem://", "CREATE TABLE t (a VARCHAR(3), id INT)")
		file := fileOf(t, name, c.before+c.bad)
		if said, err := loaded(t, db, loadOptions{}, file); err == nil {
			t.Fatalf("%s: %s", name, said)
		}
		write := func(text string) {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(strings.Replace(c.before, c.first, c.other, 1) + c.mended)
		if said, err := loaded(t, db, loadOptions{}, file); err == nil || !strings.Contains(err.Error(), "has loaded the first 1000 records, ") {
			t.Errorf("%s: %v %s", name, err, said)
		}
		write(c.before + c.mended)
		said, err := loaded(t, db, loadOptions{}, file)
		if got := db.answer(t, "SELECT COUNT(*), SUM(a = 'y') FROM t"); err != nil || got != "1001,1" || !strings.Contains(said, "continuing after 1000 records") {
			t.Errorf("%s: %s %v %s", name, got, err, said)
		}
	}
}

// TestNoStatement: a file that does nothing says so.
func TestNoStatement(t *testing.T) {
	t.Parallel()
	db := opened(t, "mem://", "")
	for _, text := range []string{"", "-- nothing\n;\n"} {
		file := fileOf(t, "t.sql", text)
		if said, err := loaded(t, db, loadOptions{}, file); err != nil || said != file+": there is no statement in it\n" {
			t.Errorf("%v %s", err, said)
		}
		var notes strings.Builder
		r := &runner{db: db, notes: &notes, quiet: true}
		if err := r.file(t.Context(), file); err != nil || notes.String() != file+": there is no statement in it\n" {
			t.Errorf("%v %s", err, notes.String())
		}
	}
}

// TestLoadFormerPlace: what an earlier version of the command has begun goes on if the file is as it was, and is refused clearly else.
func TestLoadFormerPlace(t *testing.T) {
	t.Parallel()
	const before = "CREATE TABLE t (id INT PRIMARY KEY);\nINSERT INTO t VALUES (1);\n"
	for more, failed := range map[string]string{"INSERT INTO t VALUES (2);\n": "", "INSERT INTO t VALUES (3);\n": "an earlier version of this command"} {
		db := opened(t, "mem://", "CREATE TABLE t (id INT PRIMARY KEY);\nINSERT INTO t VALUES (1);")
		file := fileOf(t, "t.sql", before+"INSERT INTO t VALUES (2);\n")
		source, err := openSource(file)
		if err != nil {
			t.Fatal(err)
		}
		print, err := fingerprint(source.file)
		source.Close()
		if err != nil {
			t.Fatal(err)
		}
		if err := db.beginPlace(t.Context(), &place{work: "load " + file, source: print, done: 2, written: 1}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(before+more), 0o600); err != nil {
			t.Fatal(err)
		}
		said, err := loaded(t, db, loadOptions{}, file)
		if got := db.answer(t, "SELECT GROUP_CONCAT(id ORDER BY id) FROM t"); failed == "" && (err != nil || got != "1,2") {
			t.Errorf("%s: %v %s", got, err, said)
		}
		if failed != "" && (err == nil || !strings.Contains(err.Error(), failed)) {
			t.Errorf("%v %s", err, said)
		}
	}
}
