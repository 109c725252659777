package azuretest

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
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
	Tear       int           // with an answer: the body breaks off after so many bytes
	Cut        int           // with an answer: the body ends, as if it were whole, after so many bytes
	Delay      time.Duration // passes before anything else
}

// Transport carries requests to a Service in this process, with faults. It can be an engine's transport.
type Transport struct {
	Service http.Handler
	// Fault says what goes wrong with the n-th request, counted from 1; nil: nothing ever does.
	Fault func(n int, r *http.Request) Fault
	// After sees each request and the status of its answer; nil: nobody does. It may be called by many
	// goroutines.
	After func(r *http.Request, status int)

	sent atomic.Int64
}

// Sent gives the number of requests so far.
func (t *Transport) Sent() int { return int(t.sent.Load()) }

// ErrBroken is what a lost answer shows as.
var ErrBroken = errors.New("connection reset by peer")

// Do sends a request.
func (t *Transport) Do(r *http.Request) (*http.Response, error) {
	n := int(t.sent.Add(1))
	var f Fault
	if t.Fault != nil {
		f = t.Fault(n, r)
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
	}
	answer := w.Result()
	answer.Request = r
	if t.After != nil {
		t.After(r, answer.StatusCode)
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

// received gives a request as a server has it: with a body, and its headers in canonical case.
func received(r *http.Request) *http.Request {
	in := r.Clone(r.Context())
	in.Header = http.Header{}
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
