package azure_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
)

// forge answers every request in the service's place.
func forge(status int, contentType, body string, header ...string) transportFunc {
	return func(r *http.Request) (*http.Response, error) {
		h := http.Header{"Content-Type": {contentType}}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
	}
}

func forged(t *testing.T, transport transportFunc) *azure.Engine {
	o := optionsOf(nil)
	o.Transport, o.Retry.MaxTries = transport, 2
	return open(t, o)
}

var ids = []string{"x-ms-request-id", "1", "x-ms-version", "2019-02-02"}

// TestForgedWrites: no write is taken as done because something answered with 2xx.
func TestForgedWrites(t *testing.T) {
	const page = "<html>Sign in to use this network</html>"
	part := func(status string) string {
		return "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\n" +
			"HTTP/1.1 " + status + "\r\nETag: x\r\n\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n\r\n--c--\r\n--b--\r\n"
	}
	whole := part("204 No Content")
	mixed := "multipart/mixed; boundary=b"
	for name, transport := range map[string]transportFunc{
		"captive portal":                     forge(200, "text/html", page),
		"captive portal with our headers":    forge(200, "text/html", page, ids...),
		"empty":                              forge(200, "", ""),
		"status ok":                          forge(200, "application/json", `{"status":"ok"}`, ids...),
		"partial":                            forge(206, "text/plain", "x", ids...),
		"no content from nobody":             forge(204, "", ""),
		"no content without an ETag":         forge(204, "", "", ids...),
		"accepted":                           forge(202, "", "", ids...),
		"answers in a page":                  forge(202, "text/html", "HTTP/1.1 204 HTTP/1.1 204", ids...),
		"answers without structure":          forge(202, mixed, "HTTP/1.1 204 \r\nHTTP/1.1 204 ", ids...),
		"batch answer of nobody":             forge(202, mixed, whole),
		"batch answer broken off":            forge(202, mixed, whole[:len(whole)-8], ids...),
		"batch answer without its last part": forge(202, mixed, strings.Replace(whole, "HTTP/1.1 204 No Content\r\n\r\n\r\n--c--", "\r\n--c--", 1), ids...),
		"batch answer of 200":                forge(202, mixed, part("200 OK"), ids...),
		"batch answer of 302":                forge(202, mixed, part("302 Found"), ids...),
	} {
		t.Run(name, func(t *testing.T) {
			e := forged(t, transport)
			for _, list := range [][]engine.Op{ops(engine.Insert, "a"), ops(engine.Replace, "a"), ops(engine.Merge, "a"), ops(engine.Upsert, "a"), ops(engine.Delete, "a"), ops(engine.Insert, "a", "b")} {
				if len(list) == 1 && list[0].Kind == engine.Delete && name == "no content without an ETag" {
					continue // that is what the service answers
				}
				err := e.Commit(t.Context(), engine.Commit{Table: "things", PartitionKey: "p", Ops: list})
				r := &rig{T: t}
				r.is(err, engine.CodeUnreachable, engine.Unknown)
			}
			if strings.HasPrefix(name, "no content") && name != "no content from nobody" {
				return
			}
			if err := e.CreateTable(t.Context(), "things", nil); err == nil {
				t.Error("a table was made")
			}
			if err := e.DeleteTable(t.Context(), "things", nil); err == nil {
				t.Error("a table was deleted")
			}
		})
	}
	// The same, as the service answers it, is done.
	e := forged(t, forge(202, mixed, whole, ids...))
	if err := e.Commit(t.Context(), engine.Commit{Table: "things", PartitionKey: "p", Ops: ops(engine.Insert, "a", "b")}); err != nil {
		t.Error(err)
	}
	e = forged(t, forge(204, "", "", append(ids, "ETag", "x")...))
	if err := e.Commit(t.Context(), engine.Commit{Table: "things", PartitionKey: "p", Ops: ops(engine.Insert, "a")}); err != nil {
		t.Error(err)
	}
}

