package azure

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Get reads one entity with one request.
func (e *Engine) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	if err := e.limits.CheckGet(&g); err != nil {
		return engine.Entity{}, err
	}
	path, ok := entityPath(g.Table, g.PartitionKey, g.RowKey)
	// Keys with a percent sign were once decoded twice by the service when they came in a path.
	if !ok || strings.Contains(g.PartitionKey, "%") || strings.Contains(g.RowKey, "%") {
		return e.getByFilter(ctx, &g)
	}
	rq := request{method: http.MethodGet, path: path, meter: g.Meter}
	if g.Select != nil {
		rq.query = strings.TrimPrefix(string(appendSelect(nil, g.Select)), "&")
	}
	var found engine.Entity
	f := e.do(ctx, &rq, func(r *response) *failure {
		if g.Clock != nil {
			if said, err := http.ParseTime(r.header.Get("Date")); err == nil {
				*g.Clock = said.Unix()*ticksPerSecond + ticksAtEpoch
			}
		}
		body := r.body.Bytes()
		d := newDecoder(g.Select, g.Select)
		d.texts.block = make([]byte, 0, min(len(body), blockBytes))
		if err := d.single(body, &found); err != nil {
			return badBody(r, err)
		}
		if found.PartitionKey != g.PartitionKey || found.RowKey != g.RowKey {
			return badBody(r, errOtherEntity)
		}
		return nil
	})
	if f != nil {
		return engine.Entity{}, f.err
	}
	if m := g.Meter; m != nil {
		m.Scanned.Add(1)
		m.Returned.Add(1)
	}
	return found, nil
}

// getByFilter reads one entity by a query for its keys, which the service treats like a point read.
func (e *Engine) getByFilter(ctx context.Context, g *engine.Get) (engine.Entity, error) {
	var span hint
	span.quoted("PartitionKey", engine.Eq, g.PartitionKey)
	span.text = append(span.text, "+and+"...)
	span.quoted("RowKey", engine.Eq, g.RowKey)
	c := e.newCursor(ctx, engine.Scan{Table: g.Table, PartitionKey: g.PartitionKey, Select: g.Select, Meter: g.Meter, Limit: 1}, span.text)
	defer c.Close()
	list, err := c.Next(ctx)
	switch {
	case err == io.EOF:
		return engine.Entity{}, engine.Errorf(engine.CodeNotFound, "azure: the entity does not exist")
	case err != nil:
		return engine.Entity{}, err
	case list[0].RowKey != g.RowKey:
		return engine.Entity{}, corrupt(errOtherEntity)
	}
	return list[0], nil
}

var errOtherEntity = errors.New("it is not the entity that was asked for")

// badBody is the failure of a read whose answer cannot be decoded. Usually the answer broke off on its way, so it is read again.
func badBody(r *response, err error) *failure {
	e := corrupt(err)
	e.RequestID = r.header.Get("x-ms-request-id")
	return &failure{again: true, status: r.status, err: e}
}

// corrupt is the error of an answer that cannot be the service's data.
func corrupt(cause error) *engine.Error {
	return &engine.Error{Code: engine.CodeCorrupt, Op: -1, Message: "azure: the answer cannot be read", Cause: cause}
}
