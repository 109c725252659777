package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
)

// everyType has all that a table may hold, and values at the ends of its columns.
const everyType = `CREATE TABLE numbers (id INT UNSIGNED PRIMARY KEY AUTO_INCREMENT, ti TINYINT, si SMALLINT, mi MEDIUMINT, bi BIGINT, ub BIGINT UNSIGNED, de DECIMAL(30,10),
	fl FLOAT, dou DOUBLE, bo BOOL, b1 BIT(1), b64 BIT(64), y YEAR, twice BIGINT AS (si * 2) STORED NOT NULL, thrice BIGINT AS (si * 3), KEY (de), UNIQUE KEY (ti) GLOBAL)
	PARTITION BY KEY (id) PARTITIONS 3;
INSERT INTO numbers (id, ti, si, mi, bi, ub, de, fl, dou, bo, b1, b64, y) VALUES
	(1, -128, 32767, -8388608, -9223372036854775808, 18446744073709551615, -12345678901234567890.0123456789, 0.1, 1.7976931348623157e308, TRUE, b'1', 0xFFFFFFFFFFFFFFFF, 2155),
	(2, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0), (4294967295, 127, -1, 8388607, 9223372036854775807, 0, 0, 16777217, 5e-324, FALSE, b'0', 0, 1901);
SET sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO'); INSERT INTO numbers (id, si) VALUES (0, 5);
CREATE TABLE texts (code CHAR(3), name VARCHAR(190) COLLATE utf8mb4_0900_ai_ci DEFAULT 'it''s; "so"' COMMENT 'COLLATE utf8mb4_0900_bin', body LONGTEXT, raw BLOB, fixed BINARY(4),
	kind ENUM('a','it''s',''), marks SET('x','y'), doc JSON, u UUID, folded VARCHAR(9) COLLATE nocase, PRIMARY KEY (code, name), KEY name (name(10)) INCLUDE (kind)) COMMENT 'a ; b';
INSERT INTO texts VALUES ('a', 'O''Hara; -- no comment', 'line\nline\r\n\ttab "q" \\ back /* no */ 😀 \0 \Z', 0x00ff27225c0a0d1a, 0x01, 'it''s', 'x,y', '{"a": [1, "b\\n"]}', '8890f0a8-e6d4-11f1-b406-f2272d4e3f25', 'Ä'),
	('b', '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), ('c', '\\N', 'NULL', '', 0x00, '', '', '[]', NULL, '');
CREATE TABLE times (d DATE, t TIME(3), dt DATETIME(6), d7 DATETIME(7), ts TIMESTAMP(2) NULL DEFAULT CURRENT_TIMESTAMP(2) ON UPDATE CURRENT_TIMESTAMP(2));
SET time_zone = 'Europe/Berlin'; INSERT INTO times VALUES ('2024-02-29', '-100:00:00.125', '1999-12-31 23:59:59.999999', '0001-01-01 00:00:00.0000001', '2024-03-31 03:30:00.25'), (NULL, NULL, NULL, NULL, NULL), (NULL, NULL, NULL, NULL, NULL);
CREATE TABLE item (code CHAR(3), name VARCHAR(190) COLLATE utf8mb4_0900_ai_ci, n INT, PRIMARY KEY (code, name, n), FOREIGN KEY (code, name) REFERENCES texts (code, name)) INTERLEAVE IN PARENT texts WITH PARENT;
INSERT INTO item VALUES ('a', 'o''hara; -- no comment', 1), ('b', '', 7);
CREATE TABLE divided (id INT, made DATE, PRIMARY KEY (id, made)) PARTITION BY RANGE (YEAR(made)) (PARTITION old VALUES LESS THAN (2000), PARTITION recent VALUES LESS THAN MAXVALUE);
INSERT INTO divided VALUES (1, '1999-01-01'), (2, '2020-05-05');
CREATE TABLE daily (id INT, made DATE, PRIMARY KEY (id, made)) PARTITION BY RANGE (made) INTERVAL (1 DAY); INSERT INTO daily VALUES (1, '2024-01-01'), (2, '2024-01-03');
CREATE TABLE child (id INT PRIMARY KEY, up INT, away INT, FOREIGN KEY (up) REFERENCES child (id), CONSTRAINT loose FOREIGN KEY (away) REFERENCES child (id) NOT ENFORCED); INSERT INTO child VALUES (1, 2, 99), (2, 1, 98);
CREATE TABLE ` + "`odd ``name`" + ` (` + "`a ``b` " + `INT PRIMARY KEY); INSERT INTO ` + "`odd ``name`" + ` VALUES (5);
CREATE VIEW zz AS SELECT id, si FROM numbers WHERE id < 9; CREATE VIEW aa AS SELECT * FROM zz WHERE si >= 0 WITH CHECK OPTION;
`

// opened gives a store that a text was run on.
func opened(t *testing.T, dsn, text string) *database {
	t.Helper()
	db, err := open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.close)
	var notes bytes.Buffer
	r := &runner{db: db, out: &notes, notes: &notes, format: formats["csv"], quiet: true}
	if err := r.text(t.Context(), "test", text); err != nil {
		t.Fatal(err, notes.String())
	}
	return db
}

