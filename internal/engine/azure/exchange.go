package azure

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// request is one request to the service, as this package makes it.
type request struct {
	method      string
	path        string // below the account, escaped: "/customer()"
	query       string // escaped
	body        []byte
	contentType string // of the body; "": JSON
	ifMatch     string // "": none
	kind        kind
	single      bool // a write of one entity: a refusal is of operation 0
	hinted      bool // the query has a filter that it can do without
	meter       *engine.Meter
}

// kind says how a request may be repeated.
type kind uint8

const (
	reading    kind = iota // at any time
	writing                // only when it was certainly not applied
	idempotent             // at any time; the second time, an answer may tell of the first
)

// response is the answer to a request. Its body is shared storage: release gives it back.
type response struct {
	status int
	header http.Header
	body   *bytes.Buffer
}

func (r *response) release() {
	if r.body != nil {
		bodies.Put(r.body)
		r.body = nil
	}
}

// bodies keeps the storage of answers: what is decoded from a body is copied out of it.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// exchange goes with the context of one try through the SDK's pipeline.
type exchange struct {
	request  *request
	at       *address
	response response
	reached  bool // the request was handed to the transport
	unsent   bool // and the transport is sure that it has not sent any of it
}

type exchangeKey struct{}

// exchangePolicy stands at the beginning of the SDK's pipeline, puts our request in the place of the one
// that the SDK has made, takes the answer out, and leaves an empty one that pleases the SDK. What lies
// behind it, the credential's policy above all, sees our request only; the shared-key signature covers
// the date and the path, which are ours by then.
type exchangePolicy struct{}

func (exchangePolicy) Do(carrier *policy.Request) (*http.Response, error) {
	raw := carrier.Raw()
	x := raw.Context().Value(exchangeKey{}).(*exchange)
	if err := x.put(carrier); err != nil {
		return nil, err
	}
	runtime.SkipBodyDownload(carrier)
	answer, err := carrier.Next()
	if err != nil {
		return nil, err
	}
	if err := x.take(answer); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusNoContent, Header: http.Header{}, Body: http.NoBody, Request: raw}, nil
}

// The headers that all requests have.
// https://learn.microsoft.com/rest/api/storageservices/setting-the-odata-data-service-version-headers
var (
	headerAccept      = []string{"application/json;odata=minimalmetadata"}
	headerDataVersion = []string{"3.0"}
	headerVersion     = []string{"2019-02-02"}
	headerNoContent   = []string{"return-no-content"}
)

func (x *exchange) put(carrier *policy.Request) error {
	raw, rq := carrier.Raw(), x.request
	u, err := x.at.url(rq.path, rq.query)
	if err != nil {
		return err
	}
	h := raw.Header
	raw.Method, raw.URL, raw.Host = rq.method, u, u.Host
	if rq.method == http.MethodPatch && x.at.cosmos {
		raw.Method = http.MethodPost
		h.Set("X-HTTP-Method", "MERGE")
	}
	delete(h, "If-Match")
	h["Accept"] = headerAccept
	h["DataServiceVersion"] = headerDataVersion
	h["x-ms-version"] = headerVersion
	if rq.ifMatch != "" {
		h["If-Match"] = []string{rq.ifMatch}
	}
	if rq.body == nil {
		return nil
	}
	contentType := rq.contentType
	if contentType == "" {
		contentType = "application/json"
		h["Prefer"] = headerNoContent
	}
	return carrier.SetBody(streaming.NopCloser(bytes.NewReader(rq.body)), contentType)
}

// take reads the whole answer. A body that breaks off is an error.
func (x *exchange) take(answer *http.Response) error {
	defer answer.Body.Close()
	body := bodies.Get().(*bytes.Buffer)
	body.Reset()
	if n := answer.ContentLength; n > 0 && n < 64<<20 {
		body.Grow(int(n) + bytes.MinRead)
	}
	n, err := body.ReadFrom(answer.Body)
	if m := x.request.meter; m != nil {
		m.BytesIn.Add(n)
	}
	if err == nil && answer.ContentLength >= 0 && n != answer.ContentLength {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		bodies.Put(body)
		return err
	}
	x.response = response{status: answer.StatusCode, header: answer.Header, body: body}
	return nil
}

// meteredTransport stands at the end of the pipeline and notes what is really sent.
type meteredTransport struct{ next policy.Transporter }

func (t meteredTransport) Do(raw *http.Request) (*http.Response, error) {
	x := raw.Context().Value(exchangeKey{}).(*exchange)
	x.reached = true
	if m := x.request.meter; m != nil {
		m.Requests.Add(1)
		m.BytesOut.Add(int64(len(x.request.body)))
	}
	return t.next.Do(raw)
}

// try sends a request once. The error is of the transport, the credential or the context.
func (e *Engine) try(ctx context.Context, x *exchange) error {
	if e.slots != nil {
		select {
		case e.slots <- struct{}{}:
			defer func() { <-e.slots }()
		case <-ctx.Done():
			return ctx.Err()
		case <-e.closing.Done():
			return e.closing.Err()
		}
	}
	ctx, cancel := context.WithTimeout(ctx, e.retry.TryTimeout)
	defer cancel()
	defer context.AfterFunc(e.closing, cancel)()
	// Of the SDK's calls, DeleteEntity is the one that looks at the answer least. The keys are never sent.
	_, err := e.carrier.DeleteEntity(context.WithValue(ctx, exchangeKey{}, x), "-", "-", nil)
	return err
}
