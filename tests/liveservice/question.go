package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// A question is one thing that the driver relies on.
type question struct {
	text string // what is so where the answer is yes
	ask  func(ctx context.Context, s *service) (answer, error)
	no   string // what a no means for the driver
}

// answer is yes or no, and how often it was seen.
type answer struct {
	yes    bool
	figure string
}

// count is the answer that is yes where something was so each time.
func count(so, of int, what string) answer {
	return answer{so == of && of > 0, fmt.Sprintf("%d of %d %s", so, of, what)}
}

// effort is how much is tried.
type effort struct {
	writes int           // of one entity
	pages  time.Duration // for how long pages are read
}

var usual = effort{writes: 1000, pages: 10 * time.Second}

// service is the one that is asked, with the table that is there for it.
type service struct {
	engine.Engine
	table string
	many  effort
}

var questions = []question{
	{
		text: "an answer to a batch has an ETag for each insert, merge and replace", ask: batchETags,
		no: "The driver reads each entity of a transaction over several partitions once more, to know its ETag. All stays right, for more requests.",
	},
	{
		text: "an ETag in an answer is the one that a read gives", ask: sameETags,
		no: "The driver would take its own writes for those of others: transactions over several partitions are left for others to finish. " +
			"Use transactions=group there.",
	},
	{
		text: "no two writes of an entity give it the same ETag", ask: distinctETags,
		no: "A write can pass whose condition is outdated: updates get lost, and a write whose answer was lost can be made twice. " +
			"Do not let several writers use such a store.",
	},
	{
		text: "an entity that is inserted after a delete has another ETag", ask: reinsertedETag,
		no: "A write can hit a row that was deleted and inserted again since it was read. Do not let several writers use such a store.",
	},
	{
		text: "a merge of nothing gives another ETag and keeps the entity", ask: mergeOfNothing,
		no: "A child row does not hold its parent, and a write whose answer was lost is not kept from coming late. " +
			"Do not use interleaved tables and foreign keys there.",
	},
	{
		text: "(a eq 1) or (nf_t gt '') gives what lacks either property", ask: orWithAbsent,
		no: "Queries lose rows: the driver sends such filters to see rows that a transaction is changing. Use transactions=group there.",
	},
	{
		text: "nf_t gt '' leaves out entities with an empty nf_t and without one", ask: absentPassesNothing,
		no: "Queries read more than they need. The answers stay right.",
	},
	{
		text: "a batch with an outdated ETag is refused, and nothing of it is applied", ask: staleBatch,
		no: "Updates get lost, and transactions are written by half. Do not use such a store.",
	},
	{
		text: "a batch of inserts that is sent twice is refused the second time", ask: doubledBatch,
		no: "Two rows can have one primary key, the later one in the place of the earlier, and a request that the network delivers twice is " +
			"applied twice. Do not use such a store.",
	},
	{
		text: "no page shows half of a batch", ask: wholePages,
		no: "A query can see half of a transaction: a row without one of its index entries, one side of a transfer. " +
			"Do not rely on what is read while others write.",
	},
	{
		text: "Timestamps and the Date of answers go by one clock", ask: oneClock,
		no: "The driver cannot tell whether a key was taken before its own INSERT, whose answer was lost: it may report a duplicate for a row " +
			"that it has inserted itself.",
	},
}

func entity(partition, row string) engine.Entity {
	return engine.Entity{PartitionKey: partition, RowKey: row}
}

// with gives the entity with one more property.
func with(e engine.Entity, name string, v engine.Value) engine.Entity {
	e.Names, e.Values = append(e.Names, name), append(e.Values, v)
	return e
}

func text(s string) engine.Value { return engine.Value{Type: engine.String, S: s} }

func number(n int) engine.Value { return engine.Value{Type: engine.Int32, N: uint64(n)} }

// insert makes the operations that insert entities.
func insert(entities ...engine.Entity) (ops []engine.Op) {
	for _, e := range entities {
		ops = append(ops, engine.Op{Kind: engine.Insert, Entity: e})
	}
	return ops
}

// write sends operations of one partition in one request, and gives the ETags that the answer has.
func (s *service) write(ctx context.Context, ops ...engine.Op) ([]string, error) {
	c := engine.Commit{Table: s.table, PartitionKey: ops[0].Entity.PartitionKey, Ops: ops, ETags: make([]string, len(ops))}
	err := s.Commit(ctx, c)
	return c.ETags, err
}

// read reads an entity whole.
func (s *service) read(ctx context.Context, partition, row string) (engine.Entity, error) {
	return s.Get(ctx, engine.Get{Table: s.table, PartitionKey: partition, RowKey: row})
}

// wasRefused says whether err is the refusal that was to be expected. Another error is no answer.
func wasRefused(err error, code engine.Code) (bool, error) {
	var refusal *engine.Error
	if err == nil || errors.As(err, &refusal) && refusal.Code == code {
		return err != nil, nil
	}
	return false, err
}
