package azure_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
)

// rig is an engine over a service with one table, "things", and faults to come.
type rig struct {
	*testing.T
	e         *azure.Engine
	service   *azuretest.Service
	transport *azuretest.Transport

	mu     sync.Mutex
	faults []azuretest.Fault // of the requests to come, one after the other
	seen   []string          // method and path of each request
	sent   func()            // if not nil, called with each request
	meter  engine.Meter
}

func newRig(t *testing.T, change ...func(*azure.Options)) *rig {
	t.Helper()
	r := &rig{T: t, service: newService()}
	r.transport = &azuretest.Transport{Service: r.service, Fault: r.next}
	o := optionsOf(r.transport)
	for _, f := range change {
		f(&o)
	}
	r.e = open(t, o)
	writer := r.e
	if o.ReadOnly {
		writer = open(t, optionsOf(r.transport))
	}
	if err := writer.CreateTable(t.Context(), "things", nil); err != nil {
		t.Fatal(err)
	}
	r.seen = nil
	return r
}

func (r *rig) next(_ int, rq *http.Request) azuretest.Fault {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, rq.Method+" "+rq.URL.EscapedPath())
	if r.sent != nil {
		r.sent()
	}
	if len(r.faults) == 0 {
		return azuretest.Fault{}
	}
	f := r.faults[0]
	r.faults = r.faults[1:]
	return f
}

// fault makes the requests to come go wrong, and counts anew.
func (r *rig) fault(f ...azuretest.Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults, r.seen, r.meter = f, nil, engine.Meter{}
}

// requests wants so many requests since the last fault, and the meter to agree.
func (r *rig) requests(want, retries int) {
	r.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.seen) != want || r.meter.Requests.Load() != int64(want) || r.meter.Retries.Load() != int64(retries) {
		r.Errorf("%d requests, %d and %d retries metered, want %d and %d: %q",
			len(r.seen), r.meter.Requests.Load(), r.meter.Retries.Load(), want, retries, r.seen)
	}
}

func ops(kind engine.OpKind, keys ...string) []engine.Op {
	var list []engine.Op
	for _, k := range keys {
		list = append(list, engine.Op{Kind: kind, Entity: engine.Entity{
			PartitionKey: "p", RowKey: k, Names: []string{"N"}, Values: []engine.Value{{Type: engine.String, S: "of " + k}},
		}})
	}
	return list
}

func (r *rig) commit(list []engine.Op) error {
	return r.e.Commit(r.Context(), engine.Commit{Table: "things", PartitionKey: "p", Ops: list, Meter: &r.meter})
}

func (r *rig) fill(n int) {
	r.Helper()
	for i := range n {
		if err := r.commit(ops(engine.Insert, fmt.Sprintf("%03d", i))); err != nil {
			r.Fatal(err)
		}
	}
}

func (r *rig) get(key string) error {
	_, err := r.e.Get(r.Context(), engine.Get{Table: "things", PartitionKey: "p", RowKey: key, Meter: &r.meter})
	return err
}

func (r *rig) scan() (int, error) {
	c := r.e.Scan(r.Context(), engine.Scan{Table: "things", PartitionKey: "p", Meter: &r.meter})
	defer c.Close()
	n := 0
	for {
		chunk, err := c.Next(r.Context())
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n += len(chunk)
	}
}

// is wants err to be an engine's error of a code.
func (r *rig) is(err error, code engine.Code, applied engine.Applied) *engine.Error {
	r.Helper()
	var e *engine.Error
	if !errors.As(err, &e) {
		r.Fatalf("got %v, want an *engine.Error with code %d", err, code)
	}
	if e.Code != code || e.Applied != applied {
		r.Errorf("got code %d, applied %d (%v), want %d, %d", e.Code, e.Applied, err, code, applied)
	}
	return e
}

var passing = map[string]azuretest.Fault{
	"408": {Status: 408}, "429": {Status: 429, Code: "TooManyRequests"}, "500": {Status: 500, Code: "InternalError"},
	"502": {Status: 502}, "503": {Status: 503, Code: "ServerBusy", RetryAfter: "0"}, "504": {Status: 504},
	"timed out": {Status: 500, Code: "OperationTimedOut"},
	"refused":   {Refuse: true}, "lost": {LoseAnswer: true}, "torn": {Tear: 40}, "cut": {Cut: 40},
}

