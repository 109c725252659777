package embedded

// Fork gives a store that begins with the contents of this one. From then on neither sees the other's writes. They share all nodes of their
// trees: each copies what it changes, as a commit does while the root is held.
func (m *Memory) Fork() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.root.Load()
	f := &Memory{limits: m.limits, version: m.version, clock: m.clock}
	f.closed.Store(m.closed.Load())
	own := r.next()
	own.m = f
	f.root.Store(own)
	m.root.Store(r.next()) // which owns nothing either of what both share
	return f
}
