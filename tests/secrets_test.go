package tests

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// secret is an account key as well as a signature: base64 text that nothing else here has a part of.
const secret = "c2VjcmV0S2V5T2ZUaGVBY2NvdW50TmV2ZXJQcmludE1lMDEyMzQ1Njc4OQ=="

// tells says whether text has a part of the secret that is long enough to matter, as it is or escaped.
func tells(text string) bool {
	for _, s := range []string{secret, url.QueryEscape(secret), fmt.Sprintf("%x", secret), fmt.Sprintf("%X", secret)} {
		for i := 0; i+16 <= len(s); i++ {
			if strings.Contains(text, s[i:i+16]) {
				return true
			}
		}
	}
	return false
}

// names are data source names that hold the secret.
var names = []string{
	"DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=" + secret + ";EndpointSuffix=core.windows.net",
	"AccountName=acme;AccountKey=" + secret + ";Scan=deny",
	"TableEndpoint=https://acme.table.core.windows.net/;SharedAccessSignature=sv=2024-11-04&sig=" + secret,
	"https://acme.table.core.windows.net/?sv=2024-11-04&sig=" + secret + "&scan=warn",
	"https://acme.table.core.windows.net/?sv=2024-11-04&sig=" + url.QueryEscape(secret),
}

// TestPrintingTellsNoSecret: no verb, log or encoder shows a secret of what users have in their hands.
func TestPrintingTellsNoSecret(t *testing.T) {
	t.Parallel()
	for _, name := range names {
		config, err := nearlyfree.ParseDSN(name)
		if err != nil {
			t.Fatal(err)
		}
		connector, err := nearlyfree.NewConnector(config)
		if err != nil {
			t.Fatal(err)
		}
		db := sql.OpenDB(connector)
		defer db.Close()
		things := []any{config, *config, connector, db, struct{ C *nearlyfree.Config }{config}, struct{ C nearlyfree.Config }{*config}, []nearlyfree.Config{*config}, map[string]any{"c": *config}}
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		things = append(things, conn)
		if err := conn.Raw(func(c any) error { things = append(things, c); return nil }); err != nil {
			t.Fatal(err)
		}
		for _, thing := range things {
			for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%T", "%o", "%e"} {
				if text := fmt.Sprintf(verb, thing); tells(text) {
					t.Errorf("%s of a %T tells the secret: %s", verb, thing, text)
				}
			}
			var out bytes.Buffer
			slog.New(slog.NewTextHandler(&out, nil)).Info("text", "thing", thing)
			slog.New(slog.NewJSONHandler(&out, nil)).Info("json", "thing", thing)
			if b, err := json.Marshal(thing); err == nil {
				out.Write(b)
			}
			if tells(out.String()) {
				t.Errorf("a %T tells the secret in a log or as JSON: %s", thing, &out)
			}
		}
	}
}

// TestWrongNamesTellNoSecret: whatever is wrong about a data source name, the error does not repeat the secret.
func TestWrongNamesTellNoSecret(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	pieces := []string{";", "=", "&", "?", "%", "%zz", ":", "/", "//", "@", " ", "\n", "\x00", "#", "'", "é", "AccountKey", "sig", "http://", "[", "1"}
	refused := 0
	for range 20_000 {
		name := names[random.IntN(len(names))]
		at := strings.Index(name, secret[:20])
		for range 1 + random.IntN(3) {
			i := random.IntN(len(name) + 1)
			if random.IntN(3) == 0 && at > 0 {
				i = min(at+random.IntN(3)*len(secret)/2, len(name))
			}
			j := min(i+random.IntN(8), len(name))
			name = name[:i] + pieces[random.IntN(len(pieces))] + name[j:]
		}
		config, err := nearlyfree.ParseDSN(name)
		if err == nil {
			_, err = nearlyfree.NewConnector(config)
		}
		if err == nil && config.String() != "" && tells(config.String()) && tells(config.Store) {
			t.Fatalf("%q is printed as %q", name, config)
		}
		if err != nil {
			refused++
			if tells(err.Error()) || tells(fmt.Sprintf("%+v %#v", err, err)) {
				t.Fatalf("%q gives %v", name, err)
			}
		}
	}
	if refused == 0 {
		t.Error("no name was refused")
	}
}

// leaky is a transport whose errors show the address, as those of net/http do, and do so twice.
type leaky struct{ inner *azuretest.Transport }

func (l leaky) Do(r *http.Request) (*http.Response, error) {
	answer, err := l.inner.Do(r)
	if err != nil {
		err = &url.Error{Op: r.Method, URL: r.URL.String(), Err: err}
		err = fmt.Errorf("on the way: %w", &url.Error{Op: r.Method, URL: r.URL.String(), Err: err})
	}
	return answer, err
}

// TestFailuresTellNoSecret: no error of a failing service and nothing in the log shows a secret, and EXPLAIN does not.
func TestFailuresTellNoSecret(t *testing.T) {
	t.Parallel()
	for _, name := range names {
		config, err := nearlyfree.ParseDSN(strings.ReplaceAll(name, "acme", azuretest.Account))
		if err != nil {
			t.Fatal(err)
		}
		memory := embedded.OpenMemory(embedded.Options{})
		defer memory.Close()
		transport := &azuretest.Transport{Service: azuretest.NewService(memory)}
		fault := 0
		var mu sync.Mutex
		transport.SetFault(func(int, *http.Request) azuretest.Fault {
			mu.Lock()
			defer mu.Unlock()
			fault++
			return badDays[fault%len(badDays)]
		})
		var log bytes.Buffer
		config.Transport = leaky{transport}
		config.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		config.Retry = nearlyfree.RetryOptions{MaxTries: 2, FirstDelay: 1, MaxDelay: 1}
		connector, err := nearlyfree.NewConnector(config)
		if err != nil {
			t.Fatal(err)
		}
		db := sql.OpenDB(connector)
		failed := 0
		for range 8 {
			for _, q := range []string{"CREATE TABLE t (id INT PRIMARY KEY, s TEXT)", "INSERT INTO t VALUES (1, 'x'), (2, 'y')", "SELECT * FROM t", "EXPLAIN SELECT * FROM t WHERE s = 'x'", "UPDATE t SET s = 'z'", "SHOW TABLES", "DROP TABLE t"} {
				rows, err := db.QueryContext(context.Background(), q)
				if err == nil {
					for rows.Next() {
						var text sql.RawBytes
						if columns, _ := rows.Columns(); len(columns) == 1 && rows.Scan(&text) == nil && tells(string(text)) {
							t.Errorf("%s tells the secret", q)
						}
					}
					err = rows.Err()
					rows.Close()
				}
				for ; err != nil; failed++ {
					if tells(fmt.Sprintf("%v %+v %#v %q", err, err, err, err)) {
						t.Fatalf("%s: %v (%T)", q, err, err)
					}
					inner, ok := err.(interface{ Unwrap() error })
					if !ok {
						break
					}
					err = inner.Unwrap()
				}
			}
		}
		if failed == 0 {
			t.Error("nothing failed")
		}
		if log.Len() == 0 || tells(log.String()) {
			t.Errorf("the log, %d octets, tells the secret", log.Len())
		}
		db.Close()
	}
}