// TestReadsAreRetried: a read gets over anything that passes, and gives up where it stays.
func TestReadsAreRetried(t *testing.T) {
	for name, fault := range passing {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.fill(2)
			r.fault(fault, fault)
			if err := r.get("001"); err != nil {
				t.Errorf("Get: %v", err)
			}
			r.requests(3, 2)
			r.fault(fault)
			if n, err := r.scan(); n != 2 || err != nil {
				t.Errorf("Scan: %d, %v", n, err)
			}
			r.requests(2, 1)
			r.fault(fault)
			if names, err := r.e.Tables(t.Context(), "", &r.meter); len(names) != 1 || err != nil {
				t.Errorf("Tables: %q, %v", names, err)
			}
			r.requests(2, 1)
			r.fault(fault, fault, fault, fault, fault, fault, fault)
			err := r.get("001")
			var e *engine.Error
			if !errors.As(err, &e) || e.Applied != engine.NotApplied {
				t.Errorf("Get: %v", err)
			}
			r.requests(6, 5)
		})
	}
}

// TestWritesAreNotRepeated: a write is sent again only when it was certainly not applied; and where it is
// not known whether it was, the error says so.
func TestWritesAreNotRepeated(t *testing.T) {
	safe := map[string]bool{"429": true, "503": true, "refused": true}
	for name, fault := range passing {
		for what, keys := range map[string][]string{"single": {"a"}, "batch": {"a", "b", "c"}} {
			if (name == "torn" || name == "cut") && what == "single" {
				continue // its answer has no body
			}
			t.Run(name+"/"+what, func(t *testing.T) {
				r := newRig(t)
				r.fault(fault)
				err := r.commit(ops(engine.Insert, keys...))
				if safe[name] {
					if err != nil {
						t.Errorf("Commit: %v", err)
					}
					r.requests(2, 1)
					return
				}
				var e *engine.Error
				if !errors.As(err, &e) || e.Applied != engine.Unknown || !strings.Contains(err.Error(), "not known") {
					t.Errorf("Commit: %v, want one of unknown effect", err)
				}
				r.requests(1, 0)
				if r.meter.Written.Load() != 0 {
					t.Error("an unknown write is metered as written")
				}
			})
		}
	}
}

// TestTableWritesAreIdempotent: a table that an earlier try may have deleted is deleted. One that an earlier try may have made is
// there, and may have been before: that is said.
func TestTableWritesAreIdempotent(t *testing.T) {
	r := newRig(t)
	for _, fault := range []azuretest.Fault{{LoseAnswer: true}, {Status: 500}, {Refuse: true}, {Status: 503, Code: "ServerBusy"}} {
		r.fault(fault)
		err := r.e.CreateTable(t.Context(), "other", &r.meter)
		if fault.LoseAnswer {
			r.is(err, engine.CodeExists, engine.NotApplied)
		} else if err != nil {
			t.Errorf("CreateTable: %v", err)
		}
		r.requests(2, 1)
		r.fault(fault)
		r.is(r.e.CreateTable(t.Context(), "other", &r.meter), engine.CodeExists, engine.NotApplied)
		r.requests(2, 1)
		r.fault(fault)
		if err := r.e.DeleteTable(t.Context(), "other", &r.meter); err != nil {
			t.Errorf("DeleteTable: %v", err)
		}
		r.requests(2, 1)
	}
	// Where no earlier try can have done it, it is one.
	r.fault(azuretest.Fault{Refuse: true})
	r.is(r.e.CreateTable(t.Context(), "things", nil), engine.CodeExists, engine.NotApplied)
	r.fault(azuretest.Fault{Status: 503, Code: "ServerBusy"})
	r.is(r.e.DeleteTable(t.Context(), "other", nil), engine.CodeNoTable, engine.NotApplied)
	r.fault(azuretest.Fault{Status: 409, Code: "TableBeingDeleted"})
	r.is(r.e.CreateTable(t.Context(), "other", &r.meter), engine.CodeDeleting, engine.NotApplied)
	r.requests(1, 0)
}

