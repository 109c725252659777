package azuretest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Fault is what goes wrong with one request. The zero Fault is none.
type Fault struct {
	Status     int           // answered in the service's place; the service does not see the request
	Code       string        // with Status: the error's code
	RetryAfter string        // with Status: the header
	Refuse     bool          // no connection: the request is not sent
	LoseAnswer bool          // the service does what it is asked, and the connection breaks before its answer
	Lose       bool          // the connection breaks before the service sees the request
	Late       int           // the same, but the service gets the request before the so-many-th one after it
	Twice      bool          // the service gets the request twice, and gives its answer to the first one
	Tear       int           // with an answer: the body breaks off after so many bytes
	Cut        int           // with an answer: the body ends, as if it were whole, after so many bytes
	Delay      time.Duration // passes before anything else
}

// Transport carries requests to a Service in this process, with faults. It can be an engine's transport.
type Transport struct {
	Service http.Handler
	// Fault says what goes wrong with the n-th request, counted from 1; nil: nothing ever does. SetFault replaces it.
	Fault func(n int, r *http.Request) Fault
	// After sees each request and the status of its answer; may be nil. It may be called by many goroutines. SetAfter replaces it.
	After func(r *http.Request, status int)

	sent  atomic.Int64
	fault atomic.Pointer[func(n int, r *http.Request) Fault] // as SetFault has set it
	after atomic.Pointer[func(r *http.Request, status int)]  // as SetAfter has

	mu   sync.Mutex
	late []lateRequest
}

// lateRequest is a request that will arrive before the n-th one.
type lateRequest struct {
	n int
	r *http.Request
}

// SetFault replaces Fault, even while requests are under way.
func (t *Transport) SetFault(f func(n int, r *http.Request) Fault) { t.fault.Store(&f) }

// SetAfter replaces After, even while requests are under way.
func (t *Transport) SetAfter(f func(r *http.Request, status int)) { t.after.Store(&f) }

// lastSet is the function set last, initially first.
func lastSet[F any](set *atomic.Pointer[F], first F) F {
	if f := set.Load(); f != nil {
		return *f
	}
	return first
}

// Sent gives the number of requests so far.
func (t *Transport) Sent() int { return int(t.sent.Load()) }

// ErrBroken is the error for a lost answer.
var ErrBroken = errors.New("connection reset by peer")

// Do sends a request.
func (t *Transport) Do(r *http.Request) (*http.Response, error) {
	n := int(t.sent.Add(1))
	var f Fault
	if fault := lastSet(&t.fault, t.Fault); fault != nil {
		f = fault(n, r)
	}
	if f.Delay > 0 {
		select {
		case <-time.After(f.Delay):
		case <-r.Context().Done():
		}
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if f.Refuse {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	t.arriveLate(n)
	var again *http.Request
	if f.Late > 0 || f.Twice {
		var err error
		if again, err = copied(r); err != nil {
			return nil, err
		}
	}
	switch {
	case f.Lose:
		return nil, ErrBroken
	case f.Late > 0:
		t.mu.Lock()
		t.late = append(t.late, lateRequest{n + f.Late, again})
		t.mu.Unlock()
		return nil, ErrBroken
	}
	w := httptest.NewRecorder()
	if f.Status != 0 {
		w.Header().Set("x-ms-request-id", "fake-fault")
		if f.RetryAfter != "" {
			w.Header().Set("Retry-After", f.RetryAfter)
		}
		w.WriteHeader(f.Status)
		if f.Code != "" {
			w.Write(errorBody(&refusal{f.Status, f.Code, "A fault of the test."}, -1))
		}
	} else {
		t.Service.ServeHTTP(w, received(r))
		if f.Twice {
			t.Service.ServeHTTP(httptest.NewRecorder(), received(again))
		}
	}
	answer := w.Result()
	answer.Request = r
	if after := lastSet(&t.after, t.After); after != nil {
		after(r, answer.StatusCode)
	}
	if f.LoseAnswer {
		return nil, ErrBroken
	}
	body := w.Body.Bytes()
	switch {
	case f.Tear > 0:
		answer.ContentLength = -1
		answer.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body[:min(f.Tear, len(body))]), broken{}))
	case f.Cut > 0:
		answer.ContentLength = -1
		answer.Body = io.NopCloser(bytes.NewReader(body[:min(f.Cut, len(body))]))
	}
	return answer, nil
}

// arriveLate delivers to the service the requests that are due before the n-th one.
func (t *Transport) arriveLate(n int) {
	t.mu.Lock()
	var due []lateRequest
	t.late = slices.DeleteFunc(t.late, func(l lateRequest) bool {
		if l.n <= n {
			due = append(due, l)
		}
		return l.n <= n
	})
	t.mu.Unlock()
	for _, l := range due {
		t.Service.ServeHTTP(httptest.NewRecorder(), received(l.r))
	}
}

// copied gives a copy of a request that outlives it; the body of r can still be read.
func copied(r *http.Request) (*http.Request, error) {
	again := r.Clone(context.WithoutCancel(r.Context()))
	if r.Body == nil {
		return again, nil
	}
	body, err := io.ReadAll(r.Body)
	r.Body, again.Body = io.NopCloser(bytes.NewReader(body)), io.NopCloser(bytes.NewReader(body))
	return again, err
}

// received gives a request as a server receives it: with a body, and its headers in canonical case.
func received(r *http.Request) *http.Request {
	in := r.WithContext(r.Context())
	in.Header = make(http.Header, len(r.Header))
	for name, values := range r.Header {
		for _, v := range values {
			in.Header.Add(name, v)
		}
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	return in
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, ErrBroken }