// TestForgedReads: what is no answer of the service, or one to another question, is no row and no "no such row".
func TestForgedReads(t *testing.T) {
	const entity = `{"PartitionKey":"p","RowKey":"a","N":"x"}`
	json := "application/json"
	for name, c := range map[string]struct {
		transport transportFunc
		code      engine.Code
	}{
		"portal":                {forge(200, "text/html", "<html></html>"), engine.CodeUnreachable},
		"portal of our headers": {forge(200, "text/html", "<html></html>", ids...), engine.CodeCorrupt},
		"empty object":          {forge(200, json, `{}`, ids...), engine.CodeCorrupt},
		"status ok":             {forge(200, json, `{"status":"ok"}`, ids...), engine.CodeCorrupt},
		"nobody's entity":       {forge(200, json, entity), engine.CodeUnreachable},
		"another entity":        {forge(200, json, strings.Replace(entity, `"a"`, `"b"`, 1), ids...), engine.CodeCorrupt},
		"another partition":     {forge(200, json, strings.Replace(entity, `"p"`, `"q"`, 1), ids...), engine.CodeCorrupt},
		"created":               {forge(201, json, entity, ids...), engine.CodeUnreachable},
		"404 of a proxy":        {forge(404, "text/html", "<html>Not Found</html>"), engine.CodeUnreachable},
		"404 without a code":    {forge(404, json, `{}`, ids...), engine.CodeOther},
		"412 of a proxy":        {forge(412, "text/plain", ""), engine.CodeUnreachable},
		"redirect":              {forge(302, "text/html", "", "Location", "https://elsewhere.example/"), engine.CodeUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			r := &rig{T: t, e: forged(t, c.transport)}
			r.is(r.get("a"), c.code, engine.NotApplied)
			_, err := r.scan()
			if err == nil {
				t.Error("the scan has ended without an error")
			}
			if _, err := r.e.Tables(t.Context(), "", nil); err == nil && name != "empty object" && name != "status ok" && !strings.HasPrefix(name, "another") {
				t.Error("tables were listed")
			}
		})
	}
}

// TestForgedPages: entities outside of the range, and answers that lead nowhere, end a scan with an error.
func TestForgedPages(t *testing.T) {
	list := func(keys ...string) string {
		var all []string
		for _, k := range keys {
			pk, rk, _ := strings.Cut(k, "/")
			all = append(all, fmt.Sprintf(`{"PartitionKey":%q,"RowKey":%q}`, pk, rk))
		}
		return `{"value":[` + strings.Join(all, ",") + `]}`
	}
	for body, want := range map[string]bool{
		list("p/b", "p/c"): true, list(): true, list("p/é"): true,
		list("p/b", "q/c"): false, list("p/a"): false, list("p/d"): false, list("p/b", "p/dd"): false, list("/b"): false,
	} {
		e := forged(t, forge(200, "application/json", body, ids...))
		c := e.Scan(t.Context(), engine.Scan{Table: "things", PartitionKey: "p", From: "b", To: "d"})
		if _, err := c.Next(t.Context()); (err == nil || err == io.EOF) != want {
			t.Errorf("%s: %v", body, err)
		}
		c.Close()
	}
	for circle := 1; circle <= 5; circle++ {
		n := 0
		e := forged(t, func(r *http.Request) (*http.Response, error) {
			n++
			return forge(200, "application/json", list(), append(ids, "x-ms-continuation-NextPartitionKey", fmt.Sprint(n%circle))...)(r)
		})
		c := e.Scan(t.Context(), engine.Scan{Table: "things", PartitionKey: "p"})
		_, err := c.Next(t.Context())
		r := &rig{T: t}
		r.is(err, engine.CodeCorrupt, engine.NotApplied)
		c.Close()
		if n > 4*circle+2 {
			t.Errorf("a circle of %d was found after %d requests", circle, n)
		}
	}
}

// endless is a body without end, which nobody but Close can stop.
type endless struct {
	block []byte
	read  *int64
	ended chan struct{}
}

func (b endless) Read(p []byte) (int, error) {
	select {
	case <-b.ended:
		return 0, errors.New("closed")
	default:
	}
	if b.block == nil {
		<-b.ended
		return 0, errors.New("closed")
	}
	n := copy(p, b.block)
	*b.read += int64(n)
	return n, nil
}

func (b endless) Close() error {
	select {
	case <-b.ended:
	default:
		close(b.ended)
	}
	return nil
}

// TestEndlessAnswers: of a body without end so much is read and no more, and a body that stands still ends in time.
func TestEndlessAnswers(t *testing.T) {
	for _, status := range []int{200, 404, 503} {
		var read int64
		e := forged(t, func(r *http.Request) (*http.Response, error) {
			answer, _ := forge(status, "application/json", "", ids...)(r)
			answer.ContentLength, answer.Body = -1, endless{bytes.Repeat([]byte(" "), 1<<16), &read, make(chan struct{})}
			return answer, nil
		})
		_, err := e.Get(t.Context(), engine.Get{Table: "things", PartitionKey: "p", RowKey: "a"})
		most := int64(2 * (16<<20 + 1<<16))
		if status != 200 {
			most = 2 * (64<<10 + 1<<16)
		}
		if err == nil || read > most {
			t.Errorf("%d: %d octets were read: %v", status, read, err)
		}
	}
	o := optionsOf(nil)
	o.Retry = azure.Retry{MaxTries: 3, FirstDelay: time.Microsecond, TryTimeout: 5 * time.Millisecond}
	o.Transport = transportFunc(func(r *http.Request) (*http.Response, error) {
		answer, _ := forge(200, "application/json", "", ids...)(r)
		answer.ContentLength, answer.Body = -1, endless{ended: make(chan struct{})}
		return answer, nil
	})
	r := &rig{T: t, e: open(t, o)}
	err := r.get("a")
	r.is(err, engine.CodeUnreachable, engine.NotApplied)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "3 times") {
		t.Errorf("the time-out of the tries is taken for the caller's: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := r.e.Get(ctx, engine.Get{Table: "things", PartitionKey: "p", RowKey: "a"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's deadline: %v", err)
	}
}

