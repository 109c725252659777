package azuretest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// selected gives the names in $select except those of the keys; nil: all.
func selected(r *http.Request) []string {
	text := r.URL.Query().Get("$select")
	if text == "" {
		return nil
	}
	return slices.DeleteFunc(strings.Split(text, ","), func(name string) bool {
		return name == "PartitionKey" || name == "RowKey" || name == "Timestamp"
	})
}

// point answers a point read.
func (s *Service) point(w http.ResponseWriter, r *http.Request, path target) error {
	e, err := s.store.Get(r.Context(), engine.Get{Table: path.table, PartitionKey: path.pk, RowKey: path.rk, Select: selected(r)})
	if err != nil {
		return err
	}
	w.Header().Set("ETag", e.ETag)
	_, err = w.Write(appendEntity([]byte(nil), &e, `"odata.metadata":"x",`))
	return err
}

// query answers a query with one page, which begins at the continuation token. A token is the key of the next entity, as opaque text; that of an
// empty first page has no row.
func (s *Service) query(w http.ResponseWriter, r *http.Request, table string) error {
	q := r.URL.Query()
	filter, err := parseFilter(q.Get("$filter"))
	if err != nil {
		return err
	}
	pk, rk := decodeToken(q.Get("NextPartitionKey")), decodeToken(q.Get("NextRowKey"))
	scan := scanOf(filter)
	scan.Table, scan.Select = table, selected(r)
	if scan.AllPartitions {
		scan.FromPartition = max(scan.FromPartition, pk)
	}
	c := s.store.Scan(r.Context(), scan)
	defer c.Close()

	page := s.pageSize(r)
	if s.EmptyPages && !q.Has("NextPartitionKey") {
		page = 0
	}
	body := []byte(`{"odata.metadata":"x","value":[`)
	n, last := 0, ""
	for {
		chunk, err := c.Next(r.Context())
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		for i := range chunk {
			e := &chunk[i]
			if e.PartitionKey < pk || e.PartitionKey == pk && e.RowKey < rk {
				continue
			}
			if n >= page || s.EmptyPages && n > 0 && e.PartitionKey != last {
				w.Header().Set("x-ms-continuation-NextPartitionKey", encodeToken(e.PartitionKey))
				if page > 0 {
					w.Header().Set("x-ms-continuation-NextRowKey", encodeToken(e.RowKey))
				}
				_, err := w.Write(append(body, "]}"...))
				return err
			}
			if n > 0 {
				body = append(body, ',')
			}
			body = appendEntity(body, e, "")
			n++
			last = e.PartitionKey
		}
	}
	_, err = w.Write(append(body, "]}"...))
	return err
}

func encodeToken(key string) string { return "1!" + base64.StdEncoding.EncodeToString([]byte(key)) }

func decodeToken(text string) string {
	b, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "1!"))
	return string(b)
}

// scanOf gives the scan for a filter: the range of keys that it names, if any, with the whole filter on top.
func scanOf(f *engine.Filter) engine.Scan {
	s := engine.Scan{AllPartitions: true, Filter: f}
	if f == nil {
		return s
	}
	kids := []*engine.Filter{f}
	if f.Op == engine.And {
		kids = f.Kids
	}
	for _, kid := range kids {
		switch {
		case kid.Property == "PartitionKey" && kid.Op == engine.Eq:
			s.AllPartitions, s.PartitionKey = false, kid.Value.S
		case kid.Property == "PartitionKey" && kid.Op == engine.Ge:
			s.FromPartition = kid.Value.S
		case kid.Property == "RowKey" && kid.Op == engine.Ge:
			s.From = kid.Value.S
		case kid.Property == "RowKey" && kid.Op == engine.Lt:
			s.To = kid.Value.S
		}
	}
	return s
}

// appendEntity appends an entity in the service's form: types before the properties that have one, null for selected but absent properties, and
// -0 as 0.
func appendEntity(dst []byte, e *engine.Entity, metadata string) []byte {
	dst = append(append(dst, '{'), metadata...)
	dst = append(append(dst, `"odata.etag":`...), jsonText(e.ETag)...)
	dst = append(append(dst, `,"PartitionKey":`...), jsonText(e.PartitionKey)...)
	dst = append(append(dst, `,"RowKey":`...), jsonText(e.RowKey)...)
	dst = append(append(dst, `,"Timestamp":`...), jsonText(ticksText(e.Timestamp))...)
	for i, name := range e.Names {
		typ, text := wireForm(e.Values[i])
		if typ != "" {
			dst = append(append(append(dst, ','), jsonText(name+"@odata.type")...), ':')
			dst = append(dst, jsonText(typ)...)
		}
		dst = append(append(append(dst, ','), jsonText(name)...), ':')
		dst = append(dst, text...)
	}
	return append(dst, '}')
}

// jsonText writes a text as encoding/json does. Most texts need no escapes.
func jsonText(s string) []byte {
	if plainText(s) {
		return append(append(append(make([]byte, 0, len(s)+2), '"'), s...), '"')
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.Encode(s)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// plainText says whether JSON can hold a text unchanged.
func plainText(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}

func wireForm(v engine.Value) (typ string, text []byte) {
	switch v.Type {
	case engine.Int32:
		return "", strconv.AppendInt(nil, int64(v.N), 10)
	case engine.Int64:
		return "Edm.Int64", jsonText(strconv.FormatInt(int64(v.N), 10))
	case engine.Double:
		switch x := math.Float64frombits(v.N); {
		case math.IsNaN(x):
			return "Edm.Double", jsonText("NaN")
		case math.IsInf(x, 1):
			return "Edm.Double", jsonText("Infinity")
		case math.IsInf(x, -1):
			return "Edm.Double", jsonText("-Infinity")
		case x == 0:
			return "", []byte("0.0")
		case x == math.Trunc(x) && math.Abs(x) < 1e15:
			return "", strconv.AppendFloat(nil, x, 'f', 1, 64)
		default:
			return "", strconv.AppendFloat(nil, x, 'E', -1, 64)
		}
	case engine.Boolean:
		return "", strconv.AppendBool(nil, v.N != 0)
	case engine.DateTime:
		return "Edm.DateTime", jsonText(ticksText(int64(v.N)))
	case engine.Guid:
		return "Edm.Guid", jsonText(v.S)
	case engine.Binary:
		return "Edm.Binary", jsonText(base64.StdEncoding.EncodeToString([]byte(v.S)))
	case engine.String:
		return "", jsonText(v.S)
	}
	return "", []byte("null")
}

// Ticks are 100 ns since year 1.
var yearOne = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)

func timeTicks(t time.Time) int64 {
	return (t.Unix()-yearOne.Unix())*1e7 + int64(t.Nanosecond())/100
}

// ticksText writes ticks as the service does: without a fraction if it is zero.
func ticksText(ticks int64) string {
	return time.Unix(ticks/1e7+yearOne.Unix(), ticks%1e7*100).UTC().Format("2006-01-02T15:04:05.9999999Z")
}
