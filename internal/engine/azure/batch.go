package azure

import (
	"bytes"
	"math/rand/v2"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// batch makes the request for a commit of several operations: an entity group transaction, as a multipart
// body of one change set.
// https://learn.microsoft.com/rest/api/storageservices/performing-entity-group-transactions
func (e *Engine) batch(c *engine.Commit) (*request, func(*response) *failure) {
	// Random, so that no text of an entity can hold it.
	id := strconv.FormatUint(rand.Uint64(), 16) + strconv.FormatUint(rand.Uint64(), 16)
	dst := make([]byte, 0, 512+len(c.Ops)*768)
	dst = append(dst, "--batch_"+id+"\r\nContent-Type: multipart/mixed; boundary=changeset_"+id+"\r\n\r\n"...)
	for i := range c.Ops {
		dst = append(dst, "--changeset_"+id+"\r\n"...)
		dst = e.appendOp(dst, c.Table, &c.Ops[i])
	}
	dst = append(dst, "--changeset_"+id+"--\r\n--batch_"+id+"--\r\n"...)
	n := len(c.Ops)
	return &request{
		method: http.MethodPost, path: "/$batch", body: dst,
		contentType: "multipart/mixed; boundary=batch_" + id, expects: expectParts,
	}, func(r *response) *failure { return batchFailure(r, n, c.ETags) }
}

// appendOp appends an operation as the HTTP request that represents it within a batch.
func (e *Engine) appendOp(dst []byte, table string, op *engine.Op) []byte {
	method := methods[op.Kind]
	dst = append(dst, "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"...)
	if e.at.cosmos && method == http.MethodPatch {
		dst = append(dst, http.MethodPost...)
	} else {
		dst = append(dst, method...)
	}
	dst = append(dst, ' ')
	dst = append(dst, e.at.scheme...)
	dst = append(dst, "://"...)
	dst = append(dst, e.at.host...)
	dst = append(dst, e.at.path...)
	if op.Kind == engine.Insert {
		dst = append(append(dst, '/'), table...)
	} else {
		path, _ := entityPath(table, op.Entity.PartitionKey, op.Entity.RowKey)
		dst = append(dst, path...)
	}
	dst = append(dst, " HTTP/1.1\r\nAccept: application/json;odata=minimalmetadata\r\nDataServiceVersion: 3.0\r\n"...)
	if e.at.cosmos && method == http.MethodPatch {
		dst = append(dst, "X-HTTP-Method: MERGE\r\n"...)
	}
	if match := condition(op); match != "" {
		dst = append(dst, "If-Match: "...)
		dst = append(dst, match...)
		dst = append(dst, "\r\n"...)
	}
	if op.Kind == engine.Delete {
		return append(dst, "\r\n\r\n"...)
	}
	dst = append(dst, "Content-Type: application/json\r\nPrefer: return-no-content\r\n\r\n"...)
	dst = appendEntity(dst, &op.Entity)
	return append(dst, "\r\n"...)
}

// batchFailure reads the answer to a batch of n operations. Success: one answer of 201 or 204 for each. Failure: a single answer, for the
// operation that failed, and nothing was done. Anything else is a truncated answer, which tells nothing. etags, if not nil, gets the ETags from
// the answers.
func batchFailure(r *response, n int, etags []string) *failure {
	done, whole := 0, false
	if set, ok := changeSet(r); ok {
		for {
			var part []byte
			if part, whole, ok = set.next(); !ok {
				break
			}
			_, part, _ = bytes.Cut(part, []byte("\r\n\r\n")) // the headers of the part
			text, ok := bytes.CutPrefix(part, []byte("HTTP/1.1 "))
			if !ok || len(text) < 3 {
				break
			}
			status, err := strconv.Atoi(string(text[:3]))
			if err != nil {
				break
			}
			if status >= 400 && done == 0 {
				return failureOf(writing, innerAnswer(r, status, text))
			}
			if status != http.StatusCreated && status != http.StatusNoContent {
				break
			}
			if done < len(etags) {
				etags[done] = innerETag(text)
			}
			done++
		}
	}
	if whole && done == n {
		return nil
	}
	err := unsureError(engine.CodeUnreachable, "azure: the answer to a batch broke off, or is none", nil)
	err.RequestID = r.header.Get("x-ms-request-id")
	return &failure{err: err, status: r.status, unsure: true}
}

// innerETag gives the ETag in the answer to an operation; "" if it has none.
func innerETag(text []byte) string {
	head, _, _ := bytes.Cut(text, []byte("\r\n\r\n"))
	for line := range bytes.SplitSeq(head, []byte("\r\n")) {
		if name, value, _ := bytes.Cut(line, []byte(":")); bytes.EqualFold(name, []byte("ETag")) {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}

// multipart walks the parts of a multipart body (RFC 2046, section 5.1). Unlike mime/multipart, it copies no part.
type multipart struct {
	rest      []byte // after a delimiter
	delimiter []byte // CR LF "--" and the boundary
}

func newMultipart(contentType string, body []byte) (multipart, bool) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "multipart/mixed" || params["boundary"] == "" {
		return multipart{}, false
	}
	m := multipart{delimiter: []byte("\r\n--" + params["boundary"])}
	if rest, ok := bytes.CutPrefix(body, m.delimiter[2:]); ok {
		m.rest = rest
		return m, true
	}
	_, rest, ok := bytes.Cut(body, m.delimiter)
	m.rest = rest
	return m, ok
}

// next gives the next part with its headers. Without one, end says whether the body was complete.
func (m *multipart) next() (part []byte, end, ok bool) {
	if bytes.HasPrefix(m.rest, []byte("--")) {
		return nil, true, false
	}
	text, ok := bytes.CutPrefix(m.rest, []byte("\r\n"))
	if !ok {
		return nil, false, false
	}
	part, m.rest, ok = bytes.Cut(text, m.delimiter)
	return part, false, ok
}

// changeSet gives the parts of the one change set that the answer to a batch holds.
func changeSet(r *response) (multipart, bool) {
	outer, ok := newMultipart(r.header.Get("Content-Type"), r.body.Bytes())
	if !ok {
		return multipart{}, false
	}
	part, _, ok := outer.next()
	if _, end, _ := outer.next(); !ok || !end {
		return multipart{}, false
	}
	head, body, _ := bytes.Cut(part, []byte("\r\n\r\n"))
	for line := range bytes.SplitSeq(head, []byte("\r\n")) {
		name, text, _ := strings.Cut(string(line), ":")
		if strings.EqualFold(name, "Content-Type") {
			return newMultipart(strings.TrimSpace(text), body)
		}
	}
	return multipart{}, false
}

// innerAnswer reads the refusal of an operation.
func innerAnswer(r *response, status int, text []byte) answer {
	_, body, _ := bytes.Cut(text, []byte("\r\n\r\n"))
	if i := bytes.LastIndexByte(body, '}'); i >= 0 {
		body = body[:i+1]
	}
	return readAnswer(status, r.header, body)
}
