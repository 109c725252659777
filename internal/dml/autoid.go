package dml

import (
	"context"
	"math"

	"github.com/google/uuid"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// mark is what is known of a new row besides its values.
type mark struct {
	number    int  // in the statement, from 1
	automatic bool // its AUTO_INCREMENT value was made for it
}

// number fills in the AUTO_INCREMENT column and the hidden row id, and marks the rows. It follows their order, as MySQL does: a
// row after one that specifies a value itself gets a greater value.
func (n *insertNode) number(ctx context.Context, w *Writer, rows [][]value.Value) ([]mark, error) {
	marks := make([]mark, len(rows))
	for i := range marks {
		marks[i].number = i + 1
	}
	if n.rowID >= 0 {
		for _, row := range rows {
			id, err := uuid.NewV7()
			if err != nil {
				return nil, err
			}
			row[n.rowID] = value.FromUUID(id.String())
		}
	}
	if n.auto < 0 {
		return marks, nil
	}
	var need int64
	for i, row := range rows {
		v := row[n.auto]
		marks[i].automatic = v.IsNull() || v.Int() == 0 && !w.X.Session.ZeroIsID
		if marks[i].automatic {
			need++
		}
	}
	t, sequences := n.plan.Table, w.Rt.Sequences
	var highest, next int64 // the greatest value given, and the next to be made; 0: none is reserved
	for i, row := range rows {
		if !marks[i].automatic {
			if highest = max(highest, givenID(row[n.auto])); highest >= next {
				next = 0
			}
			continue
		}
		if next == 0 {
			var err error
			if err = raise(ctx, w, t, highest); err == nil {
				next, err = sequences.Next(ctx, t, need, w.X.Meter)
			}
			if err != nil {
				return nil, err
			}
		}
		var fits bool
		if row[n.auto], fits = n.automatic(next); !fits {
			marks[i].automatic = false
		}
		next++
		need--
	}
	return marks, raise(ctx, w, t, highest)
}

// automatic gives id as the AUTO_INCREMENT column stores it. Beyond the column's range that is the greatest value, as in MySQL.
// Usually another row has it, so that this row is refused with 1062; and a retry would not find another value free.
func (n *insertNode) automatic(id int64) (v value.Value, fits bool) {
	t := n.plan.Table.Columns[n.auto].Type
	v, err := t.Convert(value.FromInt(id))
	if err != nil {
		v, _, _ = t.Adjust(value.FromInt(id))
	}
	return v, err == nil
}

// raise makes sure that the table's automatic values exceed id from now on.
func raise(ctx context.Context, w *Writer, t *schema.Table, id int64) error {
	if id <= 0 {
		return nil
	}
	return w.Rt.Sequences.Raise(ctx, t, id, w.X.Meter)
}

// givenID gives an AUTO_INCREMENT value as the sequences know it.
func givenID(v value.Value) int64 {
	switch {
	case v.IsNull():
		return 0
	case v.Kind() == value.Uint && v.Uint() > math.MaxInt64:
		return math.MaxInt64 - 1
	}
	return v.Int()
}

// autoColumn is the table's AUTO_INCREMENT column; -1 if there is none.
func autoColumn(t *schema.Table) int {
	for i, col := range t.Columns {
		if col.AutoIncrement {
			return i
		}
	}
	return -1
}

// autoOf gives a row's AUTO_INCREMENT value; 0 if there is none.
func (n *insertNode) autoOf(row []value.Value) int64 {
	if n.auto < 0 || row[n.auto].IsNull() {
		return 0
	}
	return row[n.auto].Int()
}

// assignedAuto is the AUTO_INCREMENT column if one of the assignments sets it, else -1. If one does, later rows get greater
// values, as in MySQL 8.
func assignedAuto(t *schema.Table, list []planner.Assign) int {
	auto := autoColumn(t)
	for _, a := range list {
		if a.Column == auto {
			return auto
		}
	}
	return -1
}

// spareIDs are the automatic values of a statement's rows, in their order. If a row has the key of another one and is not
// inserted, its value goes to the next row, as in MySQL.
type spareIDs struct {
	n    *insertNode
	list []value.Value
	next int // in list
}

// take gives the row the first value that no earlier row has kept, usually its own.
func (s *spareIDs) take(w *Writer, in *standingRow) error {
	auto := s.n.auto
	if auto < 0 {
		return nil
	}
	if !in.automatic {
		s.list, s.next = nil, 0 // values continue after one that a row specifies itself
		return nil
	}
	s.list = append(s.list, in.row[auto])
	s.next++
	if id := s.list[s.next-1]; id != in.row[auto] {
		in.row[auto] = id
		if c := s.n.columns; c.computed || len(c.checks) > 0 {
			return c.Finish(in.row, in.number, w.env())
		}
	}
	return nil
}

// leave takes back the value of the row that last took one.
func (s *spareIDs) leave(in *standingRow) {
	if in.automatic && s.n.auto >= 0 {
		s.next--
	}
}
