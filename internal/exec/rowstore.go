package exec

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// rowStore keeps copies of rows, only as far as its operator fills them, each preceded by a number of values of the
// operator's own. What it keeps counts against the statement's memory.
type rowStore struct {
	run      *Run
	operator string
	fills    []int
	extra    int // values before each row's
	rows     [][]value.Value
	block    []value.Value // the rest of the last allocation
	size     int           // rows of the next allocation
	held     int64
}

// bytesPerValue is the size of a value.Value; bytesPerRow is the overhead of a kept row.
const (
	BytesPerValue = 32
	BytesPerRow   = 24
)

// How many rows are allocated at once: at first, and at most.
const firstBlockRows, maxBlockRows = 8, 256

// add keeps a row and gives its copy; the caller must set its first extra values before the next call.
func (s *rowStore) add(row []value.Value) ([]value.Value, error) {
	width := s.extra + len(s.fills)
	if len(s.block) < width {
		if s.size == 0 {
			s.size = firstBlockRows
		}
		s.block = make([]value.Value, width*s.size)
		s.size = min(2*s.size, maxBlockRows)
	}
	kept := s.block[:width:width]
	s.block = s.block[width:]
	s.rows = append(s.rows, kept)
	return kept, s.hold(BytesPerRow + int64(width)*BytesPerValue + s.set(kept, row))
}

// set copies row into kept and gives the bytes of its texts.
func (s *rowStore) set(kept, row []value.Value) (bytes int64) {
	for i, p := range s.fills {
		kept[s.extra+i] = row[p]
		bytes += int64(len(row[p].Text()))
	}
	return bytes
}

// replace overwrites a kept row with row.
func (s *rowStore) replace(kept, row []value.Value) error {
	var before int64
	for _, v := range kept[s.extra:] {
		before += int64(len(v.Text()))
	}
	return s.hold(s.set(kept, row) - before)
}

// hold accounts for further bytes.
func (s *rowStore) hold(bytes int64) error {
	s.held += bytes
	return s.run.Charge(bytes, s.operator)
}

// restore puts a kept row back into its positions of dst.
func (s *rowStore) restore(kept, dst []value.Value) {
	for i, p := range s.fills {
		dst[p] = kept[s.extra+i]
	}
}

// clear drops all rows.
func (s *rowStore) clear() {
	s.run.release(s.held)
	s.rows, s.block, s.size, s.held = nil, nil, 0, 0
}