// TestErrors: the service's words become codes, and keep the request's id.
func TestErrors(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		fault azuretest.Fault
		want  engine.Code
	}{
		{azuretest.Fault{Status: 403, Code: "AuthenticationFailed"}, engine.CodeAuth},
		{azuretest.Fault{Status: 401}, engine.CodeAuth},
		{azuretest.Fault{Status: 404, Code: "ResourceNotFound"}, engine.CodeNotFound},
		{azuretest.Fault{Status: 404, Code: "TableNotFound"}, engine.CodeNoTable},
		{azuretest.Fault{Status: 409, Code: "EntityAlreadyExists"}, engine.CodeExists},
		{azuretest.Fault{Status: 412, Code: "UpdateConditionNotSatisfied"}, engine.CodeStale},
		{azuretest.Fault{Status: 413, Code: "RequestBodyTooLarge"}, engine.CodeTooLarge},
		{azuretest.Fault{Status: 400, Code: "PropertyNameInvalid"}, engine.CodeBadInput},
		{azuretest.Fault{Status: 418}, engine.CodeOther},
		{azuretest.Fault{Status: 302}, engine.CodeUnreachable},
	} {
		r.fault(c.fault)
		e := r.is(r.commit(ops(engine.Merge, "a")), c.want, engine.NotApplied)
		if e.RequestID != "fake-fault" || !strings.Contains(e.Error(), "fake-fault") || strings.ContainsAny(e.Error(), "\n") {
			t.Errorf("%v", e)
		}
		r.requests(1, 0)
	}
	r.fault(azuretest.Fault{Status: 503, Code: "ServerBusy"}, azuretest.Fault{Status: 503, Code: "ServerBusy"},
		azuretest.Fault{Status: 503, Code: "ServerBusy"}, azuretest.Fault{Status: 503, Code: "ServerBusy"},
		azuretest.Fault{Status: 503, Code: "ServerBusy"}, azuretest.Fault{Status: 503, Code: "ServerBusy"})
	r.is(r.commit(ops(engine.Insert, "a")), engine.CodeThrottled, engine.NotApplied)
	r.requests(6, 5)
}

// TestRetryAfter: what the service asks for is waited, within MaxDelay.
func TestRetryAfter(t *testing.T) {
	const most = 60 * time.Millisecond
	r := newRig(t, func(o *azure.Options) { o.Retry.MaxDelay = most })
	r.fill(1)
	for _, after := range []string{"1", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)} {
		r.fault(azuretest.Fault{Status: 503, Code: "ServerBusy", RetryAfter: after})
		start := time.Now()
		if err := r.get("000"); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took < most {
			t.Errorf("Retry-After %s: tried again after %v", after, took)
		}
	}
	// A context that ends meanwhile ends the wait.
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	r.fault(azuretest.Fault{Status: 503, Code: "ServerBusy", RetryAfter: "1"})
	_, err := r.e.Get(ctx, engine.Get{Table: "things", PartitionKey: "p", RowKey: "000"})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Get: %v", err)
	}
}

// TestTryTimeout: a try that takes too long is given up, and a read tried again.
func TestTryTimeout(t *testing.T) {
	r := newRig(t, func(o *azure.Options) { o.Retry.TryTimeout = 300 * time.Millisecond })
	r.fault(azuretest.Fault{Delay: time.Minute})
	if err := r.get("none"); r.is(err, engine.CodeNotFound, engine.NotApplied) == nil {
		t.Error(err)
	}
	r.requests(2, 1)
	r.fault(azuretest.Fault{Delay: time.Minute})
	r.is(r.commit(ops(engine.Insert, "a")), engine.CodeUnreachable, engine.Unknown)
	r.requests(1, 0)
	ctx, cancel := context.WithCancel(t.Context())
	r.fault(azuretest.Fault{Delay: time.Minute})
	r.sent = cancel
	err := r.e.Commit(ctx, engine.Commit{Table: "things", PartitionKey: "p", Ops: ops(engine.Insert, "a")})
	r.is(err, engine.CodeOther, engine.Unknown)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Commit: %v", err)
	}
}

