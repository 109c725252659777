package nearlyfree

import (
	"context"
	"errors"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// writeTries is how often a statement is planned anew because the definition that it was planned against was
// changed before it wrote anything.
const writeTries = 5

// write runs a statement that writes. Rows of a table whose parts are made as rows arrive get theirs here.
func (c *conn) write(ctx context.Context, p *prepared, args []value.Value) (outcome, error) {
	if err := c.writable(); err != nil {
		return outcome{}, err
	}
	for try := 1; ; try++ {
		out, err := c.writeOnce(ctx, p, args)
		var (
			need    *planner.NoPartError
			partial *exec.PartialError
		)
		switch {
		case err == nil:
			if c.tx == nil {
				c.makeAhead(ctx, c.reached)
				c.reached = nil
			}
			return out, nil
		case try == writeTries || errors.As(err, &partial):
			return out, err
		case errors.As(err, &need) && (need.Grows || need.Opening):
			if err := c.makeParts(ctx, need); err != nil {
				return outcome{}, err
			}
		case isOutdated(err):
			c.connector.catalog.Forget()
		default:
			return out, err
		}
	}
}

// writable refuses to write where only reading is allowed.
func (c *conn) writable() error {
	switch {
	case c.connector.config.ReadOnly:
		return &Error{Message: "the database was opened with readonly: nothing is written", class: ErrReadOnly}
	case c.readOnly:
		return &Error{Number: 1792, State: "25006", Message: "Cannot execute statement in a READ ONLY transaction.", class: ErrReadOnly}
	}
	return nil
}

// writeOnce plans and runs the statement, while no change of definitions goes on that would not see it.
func (c *conn) writeOnce(ctx context.Context, p *prepared, args []value.Value) (outcome, error) {
	end := c.connector.catalog.BeginWrite()
	plan, err := c.plan(ctx, p)
	if err != nil {
		end()
		return outcome{}, err
	}
	if d, ok := plan.plan.Write.(*planner.Delete); ok && d.Whole != nil && c.tx == nil {
		parts, err := d.Whole.Parts(&expr.Env{Args: args, Session: &c.session})
		if err != nil || len(parts) > 0 {
			end()
			if err == nil {
				err = c.deleteParts(ctx, d.Table, parts)
			}
			return outcome{result: result{uncounted: true}}, err
		}
	}
	defer end()
	return c.runPlan(ctx, p, plan, args)
}

// makeParts makes the parts that rows need.
func (c *conn) makeParts(ctx context.Context, need *planner.NoPartError) error {
	return c.definer().MakeParts(ctx, need, &c.session, &c.connector.upkeep)
}

// reached is the newest part of a table whose parts are made as rows arrive, where rows were written to it.
type reached struct {
	table *planner.Table
	part  *planner.Part
}

// makeAhead makes the part behind the one that was reached, or opens it when it is time. What was written stands
// whatever comes of it, and the next row tries again.
func (c *conn) makeAhead(ctx context.Context, r *reached) {
	k := c.connector
	if r == nil || ctx.Err() != nil || !k.growing.TryLock() {
		return
	}
	defer k.growing.Unlock()
	err := c.definer().MakeAhead(ctx, r.table, r.part, &c.session, &k.upkeep)
	if err != nil && !errors.Is(err, catalog.ErrConflict) && ctx.Err() == nil {
		k.logger.Warn("the part for later rows was not made", "table", r.table.Name, "reason", err.Error())
	}
}

// deleteParts deletes the rows of whole parts with their tables.
func (c *conn) deleteParts(ctx context.Context, t *planner.Table, parts []*planner.Part) error {
	m := &engine.Meter{}
	defer c.connector.add(m)
	c.session.RowCount = -1
	return c.definer().DeleteParts(ctx, t, parts, &c.session, m)
}
