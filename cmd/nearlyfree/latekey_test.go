package main

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/nearlyfreedb/nearlyfree/dialect"
)

// lateKeysFile gives tables their keys behind their rows, in two databases with tables of the same name.
const lateKeysFile = `CREATE DATABASE one; CREATE DATABASE two; USE one;
	CREATE TABLE t (id INT NOT NULL, a VARCHAR(20) DEFAULT 'x, (y'); INSERT INTO t VALUES (1, 'a'), (5, 'b');
	CREATE TABLE IF NOT EXISTS bare (id INT); INSERT INTO bare VALUES (3), (3);
	CREATE TABLE u (t INT NOT NULL, n INT NOT NULL, s INT, CONSTRAINT up CHECK (n > 0)) COMMENT 'it''s (not) done'; INSERT INTO u VALUES (5, 1, 1), (1, 2, 1);
	CREATE TABLE v (id INT); DROP TABLE v; CREATE TABLE v (id INT, b INT);
	USE two;
	CREATE TABLE t (b INT NOT NULL, id INT NOT NULL); INSERT INTO t VALUES (1, 1), (1, 2);
	ALTER TABLE t
		ADD PRIMARY KEY (b, id);
	ALTER TABLE one.t ADD PRIMARY KEY (id), ADD UNIQUE KEY a (a), ADD KEY ab (a(3), id);
	USE one;
	ALTER TABLE t MODIFY id INT NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=9;
	ALTER TABLE u ADD KEY s (s), ADD CONSTRAINT p PRIMARY KEY (t DESC, n), ADD KEY n (n);
	ALTER TABLE u ADD CONSTRAINT to_t FOREIGN KEY (t) REFERENCES t (id), ADD CONSTRAINT to_v FOREIGN KEY (s) REFERENCES t (id);
	ALTER TABLE v ADD PRIMARY KEY (b);
	INSERT INTO t (a) VALUES ('c');`

const (
	lateKeysQuery = "SELECT (SELECT GROUP_CONCAT(id, a ORDER BY id) FROM one.t), (SELECT GROUP_CONCAT(n) FROM one.u), (SELECT GROUP_CONCAT(id) FROM one.bare), (SELECT GROUP_CONCAT(id) FROM two.t)," +
		" (SELECT GROUP_CONCAT(CONCAT_WS('.', TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, COLUMN_NAME) ORDER BY TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX SEPARATOR ' ') FROM information_schema.STATISTICS WHERE TABLE_SCHEMA IN ('one', 'two'))," +
		" (SELECT GROUP_CONCAT(CONSTRAINT_NAME ORDER BY CONSTRAINT_NAME) FROM information_schema.REFERENTIAL_CONSTRAINTS)"
	lateKeysRows = "1a,5b,9c,1,2,3,3,1,2," +
		"one.t.PRIMARY.id one.t.a.a one.t.ab.a one.t.ab.id one.u.PRIMARY.t one.u.PRIMARY.n one.u.n.n one.u.s.s one.v.PRIMARY.b two.t.PRIMARY.b two.t.PRIMARY.id,to_t,to_v"
)

