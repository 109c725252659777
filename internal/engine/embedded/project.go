package embedded

import "github.com/nearlyfreedb/nearlyfree/internal/engine"

// shape is a list of names that many entities share: no absent properties, never changed.
type shape struct{ names []string }

// projection says how to get the values of a Select from those of a shape.
type projection struct {
	run   int   // when ≥ 0, the values are a run of the stored ones that begins here
	slots []int // else, where each is, or -1
}

// project finds the names of sel among names. Both mostly stand in the order of the table's columns,
// so the search for each name goes on where the last one was found.
func project(names, sel []string) projection {
	if run := findRun(names, sel); run >= 0 {
		return projection{run: run}
	}
	p := projection{run: -1, slots: make([]int, len(sel))}
	at := 0
	for i, name := range sel {
		at, p.slots[i] = find(names, name, at)
	}
	return p
}

func findRun(names, sel []string) int {
	if len(sel) == 0 {
		return 0
	}
	_, run := find(names, sel[0], 0)
	if run < 0 || len(names)-run < len(sel) {
		return -1
	}
	for i, name := range sel {
		if names[run+i] != name {
			return -1
		}
	}
	return run
}

// find looks for name from at on and round to at; next is where to go on.
func find(names []string, name string, at int) (next, slot int) {
	for i := at; i < len(names); i++ {
		if names[i] == name {
			return i + 1, i
		}
	}
	for i := range min(at, len(names)) {
		if names[i] == name {
			return i + 1, i
		}
	}
	return at, -1
}

// gather gives the values of sel: stored ones where they lie together, else new ones.
func gather(names []string, values []engine.Value, sel []string) []engine.Value {
	if run := findRun(names, sel); run >= 0 {
		return values[run : run+len(sel) : run+len(sel)]
	}
	out := make([]engine.Value, len(sel))
	at := 0
	for i, name := range sel {
		var slot int
		if at, slot = find(names, name, at); slot >= 0 {
			out[i] = values[slot]
		}
	}
	return out
}
