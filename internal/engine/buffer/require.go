package buffer

import "github.com/nearlyfreedb/nearlyfree/internal/engine"

// Requirement is what Commit requires because of an entity that the transaction has written: only as long as the transaction leaves an entity
// there (While), or leaves none there (not While). A later write may make it unnecessary: a row that needs another may be deleted again, and a
// row that no other may refer to may be inserted again.
type Requirement struct {
	engine.Requirement
	Of                   string // the table of that entity
	PartitionKey, RowKey string // its keys
	While                bool
}

// Require adds a requirement. RollbackTo takes it back along with what was applied.
func (b *Buffer) Require(r Requirement) error {
	const requirementOctets = 256
	b.mu.Lock()
	defer b.mu.Unlock()
	octets := int64(requirementOctets + len(r.Requirement.PartitionKey) + len(r.From) + len(r.To) + len(r.RowKey))
	b.requires = append(b.requires, r)
	b.journal = append(b.journal, undo{octets: octets})
	return b.held(octets)
}

// requirements gives what must hold after all that was applied, each once.
func (b *Buffer) requirements() []engine.Requirement {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []engine.Requirement
	for i := range b.requires {
		r := &b.requires[i]
		if e := b.tree(r.Of).find(r.PartitionKey, r.RowKey); e == nil || e.exists() == r.While {
			out = append(out, r.Requirement)
		}
	}
	return engine.DistinctRequirements(out)
}
