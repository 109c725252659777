package azure

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// CreateTable makes a table. If an answer was lost, and the table exists on the next try, the first try is taken to have made it.
func (e *Engine) CreateTable(ctx context.Context, table string, m *engine.Meter) error {
	if err := e.refuse(ctx, true); err != nil {
		return err
	}
	if err := e.limits.CheckTable(table); err != nil {
		return err
	}
	rq := request{
		method: http.MethodPost, path: "/Tables", body: appendJSON([]byte(`{"TableName":`), table),
		kind: idempotent, expects: expectTable, meter: m,
	}
	rq.body = append(rq.body, '}')
	return asCode(e.do(ctx, &rq, nil), http.StatusConflict, engine.CodeExists)
}

// DeleteTable deletes a table. The service continues deleting for a while after it has answered; until then the name is not free, and
// CreateTable fails with CodeDeleting.
func (e *Engine) DeleteTable(ctx context.Context, table string, m *engine.Meter) error {
	if err := e.refuse(ctx, true); err != nil {
		return err
	}
	if err := e.limits.CheckTable(table); err != nil {
		return err
	}
	rq := request{method: http.MethodDelete, path: "/Tables('" + table + "')", kind: idempotent, expects: expectGone, meter: m}
	f := e.do(ctx, &rq, nil)
	err := asCode(f, http.StatusNotFound, engine.CodeNoTable)
	if x, ok := err.(*engine.Error); ok && x.Code == engine.CodeNoTable && f.retried {
		return nil // an earlier try, whose answer was lost, has deleted it
	}
	return err
}

// asCode gives the error of a request about a table, with code if the answer had that status.
func asCode(f *failure, status int, code engine.Code) error {
	if f == nil {
		return nil
	}
	if x, ok := f.err.(*engine.Error); ok && f.status == status && x.Code != engine.CodeDeleting && x.Code != engine.CodeUnreachable {
		x.Code, x.Op = code, -1
	}
	return f.err
}

// Tables lists tables.
func (e *Engine) Tables(ctx context.Context, prefix string, m *engine.Meter) ([]string, error) {
	var names []string
	next := ""
	var steps progress
	for {
		rq := request{method: http.MethodGet, path: "/Tables", query: tablesQuery(prefix, next), meter: m}
		f := e.do(ctx, &rq, func(r *response) *failure {
			var list struct {
				Value []struct{ TableName string }
			}
			if err := json.Unmarshal(r.body.Bytes(), &list); err != nil {
				return badBody(r, err)
			}
			for _, t := range list.Value {
				if len(t.TableName) >= len(prefix) && strings.EqualFold(t.TableName[:len(prefix)], prefix) {
					names = append(names, t.TableName)
				}
			}
			next = r.header.Get("x-ms-continuation-NextTableName")
			return nil
		})
		if f != nil {
			return nil, f.err
		}
		if next == "" {
			slices.Sort(names)
			return names, nil
		}
		if steps.repeats(token{row: next}) {
			return nil, corrupt(errNoAdvance)
		}
	}
}

// tableRunes are the characters of a table's name, in lower case.
const tableRunes = "abcdefghijklmnopqrstuvwxyz0123456789"

// tablesQuery asks for the names that begin with prefix, whatever their case. Whether the store compares
// names with or without case is not documented; from the prefix in upper case to the end of the prefix in
// lower case is a superset either way.
func tablesQuery(prefix, next string) string {
	var h hint
	if end, ok := above(strings.ToLower(prefix)); ok && strings.Trim(strings.ToLower(prefix), tableRunes) == "" {
		h.text = append(h.text, "&$filter="...)
		h.quoted("TableName", engine.Ge, strings.ToUpper(prefix))
		h.text = append(h.text, "+and+"...)
		h.quoted("TableName", engine.Lt, end)
	}
	if next != "" {
		h.text = appendEscaped(append(h.text, "&NextTableName="...), next)
	}
	return strings.TrimPrefix(string(h.text), "&")
}
