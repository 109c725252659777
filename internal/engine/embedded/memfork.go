package embedded

// Fork gives a store that begins with what this one holds. From then on neither sees what is written to the other. They share
// all nodes of their trees: each copies what it changes, as a commit does while somebody holds the root.
func (m *Memory) Fork() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.root.Load()
	f := &Memory{limits: m.limits, version: m.version, clock: m.clock}
	f.closed.Store(m.closed.Load())
	own := r.next()
	own.m = f
	f.root.Store(own)
	m.root.Store(r.next()) // which owns nothing either of what both have
	return f
}
