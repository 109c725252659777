package exec

import (
	"context"
	"io"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// branch reads some spans alongside others: its next chunk may be on its way while another branch is used.
type branch struct {
	src   *SpanSource
	chunk []engine.Entity
	pos   int
	asked bool
	got   chan branchChunk
}

type branchChunk struct {
	entities []engine.Entity
	err      error
}

// branches are what fanSource and mergeSource have in common.
type branches struct {
	run    *Run
	ctx    context.Context // of what is under way
	cancel context.CancelFunc
	list   []*branch
}

func newBranches(r *Run, sources []*SpanSource) branches {
	b := branches{run: r, list: make([]*branch, len(sources))}
	b.ctx, b.cancel = context.WithCancel(r.ctx)
	for i, s := range sources {
		b.list[i] = &branch{src: s, got: make(chan branchChunk, 1)}
	}
	return b
}

// ask requests the branch's next chunk, unless that is under way or only one request is allowed at a time.
// The chunk before it is no longer valid.
func (b *branches) ask(br *branch) {
	if br.asked || b.run.inTurn() == 1 {
		return
	}
	br.asked = true
	go func() {
		entities, err := br.src.nextChunk(b.ctx)
		br.got <- branchChunk{entities, err}
	}()
}

// wait makes the branch's next chunk the current one.
func (b *branches) wait(ctx context.Context, br *branch) (err error) {
	br.chunk, br.pos = nil, 0
	b.ask(br)
	if !br.asked {
		br.chunk, err = br.src.nextChunk(ctx)
		return err
	}
	select {
	case c := <-br.got:
		br.asked = false
		br.chunk = c.entities
		return c.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends what is under way and waits until it has ended.
func (b *branches) Close() error {
	b.cancel()
	var first error
	for _, br := range b.list {
		if br.asked {
			<-br.got
			br.asked = false
		}
		if err := br.src.Close(); err != nil && first == nil {
			first = err
		}
	}
	b.list = nil
	return first
}

// fanSource passes the entities of branches, a chunk of each open branch in turn; a limited number of branches is open. If
// order matters it passes one branch after another, while the first chunks of the next ones are on their way.
type fanSource struct {
	branches
	inOrder bool
	opened  int // of the list
	open    []*branch
	turn    int
	window  int
}

func newFanSource(r *Run, sources []*SpanSource, inOrder bool) *fanSource {
	return &fanSource{branches: newBranches(r, sources), inOrder: inOrder, window: r.Parallel()}
}

func (s *fanSource) NextEntity(ctx context.Context) (*engine.Entity, string, error) {
	for {
		for len(s.open) < s.window && s.opened < len(s.list) {
			s.ask(s.list[s.opened])
			s.open = append(s.open, s.list[s.opened])
			s.opened++
		}
		if len(s.open) == 0 {
			return nil, "", io.EOF
		}
		s.turn %= len(s.open)
		b := s.open[s.turn]
		if b.pos < len(b.chunk) {
			e := &b.chunk[b.pos]
			b.pos++
			return e, e.RowKey, nil
		}
		if b.chunk != nil { // used up: its next one comes while the others have their turn
			b.chunk = nil
			s.ask(b)
			if !s.inOrder {
				s.turn++
			}
			continue
		}
		switch err := s.wait(ctx, b); {
		case err == io.EOF:
			s.open = slices.Delete(s.open, s.turn, s.turn+1)
		case err != nil:
			return nil, "", err
		}
	}
}

// mergeSource merges the entities of branches, each sorted by row key, in the order of row keys.
type mergeSource struct {
	branches
	heap  []*branch // the least current row key first
	began bool
}

func newMergeSource(r *Run, sources []*SpanSource) *mergeSource {
	return &mergeSource{branches: newBranches(r, sources)}
}

func (s *mergeSource) NextEntity(ctx context.Context) (*engine.Entity, string, error) {
	if !s.began {
		if err := s.begin(ctx); err != nil {
			return nil, "", err
		}
	} else if err := s.advance(ctx); err != nil {
		return nil, "", err
	}
	if len(s.heap) == 0 {
		return nil, "", io.EOF
	}
	b := s.heap[0]
	e := &b.chunk[b.pos]
	return e, e.RowKey, nil
}

// begin reads the first chunk of every branch.
func (s *mergeSource) begin(ctx context.Context) error {
	s.began = true
	for _, b := range s.list {
		s.ask(b)
	}
	for _, b := range s.list {
		switch err := s.wait(ctx, b); {
		case err == nil:
			s.heap = append(s.heap, b)
		case err != io.EOF:
			return err
		}
	}
	for i := len(s.heap)/2 - 1; i >= 0; i-- {
		s.down(i)
	}
	return nil
}

// advance leaves the entity that was passed last.
func (s *mergeSource) advance(ctx context.Context) error {
	if len(s.heap) == 0 {
		return nil
	}
	b := s.heap[0]
	if b.pos++; b.pos >= len(b.chunk) {
		switch err := s.wait(ctx, b); {
		case err == io.EOF:
			last := len(s.heap) - 1
			s.heap[0] = s.heap[last]
			s.heap = s.heap[:last]
		case err != nil:
			return err
		}
	}
	s.down(0)
	return nil
}

func (s *mergeSource) less(i, j int) bool {
	a, b := s.heap[i], s.heap[j]
	x, y := &a.chunk[a.pos], &b.chunk[b.pos]
	if x.RowKey != y.RowKey {
		return x.RowKey < y.RowKey
	}
	return x.PartitionKey < y.PartitionKey
}

func (s *mergeSource) down(i int) {
	for {
		least := i
		for kid := 2*i + 1; kid <= 2*i+2 && kid < len(s.heap); kid++ {
			if s.less(kid, least) {
				least = kid
			}
		}
		if least == i {
			return
		}
		s.heap[i], s.heap[least] = s.heap[least], s.heap[i]
		i = least
	}
}

// byPartition gives the spans of each store partition of each partition, in the order in which these first appear.
func byPartition(spans []access.Span) [][]access.Span {
	type place struct {
		part      *schema.Partition
		partition string
	}
	var out [][]access.Span
	at := make(map[place]int)
	for _, s := range spans {
		i, ok := at[place{s.Partition, s.PartitionKey}]
		if !ok {
			i = len(out)
			at[place{s.Partition, s.PartitionKey}] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], s)
	}
	return out
}
