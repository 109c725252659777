package engine

import (
	"context"
	"errors"
	"io"
)

// FewRanges is how many ranges are simply read one by one: usually so many are read side by side.
const FewRanges = 16

// The first page reads at most firstNear entities for each wanted range, later pages at most worthNear: reading on is worth it as long as one of
// worthNear entities read is wanted.
const (
	firstNear = 4
	worthNear = 16
)

// Near reads many ranges of one partition, most of them of one entity or a few: scans that differ only in From and To, sorted, without overlaps,
// without a limit; keys are ASCII. It reads across them, a page at a time, as long as more than FewRanges are left and the pages have held
// enough wanted entities. It returns how many ranges are answered, counted from the first: found was called for each of their entities. The
// caller reads the others one by one; found may have had a part of the first of them. A page answers at least one range of one entity, so for
// such ranges this takes no more requests than reading each.
func Near(ctx context.Context, scan func(context.Context, Scan) Cursor, l Limits, ranges []Scan, found func(i int, e *Entity) error) (answered int, err error) {
	if !l.SortedByKey {
		return 0, nil
	}
	entities, wanted, from := 0, 0, ""
	for each := firstNear; len(ranges)-answered > FewRanges; each = worthNear {
		left := ranges[answered:]
		s := left[0]
		s.From, s.To, s.Limit = max(from, s.From), left[len(left)-1].To, min(l.PageEntities, each*len(left))
		p := nearPage{ranges: left, found: func(i int, e *Entity) error { return found(answered+i, e) }}
		if err := p.read(ctx, scan(ctx, s), s.Limit); err != nil {
			return answered, err
		}
		answered += p.answered
		entities, wanted, from = entities+p.entities, wanted+p.wanted, p.from
		if max(answered, wanted)*worthNear < entities {
			break
		}
	}
	return answered, nil
}

// nearPage is a page read across ranges.
type nearPage struct {
	ranges   []Scan
	found    func(i int, e *Entity) error
	answered int    // ranges whose entities were all read
	entities int    // that were read
	wanted   int    // of these
	from     string // where the next page begins
}

// read reads at most so many entities.
func (p *nearPage) read(ctx context.Context, c Cursor, most int) error {
	defer c.Close()
	for p.entities < most {
		chunk, err := c.Next(ctx)
		if errors.Is(err, io.EOF) {
			p.answered = len(p.ranges)
			return nil
		}
		if err != nil {
			return err
		}
		p.entities += len(chunk)
		for i := range chunk {
			if err := p.take(&chunk[i]); err != nil {
				return err
			}
		}
		if len(chunk) > 0 {
			p.from = chunk[len(chunk)-1].RowKey + "\x00"
			p.passTo(p.from)
		}
	}
	return nil
}

// passTo passes the ranges that end before a key.
func (p *nearPage) passTo(key string) {
	for p.answered < len(p.ranges) && p.ranges[p.answered].To <= key && p.ranges[p.answered].To != "" {
		p.answered++
	}
}

func (p *nearPage) take(e *Entity) error {
	p.passTo(e.RowKey)
	if p.answered == len(p.ranges) || e.RowKey < p.ranges[p.answered].From {
		return nil
	}
	p.wanted++
	return p.found(p.answered, e)
}
