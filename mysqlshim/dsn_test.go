package mysql

import (
	"reflect"
	"testing"
	"time"
)

func TestDSN(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	with := func(change func(*Config)) *Config {
		c := NewConfig()
		c.Net, c.Addr = "tcp", "127.0.0.1:3306"
		change(c)
		return c
	}
	for dsn, c := range map[string]struct {
		want   *Config
		format string // "": the same
	}{
		"":                    {with(func(*Config) {}), "tcp(127.0.0.1:3306)/"},
		"/":                   {with(func(*Config) {}), "tcp(127.0.0.1:3306)/"},
		"/shop":               {with(func(c *Config) { c.DBName = "shop" }), "tcp(127.0.0.1:3306)/shop"},
		"/dbname%2Fwithslash": {with(func(c *Config) { c.DBName = "dbname/withslash" }), "tcp(127.0.0.1:3306)/dbname%2Fwithslash"},
		"user:p@ss(word)@tcp([de:ad:be:ef::ca:fe]:80)/dbname?loc=Europe%2FBerlin": {with(func(c *Config) {
			c.User, c.Passwd, c.Addr, c.DBName, c.Loc = "user", "p@ss(word)", "[de:ad:be:ef::ca:fe]:80", "dbname", berlin
		}), ""},
		"u@tcp(host)/d": {with(func(c *Config) { c.User, c.Addr, c.DBName = "u", "host:3306", "d" }), "u@tcp(host:3306)/d"},
		"unix/?arg=%2Fsome%2Fpath.ext": {with(func(c *Config) {
			c.Net, c.Addr, c.Params = "unix", "/tmp/mysql.sock", map[string]string{"arg": "/some/path.ext"}
		}), "unix(/tmp/mysql.sock)/?arg=%2Fsome%2Fpath.ext"},
		"u:p@tcp(h:1)/d?clientFoundRows=1&charset=utf8mb4,utf8&multiStatements=true&parseTime=true&sql_mode=%27ANSI%27&timeout=30s&allowNativePasswords=0&maxAllowedPacket=0&tls=skip-verify&autocommit=1": {with(func(c *Config) {
			c.User, c.Passwd, c.Addr, c.DBName = "u", "p", "h:1", "d"
			c.ClientFoundRows, c.MultiStatements, c.ParseTime, c.AllowNativePasswords, c.MaxAllowedPacket = true, true, true, false, 0
			c.charsets, c.Timeout, c.TLSConfig = []string{"utf8mb4", "utf8"}, 30*time.Second, "skip-verify"
			c.Params = map[string]string{"sql_mode": "'ANSI'", "autocommit": "1"}
		}), "u:p@tcp(h:1)/d?allowNativePasswords=false&clientFoundRows=true&charset=utf8mb4,utf8&multiStatements=true&parseTime=true&timeout=30s&tls=skip-verify&maxAllowedPacket=0&autocommit=1&sql_mode=%27ANSI%27"},
	} {
		got, err := ParseDSN(dsn)
		if err != nil {
			t.Errorf("%s: %v", dsn, err)
			continue
		}
		got.TLS = nil
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", dsn, got, c.want)
		}
		if c.format == "" {
			c.format = dsn
		}
		if text := got.FormatDSN(); text != c.format {
			t.Errorf("%s is formatted %s", dsn, text)
		}
	}
	for _, dsn := range []string{"dbname", "tcp(h:1/d", "u@tcp(h:1)x/d", "/d?parseTime=perhaps", "/d?loc=Nowhere", "/d?timeout=3", "/d?tls=unknown", "/d?serverPubKey=unknown", "/d?x=%zz", "net/d", "/d?columnsWithAlias=1"} {
		if c, err := ParseDSN(dsn); err == nil {
			t.Errorf("%s is read as %+v", dsn, c)
		}
	}
}
