package expr

import (
	"fmt"
	"math"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// unitFunctions show numbers in the units that suit them.
func unitFunctions() []*Function {
	return []*Function{
		{Name: "FORMAT_BYTES", Signature: "FORMAT_BYTES(n)", Family: "number", Doc: "A number of octets in the unit that suits it: '1.50 MiB'.", Min: 1, Max: 1, strict: true, null: anyNull,
			Type: toText, Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				return value.FromString(inUnits(value.ToFloat(args[0]), 4, byteUnits)), nil
			}},
		{Name: "FORMAT_PICO_TIME", Signature: "FORMAT_PICO_TIME(n)", Family: "number", Doc: "A number of picoseconds in the unit that suits it: '3.50 ms'.", Min: 1, Max: 1, strict: true,
			null: anyNull, Type: toText, Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				return value.FromString(inUnits(value.ToFloat(args[0]), 3, picoUnits)), nil
			}},
	}
}

// namedUnit is a unit of so much.
type namedUnit struct {
	size float64
	name string
}

var (
	byteUnits = []namedUnit{{1, "bytes"}, {1 << 10, "KiB"}, {1 << 20, "MiB"}, {1 << 30, "GiB"}, {1 << 40, "TiB"}, {1 << 50, "PiB"}, {1 << 60, "EiB"}}
	picoUnits = []namedUnit{{1, "ps"}, {1e3, "ns"}, {1e6, "us"}, {1e9, "ms"}, {1e12, "s"}, {60e12, "min"}, {3600e12, "h"}, {86400e12, "d"}}
)

// inUnits shows n with two digits after the point in the largest unit of which it has at least one, huge numbers with an exponent; in the least
// unit, as a whole number of at least width characters.
func inUnits(n float64, width int, units []namedUnit) string {
	u := units[0]
	for _, larger := range units[1:] {
		if math.Abs(n) >= larger.size {
			u = larger
		}
	}
	if u == units[0] {
		return fmt.Sprintf("%*.0f %s", width, math.Trunc(n), u.name)
	}
	if n /= u.size; math.Abs(n) >= 100_000 {
		return fmt.Sprintf("%.2e %s", n, u.name)
	}
	return fmt.Sprintf("%.2f %s", n, u.name)
}
