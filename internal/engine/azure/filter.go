package azure

import (
	"math"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// hint writes a Filter as OData text that lets through everything that the filter does, and as little else as stores can be trusted with. Under
// And, what cannot be written is left out; an Or with such a part is left out whole. The text is percent-encoded as it is written, so that its
// length is that of the request.
//
// Only same-typed comparisons are written, never not, ne or null: the service and Azurite disagree on
// absent properties there.
// https://learn.microsoft.com/rest/api/storageservices/querying-tables-and-entities
type hint struct {
	text    []byte
	bytes   int // most bytes of text
	compare int // most comparisons
}

// appendHint appends f to text, or says that nothing of it can be sent.
func appendHint(text []byte, f *engine.Filter, maxBytes, maxCompare int) ([]byte, bool) {
	h := hint{text: text, bytes: len(text) + maxBytes, compare: maxCompare}
	ok := h.node(f)
	return h.text, ok
}

// node writes f and returns true, or leaves everything as it was.
func (h *hint) node(f *engine.Filter) bool {
	before := *h
	ok := false
	switch f.Op {
	case engine.And:
		ok = h.and(f.Kids)
	case engine.Or:
		ok = h.or(f.Kids)
	default:
		ok = h.comparison(f)
	}
	if !ok || len(h.text) > h.bytes || h.compare < 0 {
		*h = before
		return false
	}
	return true
}

func (h *hint) and(kids []*engine.Filter) bool {
	start, n := len(h.text), 0
	h.text = append(h.text, '(')
	h.bytes-- // for the other parenthesis
	for _, kid := range kids {
		mark := len(h.text)
		if n > 0 {
			h.text = append(h.text, "+and+"...)
		}
		if h.node(kid) {
			n++
		} else {
			h.text = h.text[:mark]
		}
	}
	h.bytes++
	h.text = append(h.text, ')')
	return h.bare(start, n)
}

func (h *hint) or(kids []*engine.Filter) bool {
	start := len(h.text)
	h.text = append(h.text, '(')
	for i, kid := range kids {
		if i > 0 {
			h.text = append(h.text, "+or+"...)
		}
		if !h.node(kid) {
			return false
		}
	}
	h.text = append(h.text, ')')
	return h.bare(start, len(kids))
}

// bare removes the parentheses of a group of one, and refuses an empty group.
func (h *hint) bare(start, n int) bool {
	if n == 1 {
		copy(h.text[start:], h.text[start+1:len(h.text)-1])
		h.text = h.text[:len(h.text)-2]
	}
	return n > 0
}

// plainName says whether a property's name can be used in a filter: it must not be a word of the language, and must be ASCII, as the emulator's
// parser requires.
func plainName(name string) bool {
	switch strings.ToLower(name) {
	case "", "and", "or", "not", "eq", "ne", "gt", "ge", "lt", "le", "null", "true", "false", "nan", "inf",
		"infinity", "datetime", "guid", "binary", "x", "tablename":
		return false
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		if !('a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || '0' <= c && c <= '9' && i > 0) {
			return false
		}
	}
	return true
}

func (h *hint) comparison(f *engine.Filter) bool {
	if !plainName(f.Property) {
		return false
	}
	switch v := f.Value; v.Type {
	case engine.String:
		return h.stringCompare(f)
	case engine.Int32:
		return h.compareTo(f, strconv.FormatInt(int64(v.N), 10))
	case engine.Int64:
		return h.compareTo(f, strconv.FormatInt(int64(v.N), 10)+"L")
	case engine.Double:
		return h.doubleCompare(f)
	case engine.DateTime:
		return h.dateCompare(f)
	case engine.Boolean:
		return f.Op == engine.Eq && h.compareTo(f, strconv.FormatBool(v.N != 0))
	case engine.Guid:
		return f.Op == engine.Eq && h.guidEqual(f)
	case engine.Binary:
		return f.Op == engine.Eq && h.binaryEqual(f)
	}
	return false
}

var operators = [...]string{engine.Eq: "+eq+", engine.Gt: "+gt+", engine.Ge: "+ge+", engine.Lt: "+lt+", engine.Le: "+le+"}

// compareTo writes a comparison with a literal.
func (h *hint) compareTo(f *engine.Filter, literal string) bool {
	return h.write(f.Property, f.Op, literal)
}

func (h *hint) write(property string, op engine.FilterOp, literal string) bool {
	h.compare--
	h.text = append(h.text, property...)
	h.text = append(h.text, operators[op]...)
	h.text = appendEscaped(h.text, literal)
	return true
}

// writePair writes two comparisons of one property, in parentheses.
func (h *hint) writePair(property string, op1 engine.FilterOp, literal1, word string, op2 engine.FilterOp, literal2 string) bool {
	h.text = append(h.text, '(')
	h.write(property, op1, literal1)
	h.text = append(h.text, word...)
	h.write(property, op2, literal2)
	h.text = append(h.text, ')')
	return true
}

func (h *hint) quoted(property string, op engine.FilterOp, s string) bool {
	h.compare--
	h.text = append(h.text, property...)
	h.text = append(h.text, operators[op]...)
	h.text = appendQuoted(h.text, s)
	return true
}

// stringCompare writes a comparison of text. The order of text beyond ASCII is not documented (Azurite: by UTF-16 unit, not by code point), and
// control characters do not belong in a URL. So a bound is cut before the first character of either kind, and then allows everything that begins
// so; equality with a text that has control characters is sought between two such bounds.
func (h *hint) stringCompare(f *engine.Filter) bool {
	s := f.Value.S
	cut := strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f })
	if cut < 0 {
		return h.quoted(f.Property, f.Op, s)
	}
	control := strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) >= 0
	head := s[:cut]
	switch f.Op {
	case engine.Eq:
		if !control {
			return h.quoted(f.Property, f.Op, s)
		}
		if head == "" {
			return false
		}
		if _, ok := above(head); !ok {
			return h.quoted(f.Property, engine.Ge, head)
		}
		h.text = append(h.text, '(')
		h.quoted(f.Property, engine.Ge, head)
		h.text = append(h.text, "+and+"...)
		h.below(f.Property, head)
		h.text = append(h.text, ')')
		return true
	case engine.Gt, engine.Ge:
		return head != "" && h.quoted(f.Property, engine.Ge, head)
	default:
		return h.below(f.Property, head)
	}
}

