package catalog

import (
	"context"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// lockPrefix begins the keys of named locks: one entity each while the lock is held.
const lockPrefix = "lock!"

// NamedLock is a GET_LOCK lock as the store keeps it. Its holder rewrites the entity within each lease; an entity whose ETag
// stays the same for longer was left by a process that ended.
type NamedLock struct {
	Name       string
	Token      string // of the holder, never used again
	Connection int64  // CONNECTION_ID() of the holder
}

func (l *NamedLock) key() string {
	key, _, err := keymap.AppendValue([]byte(lockPrefix), value.FromString(strings.ToLower(l.Name)), namePart)
	if err != nil { // a name that is not text
		return lockPrefix + keymap.TableName("", l.Name)
	}
	return string(key)
}

func (l *NamedLock) op(kind engine.OpKind, etag string) engine.Op {
	return engine.Op{Kind: kind, IfMatch: etag, Entity: engine.Entity{PartitionKey: partition, RowKey: l.key(),
		Names: []string{"Name", "Token", "Connection"}, Values: []engine.Value{textValue(l.Name), textValue(l.Token), int64Value(l.Connection)}}}
}

func (c *Catalog) commitLock(ctx context.Context, op engine.Op) error {
	return c.engine.Commit(ctx, engine.Commit{Table: c.table, PartitionKey: partition, Ops: []engine.Op{op}, Meter: c.meter})
}

// readLock gives the holder of a lock and the entity's ETag; "" if the lock is free.
func (c *Catalog) readLock(ctx context.Context, name string) (NamedLock, string, error) {
	l := NamedLock{Name: name}
	e, err := c.engine.Get(ctx, engine.Get{Table: c.table, PartitionKey: partition, RowKey: l.key(), Meter: c.meter})
	if engine.Is(err, engine.CodeNotFound, engine.CodeNoTable) {
		return l, "", nil
	}
	if err != nil {
		return l, "", err
	}
	l.Token, l.Connection = property(&e, "Token").S, int64(property(&e, "Connection").N)
	return l, e.ETag, nil
}

// TakeLock takes a lock that is free, or that its holder has abandoned: then left is the ETag that the entity still has.
// Otherwise it gives the ETag of the holder's entity.
func (c *Catalog) TakeLock(ctx context.Context, l NamedLock, left string) (held string, err error) {
	op := l.op(engine.Insert, "")
	if left != "" {
		op = l.op(engine.Replace, left)
	}
	tries := retry.Begin(ctx, retry.Race)
	for {
		err := c.commitLock(ctx, op)
		if engine.Is(err, engine.CodeNoTable) {
			if err = c.engine.CreateTable(ctx, c.table, c.meter); err == nil || engine.Is(err, engine.CodeExists) {
				err = c.commitLock(ctx, op)
			}
		}
		if !engine.Is(err, engine.CodeExists) && !engine.Is(err, engine.CodeStale) && !engine.Is(err, engine.CodeNotFound) {
			return "", err
		}
		holder, etag, readErr := c.readLock(ctx, l.Name)
		switch {
		case readErr != nil:
			return "", readErr
		case etag != "" && holder.Token == l.Token: // a request that was sent twice
			return "", nil
		case etag != "":
			return etag, nil
		}
		op = l.op(engine.Insert, "") // it was released meanwhile
		if err := tries.Again(err); err != nil {
			return "", err
		}
	}
}

// RenewLock says that a lock is still held; false if it was lost.
func (c *Catalog) RenewLock(ctx context.Context, l NamedLock) (bool, error) {
	return c.changeLock(ctx, l, engine.Replace)
}

// ReleaseLock releases a lock; false if it was lost.
func (c *Catalog) ReleaseLock(ctx context.Context, l NamedLock) (bool, error) {
	return c.changeLock(ctx, l, engine.Delete)
}

// changeLock writes or deletes the entity if it is still l's.
func (c *Catalog) changeLock(ctx context.Context, l NamedLock, kind engine.OpKind) (bool, error) {
	tries := retry.Begin(ctx, retry.Race)
	for {
		holder, etag, err := c.readLock(ctx, l.Name)
		if err != nil || etag == "" || holder.Token != l.Token {
			return false, err
		}
		err = c.commitLock(ctx, l.op(kind, etag))
		if !engine.Is(err, engine.CodeStale) && !engine.Is(err, engine.CodeNotFound) {
			return err == nil, err
		}
		if err := tries.Again(err); err != nil {
			return false, err
		}
	}
}

// LockHolder is the connection that holds a lock; 0 if it is free.
func (c *Catalog) LockHolder(ctx context.Context, name string) (int64, error) {
	l, _, err := c.readLock(ctx, name)
	return l.Connection, err
}