// TestHintIsDropped: a store that fails because of a filter is asked without it.
func TestHintIsDropped(t *testing.T) {
	for _, fault := range []azuretest.Fault{{Status: 500}, {Status: 400, Code: "InvalidInput"}, {Status: 501, Code: "NotImplemented"}, {Status: 431}} {
		r := newRig(t)
		r.fill(9)
		r.fault(fault)
		f := &engine.Filter{Op: engine.Eq, Property: "N", Value: engine.Value{Type: engine.String, S: "of 007"}}
		for _, limit := range []int{0, 1} {
			c := r.e.Scan(t.Context(), engine.Scan{Table: "things", PartitionKey: "p", Filter: f, Limit: limit, Select: []string{}})
			var keys []string
			for {
				chunk, err := c.Next(t.Context())
				if err != nil {
					if err != io.EOF {
						t.Errorf("%d: %v", fault.Status, err)
					}
					break
				}
				for _, e := range chunk {
					keys = append(keys, e.RowKey)
					if len(e.Names) != 0 || len(e.Values) != 0 {
						t.Errorf("properties that were not asked for: %q", e.Names)
					}
				}
			}
			if got := strings.Join(keys, " "); !strings.Contains(got, "007") || limit == 1 && got != "007" {
				t.Errorf("%d, limit %d: %s", fault.Status, limit, got)
			}
			r.fault(fault)
		}
	}
}

// TestEmptyPages: pages of no entities, with a token, are passed over.
func TestEmptyPages(t *testing.T) {
	r := newRig(t, func(o *azure.Options) { o.PageEntities = 2 })
	r.service.EmptyPages = true
	r.fill(5)
	r.fault()
	if n, err := r.scan(); n != 5 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	r.requests(4, 0)
	if err := r.get(strings.Repeat("ä", 200)); r.is(err, engine.CodeNotFound, engine.NotApplied) == nil {
		t.Error(err)
	}
}

// TestFaultsOnTheWay: a walk over many pages with something wrong at every other request gives everything
// once, in order.
func TestFaultsOnTheWay(t *testing.T) {
	r := newRig(t, func(o *azure.Options) { o.PageEntities = 3 })
	r.service.EmptyPages = true
	r.fill(40)
	var faults []azuretest.Fault
	for range 5 {
		for _, f := range passing {
			faults = append(faults, f, azuretest.Fault{})
		}
	}
	r.fault(faults...)
	c := r.e.Scan(t.Context(), engine.Scan{Table: "things", PartitionKey: "p", Meter: &r.meter})
	n := 0
	for {
		chunk, err := c.Next(t.Context())
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range chunk {
			if want := fmt.Sprintf("%03d", n); e.RowKey != want || e.Values[0].S != "of "+want {
				t.Fatalf("entity %d is %q", n, e.RowKey)
			}
			n++
		}
	}
	if n != 40 || r.meter.Returned.Load() != 40 {
		t.Errorf("%d entities, %d metered", n, r.meter.Returned.Load())
	}
}

