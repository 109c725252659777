package ddl

import (
	"context"
	"fmt"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// sweep removes what transactions have left in tables after their processes died (REPAIR), or counts it (CHECK … EXTENDED). One note
// covers all tables of the statement, and is listed with the first one.
func (x *definition) sweep(ctx context.Context, s *dialect.MaintainTable, out *Outcome) error {
	store, ok := x.Runtime.Engine.(engine.Sweeper)
	if !ok || s.Verb != "REPAIR" && (s.Verb != "CHECK" || !s.Extended) {
		return nil
	}
	var first *schema.Table
	var physical []string
	for _, name := range s.Tables {
		t, err := x.known(ctx, name)
		if err != nil {
			return err
		}
		if t.IsExternal() || t.IsView() {
			continue
		}
		if t.Unwritable != nil && s.Verb == "REPAIR" {
			return t.Unwritable
		}
		if first == nil {
			first = t
		}
		physical = append(physical, t.Physicals()...)
	}
	if first == nil {
		return nil
	}
	swept, err := store.Sweep(ctx, physical, s.Verb == "CHECK", x.meter)
	if err != nil || swept == (engine.Swept{}) {
		return err
	}
	text := "taken away"
	if s.Verb == "CHECK" {
		text = "REPAIR TABLE takes them away"
	}
	x.say(out, first, s.Verb, "note", fmt.Sprintf("transactions have left intents on %d entities, and %d records that nobody needs; no query sees them; %s", swept.Entities, swept.Records, text))
	return nil
}
