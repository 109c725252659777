package session

import (
	"context"
	"errors"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// PrepareOnce reads a statement that has no arguments and is run once. Programs that write values into their texts send a different
// text each time: if literals make no difference to the plan, the plan of the text's shape serves all of them.
func (s *Session) PrepareOnce(ctx context.Context, query string) (*Prepared, error) {
	if p := s.db.cache.get(cacheKey{s.in, query}); p != nil {
		return p, nil
	}
	if p, err := s.shaped(ctx, query); p != nil || err != nil {
		return p, err
	}
	return s.Prepare(query)
}

// shaped gives the statement by the plan of its shape; nil if it needs its own plan. An error comes from the store: what is wrong
// with the statement is reported for its own text.
func (s *Session) shaped(ctx context.Context, query string) (*Prepared, error) {
	text, literals, ok := dialect.Shape(query, s.options())
	if !ok {
		return nil, nil
	}
	shape, err := s.parse(text)
	if err != nil {
		return nil, nil
	}
	planned, err := s.plan(ctx, shape)
	var stored *engine.Error
	switch {
	case errors.As(err, &stored):
		s.failedBefore(ctx, query, shape.Parsed.Statement, stored)
		return nil, stored
	case err != nil:
		return nil, ctx.Err()
	}
	values, kinds := make([]value.Value, len(literals)), make([]value.Kind, len(literals))
	for i, l := range literals {
		if values[i], err = planner.LiteralValue(l); err != nil {
			return nil, nil
		}
		kinds[i] = values[i].Kind()
	}
	if !planned.plan.Takes(kinds) {
		return nil, nil
	}
	parsed := *shape.Parsed
	parsed.Text, parsed.Placeholders = query, 0
	return &Prepared{Parsed: &parsed, in: s.in, shape: shape, literals: values}, nil
}
