package expr

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// informationFunctions tell of their arguments, and make numbers readable.
func informationFunctions() []*Function {
	return []*Function{
		{Name: "NAME_CONST", Signature: "NAME_CONST(name, x)", Family: "session", Doc: "x.", Min: 2, Max: 2,
			Type: func(args []Node) value.Type { return args[1].Type() }, check: checkNameConst, simplify: func(n *Call) Node { return n.Args[1] }},
		{Name: "CHARSET", Signature: "CHARSET(x)", Family: "session", Doc: "utf8mb4 for a text, binary for anything else.", Min: 1, Max: 1, null: neverNull, Type: toText,
			simplify: func(n *Call) Node {
				t := n.Args[0].Type()
				if isText(t) || t.Base == value.TypeJSON {
					return NewConst(value.FromString("utf8mb4"))
				}
				return NewConst(value.FromString("binary"))
			}},
		{Name: "FORMAT_BYTES", Signature: "FORMAT_BYTES(n)", Family: "number", Doc: "A number of octets in the unit that suits it: '1.50 MiB'.", Min: 1, Max: 1, strict: true, null: anyNull,
			Type: toText, Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				return value.FromString(inUnits(value.ToFloat(args[0]), 4, byteUnits)), nil
			}},
		{Name: "FORMAT_PICO_TIME", Signature: "FORMAT_PICO_TIME(n)", Family: "number", Doc: "A number of picoseconds in the unit that suits it: '3.50 ms'.", Min: 1, Max: 1, strict: true,
			null: anyNull, Type: toText, Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				return value.FromString(inUnits(value.ToFloat(args[0]), 3, picoUnits)), nil
			}},
		{Name: "UUID_SHORT", Signature: "UUID_SHORT()", Family: "id", Volatility: Volatile, Doc: "A number of 64 bits, as unique as MySQL's: a random octet of the process, the second at which it began, a count.",
			null: neverNull, Type: fixed(unsignedType), Eval: func(*Env, []value.Value) (value.Value, error) {
				return value.FromUint(shortID.Add(1)), nil
			}},
	}
}

func checkNameConst(args []Node) error {
	for _, a := range args {
		if !IsConst(a) {
			return &ArgumentError{"NAME_CONST", "its arguments are constants"}
		}
	}
	return nil
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

// inUnits shows n with two digits behind the point in the largest unit that it has one of, huge ones with an exponent; in
// the least unit as a whole number of at least width characters.
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

// shortID is the last of UUID_SHORT: an octet of the process's own, the second at which it began, and a number.
var shortID = func() *atomic.Uint64 {
	var own [8]byte
	_, _ = rand.Read(own[:1]) // never fails
	n := new(atomic.Uint64)
	n.Store(binary.LittleEndian.Uint64(own[:])<<56 | uint64(uint32(time.Now().Unix()))<<24)
	return n
}()
