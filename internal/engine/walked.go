package engine

// Walked is a range, and how far it was read.
type Walked struct {
	Scan                 Scan
	Whole                bool // to its end
	Some                 bool // up to the entity with these keys
	PartitionKey, RowKey string
}

// Upto notes that the range was read up to and including an entity.
func (w *Walked) Upto(e *Entity) { w.Some, w.PartitionKey, w.RowKey = true, e.PartitionKey, e.RowKey }

// Scans gives what was read as separate ranges, with all properties and without a limit.
func (w *Walked) Scans() []Scan {
	s := w.Scan
	s.Select, s.Limit, s.Meter = nil, 0, nil
	switch {
	case w.Whole:
		return []Scan{s}
	case !w.Some:
		return nil
	case !s.AllPartitions:
		s.To = w.RowKey + "\x00"
		return []Scan{s}
	}
	last := Scan{Table: s.Table, PartitionKey: w.PartitionKey, To: w.RowKey + "\x00", Filter: s.Filter}
	if s.ToPartition = w.PartitionKey; s.FromPartition < s.ToPartition {
		return []Scan{s, last}
	}
	return []Scan{last}
}
