package nearlyfree_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestRepairSweeps: CHECK TABLE … EXTENDED tells what transactions of dead processes have left, and REPAIR TABLE takes it away.
func TestRepairSweeps(t *testing.T) {
	for _, n := range []int64{4, 8, 12, 16, 1 << 40} { // the write before which the process dies
		synctest.Test(t, func(t *testing.T) {
			a := openAccountBy(t, nearlyfree.Config{SchemaLease: time.Millisecond})
			defer a.db.Close()
			for _, s := range slices.Concat(leftTables, leftRows()) {
				a.exec(t, s)
			}
			died := a.leave(t, n)
			_, intents := a.left(t, false)
			if died && intents == 0 {
				t.Fatal("there are no intents")
			}
			if notes := a.notes(t, "CHECK TABLE t, h, expense, item, p, c EXTENDED"); len(notes) > 0 {
				t.Errorf("what is young is told: %q", notes)
			}
			time.Sleep(3 * time.Hour)
			if notes := a.notes(t, "CHECK TABLE t, h, expense, item, p, c EXTENDED"); len(notes) != 1 || (intents > 0) == strings.Contains(notes[0], " 0 entities") {
				t.Errorf("write %d, %d intents: CHECK TABLE says %q", n, intents, notes)
			}
			before := a.rows(t, "SELECT * FROM h")
			for range 3 {
				a.notes(t, "REPAIR TABLE t, h, expense, item, p, c")
				time.Sleep(2 * time.Hour)
			}
			if notes := a.notes(t, "CHECK TABLE t, h, expense, item, p, c EXTENDED"); len(notes) > 0 {
				t.Errorf("write %d: after REPAIR TABLE, CHECK TABLE says %q", n, notes)
			}
			if after := a.rows(t, "SELECT * FROM h"); !slices.Equal(before, after) {
				t.Errorf("write %d: REPAIR TABLE has changed rows:\n%q\nbefore\n%q", n, after, before)
			}
			if _, intents := a.left(t, false); intents > 0 {
				t.Errorf("write %d: %d intents are left", n, intents)
			}
		})
	}
}

// notes gives the notes of CHECK TABLE or REPAIR TABLE, which find nothing else.
func (a *account) notes(t *testing.T, statement string) (notes []string) {
	t.Helper()
	for _, row := range a.rows(t, statement) {
		if strings.Contains(row, "string note|") {
			notes = append(notes, row)
		} else if !strings.HasSuffix(row, "string status|string OK") {
			t.Errorf("%s: %s", statement, row)
		}
	}
	return notes
}
