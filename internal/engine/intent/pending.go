package intent

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// manyGroups is the number of groups from which a transaction has a record before it is decided, so that others see that it is alive.
const manyGroups = 8

// beat is how often that record is rewritten.
const beat = Expiry / 4

// showPending writes the record of a transaction that takes long.
func (x *transaction) showPending(ctx context.Context) error {
	c := engine.Commit{Table: x.home.table, PartitionKey: x.home.partition, Meter: x.meter, ETags: make([]string, 1),
		Ops: []engine.Op{recordOp(engine.Insert, x.home, x.id, pending, x.places(), "")}}
	err := x.store.direct.Commit(ctx, c)
	x.pending, x.etag, x.beaten = true, c.ETags[0], time.Now()
	if err == nil && x.etag == "" {
		_, x.etag, err = x.store.look(ctx, x.home, x.id, x.meter)
	}
	return err
}

// beat shows that the transaction is alive, when it is time to.
func (x *transaction) beat(ctx context.Context) error {
	if !x.pending || !x.beating.CompareAndSwap(false, true) {
		return nil
	}
	defer x.beating.Store(false)
	if time.Since(x.beaten) < beat {
		return nil
	}
	c := engine.Commit{Table: x.home.table, PartitionKey: x.home.partition, Meter: x.meter, ETags: make([]string, 1),
		Ops: []engine.Op{recordOp(engine.Replace, x.home, x.id, pending, x.places(), x.etag)}}
	err := x.store.direct.Commit(ctx, c)
	if x.beaten, x.etag = time.Now(), c.ETags[0]; err == nil && x.etag == "" {
		_, x.etag, err = x.store.look(ctx, x.home, x.id, x.meter)
	}
	return err
}

// mostPlaces bounds the text of places.
const mostPlaces = 16 << 10

// andOthers is the last element if there was no room for all places.
var andOthers = [2]string{}

// places gives the tables and partitions of the groups, as JSON, as far as there is room.
func (x *transaction) places() string {
	var all [][2]string
	size := 0
	for _, g := range x.groups {
		place := [2]string{g.table, g.partition}
		if size += len(g.table) + len(g.partition) + 8; size > mostPlaces {
			all = append(all, andOthers)
			break
		}
		if !slices.Contains(all, place) {
			all = append(all, place)
		}
	}
	out, _ := json.Marshal(all)
	return string(out)
}
