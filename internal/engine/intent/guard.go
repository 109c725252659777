package intent

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// A touch finds a row that bears the intent of its insert, and does not see that. So a new row that others may touch bears none, and is
// there only when it is decided. A guard bears its intent, where the transaction validates: an entity behind the row's key, which goes
// when that is decided. Who waits for what is not decided, or validates, looks for guards, too.

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

// withGuard gives the end of a range that has the guard of its last key, too, where it ends right behind that.
func withGuard(to string) string {
	for _, least := range []string{"\x00", " "} { // see engine.Point and keymap.PointSpan
		if last, ok := strings.CutSuffix(to, least); ok {
			return guardKey(last) + "\x00"
		}
	}
	return to
}

// unguard are the operations that delete the group's guards when it is decided. They may come later: then a guard stands for nothing, and
// its row is there.
func (g *group) unguard() (ops []engine.Op) {
	for i := range g.ops {
		if o := &g.ops[i]; o.isGuarded() && o.marker.id != "" {
			ops = append(ops, o.settling(true))
		}
	}
	return ops
}
