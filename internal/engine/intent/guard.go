package intent

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// A touch would succeed on a row that bears the intent of its insert, without noticing the intent. So a new row that others may touch bears
// none, and exists only once it is decided. If the transaction validates, a guard bears the row's intent: an entity right behind the row's key,
// deleted by the decision. Transactions that wait for undecided ones, or validate, look for guards too.

// guardKey is the RowKey of a row's guard. No row has it: it ends with a separator.
func guardKey(rowKey string) string { return rowKey + "!" }

// isGuarded says whether an operation's intent is a guard.
func (o *operation) isGuarded() bool { return o.Parent && o.Kind == engine.Insert }

// intentKey is the RowKey of what bears the intent.
func (o *operation) intentKey() string {
	if o.isGuarded() {
		return guardKey(o.Entity.RowKey)
	}
	return o.Entity.RowKey
}

// withGuard gives the end of a range extended to hold the guard of its last key, if the range ends right behind that key.
func withGuard(to string) string {
	for _, least := range []string{"\x00", " "} { // see engine.Point and keymap.PointSpan
		if last, ok := strings.CutSuffix(to, least); ok {
			return guardKey(last) + "\x00"
		}
	}
	return to
}

// unguard gives the operations that delete the group's guards when it is decided. They may come later: until then such a guard means nothing,
// since its row is there.
func (g *group) unguard() (ops []engine.Op) {
	for i := range g.ops {
		if o := &g.ops[i]; o.isGuarded() && o.marker.id != "" {
			ops = append(ops, o.settling(true))
		}
	}
	return ops
}