// TestFetchAhead: a reader that stops within the first part of a page costs one request; one that reads on
// has the next page under way; and Close leaves nothing running.
func TestFetchAhead(t *testing.T) {
	r := newRig(t, func(o *azure.Options) { o.PageEntities = 10 })
	r.fill(60)
	before := runtime.NumGoroutine()

	r.fault()
	c := r.e.Scan(t.Context(), engine.Scan{Table: "things", PartitionKey: "p", Meter: &r.meter})
	if chunk, err := c.Next(t.Context()); len(chunk) == 0 || err != nil {
		t.Fatal(len(chunk), err)
	}
	time.Sleep(5 * time.Millisecond)
	c.Close()
	r.requests(1, 0)

	r.fault(azuretest.Fault{}, azuretest.Fault{Delay: time.Hour}) // Close does not wait for it
	c = r.e.Scan(t.Context(), engine.Scan{Table: "things", PartitionKey: "p", Meter: &r.meter})
	for range 2 {
		if _, err := c.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(5 * time.Second); r.transport.Sent() < 64 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	c.Close()
	r.requests(2, 0)
	if _, err := c.Next(t.Context()); err == nil || err == io.EOF {
		t.Errorf("Next after Close: %v", err)
	}

	// A limit that the page reaches asks for no other.
	r.fault()
	c = r.e.Scan(t.Context(), engine.Scan{Table: "things", PartitionKey: "p", Limit: 20, Meter: &r.meter})
	n := 0
	for {
		chunk, err := c.Next(t.Context())
		if err != nil {
			break
		}
		n += len(chunk)
	}
	if n != 20 {
		t.Errorf("%d entities", n)
	}
	r.requests(2, 0)
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}

// TestCancelWhileFetching: the context of Next, and that of Scan, end what is under way.
func TestCancelWhileFetching(t *testing.T) {
	r := newRig(t, func(o *azure.Options) { o.PageEntities = 2 })
	r.fill(6)
	for _, at := range []int{0, 1} { // the first page; the one fetched ahead
		for _, of := range []string{"Scan", "Next"} {
			faults := make([]azuretest.Fault, at, at+1)
			r.fault(append(faults, azuretest.Fault{Delay: time.Minute})...)
			ctx, cancel := context.WithCancel(t.Context())
			ofScan, ofNext := ctx, t.Context()
			if of == "Next" {
				ofScan, ofNext = ofNext, ofScan
			}
			c := r.e.Scan(ofScan, engine.Scan{Table: "things", PartitionKey: "p"})
			time.AfterFunc(10*time.Millisecond, cancel)
			var err error
			for err == nil {
				_, err = c.Next(ofNext)
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("fault at %d, context of %s: %v", at, of, err)
			}
			c.Close()
		}
	}
}

func TestReadOnly(t *testing.T) {
	r := newRig(t, func(o *azure.Options) { o.ReadOnly = true })
	r.fault()
	for _, err := range []error{
		r.commit(ops(engine.Insert, "a")), r.commit(ops(engine.Upsert, "a", "b")),
		r.e.CreateTable(t.Context(), "other", nil), r.e.DeleteTable(t.Context(), "things", nil),
	} {
		r.is(err, engine.CodeReadOnly, engine.NotApplied)
	}
	r.requests(0, 0)
	if n, err := r.scan(); n != 0 || err != nil {
		t.Errorf("Scan: %d, %v", n, err)
	}
}

// TestLimitsAreCheckedBefore: nothing is sent that the service would refuse.
func TestLimitsAreCheckedBefore(t *testing.T) {
	r := newRig(t)
	big := ops(engine.Insert, "a")
	big[0].Entity.Values[0].S = strings.Repeat("x", 40000)
	r.is(r.commit(big), engine.CodeTooLarge, engine.NotApplied)
	r.is(r.commit(ops(engine.Insert, "a/b")), engine.CodeBadInput, engine.NotApplied)
	r.is(r.commit(ops(engine.Insert, "a", "a")), engine.CodeBadInput, engine.NotApplied)
	reserved := ops(engine.Insert, "a")
	reserved[0].Entity.Values[0] = engine.Value{Type: engine.Guid, S: "80000000-0000-0000-6e66-2d302e300000"}
	r.is(r.commit(reserved), engine.CodeBadInput, engine.NotApplied)
	r.is(r.e.CreateTable(t.Context(), "a-b", nil), engine.CodeBadInput, engine.NotApplied)
	r.is(r.get("a/b"), engine.CodeNotFound, engine.NotApplied)
	r.requests(0, 0)
}

// TestKeysInAddresses: keys that are awkward in a URL, and those too long for a path, are written and read
// back in every way.
func TestKeysInAddresses(t *testing.T) {
	r := newRig(t)
	for _, key := range []string{"", " ", "it's", "''", "a%b", "%41", "a+b", "a&b=c", "ä ö", "😀", "(x),y", "a;b", "@:$!*~", strings.Repeat("k", 300), strings.Repeat("ß", 512)} {
		for _, kind := range []engine.OpKind{engine.Insert, engine.Replace, engine.Merge, engine.Upsert} {
			if err := r.commit(ops(kind, key)); err != nil {
				t.Fatalf("%q: kind %d: %v", key, kind, err)
			}
		}
		if err := r.commit(ops(engine.Merge, key, "none")); r.is(err, engine.CodeNotFound, engine.NotApplied).Op != 1 {
			t.Errorf("%q: %v", key, err)
		}
		e, err := r.e.Get(t.Context(), engine.Get{Table: "things", PartitionKey: "p", RowKey: key})
		if err != nil || e.RowKey != key || e.Values[0].S != "of "+key {
			t.Errorf("%q: Get gives %q, %v", key, e.RowKey, err)
		}
		if n, err := r.scan(); n != 1 || err != nil {
			t.Errorf("%q: Scan gives %d, %v", key, n, err)
		}
		if err := r.commit(ops(engine.Delete, key)); err != nil {
			t.Errorf("%q: Delete: %v", key, err)
		}
	}
}

// TestLog: what is logged names no key, no value and no secret; answers that programs ask for are no
// warnings.
func TestLog(t *testing.T) {
	var out bytes.Buffer
	level := new(slog.LevelVar)
	level.Set(slog.LevelWarn)
	r := newRig(t, func(o *azure.Options) {
		o.Logger = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level}))
	})
	r.is(r.get("hushhush"), engine.CodeNotFound, engine.NotApplied)
	if err := r.commit(ops(engine.Insert, "hushhush")); err != nil {
		t.Fatal(err)
	}
	r.is(r.commit(ops(engine.Insert, "hushhush")), engine.CodeExists, engine.NotApplied)
	if out.Len() > 0 {
		t.Errorf("warned of what is expected:\n%s", &out)
	}
	r.fault(azuretest.Fault{Status: 503, Code: "ServerBusy"})
	if err := r.get("hushhush"); err != nil || !strings.Contains(out.String(), "ServerBusy") {
		t.Errorf("%v, and not warned of ServerBusy:\n%s", err, &out)
	}
	level.Set(slog.LevelDebug)
	if _, err := r.scan(); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "table=things") || strings.Contains(got, "hushhush") || strings.Contains(got, azuretest.Key) || strings.Contains(got, "SharedKey") {
		t.Errorf("logged:\n%s", got)
	}
}

