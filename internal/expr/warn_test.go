package expr

import (
	"maps"
	"slices"
	"testing"
)

// What says what a function warns of names the function itself: one of its other names would be found by none.
func TestWarningsNameFunctions(t *testing.T) {
	names := slices.Concat(slices.Collect(maps.Keys(numberArguments)), slices.Collect(maps.Keys(refusals)),
		slices.Collect(maps.Keys(datesAt)), slices.Collect(maps.Keys(timesAt)))
	for _, name := range names {
		if f := lookupFunction(name); f == nil || f.Name != name {
			t.Errorf("%s is no function's own name", name)
		}
	}
}