// TestLoadLateKeys: a key that a file adds to a table behind its rows is the table's when it is made.
func TestLoadLateKeys(t *testing.T) {
	t.Parallel()
	db, err := open(t.Context(), "mem://")
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	if said, err := loaded(t, db, loadOptions{}, fileOf(t, "t.sql", lateKeysFile)); err != nil {
		t.Fatal(err, said)
	}
	if got := db.answer(t, lateKeysQuery); got != lateKeysRows {
		t.Errorf("%s\nwant %s", got, lateKeysRows)
	}
	for _, c := range []struct{ text, want string }{
		{"CREATE TABLE other (id INT); INSERT INTO other VALUES (1);", ""},
		{"CREATE TABLE IF NOT EXISTS other (id INT); ALTER TABLE other ADD PRIMARY KEY (id);", ""}, // it is there without one
		{"INSERT INTO other VALUES (1);", "line 1: Error 1062 (23000): Duplicate entry '1' for key 'PRIMARY'"},
		{"ALTER TABLE other ADD PRIMARY KEY (id);", "line 1: Error 1068 (42000): Multiple primary key defined"},
		{"CREATE TABLE twice (id INT);\nALTER TABLE twice ADD PRIMARY KEY (id);\nALTER TABLE twice ADD PRIMARY KEY (id);", "line 3: Error 1068 (42000): Multiple primary key defined"},
		{"CREATE TABLE same (id INT);\nINSERT INTO same VALUES (1), (1);\nALTER TABLE same ADD PRIMARY KEY (id);", "line 2: Error 1062 (23000): Duplicate entry '1' for key 'PRIMARY'"},
		{"CREATE TABLE wrong (id INT);\nALTER TABLE wrong ADD PRIMARY KEY (no);", "line 1: Error 1072 (42000): Key column 'no' doesn't exist in table"},
	} {
		_, err := loaded(t, db, loadOptions{}, fileOf(t, "t.sql", c.text))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestLoadLateKeysInterrupted: whichever request such a load is interrupted at, the next one makes what is missing.
func TestLoadLateKeysInterrupted(t *testing.T) {
	t.Parallel()
	if os.Getenv("NEARLYFREE_AZURITE") != "" {
		t.Skip("each run begins with an empty account")
	}
	file := fileOf(t, "t.sql", `CREATE TABLE t (id INT NOT NULL, up INT); INSERT INTO t VALUES (1, NULL), (5, 1); CREATE TABLE u (t INT NOT NULL); INSERT INTO u VALUES (5), (1);
		ALTER TABLE t ADD PRIMARY KEY (id), ADD KEY up (up), ADD KEY both (up, id); ALTER TABLE u ADD PRIMARY KEY (t); ALTER TABLE t MODIFY id INT NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=9;
		ALTER TABLE t ADD CONSTRAINT self FOREIGN KEY (up) REFERENCES t (id), ADD CONSTRAINT positive CHECK (id > 0), ADD CONSTRAINT same FOREIGN KEY (id) REFERENCES u (t);`)
	const query = "SELECT (SELECT GROUP_CONCAT(id, '-', up) FROM t), (SELECT GROUP_CONCAT(t) FROM u)," +
		" (SELECT GROUP_CONCAT(CONCAT_WS('.', TABLE_NAME, INDEX_NAME, COLUMN_NAME) ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX SEPARATOR ' ') FROM information_schema.STATISTICS WHERE TABLE_NAME IN ('t', 'u'))," +
		" (SELECT GROUP_CONCAT(CONSTRAINT_NAME ORDER BY CONSTRAINT_NAME) FROM information_schema.TABLE_CONSTRAINTS WHERE TABLE_NAME = 't')," +
		" (SELECT GROUP_CONCAT(COLUMN_NAME) FROM information_schema.COLUMNS WHERE EXTRA = 'auto_increment')"
	const want = "5-1,1,5,t.PRIMARY.id t.both.up t.both.id t.up.up u.PRIMARY.t,PRIMARY,positive,same,self,id"
	synctest.Test(t, func(t *testing.T) { loadInterruptedOnce(t, file, query, want) })
}

// TestLoadAlterMended: an ALTER TABLE of which the first actions are made is finished, however often the next one is refused.
func TestLoadAlterMended(t *testing.T) {
	t.Parallel()
	db, err := open(t.Context(), "mem://")
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	const begins = "CREATE TABLE t (id INT, a INT, b INT); INSERT INTO t VALUES (1, 1, 2), (2, 1, 3); ALTER TABLE t ADD PRIMARY KEY (id);\n"
	const alter = "ALTER TABLE t ADD CONSTRAINT first FOREIGN KEY (a) REFERENCES t (id), ADD CONSTRAINT second CHECK (b < 3);"
	file := fileOf(t, "t.sql", begins+alter)
	for range 3 {
		if _, err := loaded(t, db, loadOptions{}, file); err == nil || !strings.Contains(err.Error(), "line 2: Error 3819") {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, []byte(begins+strings.Replace(alter, "b < 3", "b < 4", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := loaded(t, db, loadOptions{}, file); err != nil {
		t.Fatal(err, said)
	}
	if got := db.answer(t, "SELECT GROUP_CONCAT(CONSTRAINT_NAME ORDER BY 1), (SELECT SUM(b) FROM t) FROM information_schema.TABLE_CONSTRAINTS"); got != "PRIMARY,first,second,5" {
		t.Error(got)
	}
	if _, err := loaded(t, db, loadOptions{format: "sql"}, t.TempDir()); err == nil || !strings.Contains(err.Error(), "it is a folder") {
		t.Error(err)
	}
}

func TestAlterParts(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string // nil: errNoParts
		left string   // without its primary key
	}{
		{"ALTER TABLE t ADD PRIMARY KEY (a)", []string{"ALTER TABLE t ADD PRIMARY KEY (a)"}, ""},
		{"-- x\nALTER TABLE `d` . `t,``(` ADD PRIMARY KEY (a, b), ADD a ENUM('a,\\'','b''(') , ADD KEY `x,` (a,b), COMMENT \"(,\"",
			[]string{"-- x\nALTER TABLE `d` . `t,``(` ADD PRIMARY KEY (a, b)", "ALTER TABLE `d`.`t,``(`  ADD a ENUM('a,\\'','b''(') ", "ALTER TABLE `d`.`t,``(`  ADD KEY `x,` (a,b)", "ALTER TABLE `d`.`t,``(`  COMMENT \"(,\""},
			"ALTER TABLE `d`.`t,``(`  ADD a ENUM('a,\\'','b''(') , ADD KEY `x,` (a,b), COMMENT \"(,\""},
		{"ALTER TABLE t -- the table's, (\nADD KEY a (a), # ),'\nADD /* b's ( , */ PRIMARY KEY (b), ADD KEY c (c /* ) */, d)",
			[]string{"ALTER TABLE t -- the table's, (\nADD KEY a (a)", "ALTER TABLE `t`  # ),'\nADD /* b's ( , */ PRIMARY KEY (b)", "ALTER TABLE `t`  ADD KEY c (c /* ) */, d)"},
			"ALTER TABLE t -- the table's, (\nADD KEY a (a), ADD KEY c (c /* ) */, d)"},
		{"ALTER TABLE /* t */ t /*!50100 ADD FULLTEXT KEY a (a), ADD PRIMARY KEY (b), */ /*!90000 x */ ADD (c INT, d INT)",
			[]string{"ALTER TABLE /* t */ t          ADD FULLTEXT KEY a (a)", "ALTER TABLE `t`  ADD PRIMARY KEY (b)", "ALTER TABLE `t`     /*!90000 x */ ADD (c INT, d INT)"},
			"ALTER TABLE /* t */ t          ADD FULLTEXT KEY a (a),    /*!90000 x */ ADD (c INT, d INT)"},
		{"ALTER TABLE t ADD PRIMARY KEY (a), ORDER BY b, c", nil, ""},
		{"CREATE TABLE t (a INT PRIMARY KEY, b INT)", []string{}, ""},
	} {
		parts, err := alterParts(c.text, dialect.Options{})
		got := []string{}
		for _, p := range parts {
			got = append(got, p.sql)
		}
		if (err != nil) != (c.want == nil) || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v, want %q", c.text, got, err, c.want)
		}
		if left, err := withoutKey(c.text, dialect.Options{}); left != c.left || (err != nil) != (len(c.want) == 0) {
			t.Errorf("%s: %q, %v, want %q", c.text, left, err, c.left)
		}
	}
	for _, text := range []string{"ALTER TABLE t ADD (PRIMARY KEY (a), b INT)", "ALTER TABLE t ADD (a INT, PRIMARY KEY (a)), ADD KEY b (b)"} {
		if left, err := withoutKey(text, dialect.Options{}); !errors.Is(err, errNoParts) {
			t.Errorf("%s: %q, %v", text, left, err)
		}
	}
}

// TestLoadLateKeysComments: a primary key goes out of an ALTER TABLE, and nothing else does, whatever comments are in there.
func TestLoadLateKeysComments(t *testing.T) {
	t.Parallel()
	db, err := open(t.Context(), "mem://")
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	const file = `CREATE TABLE a (id INT NOT NULL, v INT); INSERT INTO a VALUES (1, 1);
ALTER TABLE a
  -- the table's keys
  ADD PRIMARY KEY (id),
  ADD UNIQUE KEY v (v),
  ADD COLUMN z INT DEFAULT 7;
CREATE TABLE b (id INT NOT NULL, v INT); INSERT INTO b VALUES (1, 1);
ALTER TABLE b ADD KEY v (v) COMMENT "it\"s", ADD PRIMARY KEY (id) /* a, b (*/, ADD KEY v2 (v);
CREATE TABLE c (id INT NOT NULL, v INT); INSERT INTO c VALUES (1, 1);
ALTER TABLE c ADD KEY v (v), ADD /* see ) there, */ PRIMARY KEY (id), ADD KEY v2 (v);
CREATE TABLE d (id INT NOT NULL, v INT); INSERT INTO d VALUES (1, 1);
ALTER TABLE d ADD /* a ( b */ PRIMARY KEY (id), ADD UNIQUE KEY v2 (v);
`
	if said, err := loaded(t, db, loadOptions{}, fileOf(t, "t.sql", file)); err != nil {
		t.Fatal(err, said)
	}
	const query = "SELECT GROUP_CONCAT(CONCAT_WS('.', TABLE_NAME, INDEX_NAME) ORDER BY TABLE_NAME, INDEX_NAME SEPARATOR ' '), (SELECT z FROM a) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE()"
	if got, want := db.answer(t, query), "a.PRIMARY a.v b.PRIMARY b.v b.v2 c.PRIMARY c.v c.v2 d.PRIMARY d.v2,7"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	const several = "CREATE TABLE e (id INT NOT NULL);\nALTER TABLE e ADD (PRIMARY KEY (id), v INT);"
	if _, err := loaded(t, db, loadOptions{}, fileOf(t, "t.sql", several)); err == nil || !strings.Contains(err.Error(), "line 2: "+errNoParts.Error()) {
		t.Error(err)
	}
}
