package exec

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// lookup is what left rows with the same keys share: what is read, and the rows that came.
type lookup struct {
	reads access.Reads
	rows  rowStore
}

// lookupRoom is memory for one lookup at a time.
type lookupRoom struct {
	row      []value.Value
	entities room
	block    []value.Value   // the rest of the last allocation for rows
	size     int             // rows of the next one
	rows     [][]value.Value // for the list of the rows found
}

// lookupRooms are the unused ones: there are as many as lookups ran in parallel.
type lookupRooms struct {
	mu   sync.Mutex
	free []*lookupRoom
}

func (r *lookupRooms) take(width int) *lookupRoom {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := len(r.free) - 1
	if last < 0 {
		return &lookupRoom{row: make([]value.Value, width)}
	}
	room := r.free[last]
	r.free = r.free[:last]
	return room
}

func (r *lookupRooms) give(room *lookupRoom) {
	r.mu.Lock()
	r.free = append(r.free, room)
	r.mu.Unlock()
}

// appendReads appends octets that distinguish reads. Keys contain no control characters.
func appendReads(dst []byte, r *access.Reads) []byte {
	for _, p := range r.Points {
		dst = append(dst, byte(p.Partition.Number), byte(p.Partition.Number>>8))
		dst = append(append(dst, p.PartitionKey...), 0)
		dst = append(append(dst, p.RowKey...), 1)
	}
	for _, s := range r.Spans {
		if s.All {
			dst = append(dst, 2)
		}
		dst = append(dst, byte(s.Partition.Number), byte(s.Partition.Number>>8))
		dst = append(append(dst, s.PartitionKey...), 0)
		dst = append(append(dst, s.From...), 0)
		dst = append(append(dst, s.To...), 0)
		dst = append(append(dst, s.PartitionKeys.From...), 0)
		dst = append(append(dst, s.PartitionKeys.To...), 3)
	}
	if r.Exact {
		dst = append(dst, 4)
	}
	return dst
}

// lookUp reads the rows of l. It may run in parallel with others.
func (it *lookupJoinIter) lookUp(ctx context.Context, l *lookup, room *lookupRoom) error {
	n := it.node.scan
	if it.f.X.Profile != nil {
		defer it.f.note(n.counted, time.Now())
	}
	l.rows.block, l.rows.size, l.rows.rows = room.block, room.size, room.rows[:0]
	defer func() {
		room.block, room.size, room.rows = l.rows.block, l.rows.size, l.rows.rows
		l.rows.block, l.rows.rows = nil, slices.Clone(room.rows)
		clear(room.rows) // so that it keeps none
	}()
	src := n.entities(it.f.Run, &l.reads, it.filter, 0, &it.meter, &room.entities)
	decoder := *n.decoder
	row := room.row
	for {
		e, _, err := src.NextEntity(ctx)
		if err == io.EOF {
			return src.Close()
		}
		if err == nil {
			err = decoder.DecodeRow(e, row)
		}
		if err == codec.ErrOtherForm {
			continue
		}
		if err == nil {
			_, err = l.rows.add(row)
		}
		if err != nil {
			src.Close()
			return err
		}
	}
}

// check drops the rows that do not satisfy the scan's own conditions.
func (it *lookupJoinIter) check(l *lookup) (err error) {
	right := it.node.scan
	recheck := right.recheck
	if l.reads.Exact && !right.plan.IndexJoin {
		recheck = nil
	}
	if recheck == nil && right.residual == nil {
		return nil
	}
	if it.rightRow == nil {
		it.rightRow = make([]value.Value, right.plan.Total)
	}
	row := it.rightRow
	it.f.Env.Row = row
	l.rows.rows = slices.DeleteFunc(l.rows.rows, func(kept []value.Value) bool {
		if err != nil {
			return false
		}
		l.rows.restore(kept, row)
		var ok bool
		if ok, err = passes(recheck, &it.f.Env); ok && err == nil {
			ok, err = passes(right.residual, &it.f.Env)
		}
		return !ok
	})
	return err
}
