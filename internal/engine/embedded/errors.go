package embedded

import "github.com/nearlyfreedb/nearlyfree/internal/engine"

func errClosed() error { return engine.Errorf(engine.CodeClosed, "the store is closed") }

func errNoTable(table string) *engine.Error {
	return engine.Errorf(engine.CodeNoTable, "no table %q", table)
}

func errNoEntity(table, partitionKey, rowKey string) *engine.Error {
	return engine.Errorf(engine.CodeNotFound, "no entity %q, %q in table %q", partitionKey, rowKey, table)
}

// refusal checks an operation's condition against the current ETag ("" for no entity): nil if the operation may go ahead.
func refusal(c *engine.Commit, i int, exists bool, etag string) *engine.Error {
	op := &c.Ops[i]
	var err *engine.Error
	switch {
	case op.Kind == engine.Upsert:
		return nil
	case op.Kind == engine.Insert:
		if !exists {
			return nil
		}
		err = engine.Errorf(engine.CodeExists, "entity %q, %q is in table %q already", c.PartitionKey, op.Entity.RowKey, c.Table)
	case !exists:
		err = errNoEntity(c.Table, c.PartitionKey, op.Entity.RowKey)
	case op.IfMatch == "" || op.IfMatch == etag:
		return nil
	default:
		err = engine.Errorf(engine.CodeStale, "entity %q, %q of table %q has changed", c.PartitionKey, op.Entity.RowKey, c.Table)
	}
	err.Op = i
	return err
}

// atOp says that operation i is at fault.
func atOp(err error, i int) *engine.Error {
	e, ok := err.(*engine.Error)
	if !ok {
		e = &engine.Error{Message: err.Error(), Cause: err}
	}
	e.Op = i
	return e
}
