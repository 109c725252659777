package embedded

import (
	"bytes"
	"context"
	"encoding/binary"
	"maps"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Commit implements engine.Engine. When it returns nil, the commit is on disk.
func (f *File) Commit(ctx context.Context, c engine.Commit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.closed.Load() {
		return errClosed()
	}
	if err := f.limits.CheckCommit(&c); err != nil {
		return err
	}
	if c.Meter != nil && !f.readOnly {
		c.Meter.Requests.Add(1)
	}
	t := f.table(c.Table)
	if t == nil {
		return errNoTable(c.Table)
	}
	p := &fileCommit{file: f, table: t, commit: &c}
	p.encode()
	if err := f.commits.do(ctx, &change{apply: p.apply, octets: p.octets}); err != nil {
		return err
	}
	if c.Meter != nil {
		c.Meter.Written.Add(int64(len(c.Ops)))
	}
	return nil
}

// fileCommit is a commit with its records encoded, so that the leader has little to do.
type fileCommit struct {
	file    *File
	table   *fileTable
	commit  *engine.Commit
	keys    [][]byte
	records [][]byte // nil: delete
	uses    bodyUses
	behind  int    // new keys with nothing of their kind behind them
	change  digest // of the table's
	octets  int    // about how many are written
}

func (p *fileCommit) encode() {
	ops := p.commit.Ops
	p.keys, p.records = make([][]byte, len(ops)), make([][]byte, len(ops))
	for i := range ops {
		rowKey := ops[i].Entity.RowKey
		p.keys[i] = appendKey(make([]byte, 0, len(p.commit.PartitionKey)+1+len(rowKey)), p.commit.PartitionKey, rowKey)
	}
	owners, sharers := p.owners()
	for i := range ops {
		op := &ops[i]
		switch {
		case owners[i] != i:
			p.records[i] = appendReference(nil, p.keys[i], p.keys[owners[i]])
		case writesWhole(op):
			p.records[i] = appendBody(nil, p.keys[i], p.table.dict, sharers[i], op.Entity.Names, op.Entity.Values)
		}
		p.octets += octetsAtOp + 2*len(p.records[i])
	}
}

// writesWhole says whether an operation writes all properties of its entity.
func writesWhole(op *engine.Op) bool { return op.Kind != engine.Delete && op.Kind != engine.Merge }

// owners gives for each operation whose body its entity has, most often its own, and how many other entities share the operation's body.
func (p *fileCommit) owners() (owners, sharers []int) {
	ops := p.commit.Ops
	owners, sharers = make([]int, len(ops)), make([]int, len(ops))
	var rows map[string]int
	last := 0
	for i := range ops {
		op := &ops[i]
		if owners[i] = i; op.Row == "" || !writesWhole(op) {
			continue
		}
		if ops[last].Entity.RowKey != op.Row { // otherwise it is another entry of the same row
			if rows == nil {
				rows = make(map[string]int, len(ops))
				for j := range ops {
					rows[ops[j].Entity.RowKey] = j
				}
			}
			row, ok := rows[op.Row]
			if !ok {
				continue
			}
			last = row
		}
		if row := &ops[last]; last != i && row.Row == "" && writesWhole(row) &&
			slices.Equal(row.Entity.Names, op.Entity.Names) && slices.Equal(row.Entity.Values, op.Entity.Values) {
			owners[i] = last
			sharers[last]++
		}
	}
	return owners, sharers
}

func (p *fileCommit) apply(tx *fileTx, version uint64, now int64) (refused, err error) {
	if refused, err := p.check(tx); refused != nil || err != nil {
		return refused, err
	}
	return nil, p.put(tx, version, now)
}

// put writes what was checked.
func (p *fileCommit) put(tx *fileTx, version uint64, now int64) (err error) {
	if err := p.table.keepDigest(tx, p.change); err != nil {
		return err
	}
	if err := p.uses.settle(tx, p.table); err != nil {
		return err
	}
	p.table.fill(tx, p.behind, len(p.keys))
	for i, key := range p.keys {
		if p.records[i] == nil {
			err = tx.delete(p.table.entities, key)
		} else {
			err = tx.put(p.table.entities, key, stamp(key, p.records[i], version, now))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fill sets how full pages are left when they are split: almost full if rows come in the order of their keys, otherwise half full, because
// further keys come in between.
func (t *fileTable) fill(tx *fileTx, behind, keys int) {
	added := appended{behind, keys}
	if tx.owner == 0 {
		tx.Tx.Bucket(t.entities).FillPercent = added.fill()
		return
	}
	was := tx.appended[string(t.entities)]
	tx.appended[string(t.entities)] = appended{was.behind + behind, was.keys + keys}
}

const appendedFill = 0.95

// appended says how many of the keys that were written (keys) had nothing of their kind behind them (behind).
type appended struct{ behind, keys int }

func (a appended) fill() float64 {
	if a.behind > a.keys*9/10 {
		return appendedFill
	}
	return bolt.DefaultFillPercent
}

// sameKind says whether two keys are of rows of one partition and table, or of entries of one index: whether their RowKeys are equal up to the
// first exclamation mark.
func sameKind(a, b []byte) bool {
	n := bytes.IndexByte(a, 0) + 1
	n += bytes.IndexByte(a[n:], '!') + 1
	return bytes.HasPrefix(b, a[:n])
}

// check checks every operation's condition, and makes the records of merges.
func (p *fileCommit) check(tx *fileTx) (refused, err error) {
	in := p.table.in(&tx.fileState)
	if in.entities == nil {
		return errNoTable(p.commit.Table), nil // deleted meanwhile
	}
	p.change, p.uses, p.behind = digest{}, nil, 0
	cursor := in.entities.Cursor()
	for i := range p.commit.Ops {
		op := &p.commit.Ops[i]
		at, old := cursor.Seek(p.keys[i])
		if !bytes.Equal(at, p.keys[i]) {
			if old = nil; !sameKind(p.keys[i], at) {
				p.behind++
			}
		}
		switch {
		case op.Kind == engine.Delete && old != nil:
			p.change.remove(p.keys[i])
		case old == nil:
			p.change.add(p.keys[i])
		}
		var room [24]byte
		etag := room[:0]
		if old != nil {
			h, err := readHead(p.keys[i], old)
			if err != nil {
				return nil, err
			}
			if err := p.uses.replaced(p.keys[i], h); err != nil {
				return nil, err
			}
			etag = appendETag(etag, h.version)
		}
		if op.Kind == engine.Upsert {
			continue
		}
		if err := refusal(p.commit, i, old != nil, view(etag)); err != nil {
			return err, nil
		}
		if op.Kind == engine.Merge {
			if refused, err := p.merge(in, i, old); refused != nil || err != nil {
				return refused, err
			}
		}
	}
	return nil, nil
}

func (p *fileCommit) merge(in tableIn, i int, old []byte) (refused, err error) {
	e := &p.commit.Ops[i].Entity
	r := newRecordReader(p.table.dict, nil, nil)
	if err := r.read(in, p.keys[i], old); err != nil {
		return nil, err
	}
	whole := engine.Entity{PartitionKey: p.commit.PartitionKey, RowKey: e.RowKey}
	whole.Names, whole.Values = engine.Overlay(r.names, r.values, e.Names, e.Values)
	if err := p.file.limits.CheckEntity(&whole); err != nil {
		return atOp(err, i), nil
	}
	p.records[i] = appendBody(nil, p.keys[i], p.table.dict, 0, whole.Names, whole.Values)
	return nil, nil
}

// CreateTable implements engine.Engine. The table is on disk with the next commit, or once the file is closed.
func (f *File) CreateTable(ctx context.Context, table string, m *engine.Meter) error {
	var t *fileTable
	fold := engine.FoldTable(table)
	return f.define(ctx, table, m, &change{
		whole: true,
		soon:  true,
		apply: func(tx *fileTx, _ uint64, _ int64) (refused, err error) {
			list := tx.Bucket(bucketTables)
			if e, found, err := readEntry([]byte(fold), list.Get([]byte(fold))); err != nil {
				return nil, err
			} else if found {
				return engine.Errorf(engine.CodeExists, "table %q is there already", e.name), nil
			}
			id, err := tx.next(bucketTables)
			if err != nil {
				return nil, err
			}
			t = newFileTable(table, id, newDictionary(nil))
			for _, bucket := range [][]byte{t.entities, t.naming} {
				if _, err := tx.made(bucket); err != nil {
					return nil, err
				}
			}
			return nil, tx.put(bucketTables, t.fold, sealEntry(t.fold, t.entities[1:], digest{}, table))
		},
		applied: func() { f.publish(func(tables fileTables) { tables[fold] = t }) },
	})
}

// DeleteTable implements engine.Engine.
func (f *File) DeleteTable(ctx context.Context, table string, m *engine.Meter) error {
	fold := engine.FoldTable(table)
	return f.define(ctx, table, m, &change{
		whole: true,
		apply: func(tx *fileTx, _ uint64, _ int64) (refused, err error) {
			list := tx.Bucket(bucketTables)
			e, found, err := readEntry([]byte(fold), list.Get([]byte(fold)))
			if err != nil {
				return nil, err
			}
			if !found {
				return errNoTable(table), nil
			}
			t := newFileTable("", binary.BigEndian.Uint64(e.id), nil)
			for _, bucket := range [][]byte{t.entities, t.naming, t.bodies} {
				if err := tx.drop(bucket); err != nil {
					return nil, err
				}
			}
			return nil, tx.delete(bucketTables, []byte(fold))
		},
		applied: func() { f.publish(func(tables fileTables) { delete(tables, fold) }) },
	})
}

func (f *File) define(ctx context.Context, table string, m *engine.Meter, ch *change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.closed.Load() {
		return errClosed()
	}
	if err := f.limits.CheckTable(table); err != nil {
		return err
	}
	if m != nil && !f.readOnly {
		m.Requests.Add(1)
	}
	return f.commits.do(ctx, ch)
}

// publish replaces the list of tables by a changed copy. The caller has the lead.
func (f *File) publish(change func(fileTables)) {
	tables := maps.Clone(*f.tables.Load())
	change(tables)
	f.tables.Store(&tables)
}
