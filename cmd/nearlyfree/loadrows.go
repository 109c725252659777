package main

import (
	"context"
	"io"
	"time"
)

// loadRows loads records into a table.
func (l *loader) loadRows(ctx context.Context) error {
	to, err := l.prepare(ctx)
	if err != nil || to == nil {
		return err
	}
	if err := l.open(ctx, to.table); err != nil {
		return err
	}
	defer l.source.Close()
	if l.isDone() {
		return nil
	}
	in, err := l.records(l.source)
	if err != nil {
		return err
	}
	w := &rowWriter{loader: l, target: to, byName: in.names() == nil}
	if err := w.mapColumns(in.names()); err != nil {
		return err
	}
	if err := w.begin(ctx); err != nil {
		return err
	}
	defer w.rejects.close()
	l.task.begin(l.name, l.source.size, "byte")
	began, before, spent := time.Now(), l.place.written, l.db.connector.Stats()
	for n := int64(0); ; n++ {
		rec, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if n < l.place.done+int64(len(w.batch)) {
			continue // it is there
		}
		if err := w.add(ctx, rec); err != nil {
			return err
		}
		l.task.reached(l.source.read.Load())
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	if err := w.rejects.close(); err != nil {
		return err
	}
	l.task.endPart()
	took := time.Since(began)
	l.task.tell("%s: %s into %s in %s, %.0f a second; %s", l.name, plural(l.place.written, "row"), to.table, took.Round(time.Millisecond),
		float64(l.place.written-before)/took.Seconds(), l.db.spent(spent))
	if w.there > 0 {
		l.task.say("%s: %s already there, unchanged", l.name, plural(w.there, "row"))
	}
	if l.place.rejected > 0 {
		l.task.say("%s: %s refused; %s has them with the reason", l.name, plural(l.place.rejected, "row"), w.rejects.name)
		return errShown
	}
	return nil
}

// prepare gives the table, making it if it does not exist; nil if it is only to be shown.
func (l *loader) prepare(ctx context.Context) (*target, error) {
	table := l.tableName()
	to, err := l.db.target(ctx, table)
	if err != nil {
		return nil, err
	}
	if to != nil {
		if l.options.dryRun {
			l.task.say("table %s exists already", table)
			return nil, nil
		}
		return to, nil
	}
	source, err := openSource(l.name)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	in, err := l.records(source)
	if err != nil {
		return nil, err
	}
	create, n, err := guessTable(in, table, l.options.key, l.options.sample)
	if err != nil {
		return nil, err
	}
	l.task.say("%s;\n-- guessed from %s", create, plural(int64(n), "record"))
	if l.options.dryRun {
		return nil, nil
	}
	if err := l.db.exec(ctx, create); err != nil {
		return nil, err
	}
	return l.db.target(ctx, table)
}
