package azure

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// failure says why a try failed, and what that means for the next one.
type failure struct {
	err     error         // *engine.Error, or the context's
	status  int           // of the answer; 0: there was none
	again   bool          // the same request may succeed a little later
	after   time.Duration // but not before this, says the service
	unsure  bool          // a write may have been applied
	retried bool          // an earlier try of it was unsure
}

// tried adds to the error how often and for how long a request was tried, if the service was unreachable or busy.
func (f *failure) tried(times int, took time.Duration) {
	var e *engine.Error
	if !errors.As(f.err, &e) || e.Code != engine.CodeUnreachable && e.Code != engine.CodeThrottled {
		return
	}
	word := "once"
	if times > 1 {
		word = strconv.Itoa(times) + " times"
	}
	e.Message += fmt.Sprintf(" (tried %s, for %s)", word, took.Round(time.Millisecond))
}

// refusesHint says whether the answer to a query may be due to its filter.
func (f *failure) refusesHint() bool {
	switch f.status {
	case http.StatusBadRequest, http.StatusRequestURITooLong, http.StatusRequestHeaderFieldsTooLarge, http.StatusNotImplemented:
		return true
	case http.StatusInternalServerError:
		var e *engine.Error
		return errors.As(f.err, &e) && e.Code != engine.CodeThrottled // OperationTimedOut is not
	}
	return false
}

// expected says whether the answer is one that programs provoke on purpose, and not a fault.
func (f *failure) expected() bool {
	switch f.status {
	case http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed:
		return true
	}
	return errors.Is(f.err, context.Canceled)
}

// answer is a refusal in the service's words, of a request or of an operation in a batch.
type answer struct {
	status int
	header http.Header
	code   string // ResourceNotFound
	text   string
	op     int // index that the text began with, or -1

	stranger bool // the refusal does not come from the service
}

// failureOf judges a refusal. Which codes there are:
// https://learn.microsoft.com/rest/api/storageservices/table-service-error-codes
func failureOf(k kind, a answer) *failure {
	e := &engine.Error{
		Code: a.errorCode(), Op: -1,
		Message:   a.message(),
		RequestID: a.header.Get("x-ms-request-id"),
	}
	switch e.Code {
	case engine.CodeNotFound, engine.CodeExists, engine.CodeStale, engine.CodeTooLarge, engine.CodeBadInput:
		e.Op = a.op
	}
	f := &failure{err: e, status: a.status, after: retryAfter(a.header)}
	switch a.status {
	case http.StatusTooManyRequests:
		f.again = true
	case http.StatusServiceUnavailable:
		// ServerBusy is sent before anything is done. Anything else that answers 503 (a proxy, a server shutting down) may have passed the
		// request on.
		busy := a.code == "ServerBusy"
		f.again, f.unsure = busy || k != writing, !busy && k != reading
	case http.StatusRequestTimeout, http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		f.again, f.unsure = k != writing, k != reading
	}
	if f.unsure {
		e.Applied = engine.Unknown
		e.Message += unsureText
	}
	return f
}

// errorCode is the code for a refusal. Only the service can say that an entity is missing or was changed: a proxy's 404 says nothing about any
// entity.
func (a *answer) errorCode() engine.Code {
	code := codeOf(a.status, a.code)
	if a.stranger && (code == engine.CodeStale || code == engine.CodeTooLarge || code == engine.CodeBadInput || a.status == http.StatusNotFound) {
		return engine.CodeUnreachable
	}
	return code
}

const unsureText = "; whether the write took effect is not known"

func codeOf(status int, code string) engine.Code {
	switch code {
	case "ResourceNotFound", "EntityNotFound":
		return engine.CodeNotFound
	case "TableNotFound":
		return engine.CodeNoTable
	case "TableBeingDeleted":
		return engine.CodeDeleting
	case "EntityAlreadyExists", "TableAlreadyExists":
		return engine.CodeExists
	case "EntityTooLarge", "PropertyValueTooLarge", "TooManyProperties", "KeyValueTooLarge",
		"RequestBodyTooLarge", "ContentLengthExceeded", "PropertyNameTooLong":
		return engine.CodeTooLarge
	case "OperationTimedOut":
		return engine.CodeThrottled
	}
	switch status {
	case http.StatusConflict:
		return engine.CodeOther
	case http.StatusPreconditionFailed:
		return engine.CodeStale
	case http.StatusUnauthorized, http.StatusForbidden:
		return engine.CodeAuth
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return engine.CodeThrottled
	case http.StatusRequestEntityTooLarge:
		return engine.CodeTooLarge
	case http.StatusBadRequest:
		return engine.CodeBadInput
	}
	return engine.CodeOther
}

