package engine

import (
	"unicode"
	"unicode/utf8"
)

// The range of a DateTime, in ticks: 1601-01-01 00:00:00 and the last tick of the year 9999.
const (
	MinDateTime int64 = 504911232000000000
	MaxDateTime int64 = 3155378975999999999
)

// CheckTable says whether a table may have this name: a letter, then 2 to 62 letters and digits, and not "tables", which the service reserves.
func (l Limits) CheckTable(table string) error {
	if len(table) < 3 || len(table) > 63 {
		return Errorf(CodeBadInput, "table name %s has %d characters, and must have 3 to 63", quote(table), utf8.RuneCountInString(table))
	}
	for i := 0; i < len(table); i++ {
		c := table[i]
		if 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' && i > 0 {
			continue
		}
		return Errorf(CodeBadInput, "table name %s must be a letter followed by letters and digits", quote(table))
	}
	if len(table) == len("tables") && FoldTable(table) == "tables" {
		return Errorf(CodeBadInput, "table name %s is reserved by the service", quote(table))
	}
	return nil
}

// FoldTable gives the form that is equal for two names of the same table: the service ignores their case.
func FoldTable(table string) string {
	for i := 0; i < len(table); i++ {
		if 'A' <= table[i] && table[i] <= 'Z' {
			b := []byte(table)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] |= 0x20
				}
			}
			return string(b)
		}
	}
	return table
}

// CheckKey says whether a PartitionKey or RowKey (what names it) can be stored: valid UTF-8 of at most
// KeyUnits UTF-16 units, without / \ # ? and control characters.
func (l Limits) CheckKey(what, key string) error {
	ascii := true
	for i := 0; i < len(key); i++ {
		c := key[i]
		if c >= utf8.RuneSelf {
			ascii = false
		} else if keyRefused[c] {
			return Errorf(CodeBadInput, "%s %s holds %q at byte %d, which no key may hold", what, quote(key), rune(c), i)
		}
	}
	if len(key) <= l.KeyUnits && ascii {
		return nil
	}
	if !ascii {
		if !utf8.ValidString(key) {
			return Errorf(CodeBadInput, "%s %s is not valid UTF-8", what, quote(key))
		}
		for i, r := range key {
			if r >= 0x80 && r <= 0x9f {
				return Errorf(CodeBadInput, "%s %s holds %q at byte %d, which no key may hold", what, quote(key), r, i)
			}
		}
	}
	if units := UTF16Units(key); units > l.KeyUnits {
		return Errorf(CodeTooLarge, "%s %s has %d UTF-16 units, but a key has at most %d", what, quote(key), units, l.KeyUnits)
	}
	return nil
}

// keyRefused holds the ASCII characters that no key may hold.
var keyRefused = func() (t [utf8.RuneSelf]bool) {
	for c := range 0x20 {
		t[c] = true
	}
	t['/'], t['\\'], t['#'], t['?'], t[0x7f] = true, true, true, true, true
	return t
}()

// CheckGet says whether an entity can have the keys that g asks for. If not, the answer is CodeNotFound, without asking the store.
func (l Limits) CheckGet(g *Get) error {
	if err := l.CheckTable(g.Table); err != nil {
		return err
	}
	if l.CheckKey("PartitionKey", g.PartitionKey) != nil || l.CheckKey("RowKey", g.RowKey) != nil {
		return Errorf(CodeNotFound, "no entity can have the keys %s, %s", quote(g.PartitionKey), quote(g.RowKey))
	}
	return nil
}

// CheckScan says whether a scan can be sent: whether its table's name and filter are valid, and its bounds valid UTF-8. Bounds need not be legal
// keys; those that no key can match give an empty range.
func (l Limits) CheckScan(s *Scan) error {
	if err := l.CheckTable(s.Table); err != nil {
		return err
	}
	for _, text := range [...]string{s.PartitionKey, s.From, s.To, s.FromPartition, s.ToPartition} {
		if !utf8.ValidString(text) {
			return Errorf(CodeBadInput, "bound %s of a scan is not valid UTF-8", quote(text))
		}
	}
	return s.Filter.check()
}

func (f *Filter) check() error {
	if f == nil {
		return nil
	}
	for _, kid := range f.Kids {
		if err := kid.check(); err != nil {
			return err
		}
	}
	if f.Value.Type == String && !utf8.ValidString(f.Value.S) {
		return Errorf(CodeBadInput, "filter on %s: the constant %s is not valid UTF-8", quote(f.Property), quote(f.Value.S))
	}
	return nil
}

// CheckEntity says whether an entity can be stored: keys, names, values, and its total size.
func (l Limits) CheckEntity(e *Entity) error {
	if err := l.CheckKey("PartitionKey", e.PartitionKey); err != nil {
		return err
	}
	if err := l.CheckKey("RowKey", e.RowKey); err != nil {
		return err
	}
	if err := l.checkNames(e.Names); err != nil {
		return err
	}
	return l.checkValues(e)
}

// checkValues checks an entity whose keys and names have been checked.
func (l Limits) checkValues(e *Entity) error {
	if len(e.Names) != len(e.Values) {
		return Errorf(CodeBadInput, "an entity with %d names and %d values", len(e.Names), len(e.Values))
	}
	present, size, err := l.measure(e)
	if err != nil {
		return err
	}
	if present > l.Properties {
		return Errorf(CodeTooLarge, "the entity has %d properties, but may have at most %d", present, l.Properties)
	}
	if size > l.EntityBytes {
		return Errorf(CodeTooLarge, "the entity has %d bytes, but may have at most %d", size, l.EntityBytes)
	}
	return nil
}

