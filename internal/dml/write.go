// Package dml writes rows: INSERT, UPDATE and DELETE gather what they change, then send each row with all its index entries in
// one entity group transaction, conditional on the ETag that was read.
//
//	result, err := dml.Write(ctx, rt, &exec.Execution{Plan: plan, Session: session, Store: store, Meter: meter})
package dml

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// PartialError says that Cause ended a statement outside a transaction after some of its rows were
// written. A row is written with all its index entries or not at all.
type PartialError struct {
	Partitions []string // partitions all of whose rows are deleted
	Done       int      // other rows that were written
	Total      int      // other rows that the statement changes, as far as it got
	Which      string   // the written ones, by their numbers in the statement from 1: "rows 1-49, 99"
	Cause      error
}

func (e *PartialError) Error() string { return e.Stands() + ": " + e.Cause.Error() }

// Stands says what was written and what was not.
func (e *PartialError) Stands() string {
	unsure := engine.IsUnsure(e.Cause)
	text := ""
	if len(e.Partitions) > 0 {
		text = "the rows of partitions " + strings.Join(e.Partitions, ", ") + " were deleted; "
		switch {
		case e.Done > 0:
		case unsure:
			return text + "others may have been"
		default:
			return text + "no others were"
		}
	}
	others := "the others were not"
	if unsure {
		others = "some of the others may have been"
	}
	return text + fmt.Sprintf("%d of %d rows were written (%s); %s", e.Done, e.Total, e.Which, others)
}

// Unwrap gives the cause.
func (e *PartialError) Unwrap() error { return e.Cause }

// SchemaChangedError says that a table's definition was changed between planning and writing; nothing was written.
type SchemaChangedError struct{ Table string }

func (e *SchemaChangedError) Error() string {
	return fmt.Sprintf("the definition of table %s was changed meanwhile; run the statement or transaction again", e.Table)
}

// checkCurrent makes sure that t is still the table's definition: while a statement reads and computes, another
// process may change it.
func checkCurrent(ctx context.Context, rt *exec.Runtime, t *schema.Table) error {
	if rt.Definitions == nil || t.IsUndeclared() {
		return nil
	}
	ok, err := rt.Definitions.Current(ctx, t)
	if err == nil && !ok {
		err = &SchemaChangedError{Table: t.Name}
	}
	return err
}

// writeNode is a compiled write of a plan.
type writeNode interface {
	// gather computes what to change.
	gather(ctx context.Context, w *Writer) error
	// again says whether the statement may be run again, for the remaining rows, after some of its rows were written.
	again() bool
	// keys gives the tables that foreign keys tie to the written one, and whether rows refused by the keys are left out.
	keys() (all *relations, ignore bool)
}

// writeProgramOf gives the compiled form of p.
func writeProgramOf(p *planner.Plan) (*writeProgram, error) {
	if made, ok := p.Compiled.Load().(*writeProgram); ok {
		return made, nil
	}
	var n writeNode
	var err error
	switch w := p.Write.(type) {
	case *planner.Insert:
		n, err = compileInsert(w)
	case *planner.Update:
		n, err = compileUpdate(p, w)
	case *planner.Delete:
		n, err = compileDelete(p, w)
	default:
		err = fmt.Errorf("no operator for write %T", w)
	}
	if err != nil {
		return nil, err
	}
	program := &writeProgram{node: n}
	for _, t := range planner.Written(p.Write) {
		program.tables = append(program.tables, t.Physical)
	}
	slices.Sort(program.tables)
	program.tables = slices.Compact(program.tables)
	p.Compiled.Store(program)
	return program, nil
}

// writeProgram is what Plan.Compiled holds for a write.
type writeProgram struct {
	node   writeNode
	tables []string // the physical ones that are written, sorted, each once
}

