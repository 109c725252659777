package keymap

import (
	"errors"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

var errBadCode = errors.New("key text is not of its part's type")

// DecodeValue reads the code that src begins with; rest begins after the separator and is "" if nothing follows. What AppendValue has cut,
// folded or taken a prefix of cannot be read back and is an error, as is anything that AppendValue does not write.
func DecodeValue(src string, p Part) (v value.Value, rest string, err error) {
	code, rest := SkipValue(src)
	if v, ok := p.decode(code); ok {
		return v, rest, nil
	}
	return value.Value{}, rest, errBadCode
}

func (p Part) decode(code string) (v value.Value, ok bool) {
	switch {
	case code == "" && !p.Desc, code == nullDesc && p.Desc:
		return value.NullValue, true
	case p.Type.IsFreeText():
		s, ok := p.decodeText(code)
		return value.FromString(s), ok
	case p.Type.IsOctets():
		s, ok := p.decodeOctets(code)
		return value.FromBytes(s), ok
	}
	return p.decodeFixed(code)
}

// decodeText reverses appendText for codes that are whole.
func (p Part) decodeText(code string) (s string, ok bool) {
	if p.Type.Collation != value.Binary || p.Prefix > 0 {
		return "", false
	}
	if p.Desc {
		if code, ok = unmirror(code); !ok {
			return "", false
		}
	}
	if code == emptyCode {
		return "", true
	}
	plain := 0
	for plain < len(code) && code[plain] < utf8.RuneSelf && asItself[code[plain]] {
		plain++
	}
	if plain == len(code) {
		return code, code != ""
	}
	out := make([]byte, plain, len(code))
	copy(out, code)
	for rest := code[plain:]; rest != ""; {
		r, size := decodeRune(rest)
		if size == 0 {
			return "", false
		}
		out = utf8.AppendRune(out, r)
		rest = rest[size:]
	}
	return string(out), true
}

func (p Part) decodeOctets(code string) (s string, ok bool) {
	if p.Prefix > 0 {
		return "", false
	}
	if p.Desc {
		if code, ok = unmirror(code); !ok {
			return "", false
		}
	}
	if code == emptyCode {
		return "", true
	}
	b, err := base32hex.DecodeString(code)
	// The decoder forgives line ends and stray bits.
	if err != nil || code == "" || base32hex.EncodeToString(b) != code {
		return "", false
	}
	return string(b), true
}

// unmirror reads a mirrored code up to its end, which must be the end of the text.
func unmirror(code string) (units string, ok bool) {
	code, ok = strings.CutSuffix(code, descEnd)
	if !ok {
		return "", false
	}
	out := make([]byte, 0, len(code))
	for i := 0; i < len(code); i++ {
		c := code[i]
		if c == '~' {
			if i++; i == len(code) || code[i] != alphabet[0] {
				return "", false
			}
			out = append(out, alphabet[0])
			continue
		}
		if mirror[c] == 0 {
			return "", false
		}
		out = append(out, mirror[c])
	}
	return string(out), true
}

// decodeRune reads one code word; size is 0 if there is none.
func decodeRune(s string) (r rune, size int) {
	if s == "" || s[0] >= utf8.RuneSelf {
		return 0, 0
	}
	c := s[0]
	if asItself[c] {
		return rune(c), 1
	}
	if len(s) < 2 {
		return 0, 0
	}
	switch c {
	case '"':
		d := s[1]
		switch {
		case '0' <= d && d <= '9':
			return rune(d - '0'), 2
		case 'A' <= d && d <= 'Z':
			return rune(d-'A') + 10, 2
		}
	case '$', '&', '.', '>', '[':
		if d := s[1]; d == '0' || d == '1' {
			return rune(c) + rune(d-'0'), 2
		}
	case '~':
		return decodeHigh(s)
	}
	return 0, 0
}

// decodeHigh reads a code word that begins with ~.
func decodeHigh(s string) (r rune, size int) {
	first := digitValue[s[1]]
	base := rune(class2)
	switch {
	case first < 0:
		return 0, 0
	case first < digit3:
		size = 3
	case first < digit4:
		base, first, size = class3, first-digit3, 4
	default:
		base, first, size = class4, first-digit4, 5
	}
	if len(s) < size {
		return 0, 0
	}
	n := rune(first)
	for i := 2; i < size; i++ {
		d := digitValue[s[i]]
		if d < 0 {
			return 0, 0
		}
		n = n<<6 | rune(d)
	}
	r = base + n
	if !utf8.ValidRune(r) || size == 4 && r >= class4 {
		return 0, 0
	}
	return r, size
}

// digitValue is the reverse of digits64, -1 elsewhere.
var digitValue = func() (t [256]int8) {
	for i := range t {
		t[i] = -1
	}
	for i := range len(digits64) {
		t[digits64[i]] = int8(i)
	}
	return t
}()

func (p Part) decodeFixed(code string) (v value.Value, ok bool) {
	switch p.Type.Base {
	case value.TypeBool:
		if code != "0" && code != "1" {
			return v, false
		}
		return value.FromBool((code == "1") != p.Desc), true
	case value.TypeTinyInt, value.TypeSmallInt, value.TypeMediumInt, value.TypeInt, value.TypeBigInt:
		u, ok := p.decodeHex(code)
		if p.Type.Unsigned {
			return value.FromUint(u), ok
		}
		return value.FromInt(int64(u ^ signBit)), ok
	case value.TypeBit:
		u, ok := p.decodeHex(code)
		return value.FromBits(u, p.Type.Length), ok && (p.Type.Length == 64 || u>>p.Type.Length == 0)
	case value.TypeEnum, value.TypeSet:
		units := fixedUnits(p.Type)
		u, ok := p.decodeDigits(code, units)
		if !ok {
			return v, false
		}
		return p.Type.Numbered(u & (1<<(4*units) - 1))
	case value.TypeYear:
		u, ok := p.decodeHex(code)
		return value.FromInt(int64(u ^ signBit)), ok
	case value.TypeTime:
		u, ok := p.decodeHex(code)
		return value.FromDuration(int64(u ^ signBit)), ok
	case value.TypeFloat, value.TypeDouble:
		u, ok := p.decodeHex(code)
		f := floatFromBits(u)
		return value.FromFloat(f), ok && floatBits(f) == u
	case value.TypeDate, value.TypeDateTime:
		ticks, ok := decodeTicks(code)
		if p.Desc {
			ticks = value.MaxTicks - ticks
		}
		if p.Type.Base == value.TypeDate {
			return value.FromDate(ticks), ok && ticks%value.TicksPerDay == 0
		}
		return value.FromTicks(ticks), ok
	case value.TypeDecimal:
		return p.decodeDecimal(code)
	case value.TypeUUID:
		return p.decodeUUID(code)
	}
	return v, false
}

func floatFromBits(u uint64) float64 {
	if u&signBit == 0 {
		return math.Float64frombits(^u)
	}
	return math.Float64frombits(u &^ signBit)
}

func (p Part) decodeHex(code string) (u uint64, ok bool) { return p.decodeDigits(code, 16) }

// decodeDigits reads n hex digits.
func (p Part) decodeDigits(code string, n int) (u uint64, ok bool) {
	if len(code) != n {
		return 0, false
	}
	for i := range len(code) {
		d, ok := hexDigit(code[i])
		if !ok {
			return 0, false
		}
		u = u<<4 | uint64(d)
	}
	if p.Desc {
		u = ^u
	}
	return u, true
}

func decodeTicks(code string) (ticks int64, ok bool) {
	if len(code) != tickDigits || code > "3155378975999999999" {
		return 0, false
	}
	for i := range len(code) {
		if code[i] < '0' || code[i] > '9' {
			return 0, false
		}
		ticks = ticks*10 + int64(code[i]-'0')
	}
	return ticks, true
}

func (p Part) decodeUUID(code string) (v value.Value, ok bool) {
	if len(code) != 32 {
		return v, false
	}
	text := make([]byte, 0, 36)
	for i := range len(code) {
		d, ok := hexDigit(code[i])
		if !ok {
			return v, false
		}
		if p.Desc {
			d = 15 - d
		}
		if i == 8 || i == 12 || i == 16 || i == 20 {
			text = append(text, '-')
		}
		text = append(text, hexDigits[d])
	}
	return value.FromUUID(string(text)), true
}

func (p Part) decodeDecimal(code string) (v value.Value, ok bool) {
	before := p.Type.Precision - p.Type.Scale
	if before < 0 || p.Type.Scale < 0 || len(code) != 1+p.Type.Precision || code[0] != '0' && code[0] != '1' {
		return v, false
	}
	complement := code[0] == '0'
	negative := complement != p.Desc
	text := make([]byte, 0, len(code)+3)
	if negative {
		text = append(text, '-')
	}
	zero, started := true, false
	for i := range p.Type.Precision {
		c := code[1+i]
		if c < '0' || c > '9' {
			return v, false
		}
		if complement {
			c = '0' + '9' - c
		}
		zero = zero && c == '0'
		if i == before {
			if !started {
				text = append(text, '0')
			}
			text, started = append(text, '.'), true
		}
		if started = started || c != '0'; started {
			text = append(text, c)
		}
	}
	if !started {
		text = append(text, '0')
	}
	if zero && negative {
		return v, false // there is no negative zero
	}
	return value.FromDecimalText(string(text)), true
}
