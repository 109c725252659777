package keymap

import (
	"fmt"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Column says how the values of one column are encoded in a key. Its fields are those of a stored definition, by the same names
// in JSON: the type is the column's, Desc, Prefix and Cut are of its place in the key. docs/format.md tells where definitions are.
type Column struct {
	Type      string   `json:"type"` // INT, VARCHAR, DATETIME and so on
	Unsigned  bool     `json:"unsigned,omitempty"`
	Collation string   `json:"collation,omitempty"` // "": utf8mb4_0900_bin
	Length    int      `json:"length,omitempty"`
	Precision int      `json:"precision,omitempty"` // of DECIMAL, DATETIME and TIME
	Scale     int      `json:"scale,omitempty"`
	Members   []string `json:"members,omitempty"` // of ENUM and SET
	Desc      bool     `json:"desc,omitempty"`
	Prefix    int      `json:"prefix,omitempty"`
	Cut       int      `json:"cut,omitempty"`
}

// Key encodes the values of some columns, and reads them back.
type Key struct{ parts []Part }

// NewKey makes the key of the columns of a primary key, or of an index. If no column says Cut, the texts are cut as CREATE TABLE does.
func NewKey(columns ...Column) (Key, error) {
	k := Key{make([]Part, len(columns))}
	cuts := false
	for i, c := range columns {
		t, err := c.valueType()
		if err != nil {
			return Key{}, fmt.Errorf("column %d of the key: %w", i+1, err)
		}
		k.parts[i] = Part{Type: t, Desc: c.Desc, Prefix: c.Prefix, Cut: c.Cut}
		cuts = cuts || c.Cut > 0
	}
	if !cuts {
		SetCuts(k.parts)
	}
	return k, nil
}

func (c *Column) valueType() (value.Type, error) {
	collation := value.Binary
	if c.Collation != "" {
		var ok bool
		if collation, ok = value.CollationNamed(c.Collation); !ok {
			return value.Type{}, fmt.Errorf("unknown collation %q", c.Collation)
		}
	}
	var args []int
	switch name := strings.ToUpper(c.Type); {
	case c.Length > 0:
		args = []int{c.Length}
	case c.Precision > 0 && (name == "DATETIME" || name == "TIME"):
		args = []int{c.Precision}
	case c.Precision > 0:
		args = []int{c.Precision, c.Scale}
	}
	t, err := value.NewType(strings.ToUpper(c.Type), args, c.Members, false, collation)
	t.Unsigned = t.Unsigned || c.Unsigned
	return t, err
}

// And appends the columns of other to those of k. This makes the key of an index entry: the columns of the index, then those of the primary key.
func (k Key) And(other Key) Key { return Key{append(append([]Part(nil), k.parts...), other.parts...)} }

// Encode gives the key text for values, one for each column, after a name: RowPrefix, or the IndexName of an index. Without a name it is the
// PartitionKey of PARTITION BY KEY, and the argument of Bucket for PARTITION BY HASH. The values are what database/sql accepts as arguments, nil
// for NULL; a value that the column would round is an error.
func (k Key) Encode(name string, values ...any) (string, error) {
	if len(values) != len(k.parts) {
		return "", fmt.Errorf("values: %d, columns of the key: %d", len(values), len(k.parts))
	}
	text := []byte(name)
	for i, p := range k.parts {
		if i > 0 || name != "" {
			text = append(text, Separator)
		}
		v, err := value.CheckGo(values[i])
		if err == nil {
			text, err = p.appendGo(text, v)
		}
		if err != nil {
			return "", fmt.Errorf("value %d of the key: %w", i+1, err)
		}
	}
	return string(text), nil
}

func (p Part) appendGo(dst []byte, v any) ([]byte, error) {
	in, err := value.FromGo(v)
	if err != nil {
		return nil, err
	}
	if in, err = p.Type.Convert(in); err != nil {
		return nil, err
	}
	dst, _, err = AppendValue(dst, in, p)
	return dst, err
}

// Decode reads a key text back: the name that it begins with, if any, and the values as database/sql gives them. The key does not hold the value
// of a text that was cut, or that its collation does not fully preserve: that is an error, and the entity has the value as a property.
func (k Key) Decode(key string) (name string, values []any, err error) {
	rest, n := key, strings.Count(key, string(rune(Separator)))
	if n == len(k.parts) {
		name, rest = SkipValue(key)
	} else if n != len(k.parts)-1 {
		return "", nil, fmt.Errorf("%d columns and a name make a key of %d parts, and this one has %d", len(k.parts), len(k.parts)+1, n+1)
	}
	for i, p := range k.parts {
		var v value.Value
		if v, rest, err = DecodeValue(rest, p); err == nil {
			v, err = p.Type.Convert(v) // with the digits of the type
		}
		if err != nil {
			return "", nil, fmt.Errorf("part %d of the key: %w", i+1, err)
		}
		values = append(values, value.ToGo(v))
	}
	return name, values, nil
}
