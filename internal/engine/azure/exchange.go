package azure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
	expects     expectation
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
	if r.body != nil && r.body.Cap() <= keptBody {
		bodies.Put(r.body)
	}
	r.body = nil
}

const (
	// maxBody is the most octets of an answer that are read. A page of the service has 4 MiB at most, measured
	// in UTF-16; JSON may write each unit of that with six octets.
	maxBody = 16 << 20
	// maxRefusal is the most that is read of a refusal. The service's own refusals are far shorter.
	maxRefusal = 64 << 10
	// keptBody is the largest answer buffer that is kept for reuse.
	keptBody = 4 << 20
)

// bodies keeps the buffers of answers: what is decoded from a body is copied out of it.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// exchange travels with the context of one try through the SDK's pipeline.
type exchange struct {
	request  *request
	at       *address
	known    redaction
	response response
	token    string // from the header Authorization; no text of ours may show it
	reached  bool   // the request was handed to the transport
	unsent   bool   // and the transport is sure that it has not sent any of it
}

type exchangeKey struct{}

// exchangePolicy is first in the SDK's pipeline. It replaces the SDK's request by ours, takes the answer out, and leaves an empty one that
// satisfies the SDK. What comes after it, above all the credential's policy, sees only our request; the shared-key signature covers the date and
// the path, which are ours by then.
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

// take reads the whole answer. A body that breaks off, or is too long, is an error; of a refusal, the beginning is enough.
func (x *exchange) take(answer *http.Response) error {
	defer answer.Body.Close()
	if at := answer.Request; at != nil && at.URL != nil && at.URL.Host != x.at.host {
		return errRedirected
	}
	body := bodies.Get().(*bytes.Buffer)
	body.Reset()
	most := bodyBound(answer.StatusCode)
	if n := answer.ContentLength; n > 0 && n <= most {
		body.Grow(int(n) + bytes.MinRead)
	}
	n, err := body.ReadFrom(answer.Body)
	if m := x.request.meter; m != nil {
		m.BytesIn.Add(n)
	}
	switch {
	case err != nil:
	case n > most && most == maxBody:
		err = errEndless
	case n <= most && answer.ContentLength >= 0 && n != answer.ContentLength:
		err = io.ErrUnexpectedEOF
	}
	x.response = response{status: answer.StatusCode, header: answer.Header, body: body}
	if err != nil {
		x.response.release()
	}
	return err
}

func bodyBound(status int) int64 {
	if status < 200 || status > 299 {
		return maxRefusal
	}
	return maxBody
}

// boundedBody gives at most one octet more than the bound. It ends with the context of the try, whatever the transport does with that context.
type boundedBody struct {
	io.Reader
	body io.Closer
	stop func() bool
}

func newBoundedBody(ctx context.Context, answer *http.Response) boundedBody {
	body := answer.Body
	return boundedBody{
		io.LimitReader(body, bodyBound(answer.StatusCode)+1), body,
		context.AfterFunc(ctx, func() { body.Close() }),
	}
}

func (b boundedBody) Close() error {
	b.stop()
	return b.body.Close()
}

var (
	errRedirected = errors.New("the transport followed a redirect to another host; give it a client that does not")
	errEndless    = fmt.Errorf("the answer is longer than %d MiB, more than the service ever sends", maxBody>>20)
)

// meteredTransport is last in the pipeline. It notes what is really sent, and limits what comes back: the SDK reads the bodies of refusals
// itself.
type meteredTransport struct{ next policy.Transporter }

func (t meteredTransport) Do(raw *http.Request) (*http.Response, error) {
	x := raw.Context().Value(exchangeKey{}).(*exchange)
	x.reached, x.token = true, raw.Header.Get("Authorization")
	if m := x.request.meter; m != nil {
		m.Requests.Add(1)
		m.BytesOut.Add(int64(len(x.request.body)))
	}
	answer, err := t.next.Do(raw)
	if err == nil {
		answer.Body = newBoundedBody(raw.Context(), answer)
	}
	return answer, err
}

// try sends a request once. The error is one of the transport, the credential or the context.
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
	// Of the SDK's calls, DeleteEntity inspects the answer least. The keys are never sent.
	_, err := e.carrier.DeleteEntity(context.WithValue(ctx, exchangeKey{}, x), "-", "-", nil)
	return err
}
