package azuretest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Service is the table service of one account. It is an http.Handler.
type Service struct {
	// PageEntities bounds the entities of a page; 0: 1000, as the service does.
	PageEntities int
	// EmptyPages makes each query begin with an empty page and a continuation token, and puts another such page at each boundary between
	// partitions.
	EmptyPages bool
	// NoBatchETags leaves the ETags out of the answers to batches, since the service does not promise them.
	NoBatchETags bool

	store    engine.Engine
	requests atomic.Int64
}

// Endpoint, Account and Key open the service. It also accepts any shared access signature.
const (
	Endpoint = "https://" + host
	Account  = "fakeaccount"
	Key      = "ZmFrZSBrZXkgb2YgdGhlIHRlc3Qgc2VydmljZQ=="

	host = "fakeaccount.table.core.windows.net"
)

// NewService makes a service that keeps its tables in store, which must report the ETags of its writes.
func NewService(store engine.Engine) *Service { return &Service{store: store} }

// refusal is an answer of the service that reports a failure.
type refusal struct {
	status        int
	code, message string
}

func (r *refusal) Error() string { return r.code + ": " + r.message }

func badRequest(format string, args ...any) error {
	return &refusal{http.StatusBadRequest, "InvalidInput", fmt.Sprintf(format, args...)}
}

// refusalOf gives the service's words for an engine's error.
func refusalOf(err error) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	var e *engine.Error
	if !errors.As(err, &e) {
		return &refusal{http.StatusInternalServerError, "InternalError", err.Error()}
	}
	switch e.Code {
	case engine.CodeNotFound:
		return &refusal{http.StatusNotFound, "ResourceNotFound", "The specified resource does not exist."}
	case engine.CodeNoTable:
		return &refusal{http.StatusNotFound, "TableNotFound", "The table specified does not exist."}
	case engine.CodeExists:
		return &refusal{http.StatusConflict, "EntityAlreadyExists", "The specified entity already exists."}
	case engine.CodeStale:
		return &refusal{http.StatusPreconditionFailed, "UpdateConditionNotSatisfied", "The update condition specified in the request was not satisfied."}
	case engine.CodeTooLarge:
		return &refusal{http.StatusBadRequest, "EntityTooLarge", e.Message}
	case engine.CodeBadInput:
		return &refusal{http.StatusBadRequest, "InvalidInput", e.Message}
	}
	return &refusal{http.StatusInternalServerError, "InternalError", e.Message}
}

// ServeHTTP answers a request as the service does.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("x-ms-request-id", fmt.Sprintf("fake-%d", s.requests.Add(1)))
	w.Header().Set("x-ms-version", "2019-02-02")
	w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	w.Header().Set("Content-Type", "application/json;odata=minimalmetadata")
	if err := s.serve(w, r); err != nil {
		f := refusalOf(err)
		w.WriteHeader(f.status)
		w.Write(errorBody(f, -1))
	}
}

// errorBody words a refusal; op is the index of an operation in a batch, or -1.
func errorBody(f *refusal, op int) []byte {
	text := f.message + "\nRequestId:fake\nTime:2024-01-01T00:00:00.0000000Z"
	if op >= 0 {
		text = strconv.Itoa(op) + ":" + text
	}
	body, _ := json.Marshal(map[string]any{"odata.error": map[string]any{
		"code": f.code, "message": map[string]string{"lang": "en-US", "value": text},
	}})
	return body
}

