package azure

import (
	"context"
	"net/http"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Commit sends one request: a plain one for a single operation, else a batch.
func (e *Engine) Commit(ctx context.Context, c engine.Commit) error {
	if err := e.refuse(ctx, true); err != nil {
		return err
	}
	if err := e.limits.CheckCommit(&c); err != nil {
		return err
	}
	if err := checkStorable(&c); err != nil {
		return err
	}
	rq, accept := e.plain(&c)
	if rq == nil {
		rq, accept = e.batch(&c)
	}
	rq.kind, rq.meter = writing, c.Meter
	if f := e.do(ctx, rq, accept); f != nil {
		return f.err
	}
	if c.Meter != nil {
		c.Meter.Written.Add(int64(len(c.Ops)))
	}
	return nil
}

// plain makes the request for a commit of one operation; nil if that is not possible: entities whose keys are too long for a path are written in
// a batch.
func (e *Engine) plain(c *engine.Commit) (*request, func(*response) *failure) {
	if len(c.Ops) != 1 {
		return nil, nil
	}
	op := &c.Ops[0]
	path, ok := "/"+c.Table, true
	if op.Kind != engine.Insert {
		path, ok = entityPath(c.Table, op.Entity.PartitionKey, op.Entity.RowKey)
	}
	if !ok {
		return nil, nil
	}
	rq := &request{method: methods[op.Kind], path: path, ifMatch: condition(op), expects: expectEtag, single: true}
	switch op.Kind {
	case engine.Insert:
		rq.expects = expectMade
	case engine.Delete:
		rq.expects = expectGone
	}
	if op.Kind != engine.Delete {
		rq.body = appendEntity(nil, &op.Entity)
	}
	if c.ETags == nil {
		return rq, nil
	}
	return rq, func(r *response) *failure {
		c.ETags[0] = r.header.Get("ETag")
		return nil
	}
}

// The methods of the operations. Replace and Upsert differ by If-Match, which makes the service require an existing entity.
// https://learn.microsoft.com/rest/api/storageservices/summary-of-table-service-functionality
var methods = [...]string{
	engine.Insert: http.MethodPost, engine.Replace: http.MethodPut, engine.Merge: http.MethodPatch,
	engine.Delete: http.MethodDelete, engine.Upsert: http.MethodPut,
}

func condition(op *engine.Op) string {
	switch op.Kind {
	case engine.Insert, engine.Upsert:
		return ""
	}
	if op.IfMatch == "" {
		return "*"
	}
	return op.IfMatch
}
