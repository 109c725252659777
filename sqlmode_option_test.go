package nearlyfree_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// The option sql_mode is that of new sessions, and SET sql_mode = DEFAULT comes back to it.
func TestSQLModeOption(t *testing.T) {
	for _, dsn := range []string{"mem://?sql_mode=NO_ENGINE_SUBSTITUTION", "mem://?sql_mode=%27NO_ENGINE_SUBSTITUTION%27"} {
		conn, err := open(t, dsn).Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		run := func(statement string) error {
			_, err := conn.ExecContext(t.Context(), statement)
			return err
		}
		var before, after string
		if err := conn.QueryRowContext(t.Context(), "SELECT @@sql_mode").Scan(&before); err != nil || strings.Contains(before, "STRICT") {
			t.Errorf("%s: %q, %v", dsn, before, err)
		}
		for _, statement := range []string{"CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(2))", "INSERT INTO t VALUES (1, 'long')", "SET sql_mode = 'STRICT_TRANS_TABLES'"} {
			if err := run(statement); err != nil {
				t.Errorf("%s: %s: %v", dsn, statement, err)
			}
		}
		if err := run("INSERT INTO t VALUES (2, 'long')"); err == nil {
			t.Errorf("%s: a strict session cuts a text", dsn)
		}
		if err := run("SET sql_mode = DEFAULT"); err != nil {
			t.Error(err)
		}
		if err := conn.QueryRowContext(t.Context(), "SELECT @@sql_mode").Scan(&after); err != nil || after != before {
			t.Errorf("%s: by default %q, then %q, %v", dsn, before, after, err)
		}
	}
	config, err := nearlyfree.ParseDSN("mem://?sql_mode=''")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := nearlyfree.ParseDSN(config.FormatDSN()); err != nil || *again != *config {
		t.Errorf("%s: %v", config.FormatDSN(), err)
	}
	for dsn, want := range map[string]string{
		"mem://?sql_mode=":                              "want modes",
		"mem://?sql_mode=STRICT":                        "'STRICT'",
		"mem://?sql_mode=NO_BACKSLASH_ESCAPES":          "NO_BACKSLASH_ESCAPES is not supported",
		"mem://?sql_mode=ANSI_QUOTES":                   "ansi_quotes",
		"mem://?sql_mode=ANSI_QUOTES&ansi_quotes=false": "ansi_quotes",
	} {
		c, err := nearlyfree.ParseDSN(dsn)
		if err == nil {
			_, err = nearlyfree.NewConnector(c)
		}
		if err == nil || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v, want %s", dsn, err, want)
		}
	}
	c := &nearlyfree.Config{Store: "mem://", SQLMode: "ANSI_QUOTES", ANSIQuotes: true}
	if _, err := nearlyfree.NewConnector(c); err != nil {
		t.Error(err)
	}
}

// The option skip_unsupported_keys is that of new sessions, and SET skip_unsupported_keys = DEFAULT comes back to it.
func TestSkipUnsupportedKeysOption(t *testing.T) {
	conn, err := open(t, "mem://?skip_unsupported_keys=true").Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, statement := range []string{
		"CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), FULLTEXT KEY (v), KEY ((LOWER(v))))", "CREATE FULLTEXT INDEX words ON t (v)",
		"SET skip_unsupported_keys = 0", "SET skip_unsupported_keys = DEFAULT", "ALTER TABLE t ADD FULLTEXT KEY (v)",
	} {
		if _, err := conn.ExecContext(t.Context(), statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
	if _, err := open(t, "mem://").Exec("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), FULLTEXT KEY (v))"); err == nil {
		t.Error("a FULLTEXT key is left out without the option")
	}
}