// TestSAS: the signature goes with every request, and into no error, even where the transport's own errors
// show it.
func TestSAS(t *testing.T) {
	service := newService()
	inner := &azuretest.Transport{Service: service}
	broken := false
	o := azure.Options{
		Endpoint: azuretest.Endpoint, SAS: "?sv=2019-02-02&sig=c2VjcmV0",
		Retry: azure.Retry{MaxTries: 1},
		Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			if r.URL.Query().Get("sig") != "c2VjcmV0" || r.Header.Get("Authorization") != "" {
				t.Errorf("%s is not signed", r.URL)
			}
			if broken {
				return nil, &url.Error{Op: "Get", URL: r.URL.String(), Err: io.ErrUnexpectedEOF}
			}
			return inner.Do(r)
		}),
	}
	e := open(t, o)
	if err := e.CreateTable(t.Context(), "things", nil); err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]engine.Op{ops(engine.Insert, "a"), ops(engine.Insert, "b", "c")} {
		if err := e.Commit(t.Context(), engine.Commit{Table: "things", PartitionKey: "p", Ops: list}); err != nil {
			t.Fatal(err)
		}
	}
	c := e.Scan(t.Context(), engine.Scan{Table: "things", PartitionKey: "p"})
	if chunk, err := c.Next(t.Context()); len(chunk) != 3 || err != nil {
		t.Errorf("%d, %v", len(chunk), err)
	}
	broken = true
	_, err := e.Get(t.Context(), engine.Get{Table: "things", PartitionKey: "p", RowKey: "a"})
	if err == nil || !errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), "c2VjcmV0") {
		t.Errorf("%v", err)
	}
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) Do(r *http.Request) (*http.Response, error) { return f(r) }

