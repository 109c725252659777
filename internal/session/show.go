package session

import (
	"cmp"
	"context"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/show"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// show runs SHOW and DESCRIBE as a SELECT over a table made for it.
func (s *Session) show(ctx context.Context, p *Prepared, stmt *dialect.Show, args []value.Value) (Outcome, error) {
	of := cmp.Or(stmt.From, stmt.Table.Database, s.in.Name)
	if in, err := s.db.schema(ctx, of); err == nil {
		if _, err := in.Catalog.Latest(ctx); err != nil {
			return Outcome{}, err
		}
	}
	from := s.source(s.in, nil)
	table, err := show.Result(ctx, s.seen(from), stmt, s.given(stmt))
	if err != nil {
		return Outcome{}, err
	}
	query := &dialect.Select{Exprs: []dialect.SelectExpr{{Star: true}}, From: &dialect.TableName{Name: table.Name, Pos: -1}, Where: stmt.Where, Limit: stmt.Limit}
	parsed := *p.Parsed
	parsed.Statement = query
	plan, err := planner.Build(&parsed, oneTable{table}, planner.Options{Zoned: s.state.Zone != nil, Collation: s.state.Collation, Interrupted: ctx.Err})
	if err != nil {
		return Outcome{}, err
	}
	return s.runPlan(ctx, p, &plannedAt{plan: plan, header: newHeader(plan.Columns)}, args)
}

// given is what the session gives to a SHOW: variables, or conditions of the last statement.
func (s *Session) given(stmt *dialect.Show) [][]value.Value {
	all, failures := s.state.Diagnostics.Counts()
	switch stmt.What {
	case "variables":
		return s.showVariables()
	case "status":
		if stmt.Global {
			return s.db.status(nil)
		}
		return s.db.status(s.tally.Load())
	case "processlist":
		return show.Processes(s.db.processes(), stmt.Full)
	case "count warnings":
		return [][]value.Value{{value.FromInt(int64(all))}}
	case "count errors":
		return [][]value.Value{{value.FromInt(int64(failures))}}
	case "warnings", "errors":
		var rows [][]value.Value
		for _, k := range s.state.Diagnostics.Conditions() {
			if stmt.What == "warnings" || k.Level == expr.Failure {
				rows = append(rows, []value.Value{value.FromString(string(k.Level)), value.FromInt(int64(k.Code)), value.FromString(k.Message)})
			}
		}
		return rows
	}
	return nil
}

// oneTable is a schema of one table, whatever its name.
type oneTable struct{ table *schema.Table }

func (s oneTable) Table(_, _ string) (*schema.Table, error) { return s.table, nil }