// below writes that a text is less than every text that is greater than head and does not begin with it.
func (h *hint) below(property, head string) bool {
	end, ok := above(head)
	return ok && h.quoted(property, engine.Lt, end)
}

// above gives the least ASCII text above all that begin with head.
func above(head string) (string, bool) {
	if head == "" || head[len(head)-1] >= '~' {
		return "", false
	}
	last := len(head) - 1
	return head[:last] + string(rune(head[last]+1)), true
}

// doubleCompare writes a comparison with a number, in all its digits and without an exponent, which Azurite takes for a name. If 0 passes, the
// Guid that stands for -0 must pass, too.
func (h *hint) doubleCompare(f *engine.Filter) bool {
	c := math.Float64frombits(f.Value.N)
	if math.IsNaN(c) || math.IsInf(c, 0) {
		return false
	}
	if c == 0 {
		c = 0 // not -0
	}
	literal := strconv.FormatFloat(c, 'f', -1, 64)
	if !strings.Contains(literal, ".") {
		literal += ".0"
	}
	zero := false
	switch f.Op {
	case engine.Eq:
		zero = c == 0
	case engine.Gt:
		zero = c < 0
	case engine.Ge:
		zero = c <= 0
	case engine.Lt:
		zero = c > 0
	case engine.Le:
		zero = c >= 0
	}
	if !zero {
		return h.compareTo(f, literal)
	}
	return h.writePair(f.Property, f.Op, literal, "+or+", engine.Eq, "guid'"+negativeZero+"'")
}

// dateCompare writes a comparison with a time. The service compares ticks, Azurite milliseconds, so bounds are moved outwards to a millisecond
// and are inclusive.
func (h *hint) dateCompare(f *engine.Filter) bool {
	const ticksPerMilli = ticksPerSecond / 1000
	ticks := int64(f.Value.N)
	if ticks < engine.MinDateTime || ticks > engine.MaxDateTime {
		return false
	}
	low := dateLiteral(ticks - ticks%ticksPerMilli)
	up := ticks + (ticksPerMilli-ticks%ticksPerMilli)%ticksPerMilli
	var high string
	if up > engine.MaxDateTime {
		// No whole millisecond is left above: use the last possible tick.
		high = "datetime'9999-12-31T23:59:59.9999999Z'"
	} else {
		high = dateLiteral(up)
	}
	switch f.Op {
	case engine.Gt, engine.Ge:
		return h.write(f.Property, engine.Ge, low)
	case engine.Lt, engine.Le:
		return h.write(f.Property, engine.Le, high)
	}
	if low == high {
		return h.write(f.Property, engine.Eq, low)
	}
	return h.writePair(f.Property, engine.Ge, low, "+and+", engine.Le, high)
}

func dateLiteral(ticks int64) string {
	return "datetime'" + ticksTime(ticks).Format("2006-01-02T15:04:05.000Z") + "'"
}

// guidEqual writes both cases of the digits: the service reads either, Azurite compares the texts, and
// other programs may have written either.
func (h *hint) guidEqual(f *engine.Filter) bool {
	lower, upper := strings.ToLower(f.Value.S), strings.ToUpper(f.Value.S)
	if strings.Trim(lower, "0123456789abcdef-") != "" {
		return false
	}
	if lower == upper {
		return h.compareTo(f, "guid'"+lower+"'")
	}
	return h.writePair(f.Property, engine.Eq, "guid'"+lower+"'", "+or+", engine.Eq, "guid'"+upper+"'")
}

func (h *hint) binaryEqual(f *engine.Filter) bool {
	const most = 256 // bytes; the text is twice that
	s := f.Value.S
	if s == "" || len(s) > most {
		return false
	}
	text := make([]byte, 0, 2*len(s)+3)
	text = append(text, "X'"...)
	for i := 0; i < len(s); i++ {
		text = append(text, lowerHex[s[i]>>4], lowerHex[s[i]&15])
	}
	return h.compareTo(f, string(append(text, '\'')))
}

// appendSpan appends the range of keys of a scan, or nothing if the range is everything.
func appendSpan(text []byte, s *engine.Scan) []byte {
	bounds := [...]struct {
		property string
		op       engine.FilterOp
		value    string
		given    bool
	}{
		{"PartitionKey", engine.Eq, s.PartitionKey, !s.AllPartitions},
		{"RowKey", engine.Ge, s.From, !s.AllPartitions && s.From != ""},
		{"RowKey", engine.Lt, s.To, !s.AllPartitions && s.To != ""},
		{"PartitionKey", engine.Ge, s.FromPartition, s.AllPartitions && s.FromPartition != ""},
		{"PartitionKey", engine.Lt, s.ToPartition, s.AllPartitions && s.ToPartition != ""},
	}
	h := hint{text: text}
	for _, b := range bounds {
		if !b.given {
			continue
		}
		if len(h.text) > len(text) {
			h.text = append(h.text, "+and+"...)
		}
		h.quoted(b.property, b.op, b.value)
	}
	return h.text
}
