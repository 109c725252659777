package azure

import (
	"encoding/base64"
	"math"
	"strconv"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// appendEntity appends an entity as JSON, with the types that are not evident from a value's form. Absent values are left out: a null is not
// stored.
func appendEntity(dst []byte, e *engine.Entity) []byte {
	dst = append(dst, `{"PartitionKey":`...)
	dst = appendJSON(dst, e.PartitionKey)
	dst = append(dst, `,"RowKey":`...)
	dst = appendJSON(dst, e.RowKey)
	for i := range e.Values {
		if e.Values[i].Type != engine.Absent {
			dst = appendProperty(dst, e.Names[i], &e.Values[i])
		}
	}
	return append(dst, '}')
}

// types says how a type is announced; "": its values are unambiguous.
var types = [...]string{
	engine.Int64: "Edm.Int64", engine.Double: "Edm.Double", engine.DateTime: "Edm.DateTime",
	engine.Guid: "Edm.Guid", engine.Binary: "Edm.Binary",
}

func appendProperty(dst []byte, name string, v *engine.Value) []byte {
	if isNegativeZero(v) {
		v = &engine.Value{Type: engine.Guid, S: negativeZero}
	}
	dst = append(dst, ',')
	if typ := types[v.Type]; typ != "" {
		dst = appendJSON(dst, name)
		dst = append(dst[:len(dst)-1], `@odata.type":"`...)
		dst = append(dst, typ...)
		dst = append(dst, `",`...)
	}
	dst = appendJSON(dst, name)
	dst = append(dst, ':')
	switch v.Type {
	case engine.Int32:
		return strconv.AppendInt(dst, int64(v.N), 10)
	case engine.Int64:
		dst = append(dst, '"')
		dst = strconv.AppendInt(dst, int64(v.N), 10)
		return append(dst, '"')
	case engine.Double:
		return appendDouble(dst, math.Float64frombits(v.N))
	case engine.Boolean:
		return strconv.AppendBool(dst, v.N != 0)
	case engine.DateTime:
		dst = append(dst, '"')
		dst = appendDateTime(dst, int64(v.N))
		return append(dst, '"')
	case engine.Binary:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, []byte(v.S))
		return append(dst, '"')
	}
	return appendJSON(dst, v.S)
}

// checkStorable refuses the one value that the limits allow but whose wire form means another value.
func checkStorable(c *engine.Commit) error {
	for i := range c.Ops {
		x := &c.Ops[i].Entity
		for j := range x.Values {
			if x.Values[j].Type == engine.Guid && x.Values[j].S == negativeZero {
				return &engine.Error{
					Code: engine.CodeBadInput, Op: i,
					Message: "property " + strconv.QuoteToASCII(x.Names[j]) + ": the Guid " + negativeZero + " is reserved",
				}
			}
		}
	}
	return nil
}
