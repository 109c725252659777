package embedded

import (
	"context"
	"encoding/binary"
	"errors"
)

// An index entry that copies its row has the row's properties. Written in the same commit, it is kept as a reference to the body of the row.
// When the row is written without the entry, as by a touch or by a program that writes single entities, the old body is put aside for those that
// still share it; it is removed with the last of them.
//
// A body counts its sharers. A reference has the version of its body, which tells whether it means the row's body or one that was put aside.

// tableIn is a table in a transaction.
type tableIn struct {
	state    *fileState
	table    *fileTable
	entities *fileBucket // nil if the table no longer exists
	finder   *finder     // of bodies, for a reader that looks for many; may be nil
}

func (t *fileTable) in(s *fileState) tableIn {
	return tableIn{state: s, table: t, entities: s.Bucket(t.entities)}
}

var errBody = errors.New("an entity whose body is not there")

// body finds the body of a key with a version.
func (in tableIn) body(owner []byte, version uint64) (recordHead, error) {
	var record []byte
	if in.finder != nil {
		record = in.finder.Get(owner)
	} else {
		record = in.entities.Get(owner)
	}
	if h, ok, err := sharedBody(owner, record, version); ok || err != nil {
		return h, err
	}
	if aside := in.state.Bucket(in.table.bodies); aside != nil {
		if h, ok, err := sharedBody(owner, aside.Get(asideKey(owner, version)), version); ok || err != nil {
			return h, err
		}
	}
	return recordHead{}, errBody
}

// sharedBody reads a record under a body's key; ok is false if it is not the body of this version.
func sharedBody(owner, record []byte, version uint64) (h recordHead, ok bool, err error) {
	if record == nil {
		return h, false, nil
	}
	h, err = readHead(owner, record)
	return h, err == nil && !h.reference() && h.version == version, err
}

// asideKey is the key of a body that was put aside. The record stored there is unchanged, as it was under its own key.
func asideKey(owner []byte, version uint64) []byte {
	return binary.BigEndian.AppendUint64(append(make([]byte, 0, len(owner)+8), owner...), version)
}

// bodyPlace is a body: the key under which it was written, and its version.
type bodyPlace struct {
	owner   string
	version uint64
}

// bodyUse is how a commit changes the use of a body.
type bodyUse struct {
	left uint64 // sharers that are rewritten or removed
	gone bool   // its own entity is one of those
}

// bodyUses are the bodies whose use a commit changes.
type bodyUses map[bodyPlace]bodyUse

// replaced notes that the record of a key is replaced or removed.
func (u *bodyUses) replaced(key []byte, h recordHead) error {
	place := bodyPlace{version: h.version}
	switch {
	case h.reference():
		owner, err := h.appendOwner(nil, key)
		if err != nil {
			return err
		}
		place.owner = string(owner)
	case h.sharers > 0:
		place.owner = string(key)
	default:
		return nil
	}
	if *u == nil {
		*u = bodyUses{}
	}
	use := (*u)[place]
	if h.reference() {
		use.left++
	} else {
		use.gone = true
	}
	(*u)[place] = use
	return nil
}

// settle keeps the bodies that are still shared, before the noted changes are written.
func (u bodyUses) settle(tx *fileTx, t *fileTable) error {
	in := t.in(&tx.fileState)
	for place, use := range u {
		owner := []byte(place.owner)
		h, err := in.body(owner, place.version)
		if err != nil {
			return err
		}
		if h.sharers < use.left {
			return errSharers
		}
		h.sharers -= use.left
		if err := in.keepBody(tx, owner, h, use.gone); err != nil {
			return err
		}
	}
	return nil
}

var errSharers = errors.New("a body that is shared by more entities than it counts")

// keepBody rewrites a body with its number of sharers. gone: its entity is about to be written without it.
func (in tableIn) keepBody(tx *fileTx, owner []byte, h recordHead, gone bool) error {
	_, own, err := sharedBody(owner, in.entities.Get(owner), h.version)
	if err != nil || own && gone && h.sharers == 0 {
		return err
	}
	if !own && h.sharers == 0 {
		return tx.delete(in.table.bodies, asideKey(owner, h.version))
	}
	record, err := h.withSharers(owner, in.table.dict, h.sharers)
	if err != nil {
		return err
	}
	if own && !gone {
		return tx.put(in.table.entities, owner, record)
	}
	return tx.put(in.table.bodies, asideKey(owner, h.version), record)
}

// sharers gives how many sharers the bodies count, and how many references actually exist.
func (in tableIn) sharers(ctx context.Context) (counted, found uint64, err error) {
	for _, b := range []*fileBucket{in.entities, in.state.Bucket(in.table.bodies)} {
		if b == nil {
			continue
		}
		cursor, n := b.Cursor(), 0
		for _, record := cursor.First(); record != nil; _, record = cursor.Next() {
			if n++; n%walkAtOnce == 0 && ctx.Err() != nil {
				return 0, 0, ctx.Err()
			}
			var h recordHead
			if h.parse(record) != nil {
				continue
			}
			if counted += h.sharers; h.reference() {
				found++
			}
		}
	}
	return counted, found, nil
}
