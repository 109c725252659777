package nearlyfree

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

const accountKey = "c2VjcmV0LXNlY3JldC1zZWNyZXQ="

func TestParseDSN(t *testing.T) {
	for _, c := range []struct {
		dsn  string
		want Config
	}{
		{"mem://", Config{Store: "mem://"}},
		{"mem://shop?scan=deny&database=tenant-1", Config{Store: "mem://shop", Scan: ScanDeny, Database: "tenant-1"}},
		{"MEM://shop", Config{Store: "mem://shop"}},
		{"file:data/shop.db?readonly=true&parallel=4", Config{Store: "file:data/shop.db", ReadOnly: true, Parallel: 4}},
		{"file:/var/a%20b%3Fc?max_entities=10000", Config{Store: "file:/var/a%20b%3Fc", MaxEntities: 10000}},
		{"https://acme.table.core.windows.net/?sv=2024-11-04&sig=a%2Fb&scan=warn", Config{Store: "https://acme.table.core.windows.net/?sv=2024-11-04&sig=a%2Fb", Scan: ScanWarn}},
		{"https://acme.table.core.windows.net/?schema_lease=2s", Config{Store: "https://acme.table.core.windows.net/", SchemaLease: 2 * time.Second}},
		{"http://127.0.0.1:10002/devstoreaccount1", Config{Store: "http://127.0.0.1:10002/devstoreaccount1"}},
		{"UseDevelopmentStorage=true", Config{Store: "UseDevelopmentStorage=true"}},
		{"AccountName=acme;AccountKey=" + accountKey + ";Database=b; Scan=deny;", Config{Store: "AccountName=acme;AccountKey=" + accountKey, Database: "b", Scan: ScanDeny}},
		{"mem://x?Layout=SINGLE&database=b", Config{Store: "mem://x", Layout: LayoutSingle, Database: "b"}},
		{"file:x?layout=table", Config{Store: "file:x", Layout: LayoutTable}},
		{"mem://x?exact=true", Config{Store: "mem://x", Exact: true}},
		{"mem://x?client_found_rows=true", Config{Store: "mem://x", ClientFoundRows: true}},
		{"mem://x?skip_unsupported_keys=true", Config{Store: "mem://x", SkipUnsupportedKeys: true}},
		{"mem://x?ansi_quotes=on&max_memory=-1", Config{Store: "mem://x", ANSIQuotes: true, MaxMemory: -1}},
	} {
		got, err := ParseDSN(c.dsn)
		if err != nil {
			t.Errorf("%s: %v", c.dsn, err)
			continue
		}
		if *got != c.want {
			t.Errorf("%s:\n got %#v\nwant %#v", c.dsn, got, &c.want)
		}
		again, err := ParseDSN(got.FormatDSN())
		if err != nil || *again != *got {
			t.Errorf("%s: formatted as %s, which reads as %v, %v", c.dsn, got.FormatDSN(), again, err)
		}
	}
}

func TestParseDSNErrors(t *testing.T) {
	for dsn, want := range map[string]string{
		"":                                      "empty",
		"mem:shop":                              "mem://NAME",
		"mem://a/b":                             "slash",
		"mem://?scan=maybe":                     "scan=maybe: want allow, warn or deny",
		"mem://?layout=":                        "layout=: want table or single",
		"mem://?layout=one":                     "layout=one: want table or single",
		"mem://?speed=9":                        `unknown option "speed"`,
		"mem://?scan=deny&exact=true&SCAN=deny": "option scan is given twice",
		"https://a.table.core.windows.net/?exact=1&exact=1": "option exact is given twice",
		"UseDevelopmentStorage=true;scan=deny;Scan=allow":   "option scan is given twice",
		"mem://?parallel=0":                      "1 to 1024",
		"mem://?max_entities=-5":                 "0 or more",
		"mem://?readonly=perhaps":                "true or false",
		"mem://?database=a/b":                    "letters, digits",
		"mem://?schema_lease=-1s":                "above zero",
		"mem://?database=%zz":                    "begins no escape",
		"file:":                                  "needs a path",
		"file: ?":                                "needs a path",
		"postgres://localhost/db":                `unknown scheme "postgres"`,
		"shop.db":                                "file:",
		"http://evil.localhost/":                 "plain http is refused",
		"http://acme.example/":                   "plain http is refused",
		"https://user:pw@acme.example/":          "user name or password",
		"https://":                               "cannot be read",
		"AccountName=acme":                       "AccountKey",
		"AccountName=acme;AccountKey=%%%;":       "account key",
		"AccountName=a;AccountKee=" + accountKey: "AccountKee",
	} {
		_, err := ParseDSN(dsn)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", dsn, err, want)
			continue
		}
		if !errors.Is(err, ErrConfig) {
			t.Errorf("%q: %v is no ErrConfig", dsn, err)
		}
	}
}

// TestSecretsStayInside: no way of printing a Config, and no error about one, shows a key or a signature.
func TestSecretsStayInside(t *testing.T) {
	for _, dsn := range []string{
		"AccountName=acme;AccountKey=" + accountKey,
		"https://acme.table.core.windows.net/?sv=2024-11-04&sig=" + accountKey,
		"TableEndpoint=https://acme.table.core.windows.net/;SharedAccessSignature=sv=2024-11-04&sig=" + accountKey,
	} {
		c, err := ParseDSN(dsn)
		if err != nil {
			t.Fatalf("%v", err)
		}
		for _, text := range []string{c.String(), fmt.Sprintf("%v %+v %#v %s", c, c, c, c), c.LogValue().String()} {
			if strings.Contains(text, accountKey) {
				t.Errorf("the secret shows in %q", text)
			}
			if !strings.Contains(text, "acme") {
				t.Errorf("%q does not say which account", text)
			}
		}
	}
	for _, dsn := range []string{
		"AccountName=acme;AccountKey=" + accountKey + ";Scan=never",
		"AccountName=acme;AccountKey=" + accountKey + ";Foo=bar",
		"https://acme.table.core.windows.net/?sig=" + accountKey + "&foo=1",
		"http://acme.table.core.windows.net/?sig=" + accountKey,
		"AccountKey=" + accountKey,
	} {
		if _, err := ParseDSN(dsn); err == nil || strings.Contains(err.Error(), accountKey) {
			t.Errorf("error of a wrong name: %v", err)
		}
	}
}

func FuzzParseDSN(f *testing.F) {
	for _, s := range []string{"mem://a?scan=deny", "file:x%20y?parallel=3", "AccountName=a;AccountKey=" + accountKey + ";Database=x", "https://a.example/?sig=x&scan=warn", "UseDevelopmentStorage=true;", "http://[::1]:1/a", "=;=;", "mem://?database=%41"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, dsn string) {
		c, err := ParseDSN(dsn)
		if err != nil {
			return
		}
		again, err := ParseDSN(c.FormatDSN())
		if err != nil {
			t.Fatalf("%q is read, but what is formatted of it, %q, is not: %v", dsn, c.FormatDSN(), err)
		}
		if *again != *c {
			t.Fatalf("%q reads as %q, which reads as %q", dsn, c.FormatDSN(), again.FormatDSN())
		}
	})
}

// TestZoneOfURL: a + behind a ? is a space, as everywhere in URLs; an offset is meant all the same.
func TestZoneOfURL(t *testing.T) {
	for _, dsn := range []string{"mem://?time_zone=+02:00", "mem://?time_zone=%2B02:00"} {
		if c, err := ParseDSN(dsn); err != nil || c.TimeZone != "+02:00" {
			t.Errorf("%s: %v %v", dsn, c, err)
		}
	}
}
