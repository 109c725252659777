package nearlyfreetest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

func TestQueryMatcher(t *testing.T) {
	for _, c := range []struct{ expected, actual, fails string }{
		{"SELECT a FROM t WHERE b = 'x'", "select  A from `T` where B='x';", ""},
		{"SELECT a FROM t WHERE b = 'x'", "SELECT a FROM t WHERE b = 'X'", "another statement"},
		{"SELECT a FROM t", "SELECT a, b FROM t", "another statement"},
		{"SELECT a FROM t", "DELETE FROM t", "another statement"},
		{"INSERT INTO t (a) VALUES (?)", "INSERT INTO t (a) VALUES (?), (?)", "another statement"},
		{"INSERT INTO t (a, b) VALUES (?, ?)", "insert into t (A, B) values (?, ?)", ""},
		{"INSERT INTO t (a, b) VALUES (?, ?)", "INSERT INTO t (b, a) VALUES (?, ?)", "another statement"},
		{"CREATE INDEX i ON t (a)", "create index I on T (a)", ""},
		{"CREATE INDEX i ON t (a)", "CREATE INDEX i ON t (b)", "another statement"},
		{"SET autocommit = ON", "set AUTOCOMMIT=on", ""},
		{"SET autocommit = ON", "SET autocommit = OFF", "another statement"},
		{"SET @a = 1 + 2", "set @a=1+2", ""},
		{"SET NAMES utf8mb4", "SET NAMES utf8mb4 COLLATE utf8mb4_bin", "another statement"},
		{"LOCK TABLES t WRITE, u READ", "lock tables t write ,u -- both\n read", ""},
		{"LOCK TABLES t WRITE", "LOCK TABLES t READ", "another statement"},
		{"LOCK TABLES t WRITE", "FLUSH TABLES", "another statement"},
		{"PREPARE s FROM 'SELECT 1'", "prepare S from 'SELECT 1'", ""},
		{"PREPARE s FROM 'SELECT 1'", "PREPARE s FROM 'SELECT 2'", "another statement"},
		{"CREATE TABLE t (a INT DEFAULT (1 + 1), CHECK (a > 0))", "create table T (A int default (1+1), check (A>0))", ""},
		{"CREATE TABLE t (a INT DEFAULT (1 + 1))", "CREATE TABLE t (a INT DEFAULT (1 + 2))", "another statement"},
		{"CREATE TABLE t (a INT) PARTITION BY HASH (a + 1) PARTITIONS 2", "CREATE TABLE t (a INT) PARTITION BY HASH (a+1) PARTITIONS 2", ""},
		{"SELECT a FROM t", "SELECT a FORM t x y", "refuses the SQL that was sent"},
		{"SELECT FROM WHERE", "SELECT a FROM t", "refuses the SQL that is expected"},
	} {
		err := nearlyfreetest.QueryMatcher.Match(c.expected, c.actual)
		switch {
		case c.fails == "" && err != nil:
			t.Errorf("%s ~ %s: %v", c.expected, c.actual, err)
		case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
			t.Errorf("%s ~ %s: got %v, want an error with %q", c.expected, c.actual, err, c.fails)
		}
	}
}

func TestValueConverter(t *testing.T) {
	for _, v := range []any{nil, 7, uint64(1 << 63), "x", []byte("y"), true, 1.5, time.Now()} {
		if _, err := nearlyfreetest.ValueConverter.ConvertValue(v); err != nil {
			t.Errorf("%T is refused: %v", v, err)
		}
	}
	for _, v := range []any{struct{}{}, make(chan int), map[string]int{}} {
		if got, err := nearlyfreetest.ValueConverter.ConvertValue(v); err == nil {
			t.Errorf("%T is accepted as %v", v, got)
		}
	}
}
