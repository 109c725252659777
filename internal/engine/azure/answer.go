package azure

import (
	"fmt"
	"mime"
	"net/http"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// expectation is what the service answers to a request that it has carried out. Anything else that answers with 2xx (a proxy, a network's login
// page) has not carried it out, or may not have. https://learn.microsoft.com/rest/api/storageservices/table-service-rest-api
type expectation uint8

const (
	expectPage  expectation = iota // 200 and JSON
	expectMade                     // 201, or 204 without a body, and the ETag of the new entity
	expectEtag                     // 204 and the entity's new ETag
	expectGone                     // 204
	expectTable                    // 201 or 204
	expectParts                    // 202 and a part for each operation
)

// fails says what makes r different from the expected answer; "": nothing.
func (x expectation) fails(r *response) string {
	ok := false
	switch x {
	case expectPage:
		ok = r.status == http.StatusOK
	case expectMade, expectTable:
		ok = r.status == http.StatusCreated || r.status == http.StatusNoContent
	case expectEtag, expectGone:
		ok = r.status == http.StatusNoContent
	case expectParts:
		ok = r.status == http.StatusAccepted
	}
	switch {
	case !ok:
		return "is not the service's answer to such a request"
	case (x == expectMade || x == expectEtag) && r.header.Get("ETag") == "":
		return "has no ETag"
	}
	return ""
}

// fromService says whether an answer has the headers that the service puts into all of its answers. Cosmos DB has others.
func (a *address) fromService(h http.Header) bool {
	return a.cosmos || h.Get("x-ms-request-id") != "" && h.Get("x-ms-version") != ""
}

// strange judges an answer of 2xx or 3xx that the service would not give to the request; nil: it is the service's.
func (e *Engine) strange(x *exchange) *failure {
	rq, r, what := x.request, &x.response, ""
	switch {
	case r.status >= 300:
		what = "sends the request elsewhere, which is not followed"
	case !e.at.fromService(r.header):
		what = "lacks the headers of the table service"
	default:
		what = rq.expects.fails(r)
	}
	if what == "" {
		return nil
	}
	message := fmt.Sprintf("azure: the answer of %s (%d%s) %s: something on the way answered in its place",
		e.at.host, r.status, contentType(r.header), what)
	redirect := r.status >= 300 // from something that has not carried the request out
	f := &failure{status: r.status, again: rq.kind != writing && !redirect, unsure: rq.kind != reading && !redirect}
	err := &engine.Error{Code: engine.CodeUnreachable, Op: -1, Message: message}
	if f.unsure {
		err = unsureError(engine.CodeUnreachable, message, nil)
	}
	err.RequestID = r.header.Get("x-ms-request-id")
	f.err = err
	return f
}

// contentType is the type of an answer's body, for display.
func contentType(h http.Header) string {
	if t, _, err := mime.ParseMediaType(h.Get("Content-Type")); err == nil {
		return " " + t
	}
	return ""
}
