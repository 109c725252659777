package azure_test

import (
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
)

var fast = azure.Retry{MaxTries: 3, FirstDelay: time.Microsecond, TryTimeout: 100 * time.Millisecond}

// patient is fast where no try is to end by its time, however busy the machine is.
var patient = azure.Retry{MaxTries: 3, FirstDelay: time.Microsecond, TryTimeout: time.Minute}

// TestNoConnection: a write that no connection was made for is tried again, and certainly not applied.
func TestNoConnection(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and never says a word: no TLS handshake ends
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	defer untrusted.Close()
	for name, c := range map[string]struct {
		url   string
		retry azure.Retry
		tries int64
	}{
		"no handshake":      {"https://" + silent.Addr().String(), fast, 3},
		"refused":           {"http://" + closed.Addr().String(), patient, 3},
		"unknown authority": {untrusted.URL, patient, 1},
		"no such host":      {"https://nowhere.invalid", patient, 1},
	} {
		e := open(t, azure.Options{Endpoint: c.url + "/account", Account: "account", Key: testKey, Retry: c.retry})
		var m engine.Meter
		err := e.Commit(t.Context(), engine.Commit{Table: "things", PartitionKey: "p", Ops: ops(engine.Insert, "a"), Meter: &m})
		var x *engine.Error
		if !errors.As(err, &x) || x.Code != engine.CodeUnreachable || x.Applied != engine.NotApplied {
			t.Errorf("%s: %v", name, err)
		}
		if name != "no such host" && m.Requests.Load() != c.tries {
			t.Errorf("%s: %d tries, want %d", name, m.Requests.Load(), c.tries)
		}
	}
}

// TestOverTheWire runs over sockets: paths and bodies arrive as they were meant, a connection that breaks
// leaves a write unknown, and no redirect is followed.
func TestOverTheWire(t *testing.T) {
	service := newService()
	var mode atomic.Value
	mode.Store("")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch mode.Load() {
		case "break":
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				conn.Close()
			}
		case "redirect":
			http.Redirect(w, r, "https://elsewhere.example.com/", http.StatusTemporaryRedirect)
		default:
			service.ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	e := open(t, azure.Options{Endpoint: server.URL, Account: azuretest.Account, Key: azuretest.Key, Retry: fast})
	if err := e.CreateTable(t.Context(), "things", nil); err != nil {
		t.Fatal(err)
	}
	keys := []string{"a", "it's", "a%b", "ä ö", "a+b(c),'d'"}
	for _, key := range keys {
		for _, kind := range []engine.OpKind{engine.Insert, engine.Merge} {
			if err := e.Commit(t.Context(), engine.Commit{Table: "things", PartitionKey: "p", Ops: ops(kind, key)}); err != nil {
				t.Fatalf("%q: %v", key, err)
			}
		}
		if x, err := e.Get(t.Context(), engine.Get{Table: "things", PartitionKey: "p", RowKey: key}); err != nil || x.Values[0].S != "of "+key {
			t.Errorf("%q: %v", key, err)
		}
	}
	mode.Store("break")
	err := e.Commit(t.Context(), engine.Commit{Table: "things", PartitionKey: "p", Ops: ops(engine.Insert, "b")})
	var x *engine.Error
	if !errors.As(err, &x) || x.Code != engine.CodeUnreachable || x.Applied != engine.Unknown {
		t.Errorf("a broken connection: %v", err)
	}
	mode.Store("redirect")
	err = e.Commit(t.Context(), engine.Commit{Table: "things", PartitionKey: "p", Ops: ops(engine.Insert, "b")})
	if !errors.As(err, &x) || !strings.Contains(err.Error(), "307") {
		t.Errorf("a redirect: %v", err)
	}
}
