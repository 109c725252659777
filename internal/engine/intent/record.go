package intent

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
)

// recordPrefix begins the RowKey of a record. No key of a row or an index begins so.
const recordPrefix = "!t!"

// state is what a transaction's record says.
type state string

const (
	undecided state = "" // there is no record
	pending   state = "pending"
	committed state = "committed"
	aborted   state = "aborted"
	gone      state = "gone" // the intent is: see await
)

func (s state) isDecided() bool { return s == committed || s == aborted }

// newID makes the id of a try of a transaction: 9 digits of base 36 for milliseconds, so that ids sort by age, and 13 random ones.
func newID() string {
	at := strconv.FormatInt(time.Now().UnixMilli(), 36)
	return strings.Repeat("0", max(0, 9-len(at))) + at + rand.Text()[:13]
}

func recordKey(id string) string { return recordPrefix + id }

// recordOp makes the operation that writes a record; groups may be "".
func recordOp(kind engine.OpKind, h home, id string, s state, groups string, ifMatch string) engine.Op {
	e := engine.Entity{PartitionKey: h.partition, RowKey: recordKey(id), Names: []string{markerProperty, stateProperty}, Values: []engine.Value{text(recordMarker), text(string(s))}}
	if groups != "" {
		e.Names, e.Values = append(e.Names, groupsProperty), append(e.Values, text(groups))
	}
	return engine.Op{Kind: kind, Entity: e, IfMatch: ifMatch}
}

// look reads a record. etag is the record's own, "" if there is none.
func (s *Store) look(ctx context.Context, h home, id string, m *engine.Meter) (is state, etag string, err error) {
	e, err := s.base.Get(ctx, engine.Get{Table: h.table, PartitionKey: h.partition, RowKey: recordKey(id), Select: []string{stateProperty}, Meter: m})
	if isCode(err, engine.CodeNotFound) {
		return undecided, "", nil
	}
	if err != nil {
		return undecided, "", err
	}
	switch is = state(e.Values[0].S); is {
	case pending, committed, aborted:
	default:
		return "", "", engine.Errorf(engine.CodeCorrupt, "the record of transaction %s says %q", id, is)
	}
	if is == committed {
		s.known.add(id)
	}
	return is, e.ETag, nil
}

// abort aborts a transaction unless it is decided, and gives what its record says then. etag is the ETag of the record as it was read, "" if
// there was none.
func (s *Store) abort(ctx context.Context, h home, id, etag string, m *engine.Meter) (state, error) {
	op := recordOp(engine.Insert, h, id, aborted, "", "")
	if etag != "" {
		op = recordOp(engine.Replace, h, id, aborted, "", etag)
	}
	for try := 1; ; try++ {
		err := s.direct.Commit(ctx, engine.Commit{Table: h.table, PartitionKey: h.partition, Ops: []engine.Op{op}, Meter: m})
		switch {
		case err == nil:
			s.aborted(h, id)
			return aborted, nil
		case isCode(err, engine.CodeExists), isCode(err, engine.CodeStale), isCode(err, engine.CodeNotFound), engine.IsUnsure(err):
			is, now, err := s.look(ctx, h, id, m)
			if err != nil || is.isDecided() {
				return is, err
			}
			if err := retry.Sleep(ctx, retry.Intent.Pause(try)); err != nil {
				return undecided, err
			}
			if op = recordOp(engine.Insert, h, id, aborted, "", ""); now != "" {
				op = recordOp(engine.Replace, h, id, aborted, "", now)
			}
		default:
			return undecided, err
		}
	}
}

func isCode(err error, code engine.Code) bool {
	var e *engine.Error
	return errors.As(err, &e) && e.Code == code && e.Applied != engine.Unknown
}
