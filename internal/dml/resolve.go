package dml

import (
	"context"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// resolve is INSERT IGNORE, REPLACE, ON DUPLICATE KEY UPDATE and ON CONFLICT. It reads, in parallel, the rows that
// have one of the new rows' keys. Then each new row meets them as the rows before it left them.
func (n *insertNode) resolve(ctx context.Context, w *Writer, rows [][]value.Value, marks []mark) error {
	s := newStanding(w, n.rows)
	s.n = n
	if err := s.readAll(ctx, rows, marks); err != nil {
		return err
	}
	var order []*standingRow
	ids := spareIDs{n: n}
	for i, row := range rows {
		w.at(marks[i].number)
		in := &standingRow{number: marks[i].number, row: row, affected: 1, automatic: marks[i].automatic}
		if err := ids.take(w, in); err != nil {
			return err
		}
		r, err := s.meet(ctx, in)
		if err != nil {
			return err
		}
		if r != in {
			ids.leave(in)
		}
		if r != nil {
			order = append(order, r)
		}
	}
	done := map[*standingRow]bool{}
	for _, r := range order {
		if done[r] {
			continue
		}
		done[r] = true
		if err := s.write(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// standing has the rows that a statement's new rows meet, in the state that the new rows so far leave them in.
type standing struct {
	n     *insertNode // nil for UPDATE IGNORE
	w     *Writer
	table *schema.Table
	keys  *RowWriter
	read  map[string]*Stored      // by partition and row key
	rows  map[string]*standingRow // by partition and entity key (which tells the partition too); nil: known to be free
}

func newStanding(w *Writer, keys *RowWriter) *standing {
	return &standing{w: w, table: keys.Table, keys: keys, read: map[string]*Stored{}, rows: map[string]*standingRow{}}
}

// errTorn says that a row was changed while it was read by several of its keys.
var errTorn = &engine.Error{Code: engine.CodeStale, Op: -1, Message: "the row was changed while it was read"}

// standingRow is a row that was stored, or that the statement makes.
type standingRow struct {
	number    int
	gone      []*Stored     // rows that are deleted to make room for it
	old       *Stored       // nil: not stored
	row       []value.Value // as it will be; nil: another new row has taken its place
	affected  int64
	automatic bool // the AUTO_INCREMENT value was made for it
}

// uniqueKey is an entity key of a row that no other row may have.
type uniqueKey struct {
	partition string
	name      string        // the entity's key in its partition
	index     *schema.Index // nil: the row's own
}

// entityID identifies an entity in maps.
func entityID(partition, name string) string { return partition + "\x00" + name }

func (k *uniqueKey) id() string { return entityID(k.partition, k.name) }

// uniqueKeys gives the row's own key first, then those of its entries in unique indexes. A NULL makes an entry
// unique to the row.
func (s *standing) uniqueKeys(row []value.Value) ([]uniqueKey, error) {
	partition, key, entries, err := s.keys.keysOf(row)
	if err != nil {
		return nil, err
	}
	keys := []uniqueKey{{partition, key, nil}}
	for i, ix := range s.table.Indexes {
		if ix.Unique && ix.State != schema.DeleteOnly && !nullIn(ix, row) {
			keys = append(keys, uniqueKey{entries[i].Partition, entries[i].Key, ix})
		}
	}
	return keys, nil
}

func nullIn(ix *schema.Index, row []value.Value) bool {
	for _, p := range ix.Key {
		if row[p.Column].IsNull() {
			return true
		}
	}
	return false
}

// keyLookup is a key to be read.
type keyLookup struct {
	uniqueKey
	part  *schema.Partition
	found Stored
	ok    bool
}

// lookups makes a lookup of each unique key of a row.
func (s *standing) lookups(row []value.Value) ([]*keyLookup, error) {
	keys, err := s.uniqueKeys(row)
	if err != nil {
		return nil, err
	}
	part, err := s.table.PartitionOf(row)
	if err != nil {
		return nil, err
	}
	out := make([]*keyLookup, len(keys))
	for i, key := range keys {
		out[i] = &keyLookup{uniqueKey: key, part: part}
	}
	return out, nil
}

// claim says whether a key was not looked up before. From now on it is known: as free, until a row is found to have it.
func (s *standing) claim(id string) bool {
	_, known := s.rows[id]
	if !known {
		s.rows[id] = nil
	}
	return !known
}

// readAll reads every row that one of the new rows meets. Keys made just now are taken to be free.
func (s *standing) readAll(ctx context.Context, rows [][]value.Value, marks []mark) error {
	var all []*keyLookup
	for r, row := range rows {
		keys, err := s.lookups(row)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if !s.claim(key.id()) {
				continue
			}
			if isNew := marks[r].automatic && s.table.IsAutoKey(key.index) || s.n.rowID >= 0 && key.index == nil; !isNew {
				all = append(all, key)
			}
		}
	}
	return s.readThese(ctx, all)
}

func (s *standing) readThese(ctx context.Context, all []*keyLookup) error {
	err := s.w.Each(ctx, len(all), func(ctx context.Context, i int) (err error) {
		all[i].found, all[i].ok, err = s.lookup(ctx, all[i])
		return err
	})
	if err != nil {
		return err
	}
	for _, l := range all {
		if !l.ok {
			continue
		}
		partition, key, err := RowPlace(s.table, l.found.Row)
		if err != nil {
			return err
		}
		id := entityID(partition, key)
		if before := s.read[id]; before != nil {
			if !sameRow(before.Row, l.found.Row, len(s.table.Columns)) {
				return errTorn
			}
			continue
		}
		s.read[id] = &l.found
		if err := s.place(&standingRow{old: &l.found, row: l.found.Row}); err != nil {
			return err
		}
	}
	return nil
}

// lookup reads the row that has a key. An index that does not hold whole rows leads to the row.
func (s *standing) lookup(ctx context.Context, l *keyLookup) (Stored, bool, error) {
	if l.index == nil {
		return s.keys.Read(ctx, s.w, l.part, l.partition, l.name)
	}
	t := s.table
	e, found, err := s.w.Get(ctx, engine.Get{Table: l.part.Physical, PartitionKey: l.partition, RowKey: l.name, Meter: s.w.X.Meter})
	if err != nil || !found {
		return Stored{}, false, err
	}
	row := make([]value.Value, t.RowWidth())
	c := s.keys.Entries[slices.Index(t.Indexes, l.index)]
	if err := c.Decoder(c.Columns, 0, nil).DecodeRow(&e, row); err != nil {
		return Stored{}, false, err
	}
	if l.index.Copy == schema.CopyRow {
		return Stored{Row: row, Etag: e.ETag, from: l.index}, true, nil
	}
	partition, key, err := RowPlace(s.table, row)
	if err != nil {
		return Stored{}, false, err
	}
	return s.keys.Read(ctx, s.w, l.part, partition, key)
}

// place and displace note the keys that a row has, and no longer has.
func (s *standing) place(r *standingRow) error {
	keys, err := s.uniqueKeys(r.row)
	for _, key := range keys {
		s.rows[key.id()] = r
	}
	return err
}

func (s *standing) displace(row []value.Value) error {
	keys, err := s.uniqueKeys(row)
	for _, key := range keys {
		s.rows[key.id()] = nil
	}
	return err
}

// meet lets a new row in, and gives the row that changes because of it; nil if none does.
func (s *standing) meet(ctx context.Context, in *standingRow) (*standingRow, error) {
	keys, err := s.uniqueKeys(in.row)
	if err != nil {
		return nil, err
	}
	var met []*standingRow // in the keys whose duplicates are handled
	var refused, taken error
	for _, key := range keys {
		r := s.rows[key.id()]
		if r != nil && taken == nil {
			taken = DuplicateError(s.table, key.index, in.row)
		}
		switch {
		case r == nil:
		case !s.n.plan.Replace && !s.n.deals(key.index):
			if refused == nil {
				refused = DuplicateError(s.table, key.index, in.row)
			}
		case !slices.Contains(met, r):
			met = append(met, r)
		}
	}
	switch {
	case len(met) == 0 && refused != nil:
		return nil, refused
	case len(met) == 0:
		return in, s.place(in)
	case s.n.plan.Replace:
		return in, s.replace(met, in)
	case len(s.n.onDup) > 0:
		return s.update(ctx, met[0], in.row, in.number)
	}
	if s.n.plan.SkipUnfit {
		skipped(s.w.env(), taken)
	}
	return nil, nil
}

// deals says whether the statement handles duplicates in a unique index; nil: in the primary key.
func (n *insertNode) deals(index *schema.Index) bool {
	t := n.plan.Target
	return t == nil || t.Primary && index == nil || t.Index != nil && t.Index == index
}

// replace lets the new row take the place of all rows that it meets. A row with the same primary key is overwritten.
func (s *standing) replace(met []*standingRow, r *standingRow) error {
	id, err := rowID(s.table, r.row)
	if err != nil {
		return err
	}
	for _, m := range met {
		if err := s.displace(m.row); err != nil {
			return err
		}
		mid, err := rowID(s.table, m.row)
		if err != nil {
			return err
		}
		r.affected += m.affected
		if !s.isSame(m.row, r.row) {
			r.affected++
		}
		r.gone = append(r.gone, m.gone...)
		if mid == id {
			r.old = m.old
		} else if m.old != nil {
			r.gone = append(r.gone, m.old)
		}
		*m = standingRow{} // nothing of it remains to be written
	}
	return s.place(r)
}

// isSame says whether REPLACE of a row by itself counts as only one row. As in MySQL it does if the table has one unique
// key and nothing is interleaved in the row, so that the row is overwritten rather than deleted.
func (s *standing) isSame(old, row []value.Value) bool {
	if len(s.keys.children) > 0 || len(s.table.Referrers) > 0 {
		return false
	}
	unique := 0
	for _, ix := range s.table.Indexes {
		if ix.Unique {
			unique++
		}
	}
	for i, c := range s.table.Columns {
		switch {
		case !c.Hidden && old[i] != row[i]:
			return false
		case !c.Hidden && s.table.Key[0].Column == i:
			unique++
		}
	}
	return unique == 1
}

// update is ON DUPLICATE KEY UPDATE of the row that was met.
func (s *standing) update(ctx context.Context, r *standingRow, row []value.Value, number int) (*standingRow, error) {
	env := s.w.env()
	env.Insert = row
	defer func() { env.Insert = nil }()
	if s.n.onDupCond != nil {
		env.Row = r.row
		if ok, err := s.n.onDupCond(env); err != nil || !ok {
			return nil, err
		}
	}
	next, changed, err := s.n.columns.assign(s.n.onDup, r.row, number, env)
	if err == nil && changed {
		err = s.move(ctx, r, next)
	}
	if s.n.plan.SkipUnfit && isSkipped(err) {
		skipped(env, err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r.number = number
	if changed {
		r.affected += 2
		if auto := assignedAuto(s.table, s.n.plan.OnDup); auto >= 0 {
			return r, raise(ctx, s.w, s.table, givenID(next[auto]))
		}
	}
	return r, nil
}

// move turns r into another row. If other rows have that row's keys, r stays as it is.
func (s *standing) move(ctx context.Context, r *standingRow, next []value.Value) error {
	if err := s.displace(r.row); err != nil {
		return err
	}
	err := s.free(ctx, next)
	if err == nil {
		r.row = next
	}
	if placed := s.place(r); placed != nil {
		return placed
	}
	return err
}

// free makes sure that no other row has the keys of an updated one.
func (s *standing) free(ctx context.Context, row []value.Value) error {
	keys, err := s.lookups(row)
	if err != nil {
		return err
	}
	for _, key := range keys {
		id := key.id()
		if s.claim(id) {
			if err := s.readThese(ctx, []*keyLookup{key}); err != nil {
				return err
			}
		}
		if s.rows[id] != nil {
			return DuplicateError(s.table, key.index, row)
		}
	}
	return nil
}

// write makes the operations that turn the stored row into what it will be, and those that delete the rows that it
// replaces.
func (s *standing) write(ctx context.Context, r *standingRow) error {
	if r.row == nil {
		return nil
	}
	w := &RowWrite{Number: r.number, id: numberID(r.number), affected: r.affected, auto: s.n.autoOf(r.row), automatic: r.automatic, Resolved: true}
	for _, old := range r.gone {
		if err := s.keys.Remove(ctx, s.w, w, *old); err != nil {
			return err
		}
	}
	var err error
	switch {
	case r.old == nil:
		err = s.keys.insert(w, r.row)
	case s.n.plan.Replace && (len(s.keys.children) > 0 || s.table.IsTied()):
		// A replaced row is deleted together with the rows interleaved in it or referring to it.
		if err = s.keys.update(ctx, s.w, w, *r.old, r.row); err == nil {
			err = s.keys.removeChildren(ctx, s.w, w, w.PartitionKey, r.old.Row)
		}
	case !sameRow(r.old.Row, r.row, len(s.table.Columns)):
		err = s.keys.update(ctx, s.w, w, *r.old, r.row)
	}
	if err != nil {
		return err
	}
	for i := range w.changes {
		w.changes[i].replaced = s.n.plan.Replace
	}
	if w.returned, err = s.w.evaluate(s.n.returning, r.row); err != nil {
		return err
	}
	return s.w.Add(w)
}