// Size is how many bytes the service bills for a stored entity.
func (l Limits) Size(e *Entity) int {
	_, size, _ := l.measure(e)
	return size
}

// measure counts an entity's properties and bytes, and checks its values.
func (l Limits) measure(e *Entity) (present, size int, wrong error) {
	size = 4 + 2*(UTF16Units(e.PartitionKey)+UTF16Units(e.RowKey))
	for i := range e.Values {
		v := &e.Values[i]
		if v.Type == Absent {
			continue
		}
		present++
		n, err := l.valueSize(e.Names[i], v)
		if wrong == nil {
			wrong = err
		}
		size += 8 + 2*UTF16Units(e.Names[i]) + n
	}
	return present, size, wrong
}

// valueSize checks one value and gives its size as the service counts it:
// https://learn.microsoft.com/archive/blogs/avkashchauhan/how-the-size-of-an-entity-is-caclulated-in-windows-azure-table-storage
func (l Limits) valueSize(name string, v *Value) (int, error) {
	switch v.Type {
	case String:
		units := len(v.S)
		if !IsASCII(v.S) {
			if !utf8.ValidString(v.S) {
				return 0, Errorf(CodeBadInput, "property %s: the text is not valid UTF-8", quote(name))
			}
			units = UTF16Units(v.S)
		}
		if units > l.StringUnits {
			return 0, Errorf(CodeTooLarge, "property %s: the text has %d UTF-16 units, but may have at most %d", quote(name), units, l.StringUnits)
		}
		return 4 + 2*units, nil
	case Binary:
		if len(v.S) > l.BinaryBytes {
			return 0, Errorf(CodeTooLarge, "property %s: it has %d bytes, but may have at most %d", quote(name), len(v.S), l.BinaryBytes)
		}
		return 4 + len(v.S), nil
	case Int32:
		if n := int64(v.N); n != int64(int32(n)) {
			return 0, Errorf(CodeBadInput, "property %s: %d does not fit Int32", quote(name), n)
		}
		return 4, nil
	case Int64, Double:
		return 8, nil
	case Boolean:
		if v.N > 1 {
			return 0, Errorf(CodeBadInput, "property %s: %d is not a Boolean", quote(name), v.N)
		}
		return 1, nil
	case DateTime:
		if n := int64(v.N); n < MinDateTime || n > MaxDateTime {
			return 0, Errorf(CodeBadInput, "property %s: tick %d is outside the years 1601 to 9999 of a DateTime", quote(name), n)
		}
		return 8, nil
	case Guid:
		if !isGuid(v.S) {
			return 0, Errorf(CodeBadInput, "property %s: %s is not a Guid of 36 lower-case characters", quote(name), quote(v.S))
		}
		return 16, nil
	}
	return 0, Errorf(CodeBadInput, "property %s: unknown type %d", quote(name), v.Type)
}

func isGuid(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case !('0' <= c && c <= '9' || 'a' <= c && c <= 'f'):
			return false
		}
	}
	return true
}

// checkNames checks the names of properties: identifiers as C# has them, none twice, none of the
// service's own. https://learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model
func (l Limits) checkNames(names []string) error {
	for _, name := range names {
		if err := l.CheckProperty(name); err != nil {
			return err
		}
	}
	if i := repeated(len(names), func(i int) string { return names[i] }); i >= 0 {
		return Errorf(CodeBadInput, "property %s is there twice", quote(names[i]))
	}
	return nil
}

// CheckProperty checks the name of a property: letters, digits and underscores, no digit first.
func (l Limits) CheckProperty(name string) error {
	switch name {
	case "":
		return Errorf(CodeBadInput, "a property without a name")
	case "PartitionKey", "RowKey", "Timestamp":
		return Errorf(CodeBadInput, "property %s is the service's own", quote(name))
	}
	for i, r := range name {
		if 'a' <= r|0x20 && r|0x20 <= 'z' || r == '_' || '0' <= r && r <= '9' && i > 0 {
			continue
		}
		if r < utf8.RuneSelf || r == utf8.RuneError || !identifierRune(r, i == 0) {
			return Errorf(CodeBadInput, "property name %s holds %q, which an identifier may not hold there", quote(name), r)
		}
	}
	if units := UTF16Units(name); units > l.NameUnits {
		return Errorf(CodeTooLarge, "property name %s has %d UTF-16 units, but may have at most %d", quote(name), units, l.NameUnits)
	}
	return nil
}

func identifierRune(r rune, first bool) bool {
	return unicode.In(r, unicode.L, unicode.Nl) ||
		!first && unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Cf)
}

// UTF16Units counts the UTF-16 units of s, in which the service measures text. Invalid UTF-8 counts
// one unit a byte.
func UTF16Units(s string) int {
	n := len(s)
	if IsASCII(s) {
		return n
	}
	n = 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// IsASCII says whether s is all ASCII, which every store sorts the same way.
func IsASCII(s string) bool {
	for len(s) >= 8 {
		if (s[0]|s[1]|s[2]|s[3]|s[4]|s[5]|s[6]|s[7])&0x80 != 0 {
			return false
		}
		s = s[8:]
	}
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// repeated gives the index of a text that has occurred before, or -1.
func repeated(n int, at func(int) string) int {
	if n <= 24 { // comparing is cheaper than hashing, and allocates nothing
		for i := range n {
			for j := range i {
				if at(i) == at(j) {
					return i
				}
			}
		}
		return -1
	}
	seen := make(map[string]struct{}, n)
	for i := range n {
		seen[at(i)] = struct{}{}
		if len(seen) <= i {
			return i
		}
	}
	return -1
}
