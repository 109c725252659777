package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// rowWriter writes records in batches.
type rowWriter struct {
	*loader
	target  *target
	byName  bool  // each record names its fields
	fields  []int // of each field of CSV its column, -1: none
	columns []int // that are written
	// transaction says that each batch is written in one transaction with the place. Otherwise the place is written after the batch, and a key
	// tells which rows exist: this is so on Azure, where a transaction over two tables takes twice the requests.
	transaction bool

	batch   []item
	there   int64 // rows that had been there
	bytes   int
	rejects *rejects // nil: no row may be refused
}

// item is a record and the arguments that the driver gets for it.
type item struct {
	record
	args []any
}

// byDefault is the argument of a column that a record does not mention.
type byDefault struct{}

const (
	batchRows  = 1000
	batchArgs  = 20000
	batchBytes = 1 << 20
)

// mapColumns finds the columns of the fields that a head lists.
func (w *rowWriter) mapColumns(names []string) error {
	if names == nil {
		for i, c := range w.target.columns {
			if !c.generated {
				w.columns = append(w.columns, i)
			}
		}
	}
	for _, name := range names {
		at := -1
		if !isPassedOver(name) {
			var err error
			if at, err = w.column(name); err != nil {
				return err
			}
			if slices.Contains(w.columns, at) {
				return errTwice(name)
			}
			w.columns = append(w.columns, at)
		}
		w.fields = append(w.fields, at)
	}
	if len(w.columns) == 0 {
		return errors.New("no field of it is a column of " + w.target.table)
	}
	w.transaction = w.db.atHome() || len(w.target.key) == 0
	for _, name := range w.target.key {
		if names != nil && !slices.Contains(w.columns, w.target.byName[strings.ToLower(name)]) {
			w.transaction = true
		}
	}
	return nil
}

// isPassedOver says whether a field of that name is ignored.
func isPassedOver(name string) bool { return name == noteLine || name == noteReason || name == "-" }

func errTwice(name string) error {
	return fmt.Errorf("the file has the column %q twice: --columns gives its fields other names, - passes over one", name)
}

func (w *rowWriter) column(name string) (int, error) {
	at, ok := w.target.byName[strings.ToLower(name)]
	if !ok {
		var names []string
		for _, c := range w.target.columns {
			names = append(names, c.name)
		}
		return 0, fmt.Errorf("the table %s has no column %q, it has %s: --columns says which columns the fields are, - passes over one", w.target.table, name, strings.Join(names, ", "))
	}
	if w.target.columns[at].generated {
		return 0, fmt.Errorf("the column %s is computed and cannot be loaded: --columns with - in its place passes over it", name)
	}
	return at, nil
}

// begin prepares the state kept for the load.
func (w *rowWriter) begin(ctx context.Context) (err error) {
	if err := w.db.beginPlace(ctx, w.place); err != nil {
		return err
	}
	as := rejectsForm{separator: w.separator, null: w.options.null}
	if w.kind == "tsv" {
		as = rejectsForm{separator: "\t", escaped: true}
	}
	w.rejects, err = openRejects(w.name+rejectsEnding, as, w.place.rejects)
	return err
}

// add takes a record into the batch.
func (w *rowWriter) add(ctx context.Context, rec record) error {
	w.part.addRecord(rec)
	it := item{record: rec}
	if it.err == nil {
		it.args, it.err = w.arguments(rec)
	}
	return w.take(ctx, it)
}

// take takes an item into the batch, and writes a full batch.
func (w *rowWriter) take(ctx context.Context, it item) error {
	w.batch = append(w.batch, it)
	w.bytes += len(it.text)
	for _, a := range it.args {
		switch a := a.(type) {
		case string:
			w.bytes += len(a)
		case []byte:
			w.bytes += len(a)
		}
	}
	if len(w.batch) >= min(batchRows, batchArgs/len(w.columns)+1) || w.bytes > batchBytes {
		return w.flush(ctx)
	}
	return nil
}

func (w *rowWriter) arguments(rec record) (args []any, err error) {
	args = make([]any, len(w.columns))
	if !w.byName {
		n := 0
		for i, f := range rec.fields {
			if w.fields[i] < 0 {
				continue
			}
			c := w.target.columns[w.fields[i]]
			if f.value == nil && c.notNull && c.isText() {
				f.value = ""
			}
			if args[n], err = c.argument(f.value); err != nil {
				return nil, err
			}
			n++
		}
		return args, nil
	}
	for i := range args {
		args[i] = byDefault{}
	}
	for _, f := range rec.fields {
		if f.name == noteLine || f.name == noteReason {
			continue
		}
		at, err := w.column(f.name)
		if err != nil {
			return nil, err
		}
		if args[slices.Index(w.columns, at)], err = w.target.columns[at].jsonArgument(f.value); err != nil {
			return nil, err
		}
	}
	return args, nil
}
