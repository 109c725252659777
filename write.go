package nearlyfree

import (
	"context"
	"errors"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
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
	out, err := c.writeTried(ctx, p, args)
	if err != nil && c.tx != nil {
		// Where a definition has changed since the transaction wrote by it, that is the reason, whatever came of it.
		var changed *dml.SchemaChangedError
		if current := c.checkCurrent(ctx, c.wrote); errors.As(current, &changed) {
			return outcome{}, changed
		}
	}
	return out, err
}

func (c *conn) writeTried(ctx context.Context, p *prepared, args []value.Value) (outcome, error) {
	var emptied []string // parts whose rows it has deleted
	for try := 1; ; try++ {
		c.session.Diagnostics.Begin()
		out, err := c.writeOnce(ctx, p, args, &emptied)
		var (
			need    *schema.NoPartError
			partial *dml.PartialError
		)
		switch {
		case err == nil:
			if c.tx == nil {
				c.makeAhead(ctx, c.reached)
				c.reached = nil
			}
			return out, nil
		case try == writeTries || errors.As(err, &partial):
			return out, partlyDeleted(emptied, err)
		case errors.As(err, &need) && (need.Grows || need.Opening):
			if err := c.makeParts(ctx, need); err != nil {
				return outcome{}, err
			}
		case isOutdated(err) || errors.Is(err, catalog.ErrConflict):
			c.connector.catalog.Forget()
		default:
			return out, partlyDeleted(emptied, err)
		}
	}
}

// writable refuses to write where only reading is allowed.
func (c *conn) writable() error {
	switch {
	case c.connector.config.ReadOnly:
		return &Error{Message: "the database was opened with readonly: nothing is written", class: ErrReadOnly}
	case c.readOnly:
		return statementError(CodeReadOnlyTransaction, "Cannot execute statement in a READ ONLY transaction.")
	}
	return nil
}

// writeOnce plans and runs the statement, while no change of definitions goes on that would not see it. A DELETE of whole
// parts deletes their tables first, and notes them as emptied; what it deletes by rows comes after that.
func (c *conn) writeOnce(ctx context.Context, p *prepared, args []value.Value, emptied *[]string) (outcome, error) {
	end := c.connector.catalog.BeginWrite()
	plan, err := c.plan(ctx, p)
	if err != nil {
		end()
		return outcome{}, err
	}
	if d, ok := plan.plan.Write.(*planner.Delete); ok && d.Whole != nil && c.tx == nil && len(*emptied) == 0 {
		whole, rest, err := d.Whole.Parts(&expr.Env{Args: args, Session: &c.session})
		if err == nil && len(whole) > 0 && rest {
			err = c.checkScans(plan.plan, p.parsed.Text)
		}
		if err != nil || len(whole) > 0 {
			end()
			if err == nil {
				*emptied, err = c.deleteParts(ctx, d.Table, whole)
			}
			if err != nil || !rest {
				return outcome{result: result{uncounted: true}}, err
			}
			return c.writeOnce(ctx, p, args, emptied)
		}
	}
	defer end()
	if len(*emptied) == 0 {
		return c.runPlan(ctx, p, plan, args)
	}
	byRows := *plan
	byRows.plan = plan.plan.ByRows(*emptied)
	out, err := c.runPlan(ctx, p, &byRows, args)
	c.session.RowCount, out.result.uncounted = -1, true
	return out, err
}

// partlyDeleted makes err say which parts the statement has deleted before.
func partlyDeleted(emptied []string, err error) error {
	if len(emptied) == 0 {
		return err
	}
	partial := &dml.PartialError{Cause: err}
	errors.As(err, &partial)
	partial.Parts = emptied
	return partial
}