func (a *answer) message() string {
	text := a.text
	if text == "" {
		text = http.StatusText(a.status)
	}
	if a.stranger {
		return fmt.Sprintf("azure: %s (%d), but not from the table service: something on the way answered in its place", text, a.status)
	}
	if a.code == "" {
		return fmt.Sprintf("azure: %s (%d)", text, a.status)
	}
	text = fmt.Sprintf("azure: %s (%d %s)", text, a.status, a.code)
	if why := refused[a.code]; why != "" {
		text += ": " + why
	}
	return text
}

// readAnswer reads the body of a refusal: usually JSON, XML from the front end, anything from a proxy.
func readAnswer(status int, header http.Header, body []byte) answer {
	a := answer{status: status, header: header, op: -1}
	var j struct {
		Error struct {
			Code    string
			Message struct{ Value string }
		} `json:"odata.error"`
	}
	var x struct {
		Code    string `xml:"code"`
		Message string `xml:"message"`
	}
	switch {
	case json.Unmarshal(body, &j) == nil:
		a.code, a.text = j.Error.Code, j.Error.Message.Value
	case xml.Unmarshal(body, &x) == nil:
		a.code, a.text = x.Code, x.Message
	}
	if a.code == "" {
		a.code = header.Get("x-ms-error-code")
	}
	// "6:The entity exists.\nRequestId:…\nTime:…"
	a.text, _, _ = strings.Cut(a.text, "\nRequestId:")
	if index, rest, ok := strings.Cut(a.text, ":"); ok && len(index) <= 3 {
		if n, err := strconv.ParseUint(index, 10, 16); err == nil {
			a.op, a.text = int(n), rest
		}
	}
	a.text = strings.Join(strings.Fields(a.text), " ")
	const most = 400
	if len(a.text) > most {
		a.text = strings.ToValidUTF8(a.text[:most], "") + "…"
	}
	return a
}

// retryAfter gives how long the service asks to wait; 0 if it does not say. https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
func retryAfter(h http.Header) time.Duration {
	for _, name := range []string{"x-ms-retry-after-ms", "Retry-After-Ms"} {
		if ms, err := strconv.ParseUint(h.Get(name), 10, 31); err == nil {
			return time.Duration(ms) * time.Millisecond
		}
	}
	text := h.Get("Retry-After")
	if s, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(s) * time.Second
	}
	if t, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(t))
	}
	return 0
}

// lost judges a try without an answer.
func (e *Engine) lost(ctx context.Context, x *exchange, err error) *failure {
	f := &failure{unsure: x.reached && x.request.kind != reading && !x.unsent && !neverSent(err)}
	switch {
	case ctx.Err() != nil:
		f.err = ctx.Err()
		if f.unsure {
			f.err = unsureError(engine.CodeOther, "azure: given up while the service was working on the request", ctx.Err())
		}
		return f
	case e.closing.Err() != nil:
		f.err = &engine.Error{Code: engine.CodeClosed, Op: -1, Message: "the store was closed"}
		if f.unsure {
			f.err = unsureError(engine.CodeClosed, "the store was closed while the service was working on the request", nil)
		}
		return f
	}
	cause := withoutURL(err)
	if errors.Is(cause, context.DeadlineExceeded) || errors.Is(cause, context.Canceled) {
		// It is not the caller's deadline: it is that of the try, or the transport's own.
		cause = errors.New("none came in time")
	}
	f.again = x.request.kind != writing || !f.unsure
	switch {
	case !x.reached && !errors.Is(err, context.DeadlineExceeded):
		f.again = false
		f.err = &engine.Error{Code: engine.CodeAuth, Op: -1, Message: "azure: no request without a credential", Cause: cause}
	case f.unsure:
		f.err = unsureError(engine.CodeUnreachable, "azure: no answer from "+e.at.host, cause)
	default:
		if permanent(err) {
			f.again = false
		}
		f.err = &engine.Error{Code: engine.CodeUnreachable, Op: -1, Message: "azure: no answer from " + e.at.host, Cause: cause}
	}
	return f
}

func unsureError(code engine.Code, message string, cause error) *engine.Error {
	return &engine.Error{Code: code, Op: -1, Applied: engine.Unknown, Message: message + unsureText, Cause: cause}
}

// neverSent recognizes the errors of any transport that occur before a request is written: name not found, connection refused, wrong
// certificate.
func neverSent(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &op) && op.Op == "dial" || errors.As(err, &dns) || badCertificate(err)
}

func permanent(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound || badCertificate(err) || errors.Is(err, errRedirected) || errors.Is(err, errEndless)
}

func badCertificate(err error) bool {
	var cert *tls.CertificateVerificationError
	return errors.As(err, &cert)
}

// withoutURL gives the cause of an error of net/http: its own text shows the URL, with the signature.
func withoutURL(err error) error {
	for {
		var u *url.Error
		if !errors.As(err, &u) {
			return err
		}
		err = u.Err
	}
}
