package azuretest

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// operation reads a write: its kind, its entity and its condition.
func operation(method string, header func(string) string, path target, body []byte) (engine.Op, error) {
	match := header("If-Match")
	op := engine.Op{Entity: engine.Entity{PartitionKey: path.pk, RowKey: path.rk}}
	if match != "*" {
		op.IfMatch = match
	}
	switch method {
	case http.MethodPost:
		op.Kind = engine.Insert
		if path.entity {
			return op, badRequest("POST of an entity's own address")
		}
	case http.MethodPut:
		op.Kind = engine.Upsert
		if match != "" {
			op.Kind = engine.Replace
		}
	case http.MethodPatch:
		op.Kind = engine.Merge
		if match == "" {
			return op, badRequest("InsertOrMerge is not played")
		}
	case http.MethodDelete:
		op.Kind = engine.Delete
		if match == "" || len(body) > 0 {
			return op, badRequest("DELETE needs If-Match, and no body")
		}
		return op, nil
	default:
		return op, badRequest("method %s", method)
	}
	if header("Content-Type") != "application/json" || header("Prefer") != "return-no-content" {
		return op, badRequest("Content-Type %q, Prefer %q", header("Content-Type"), header("Prefer"))
	}
	e, err := parseEntity(body)
	if err != nil {
		return op, err
	}
	if path.entity && (e.PartitionKey != path.pk || e.RowKey != path.rk) {
		return op, badRequest("the keys of the path and of the body differ")
	}
	op.Entity = e
	return op, nil
}

// parseEntity reads an entity's JSON.
func parseEntity(body []byte) (engine.Entity, error) {
	var e engine.Entity
	for _, c := range body {
		if c >= 0x80 {
			return e, badRequest("the body is not ASCII, which the emulator may corrupt")
		}
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var members map[string]any
	if err := d.Decode(&members); err != nil {
		return e, badRequest("body: %v", err)
	}
	names := make([]string, 0, len(members))
	for name := range members {
		if !strings.Contains(name, "@") && name != "PartitionKey" && name != "RowKey" {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	var ok1, ok2 bool
	e.PartitionKey, ok1 = members["PartitionKey"].(string)
	e.RowKey, ok2 = members["RowKey"].(string)
	if !ok1 || !ok2 {
		return e, badRequest("an entity without keys")
	}
	for _, name := range names {
		typ, _ := members[name+"@odata.type"].(string)
		v, err := parseValue(members[name], typ)
		if err != nil {
			return e, badRequest("property %s: %v", name, err)
		}
		e.Names = append(e.Names, name)
		e.Values = append(e.Values, v)
	}
	return e, nil
}

func parseValue(member any, typ string) (engine.Value, error) {
	text := fmt.Sprint(member)
	switch typ {
	case "":
		switch m := member.(type) {
		case string:
			return engine.Value{Type: engine.String, S: m}, nil
		case bool:
			v, _ := numberConstant(text)
			return v, nil
		case json.Number:
			n, err := strconv.ParseInt(text, 10, 32)
			return engine.Value{Type: engine.Int32, N: uint64(n)}, err
		}
	case "Edm.Int64":
		if m, ok := member.(string); ok {
			if v, ok := numberConstant(m + "L"); ok {
				return v, nil
			}
		}
	case "Edm.Double":
		x, err := strconv.ParseFloat(text, 64)
		if x == 0 {
			x = 0 // the store has no -0
		}
		return engine.Value{Type: engine.Double, N: math.Float64bits(x)}, err
	case "Edm.DateTime":
		t, err := time.Parse(time.RFC3339Nano, text)
		return engine.Value{Type: engine.DateTime, N: uint64(timeTicks(t))}, err
	case "Edm.Guid":
		if v, ok := guidConstant(text); ok {
			return v, nil
		}
	case "Edm.Binary":
		b, err := base64.StdEncoding.DecodeString(text)
		return engine.Value{Type: engine.Binary, S: string(b)}, err
	}
	return engine.Value{}, errors.New("not of type " + typ)
}

// batch answers an entity group transaction.
func (s *Service) batch(w http.ResponseWriter, r *http.Request) error {
	outer, err := parts(r.Header.Get("Content-Type"), r.Body)
	if err != nil || len(outer) != 1 {
		return badRequest("batch: %d change sets, %v", len(outer), err)
	}
	inner, err := parts(outer[0].header.Get("Content-Type"), bytes.NewReader(outer[0].body))
	if err != nil {
		return badRequest("change set: %v", err)
	}
	c := engine.Commit{}
	for _, p := range inner {
		table, op, err := innerOperation(cmp.Or(r.Host, r.URL.Host), p.body)
		if err != nil {
			return err
		}
		c.Table, c.PartitionKey = table, op.Entity.PartitionKey
		c.Ops = append(c.Ops, op)
	}
	c.ETags = make([]string, len(inner))
	err = s.store.Commit(r.Context(), c)
	answers := make([]string, len(inner))
	for i := range answers {
		etag := ""
		if !s.NoBatchETags && c.Ops[i].Kind != engine.Delete {
			etag = "ETag: " + c.ETags[i] + "\r\n"
		}
		answers[i] = "HTTP/1.1 204 No Content\r\nDataServiceVersion: 3.0;\r\n" + etag + "\r\n\r\n"
	}
	if err != nil {
		f := refusalOf(err)
		at := 0
		var e *engine.Error
		if errors.As(err, &e) && e.Op > 0 {
			at = e.Op
		}
		answers = []string{fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: application/json;odata=minimalmetadata;charset=utf-8\r\n\r\n%s\r\n",
			f.status, http.StatusText(f.status), errorBody(f, at))}
	}
	w.Header().Set("Content-Type", "multipart/mixed; boundary=batchresponse_1")
	w.WriteHeader(http.StatusAccepted)
	io.WriteString(w, "--batchresponse_1\r\nContent-Type: multipart/mixed; boundary=changesetresponse_1\r\n\r\n")
	for _, a := range answers {
		io.WriteString(w, "--changesetresponse_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"+a)
	}
	_, err = io.WriteString(w, "--changesetresponse_1--\r\n--batchresponse_1--\r\n")
	return err
}

type part struct {
	header textproto.MIMEHeader
	body   []byte
}

func parts(contentType string, body io.Reader) ([]part, error) {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil, err
	}
	var all []part
	for in := multipart.NewReader(body, params["boundary"]); ; {
		p, err := in.NextPart()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(p)
		if err != nil {
			return nil, err
		}
		all = append(all, part{p.Header, b})
	}
}

// innerOperation reads the request that a part of a change set is, to the host that the whole came to.
func innerOperation(host string, text []byte) (table string, op engine.Op, err error) {
	in := textproto.NewReader(bufio.NewReaderSize(bytes.NewReader(text), len(text)))
	line, err := in.ReadLine()
	if err != nil {
		return "", op, badRequest("operation: %v", err)
	}
	method, rest, _ := strings.Cut(line, " ")
	address, version, _ := strings.Cut(rest, " ")
	u, err := url.Parse(address)
	if err != nil || version != "HTTP/1.1" || u.Host != host {
		return "", op, badRequest("operation %q", line)
	}
	header, err := in.ReadMIMEHeader()
	if err != nil {
		return "", op, badRequest("operation's headers: %v", err)
	}
	body, err := io.ReadAll(in.R)
	if err != nil {
		return "", op, err
	}
	path, err := parsePath(strings.TrimPrefix(u.EscapedPath(), "/"))
	if err != nil {
		return "", op, err
	}
	op, err = operation(method, header.Get, path, bytes.TrimSpace(body))
	return path.table, op, err
}
