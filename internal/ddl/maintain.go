package ddl

import (
	"context"
	"fmt"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// maintain is CHECK TABLE and REPAIR TABLE, which check every index entry against its row, and every row of an interleaved table
// against its parent; OPTIMIZE TABLE, which gives a file's free space back; and ANALYZE TABLE, which collects the statistics that
// plans use.
func (x *definition) maintain(ctx context.Context, s *dialect.MaintainTable) (*Outcome, error) {
	out := &Outcome{}
	for _, name := range []string{"Table", "Op", "Msg_type", "Msg_text"} {
		out.Columns = append(out.Columns, planner.ResultColumn{Name: name, Type: value.Type{Base: value.TypeText}})
	}
	if err := x.sweep(ctx, s, out); err != nil {
		return nil, err
	}
	for _, name := range s.Tables {
		t, err := x.known(ctx, name)
		if err != nil {
			return nil, err
		}
		if t.Unwritable != nil && s.Verb == "REPAIR" {
			return nil, t.Unwritable
		}
		say := func(kind, text string) { x.say(out, t, s.Verb, kind, text) }
		if t.IsView() {
			err = x.maintainView(ctx, t, s.Verb, say)
		} else {
			err = x.maintainTable(ctx, t, s.Verb, say)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (x *definition) maintainTable(ctx context.Context, t *schema.Table, verb string, say func(kind, text string)) error {
	damaged, err := x.maintainStored(ctx, t, verb, say)
	if err != nil || damaged {
		return err
	}
	switch {
	case verb == "ANALYZE":
		err = x.analyze(ctx, t, say)
	case verb == "OPTIMIZE":
	case !t.IsExternal():
		var sound bool
		if sound, err = x.checkRows(ctx, t, verb == "REPAIR", say); !sound {
			return err
		}
	case verb == "CHECK":
		err = x.otherForms(ctx, t, say)
	}
	if err == nil {
		say("status", "OK")
	}
	return err
}

// checkRows says what is wrong with rows and index entries, or mends it. sound says that nothing is wrong any more.
func (x *definition) checkRows(ctx context.Context, t *schema.Table, mend bool, say func(kind, text string)) (sound bool, err error) {
	faults, err := x.faults(ctx, t)
	if err == nil {
		err = x.addDangling(ctx, t, &faults)
	}
	if err != nil {
		return false, err
	}
	var left []*fault
	for _, f := range faults {
		if mend && f.canBeMended() {
			done, err := x.mend(ctx, t, f)
			if err != nil {
				return false, err
			}
			retry.Progress(ctx)
			if done {
				say("warning", f.mended()+": "+f.text())
			}
			if f.canBeMended() {
				continue
			}
		}
		say("error", f.text())
		left = append(left, f)
	}
	if len(left) > 0 {
		say("error", summary(t, left))
	}
	return len(left) == 0, nil
}

// say adds a row to the result.
func (x *definition) say(out *Outcome, t *schema.Table, verb, kind, text string) {
	row := []value.Value{}
	for _, cell := range []string{x.Database + "." + t.Name, strings.ToLower(verb), kind, text} {
		row = append(row, value.FromString(cell))
	}
	out.Rows = append(out.Rows, row)
}

// maintainStored checks or mends how the store itself keeps a table, if the store has anything to check. damaged says that
// something is not as it was written: then looking further is useless.
func (x *definition) maintainStored(ctx context.Context, t *schema.Table, verb string, say func(kind, text string)) (damaged bool, err error) {
	store, ok := x.Runtime.Engine.(engine.Maintainer)
	if !ok {
		return false, nil
	}
	switch verb {
	case "OPTIMIZE":
		return false, store.Compact(ctx)
	case "ANALYZE":
		return false, nil
	}
	for _, part := range t.AllPartitions() {
		physical := part.Physical
		faults, err := store.Verify(ctx, physical)
		if err != nil {
			return false, err
		}
		if len(faults) == 0 {
			continue
		}
		if verb == "CHECK" {
			damaged = true
			sayFirst(faults, "error", "", say)
			continue
		}
		lost, err := store.Salvage(ctx, physical)
		if err != nil {
			return false, err
		}
		sayFirst(lost, "warning", "given up: ", say)
	}
	if damaged {
		say("error", "Corrupt")
	}
	return damaged, nil
}

// sayFirst reports the first of many things, and how many more there are.
func sayFirst(texts []string, kind, prefix string, say func(kind, text string)) {
	const most = 20
	for i, text := range texts {
		if i == most {
			say(kind, fmt.Sprintf("%s%d more", prefix, len(texts)-most))
			return
		}
		say(kind, prefix+text)
	}
}

// otherForms says how many entities of an external table have keys of another form, so that no query sees them. Every row is
// decoded: a row that does not have the columns' types is an error.
func (x *definition) otherForms(ctx context.Context, t *schema.Table, say func(kind, text string)) error {
	decoder := codec.NewCodec(t).Decoder(exec.Positions(0, len(t.Columns)), 0, nil)
	row := make([]value.Value, t.RowWidth())
	rows, others, example := 0, 0, ""
	err := x.eachStored(ctx, t, keymap.Span{}, nil, func(e *engine.Entity) error {
		err := decoder.DecodeRow(e, row)
		if err != codec.ErrOtherForm {
			rows++
			return err
		}
		if others++; others == 1 {
			example = fmt.Sprintf("partition %q, key %q", e.PartitionKey, e.RowKey)
		}
		return nil
	})
	if err == nil && others > 0 {
		say("note", fmt.Sprintf("%d entities are rows; %d have keys of another form and are no rows of this table, such as %s", rows, others, example))
	}
	return err
}