func (s *Service) serve(w http.ResponseWriter, r *http.Request) error {
	if err := authorize(r); err != nil {
		return err
	}
	for name, want := range map[string]string{"DataServiceVersion": "3.0", "Accept": "application/json;odata=minimalmetadata"} {
		if r.Header.Get(name) != want {
			return badRequest("header %s is %q", name, r.Header.Get(name))
		}
	}
	raw := strings.TrimPrefix(r.URL.EscapedPath(), "/")
	if raw == "$batch" {
		return s.batch(w, r)
	}
	if len(raw) > 260 {
		return &refusal{http.StatusBadRequest, "Bad Request", "Invalid URL"}
	}
	path, err := parsePath(raw)
	if err != nil {
		return err
	}
	if path.table == "Tables" {
		return s.tables(w, r, path)
	}
	if r.Method == http.MethodGet {
		if path.entity {
			return s.point(w, r, path)
		}
		return s.query(w, r, path.table)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	op, err := operation(r.Method, r.Header.Get, path, body)
	if err != nil {
		return err
	}
	c := engine.Commit{Table: path.table, PartitionKey: op.Entity.PartitionKey, Ops: []engine.Op{op}, ETags: make([]string, 1)}
	if err := s.store.Commit(r.Context(), c); err != nil {
		return err
	}
	if op.Kind != engine.Delete {
		w.Header().Set("ETag", c.ETags[0])
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// authorize checks a SharedKeyLite signature, which covers the date and the path as it is sent.
// https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
func authorize(r *http.Request) error {
	if r.URL.Query().Get("sig") != "" {
		return nil
	}
	key, err := base64.StdEncoding.DecodeString(Key)
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s\n/%s%s", r.Header.Get("x-ms-date"), Account, r.URL.EscapedPath())
	want := "SharedKeyLite " + Account + ":" + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	if got := r.Header.Get("Authorization"); got != want {
		return &refusal{http.StatusForbidden, "AuthenticationFailed", "Server failed to authenticate the request."}
	}
	return nil
}

// target is what a path names: a table, or an entity of it.
type target struct {
	table  string
	entity bool
	pk, rk string
	name   string // Tables('name')
}

// parsePath reads table, table(), table(PartitionKey='…',RowKey='…') and Tables('…').
func parsePath(raw string) (target, error) {
	text, err := url.PathUnescape(raw)
	if err != nil {
		return target{}, badRequest("path: %v", err)
	}
	table, rest, ok := strings.Cut(text, "(")
	t := target{table: table}
	if !ok || rest == ")" {
		return t, nil
	}
	if !strings.HasSuffix(rest, ")") {
		return target{}, badRequest("path %q", text)
	}
	in := &literals{text: strings.TrimSuffix(rest, ")")}
	if table == "Tables" {
		t.name, ok = in.quoted()
	} else {
		t.entity = true
		ok = in.word("PartitionKey=")
		if ok {
			t.pk, ok = in.quoted()
		}
		if ok = ok && in.word(",RowKey="); ok {
			t.rk, ok = in.quoted()
		}
	}
	if !ok || in.text != "" {
		return target{}, badRequest("path %q", text)
	}
	return t, nil
}

// tables makes, deletes and lists tables.
func (s *Service) tables(w http.ResponseWriter, r *http.Request, path target) error {
	switch r.Method {
	case http.MethodPost:
		var in struct{ TableName string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			return badRequest("table: %v", err)
		}
		if err := s.store.CreateTable(r.Context(), in.TableName, nil); err != nil {
			f := refusalOf(err)
			if f.code == "EntityAlreadyExists" {
				f.code = "TableAlreadyExists"
			}
			return f
		}
	case http.MethodDelete:
		if err := s.store.DeleteTable(r.Context(), path.name, nil); err != nil {
			f := refusalOf(err)
			if f.code == "TableNotFound" {
				f.code = "ResourceNotFound" // that is the service's code
			}
			return f
		}
	case http.MethodGet:
		return s.list(w, r)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Service) list(w http.ResponseWriter, r *http.Request) error {
	filter, err := parseFilter(r.URL.Query().Get("$filter"))
	if err != nil {
		return err
	}
	names, err := s.store.Tables(r.Context(), "", nil)
	if err != nil {
		return err
	}
	type row struct{ TableName string }
	rows := []row{}
	next := ""
	for _, name := range names {
		if name < r.URL.Query().Get("NextTableName") {
			continue
		}
		e := engine.Entity{Names: []string{"TableName"}, Values: []engine.Value{{Type: engine.String, S: name}}}
		if !filter.Match(&e) {
			continue
		}
		if len(rows) == s.pageSize(r) {
			next = name
			break
		}
		rows = append(rows, row{name})
	}
	if next != "" {
		w.Header().Set("x-ms-continuation-NextTableName", next)
	}
	return json.NewEncoder(w).Encode(map[string]any{"odata.metadata": "x", "value": rows})
}

func (s *Service) pageSize(r *http.Request) int {
	n := s.PageEntities
	if n == 0 {
		n = 1000
	}
	if top, err := strconv.Atoi(r.URL.Query().Get("$top")); err == nil {
		n = min(n, top)
	}
	return n
}
