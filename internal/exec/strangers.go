package exec

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// strangers are the right rows of a hash join whose keys are of other kinds than the left row's. They may be equal, as the text
// '5' is to the number 5, but have another hash key, so each of them is tried. If all values are of one kind there are none.
type strangers struct {
	kinds []byte           // of the current row's keys
	ids   map[string]int32 // of kinds
	rows  []int32          // by right row: the id of its kinds; -1: a NULL, which equals nothing
	own   int32            // the id of the left row's kinds; -1: no right row has them
	at    int32            // the one to be tried next; -1: none
	tried int
}

// note notes the kind of a key's value, and gives the value to hash. All numbers are hashed as floats.
func (s *strangers) note(v value.Value) value.Value {
	kind := v.Kind()
	switch kind {
	case value.Bool, value.Int, value.Uint, value.Decimal:
		kind, v = value.Float, value.FromFloat(value.ToFloat(v))
	case value.Date:
		kind = value.Time
	}
	s.kinds = append(s.kinds, byte(kind))
	return v
}

// add notes the kinds of the next right row.
func (s *strangers) add(ok bool) {
	id := int32(-1)
	if ok {
		if s.ids == nil {
			s.ids = map[string]int32{}
		}
		var known bool
		if id, known = s.ids[string(s.kinds)]; !known {
			id = int32(len(s.ids))
			s.ids[string(s.kinds)] = id
		}
	}
	s.rows = append(s.rows, id)
}

// begin begins with a left row.
func (s *strangers) begin() {
	id, known := s.ids[string(s.kinds)]
	if !known {
		id = -1
	}
	if s.own = id; known && len(s.ids) == 1 {
		return
	}
	s.advance(0)
}

// advance finds the first stranger at or after a row.
func (s *strangers) advance(from int32) {
	for i := from; int(i) < len(s.rows); i++ {
		if id := s.rows[i]; id >= 0 && id != s.own {
			s.at = i
			return
		}
	}
	s.at = -1
}

// look checks the context now and then.
func (s *strangers) look(ctx context.Context) error {
	if s.tried++; s.tried%pairsPerLook != 0 {
		return nil
	}
	return ctx.Err()
}
