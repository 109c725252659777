package exec

import (
	"context"
	"strings"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// pointReads keeps what a query has read by key, so that its subqueries, the branches of a UNION and the like read nothing
// twice.
type pointReads struct {
	mu    sync.Mutex
	known map[pointKey]pointRead
}

// pointKey is an entity's key, and which of its properties are read.
type pointKey struct {
	table, partition, row string
	properties            string
}

type pointRead struct {
	entity engine.Entity
	found  bool
}

// mostKnownPoints limits what is kept; later points are read each time.
const mostKnownPoints = 1000

// rereads says whether a query may read an entity by its key in several places, or several times in one.
func rereads(p *planner.Plan) bool {
	if p.Slots > 0 {
		return true
	}
	seen := map[*schema.Table]bool{}
	for _, s := range p.Scans() {
		if s.Access > access.PointReads {
			continue
		}
		if seen[s.Table] {
			return true
		}
		seen[s.Table] = true
	}
	return false
}

// knownPoint is point for a key that the query may have read before.
func (r *Run) knownPoint(ctx context.Context, g engine.Get, k access.Key) (engine.Entity, bool, error) {
	m := r.points
	if m == nil || g.Hold != engine.HoldAsAll {
		return r.point(ctx, g, k)
	}
	key := pointKey{k.Partition.Physical, k.PartitionKey, k.RowKey, propertiesText(g.Select)}
	m.mu.Lock()
	read, ok := m.known[key]
	m.mu.Unlock()
	if ok {
		return read.entity, read.found, nil
	}
	var err error
	read.entity, read.found, err = r.point(ctx, g, k)
	if err != nil {
		return read.entity, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.known) < mostKnownPoints {
		if m.known == nil {
			m.known = map[pointKey]pointRead{}
		}
		m.known[key] = read
		err = r.Charge(read.bytes(&key), "read by key")
	}
	return read.entity, read.found, err
}

// propertiesText is a distinct text for each list of properties; nil means all.
func propertiesText(names []string) string {
	if names == nil {
		return "*"
	}
	return strings.Join(names, " ")
}

// bytes is the memory that is held for r.
func (r *pointRead) bytes(k *pointKey) int64 {
	n := bytesPerEntry + int64(len(k.partition)+len(k.row)+len(k.properties))
	for i := range r.entity.Values {
		n += BytesPerValue + int64(len(r.entity.Values[i].S))
	}
	return n
}
