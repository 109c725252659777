package engine

// The names of a Select and of an entity are mostly in the same order, that of the table's columns. So the search for each name continues where
// the last one was found.

// FindName looks for a name from at on, and then before it. It gives the name's position, or -1, and where to look for the next name.
func FindName(names []string, name string, at int) (slot, next int) {
	for i := at; i < len(names); i++ {
		if names[i] == name {
			return i, i + 1
		}
	}
	for i := range min(at, len(names)) {
		if names[i] == name {
			return i, i + 1
		}
	}
	return -1, at
}

// findRun looks for the position from which all of sel lie together.
func findRun(names, sel []string) int {
	if len(sel) == 0 {
		return 0
	}
	run, _ := FindName(names, sel[0], 0)
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

// Gather gives the values of sel: a part of the entity's own if they lie together, else new ones.
func Gather(names []string, values []Value, sel []string) []Value {
	if run := findRun(names, sel); run >= 0 {
		return values[run : run+len(sel) : run+len(sel)]
	}
	out := make([]Value, len(sel))
	at := 0
	for i, name := range sel {
		var slot int
		if slot, at = FindName(names, name, at); slot >= 0 {
			out[i] = values[slot]
		}
	}
	return out
}

// Overlay lays the present ones of some properties over others, as a Merge does. It changes names and values in place, or grows them.
func Overlay(names []string, values []Value, overNames []string, overValues []Value) ([]string, []Value) {
	at := 0
	for i, name := range overNames {
		if overValues[i].Type == Absent {
			continue
		}
		var slot int
		if slot, at = FindName(names, name, at); slot >= 0 {
			values[slot] = overValues[i]
		} else {
			names, values = append(names, name), append(values, overValues[i])
		}
	}
	return names, values
}
