package expr

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// idFunctions make row keys for DEFAULT: many writers get different keys without asking the store.
func idFunctions() []*Function {
	return []*Function{
		{Name: "UUID_V7", Signature: "UUID_V7()", Family: "id", Volatility: Volatile, Type: toText, null: neverNull,
			Doc: "A new UUID of version 7, which begins with the time: later ones are greater.",
			Eval: func(*Env, []value.Value) (value.Value, error) {
				id, err := uuid.NewV7()
				return value.FromString(id.String()), err
			}},
		{Name: "REVERSE_TICKS", Signature: "REVERSE_TICKS([time])", Family: "id", Min: 1, Max: 1, strict: true, Type: toInt,
			Doc: "The 100 ns from a time to the end of the year 9999: later times are less, so that keys sort the newest first. " +
				"Without a time a new number, less than all that this process has made before.",
			Eval: func(env *Env, args []value.Value) (value.Value, error) {
				ticks, ok := env.timeOf(args[0])
				if !ok {
					return value.NullValue, nil
				}
				return value.FromInt(value.MaxTicks - ticks), nil
			},
			bare: &Function{Name: "REVERSE_TICKS", Volatility: Volatile, Type: toInt, null: neverNull,
				Eval: func(*Env, []value.Value) (value.Value, error) { return value.FromInt(nextReversed()), nil }}},
		{Name: "SHORT_ID", Signature: "SHORT_ID([length])", Family: "id", Volatility: Volatile, Max: 1, Type: toText, null: neverNull,
			Doc:  "A random text of so many characters, 1 to 64, of A-Z a-z 0-9 - and _, each of them 6 bits; 16 unless said otherwise.",
			Eval: evalShortID},
		{Name: "UUID_SHORT", Signature: "UUID_SHORT()", Family: "id", Volatility: Volatile, Doc: "A number of 64 bits, as unique as MySQL's: a random octet of the process, the second at which it began, a count.",
			null: neverNull, Type: fixed(unsignedType), Eval: func(*Env, []value.Value) (value.Value, error) {
				return value.FromUint(shortID.Add(1)), nil
			}},
	}
}

// lastReversed is the last number that REVERSE_TICKS() gave.
var lastReversed atomic.Int64

// nextReversed gives the reversed time, or one less than the last number if the clock has not advanced.
func nextReversed() int64 {
	for {
		last := lastReversed.Load()
		n := value.MaxTicks - clock()
		if last != 0 && n >= last {
			n = last - 1
		}
		if lastReversed.CompareAndSwap(last, n) {
			return n
		}
	}
}

func evalShortID(env *Env, args []value.Value) (value.Value, error) {
	n := int64(16)
	if len(args) > 0 {
		var err error
		if n, err = value.ToInt(args[0]); err != nil || args[0].IsNull() || n < 1 || n > 64 {
			return value.NullValue, &ArgumentError{"SHORT_ID", "the length is 1 to 64"}
		}
	}
	var octets [48]byte
	if _, err := rand.Read(octets[:]); err != nil {
		return value.NullValue, err
	}
	return value.FromString(base64.RawURLEncoding.EncodeToString(octets[:])[:n]), nil
}

// shortID is the last number of UUID_SHORT: an octet for the process, the second at which it began, and a counter.
var shortID = func() *atomic.Uint64 {
	var own [8]byte
	_, _ = rand.Read(own[:1]) // never fails
	n := new(atomic.Uint64)
	n.Store(binary.LittleEndian.Uint64(own[:])<<56 | uint64(uint32(time.Now().Unix()))<<24)
	return n
}()
