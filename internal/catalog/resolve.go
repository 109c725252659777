package catalog

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
)

// Each change has an id, which the version entity holds together with earlier ones. A process that lost the answer to its
// change thus finds out whether it was made, even if others were made since.
const (
	changeIDLength = 12
	keptChanges    = 40
)

func newChangeID() string { return rand.Text()[:changeIDLength] }

// addChange puts an id in front of those of earlier changes, and drops the oldest.
func addChange(changes, id string) string {
	all := append([]string{id}, strings.Fields(changes)...)
	return strings.Join(all[:min(len(all), keptChanges)], " ")
}

// resolve finds out whether a change of the definitions of s, whose answer was lost with err, was made. It gives nil if it was;
// errMoved if it was not and never will be, because the version entity on which the change is conditional has changed; and err
// if that cannot be known.
func (c *Catalog) resolve(ctx context.Context, s *Snapshot, id string, err error) error {
	tries := retry.Begin(ctx, retry.Race)
	for {
		e, getErr := c.getVersion(ctx)
		missing := engine.Is(getErr, engine.CodeNotFound)
		if getErr != nil && !missing {
			return err
		}
		if !missing && e.ETag != s.etag {
			version, _, decodeErr := decodeVersion(&e)
			switch {
			case decodeErr != nil:
				return decodeErr
			case strings.Contains(property(&e, "Changes").S, id):
				return nil
			case version-s.version >= keptChanges:
				return err // its id may have been dropped since
			}
			return errMoved
		}
		// The request may still be under way: change the entity so that the request can no longer succeed.
		fence := engine.Op{Kind: engine.Replace, Entity: encodeVersion(s.version, s.changes, s.about), IfMatch: s.etag}
		if missing {
			fence = engine.Op{Kind: engine.Insert, Entity: fence.Entity}
		}
		fenceErr := c.engine.Commit(ctx, engine.Commit{Table: c.table, PartitionKey: partition, Ops: []engine.Op{fence}, Meter: c.meter})
		if fenceErr == nil {
			return errMoved
		}
		if tries.Again(fenceErr) != nil {
			return err
		}
	}
}