// Write runs a plan that writes. In a transaction (Execution.Tx) the rows are changed
// there, all or none. Otherwise they are sent in as few entity group transactions as possible, whole rows each;
// if one fails after others were committed, the error is a *PartialError.
func Write(ctx context.Context, rt *exec.Runtime, x *exec.Execution) (exec.Result, error) {
	program, err := writeProgramOf(x.Plan)
	if err != nil {
		return exec.Result{}, err
	}
	node := program.node
	var all exec.Result
	sofar := &Written{}
	turn := turns{lines: rt.Lines, tables: program.tables}
	if x.Tx != nil {
		turn.lines = nil // Commit waits
	}
	defer turn.End()
	if err := turn.join(ctx); err != nil {
		return all, err
	}
	tries := retry.Begin(ctx, retry.Race)
	for {
		ctx := tries.Context
		w := NewWriter(ctx, rt, x, sofar)
		if tries.Try > 1 || len(sofar.refused) > 0 {
			x.Session.Diagnostics.Begin() // another try has conditions of its own
		}
		err := w.try(ctx, node, &turn)
		w.End() // another try holds its own memory
		switch err {
		case nil:
			w.tally(&all)
			return all, nil
		case errRefused:
			continue
		}
		if w.stands() {
			w.tally(&all)
			w.remember()
		}
		if !IsRace(err) || len(sofar.numbers) > 0 && !node.again() {
			return all, w.partial(err)
		}
		sofar.refused = nil // others have changed what refused them
		if x.Tx != nil && tries.Try >= retry.BelieveDuplicates {
			if err := isLost(x.Tx.Overtaken(ctx, x.Meter)); err != nil {
				return all, w.partial(err)
			}
		}
		if waited, failed := turn.alone(ctx); failed != nil {
			return all, w.partial(failed)
		} else if waited {
			continue
		}
		if err := AgainAfterRace(&tries, err); err != nil {
			return all, w.partial(err)
		}
	}
}

// try gathers what a statement writes, and writes it.
func (w *Writer) try(ctx context.Context, node writeNode, turn *turns) error {
	if err := node.gather(ctx, w); err != nil {
		return err
	}
	all, ignore := node.keys()
	if err := w.keepKeys(ctx, all, ignore); err != nil {
		return err
	}
	if err := turn.join(ctx); err != nil {
		return err
	}
	w.LetGo()
	return w.Flush(ctx)
}

// AgainAfterRace pauses before another try after meeting another writer. If a row was changed, the other writer has moved on. A
// missing row may be missing for good, like a lost index entry.
func AgainAfterRace(tries *retry.Loop, race error) error {
	if engine.Is(race, engine.CodeStale) {
		return tries.Overtaken(race)
	}
	return tries.Again(race)
}

// turns is how a statement waits until other writers of its tables are done: in the order of the tables' names, so that statements
// never wait for each other in a cycle.
type turns struct {
	lines  *exec.Lines // nil: the statement does not wait
	tables []string    // sorted
	of     []exec.Turn // by table; nil as long as there was none
}

func (t *turns) join(ctx context.Context) error {
	if !t.lines.AreBusy() || t.isAlone() {
		return nil
	}
	if len(t.of) > 1 {
		t.End() // it may hold the turn of a later table, and must not wait while holding that
	}
	return t.each(ctx, t.lines.Join)
}

// each calls wait to get the turn of each table.
func (t *turns) each(ctx context.Context, wait func(ctx context.Context, table string, t *exec.Turn) error) error {
	if t.of == nil {
		t.of = make([]exec.Turn, len(t.tables))
	}
	for i := range t.of {
		if err := wait(ctx, t.tables[i], &t.of[i]); err != nil {
			return err
		}
	}
	return nil
}

// alone waits until there are no other writers, unless that is so already.
func (t *turns) alone(ctx context.Context) (waited bool, err error) {
	if t.lines == nil || t.isAlone() {
		return false, nil
	}
	t.End()
	return true, t.each(ctx, t.lines.Alone)
}

func (t *turns) isAlone() bool { return len(t.of) > 0 && t.of[0].IsAlone() }

// End lets the next writers go on.
func (t *turns) End() {
	for i := range t.of {
		t.of[i].End()
	}
}

// isLost turns a race into the end of a transaction that can no longer be committed: its statement would meet the same rows at each try.
func isLost(overtaken error) error {
	if !IsRace(overtaken) {
		return nil
	}
	var e *engine.Error
	errors.As(overtaken, &e)
	lost := *e
	lost.Final = true
	return &lost
}

// IsRace says whether err means that another writer has changed a row since it was read, and that nothing was written of the
// transaction that found this: it may be tried again.
func IsRace(err error) bool {
	var e *engine.Error
	return errors.As(err, &e) && e.Applied == engine.NotApplied && !e.Final && (e.Code == engine.CodeStale || e.Code == engine.CodeNotFound)
}