// state is the definitions of a store, and what is in its tables and views.
func (d *database) state(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	list, _, err := d.definitions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, def := range list {
		names, err := d.column(t.Context(), "SHOW COLUMNS FROM "+ask.Quoted(def.name), 0)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := d.digest(t.Context(), def.name, names, newTask(&bytes.Buffer{}))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s\n%v %v\n", def.create, sum, sum.sum)
	}
	return out.String()
}

func dumped(t *testing.T, db *database, o dumpOptions, names ...string) string {
	t.Helper()
	var out, notes bytes.Buffer
	if o.format == "" {
		o.format = "sql"
	}
	if err := dump(t.Context(), db, names, o, newTask(&notes), &out); err != nil {
		t.Fatal(err, notes.String())
	}
	return out.String()
}

// TestDumpAgain: a dump makes the same tables, rows and views again, and its own dump is the same.
func TestDumpAgain(t *testing.T) {
	t.Parallel()
	db := opened(t, "mem://", everyType)
	text := dumped(t, db, dumpOptions{})
	file := "file:" + filepath.Join(t.TempDir(), "again.db")
	again := opened(t, file, text)
	if got, want := again.state(t), db.state(t); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := dumped(t, again, dumpOptions{}); got != text {
		t.Errorf("%s\nwant\n%s", got, text)
	}
	// The definitions and the rows, each alone, with what is there dropped before.
	parts := opened(t, "mem://", text+dumped(t, db, dumpOptions{schemaOnly: true, drop: true})+dumped(t, db, dumpOptions{dataOnly: true}))
	if got, want := parts.state(t), db.state(t); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestDumpMoment: a dump is of one moment, whatever is written meanwhile.
func TestDumpMoment(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{"mem://", "file:" + filepath.Join(t.TempDir(), "x.db")} {
		db := opened(t, dsn, "CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (id INT PRIMARY KEY); INSERT INTO a VALUES (1); INSERT INTO b VALUES (1);")
		other, err := db.db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		write := writerFunc(func(p []byte) (int, error) { // each time that a part of the dump is written
			_, err := other.ExecContext(context.Background(), "INSERT INTO b SELECT MAX(id) + 1 FROM b")
			return len(p), err
		})
		if err := dump(t.Context(), db, nil, dumpOptions{format: "sql"}, newTask(write), &bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := dump(t.Context(), db, nil, dumpOptions{format: "sql"}, newTask(write), &out); err != nil || !strings.Contains(out.String(), "\n(1),\n(2),\n(3);\n") || strings.Contains(out.String(), "(4)") {
			t.Errorf("%v %s", err, out.String())
		}
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestDumpOneTable(t *testing.T) {
	t.Parallel()
	db := opened(t, "mem://", "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9), raw BLOB, g INT AS (id + 1)); INSERT INTO t (id, a, raw) VALUES (1, '', 0x00), (2, NULL, NULL); CREATE VIEW v AS SELECT id, g FROM t;")
	for _, c := range []struct{ format, null, table, want string }{
		{"csv", "none", "t", "id,a,raw\n1,\"\",0x00\n2,none,none\n"},
		{"csv", "", "t", "id,a,raw\n1,\"\",0x00\n2,,\n"},
		{"jsonl", "", "t", "{\"id\": 1, \"a\": \"\", \"raw\": \"AA==\"}\n{\"id\": 2, \"a\": null, \"raw\": null}\n"},
		{"csv", "", "v", "id,g\n1,2\n2,3\n"},
	} {
		if got := dumped(t, db, dumpOptions{format: c.format, null: c.null}, c.table); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.format, c.table, got, c.want)
		}
	}
}

// TestDumpErrors: what cannot be written is told, and leaves no file.
func TestDumpErrors(t *testing.T) {
	t.Parallel()
	db := opened(t, "mem://", "CREATE TABLE t (id INT PRIMARY KEY)")
	file := filepath.Join(t.TempDir(), "x.sql.gz")
	for want, c := range map[string]struct {
		dumpOptions
		names []string
	}{
		"sql, csv or jsonl":      {dumpOptions{format: "xml"}, nil},
		"for one table":          {dumpOptions{format: "csv"}, nil},
		"leave nothing to write": {dumpOptions{format: "sql", schemaOnly: true, dataOnly: true}, nil},
		"1146":                   {dumpOptions{format: "sql", output: file}, []string{"nope"}},
	} {
		if err := dump(t.Context(), db, c.names, c.dumpOptions, newTask(&bytes.Buffer{}), &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if list, _ := os.ReadDir(filepath.Dir(file)); len(list) > 0 {
		t.Errorf("%s is left", list[0].Name())
	}
	path := filepath.Join(t.TempDir(), "x.db")
	stored := opened(t, "file:"+path, "CREATE TABLE t (id INT PRIMARY KEY)")
	for _, output := range []string{path, path + ".log"} {
		err := dump(t.Context(), stored, nil, dumpOptions{format: "sql", output: output}, newTask(&bytes.Buffer{}), &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), "the database itself") {
			t.Errorf("a dump into %s: %v", output, err)
		}
	}
}
