package session

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// evaluate computes an expression outside a query, as a SELECT of it.
func (s *Session) evaluate(ctx context.Context, e dialect.Expr, args []value.Value) (value.Value, error) {
	parsed := &dialect.Parsed{Statement: &dialect.Select{Exprs: []dialect.SelectExpr{{Expr: e}}}, Placeholders: len(args)}
	planned, err := s.planAnew(ctx, &Prepared{Parsed: parsed, in: s.in})
	if err != nil {
		return value.NullValue, err
	}
	if len(planned.plan.Tables) > 0 {
		if err := s.beginManually(ctx); err != nil {
			return value.NullValue, err
		}
		s.useNext(planned.plan)
	}
	m, first := &engine.Meter{}, !s.begun
	defer s.count(m, s.watched)
	x := s.execution(planned.plan, args, m)
	if !x.Pins || !planned.plan.Waits {
		return s.firstValue(ctx, &x)
	}
	taking := s.takes(first)
	for {
		v, err := s.firstValue(ctx, &x)
		if err == nil {
			return v, nil
		}
		if err := taking.again(ctx, err); err != nil {
			return value.NullValue, err
		}
	}
}

// firstValue runs a query, and gives the first value of its first row.
func (s *Session) firstValue(ctx context.Context, x *exec.Execution) (value.Value, error) {
	cur, err := s.runtime().Query(ctx, x)
	if err != nil {
		return value.NullValue, err
	}
	defer cur.Close()
	row, err := cur.Next(ctx)
	if err != nil {
		return value.NullValue, err
	}
	return row[0], nil
}

func isTrue(x value.Value) bool {
	truth, null := value.Truth(x)
	return truth && !null
}
