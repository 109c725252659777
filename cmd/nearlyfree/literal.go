package main

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"
)

// literal writes a value as SQL reads it again: each type so that MySQL does, too.
func (c column) literal(out []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(out, "NULL"...)
	case bool:
		if v {
			return append(out, '1')
		}
		return append(out, '0')
	case int64:
		return strconv.AppendInt(out, v, 10)
	case uint64:
		return strconv.AppendUint(out, v, 10)
	case float64:
		return appendFloat(out, v, c.Type)
	case time.Time:
		c.Digits = 0 // one value has one literal, whatever its column declares
		return appendQuoted(out, c.Time(v))
	case []byte:
		if !c.Binary() {
			return appendQuoted(out, string(v))
		}
		if len(v) == 0 {
			return append(out, "''"...)
		}
		out = append(out, "0x"...)
		return hex.AppendEncode(out, v)
	case string:
		if c.Type == "DECIMAL" {
			return append(out, v...)
		}
		return appendQuoted(out, v)
	}
	return appendQuoted(out, c.text(v))
}

// appendFloat writes all digits that a FLOAT or a DOUBLE has.
func appendFloat(out []byte, v float64, typ string) []byte {
	bits := 64
	if strings.HasPrefix(typ, "FLOAT") && float64(float32(v)) == v {
		bits = 32
	}
	if v == 0 && math.Signbit(v) {
		return append(out, "-0e0"...)
	}
	return strconv.AppendFloat(out, v, 'e', -1, bits)
}

// escapes are what MySQL reads behind a backslash.
var escapes = strings.NewReplacer("\x00", `\0`, "\n", `\n`, "\r", `\r`, `\`, `\\`, `'`, `\'`, "\x1a", `\Z`)

func appendQuoted(out []byte, s string) []byte {
	out = append(out, '\'')
	if strings.ContainsAny(s, "\x00\n\r\\'\x1a") {
		s = escapes.Replace(s)
	}
	return append(append(out, s...), '\'')
}
