package engine

import (
	"context"
	"errors"
	"io"
)

// FewKeys are read one by one: so many go side by side, as a rule.
const FewKeys = 16

// The first page reads so many entities for each key that is wanted, at most, later ones so many more. They are worth it as long as one is
// wanted among so many that were read.
const (
	firstNear = 4
	worthNear = 16
)

// Near reads entities of one partition by their keys, which are sorted, ASCII, and each there once. It reads ranges, a page at a time, as
// long as more than FewKeys are left, and the pages have held enough of them. It gives how many keys are answered, from
// the first one on: found was called for those that have an entity. The others are to be read one by one. A page answers one key at the
// least, so this takes no more requests than a read of each key.
//
// s says what is read, without a range; scan begins to read it.
func Near(ctx context.Context, scan func(context.Context, Scan) Cursor, s Scan, l Limits, keys []string, found func(i int, e *Entity) error) (answered int, err error) {
	if !l.SortedByKey {
		return 0, nil
	}
	entities := 0
	for each := firstNear; len(keys)-answered > FewKeys; each = worthNear {
		left := keys[answered:]
		s.From, s.To, s.Limit = left[0], left[len(left)-1]+"\x00", min(l.PageEntities, each*len(left))
		n, read, err := nearPage(ctx, scan(ctx, s), s.Limit, left, func(i int, e *Entity) error { return found(answered+i, e) })
		if err != nil {
			return answered, err
		}
		answered += n
		if entities += read; answered*worthNear < entities {
			break
		}
	}
	return answered, nil
}

// nearPage gives how many of the keys a cursor answers with so many entities, and how many it has read.
func nearPage(ctx context.Context, c Cursor, most int, keys []string, found func(i int, e *Entity) error) (answered, read int, err error) {
	defer c.Close()
	for read < most {
		chunk, err := c.Next(ctx)
		if errors.Is(err, io.EOF) {
			return len(keys), read, nil
		}
		if err != nil {
			return answered, read, err
		}
		read += len(chunk)
		for i := range chunk {
			e := &chunk[i]
			for answered < len(keys) && keys[answered] < e.RowKey {
				answered++ // it is not there
			}
			if answered == len(keys) || keys[answered] != e.RowKey {
				continue
			}
			if err := found(answered, e); err != nil {
				return answered, read, err
			}
			answered++
		}
	}
	return answered, read, nil
}
