package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

var (
	isOne    = &engine.Filter{Op: engine.Eq, Property: "a", Value: number(1)}
	isMarked = &engine.Filter{Op: engine.Gt, Property: "nf_t", Value: text("")}
)

// The entities that filters are asked of, by what they have.
func filtered(partition string) []engine.Entity {
	return []engine.Entity{
		with(entity(partition, "a=1"), "a", number(1)),
		with(entity(partition, "a=2"), "a", number(2)),
		with(with(entity(partition, "a=1 empty"), "a", number(1)), "nf_t", text("")),
		with(with(entity(partition, "a=2 empty"), "a", number(2)), "nf_t", text("")),
		with(with(entity(partition, "a=1 marked"), "a", number(1)), "nf_t", text("x")),
		with(with(entity(partition, "a=2 marked"), "a", number(2)), "nf_t", text("x")),
		with(entity(partition, "empty"), "nf_t", text("")),
		with(entity(partition, "marked"), "nf_t", text("x")),
		entity(partition, "bare"),
	}
}

// rows gives the RowKeys of what a filter lets through.
func (s *service) rows(ctx context.Context, partition string, f *engine.Filter) (rows []string, err error) {
	err = engine.Each(ctx, s, engine.Scan{Table: s.table, PartitionKey: partition, Filter: f}, func(e *engine.Entity) error {
		rows = append(rows, e.RowKey)
		return nil
	})
	return rows, err
}

// orWithAbsent asks both ways round, as a store may look at the first part only.
func orWithAbsent(ctx context.Context, s *service) (answer, error) {
	if _, err := s.write(ctx, insert(filtered("or")...)...); err != nil {
		return answer{}, err
	}
	want := []string{"a=1", "a=1 empty", "a=1 marked", "a=2 marked", "marked"}
	so, of := 0, 0
	var missing []string
	for _, kids := range [][]*engine.Filter{{isOne, isMarked}, {isMarked, isOne}} {
		rows, err := s.rows(ctx, "or", &engine.Filter{Op: engine.Or, Kids: kids})
		if err != nil {
			return answer{}, err
		}
		for _, row := range want {
			if of++; slices.Contains(rows, row) {
				so++
			} else {
				missing = append(missing, row)
			}
		}
	}
	return list(count(so, of, "entities"), "missing", missing), nil
}

func absentPassesNothing(ctx context.Context, s *service) (answer, error) {
	if _, err := s.write(ctx, insert(filtered("absent")...)...); err != nil {
		return answer{}, err
	}
	rows, err := s.rows(ctx, "absent", isMarked)
	marked := func(row string) bool { return strings.HasSuffix(row, "marked") }
	of := 0
	for _, e := range filtered("absent") {
		if !marked(e.RowKey) {
			of++
		}
	}
	passed := slices.DeleteFunc(rows, marked)
	return list(count(of-len(passed), of, "entities"), "given", passed), err
}

// list says which entities make an answer a no.
func list(a answer, what string, rows []string) answer {
	if len(rows) > 0 {
		a.figure += fmt.Sprintf(", %s %q", what, rows)
	}
	return a
}
