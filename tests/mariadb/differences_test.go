package mariadb

// difference is one that stays.
type difference struct {
	reason  string
	example string
	match   func(*finding) bool
}

var differences []difference

func knownDifference(f *finding) *difference {
	for i := range differences {
		if differences[i].match(f) {
			return &differences[i]
		}
	}
	return nil
}