// TestRedirects: a redirect is not followed, whoever's client it is, and the signature stays here.
func TestRedirects(t *testing.T) {
	var elsewhere []string
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		elsewhere = append(elsewhere, r.Method+" "+r.Referer())
	}))
	defer thief.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, thief.URL, http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	e := open(t, azure.Options{Endpoint: server.URL, SAS: "sv=1&sig=c2VjcmV0c2VjcmV0", Transport: &http.Client{}, Retry: azure.Retry{MaxTries: 1}})
	r := &rig{T: t, e: e}
	r.is(r.get("a"), engine.CodeUnreachable, engine.NotApplied)
	r.is(r.commit(ops(engine.Insert, "a")), engine.CodeUnreachable, engine.NotApplied)
	if elsewhere != nil {
		t.Errorf("followed: %q", elsewhere)
	}
	// A transport of another kind that follows them is found out by the answer's request.
	o := optionsOf(nil)
	o.Transport = transportFunc(func(r *http.Request) (*http.Response, error) {
		moved := *r
		moved.URL = &url.URL{Scheme: "https", Host: "elsewhere.example"}
		answer, err := forge(200, "application/json", `{"PartitionKey":"p","RowKey":"a"}`, ids...)(r)
		answer.Request = &moved
		return answer, err
	})
	r.e = open(t, o)
	r.is(r.get("a"), engine.CodeUnreachable, engine.NotApplied)
}

// TestSecretsInAnswers: what others say of our requests is shown without their secrets, in whatever form.
func TestSecretsInAnswers(t *testing.T) {
	const signature = "a+b/cdefghijklmnopqrstuvwxyz0123456789ABCDE="
	forms := func(r *http.Request) []string {
		return []string{
			r.URL.String(), r.Header.Get("Authorization"), signature, url.QueryEscape(signature), url.PathEscape(signature),
			strings.ToLower(url.QueryEscape("+/")) + url.QueryEscape(signature), url.QueryEscape(url.QueryEscape(signature)),
			strings.ReplaceAll(strings.ReplaceAll(signature, "+", `\u002b`), "/", `\/`), strings.ReplaceAll(signature, "/", "&#47;"),
			strings.ReplaceAll(signature, "+", "&#43;"), strings.TrimSuffix(signature, "="),
		}
	}
	for _, credential := range []string{"sas", "key", "token"} {
		for i := range 11 {
			for how := range 4 {
				var log bytes.Buffer
				o := azure.Options{
					Endpoint: azuretest.Endpoint, Retry: azure.Retry{MaxTries: 1},
					Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
				}
				switch credential {
				case "sas":
					o.SAS = azure.Secret("sv=2019-02-02&sig=" + url.QueryEscape(signature))
				case "key":
					o.Account, o.Key = azuretest.Account, azuretest.Key
				case "token":
					o.Credential = tokens{}
				}
				var secret string
				o.Transport = transportFunc(func(r *http.Request) (*http.Response, error) {
					said := forms(r)[i]
					_, secret, _ = strings.Cut(r.Header.Get("Authorization"), ":")
					switch how {
					case 0:
						return forge(400, "application/xml", "<error><code>"+said+"</code><message>bad request "+said+" indeed</message></error>", ids...)(r)
					case 1:
						return forge(500, "application/json", `{"odata.error":{"code":"X","message":{"value":"`+strings.ReplaceAll(said, `\`, `\\`)+`"}}}`, "x-ms-request-id", said)(r)
					case 2:
						return nil, &url.Error{Op: "Get", URL: said, Err: errors.New("could not send " + said)}
					}
					return forge(200, "text/"+said, said, "x-ms-request-id", said)(r)
				})
				e := open(t, o)
				_, err := e.Get(t.Context(), engine.Get{Table: "things", PartitionKey: "p", RowKey: "a"})
				shown := fmt.Sprintf("%v %+v %#v %s", err, err, err, log.String())
				for _, s := range []string{"cdefghijklmnopqrstuvwxyz", secret, azuretest.Key} {
					if s != "" && strings.Contains(strings.ToLower(shown), strings.ToLower(s)) && (credential == "sas" || s != "cdefghijklmnopqrstuvwxyz") {
						t.Errorf("%s, form %d, way %d: %s is shown: %s", credential, i, how, s, shown)
					}
				}
				if strings.Contains(shown, "Bearer token") {
					t.Errorf("%s, form %d, way %d: %s", credential, i, how, shown)
				}
			}
		}
	}
}