// serviceHeaders are those of the service's answer to a write.
var serviceHeaders = http.Header{"X-Ms-Request-Id": {"1"}, "X-Ms-Version": {"2019-02-02"}, "Etag": {`W/"1"`}}

// tokens is a credential that gives a token, or an error.
type tokens struct{ err error }

func (c tokens) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: "token", ExpiresOn: time.Now().Add(time.Hour)}, c.err
}

func TestTokenCredential(t *testing.T) {
	sent := 0
	o := azure.Options{
		Endpoint: azuretest.Endpoint, Credential: tokens{},
		Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			sent++
			if got := r.Header.Get("Authorization"); got != "Bearer token" {
				t.Errorf("Authorization is %q", got)
			}
			return &http.Response{StatusCode: 204, Header: serviceHeaders, Body: http.NoBody, Request: r}, nil
		}),
	}
	commit := engine.Commit{Table: "things", PartitionKey: "p", Ops: ops(engine.Insert, "a")}
	if err := open(t, o).Commit(t.Context(), commit); err != nil || sent != 1 {
		t.Errorf("%v, %d requests", err, sent)
	}
	o.Credential = tokens{errors.New("no login")}
	err := open(t, o).Commit(t.Context(), commit)
	var e *engine.Error
	if !errors.As(err, &e) || e.Code != engine.CodeAuth || e.Applied != engine.NotApplied || sent != 1 || !strings.Contains(err.Error(), "no login") {
		t.Errorf("%v, %d requests", err, sent)
	}
}

// TestCosmos: its limits, and Merge without PATCH.
func TestCosmos(t *testing.T) {
	var seen []string
	e := open(t, azure.Options{
		Endpoint: "https://shop.table.cosmos.azure.com", Account: "shop", Key: testKey,
		Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			body, _ := io.ReadAll(r.Body)
			seen = append(seen, r.Method+" "+r.Header.Get("X-HTTP-Method")+" "+string(body))
			return &http.Response{StatusCode: 204, Header: http.Header{"Etag": {`W/"1"`}}, Body: http.NoBody, Request: r}, nil
		}),
	})
	if l := e.Limits(); l.SortedByKey || l.BatchBytes != 2<<20 || l.KeyUnits != 255 {
		t.Errorf("%+v", l)
	}
	if err := e.Commit(t.Context(), engine.Commit{Table: "things", PartitionKey: "p", Ops: ops(engine.Merge, "a")}); err != nil {
		t.Fatal(err)
	}
	e.Commit(t.Context(), engine.Commit{Table: "things", PartitionKey: "p", Ops: ops(engine.Merge, "a", "b")})
	if len(seen) != 2 || !strings.HasPrefix(seen[0], "POST MERGE {") || strings.Contains(seen[1], "PATCH") || strings.Count(seen[1], "X-HTTP-Method: MERGE\r\n") != 2 {
		t.Errorf("%q", seen)
	}
}

// TestParallel: no more requests are under way than the options allow.
func TestParallel(t *testing.T) {
	var mu sync.Mutex
	now, most := 0, 0
	r := newRig(t, func(o *azure.Options) {
		o.Parallel = 3
		inner := o.Transport
		o.Transport = transportFunc(func(rq *http.Request) (*http.Response, error) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(2 * time.Millisecond)
			defer func() {
				mu.Lock()
				now--
				mu.Unlock()
			}()
			return inner.Do(rq)
		})
	})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { r.get("none") })
	}
	wg.Wait()
	if most != 3 {
		t.Errorf("%d requests side by side, want 3", most)
	}
}

// TestCloseEndsRequests: Close ends what is under way.
func TestCloseEndsRequests(t *testing.T) {
	r := newRig(t)
	r.fault(azuretest.Fault{Delay: time.Minute})
	time.AfterFunc(10*time.Millisecond, func() { r.e.Close() })
	r.is(r.get("a"), engine.CodeClosed, engine.NotApplied)
}
