package azure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

func decodeSingle(t testing.TB, text string, want []string) (engine.Entity, error) {
	t.Helper()
	d := newDecoder(want, want)
	var e engine.Entity
	err := d.single([]byte(text), &e)
	return e, err
}

// TestDecodeValues decodes every type in every form that was seen on a wire.
func TestDecodeValues(t *testing.T) {
	double := func(f float64) engine.Value { return engine.Value{Type: engine.Double, N: math.Float64bits(f)} }
	date := func(year, month, day, hour, minute, second, ticks int) engine.Value {
		at := time.Date(year, time.Month(month), day, hour, minute, second, ticks*100, time.UTC)
		return engine.Value{Type: engine.DateTime, N: uint64(at.Unix()*ticksPerSecond + ticksAtEpoch + int64(ticks))}
	}
	min64 := int64(math.MinInt64)
	for text, want := range map[string]engine.Value{
		`"x":"text"`: {Type: engine.String, S: "text"},
		`"x":""`:     {Type: engine.String},
		`"x":"a\u0000\"\\\/\n😀\ud83d\ude00\ud800!"`: {Type: engine.String, S: "a\x00\"\\/\n😀😀\ufffd!"},
		"\"x\":\"\xff\"":                             {Type: engine.String, S: "\ufffd"},
		`"x@odata.type":"Edm.String","x":"5"`:        {Type: engine.String, S: "5"},
		`"x":0`:                                      {Type: engine.Int32},
		`"x":-2147483648`:                            {Type: engine.Int32, N: uint64(min64 >> 32)},
		`"x@odata.type":"Edm.Int32","x":7`:           {Type: engine.Int32, N: 7},
		`"x":2147483648`:                             double(2147483648),
		`"x":1e3`:                                    double(1000),
		`"x":1.0`:                                    double(1),
		`"x":-1.7976931348623157E+308`:               double(-math.MaxFloat64),
		`"x":5e-324`:                                 double(math.SmallestNonzeroFloat64),
		`"x@odata.type":"Edm.Double","x":5`:          double(5),
		`"x@odata.type":"Edm.Double","x":"1.5"`:      double(1.5),
		`"x@odata.type":"Edm.Double","x":"Infinity"`: double(math.Inf(1)),
		`"x@odata.type":"Edm.Double","x":"-INF"`:     double(math.Inf(-1)),
		`"x@odata.type":"Edm.Guid","x":"` + negativeZero + `"`:  double(math.Copysign(0, -1)),
		`"x@odata.type":"Edm.Int64","x":"-9223372036854775808"`: {Type: engine.Int64, N: uint64(min64)},
		`"x@odata.type":"Edm.Int64","x":5`:                      {Type: engine.Int64, N: 5},
		`"x":true`:                                              {Type: engine.Boolean, N: 1},
		`"x":false`:                                             {Type: engine.Boolean},
		`"x@odata.type":"Edm.Boolean","x":"true"`:               {Type: engine.Boolean, N: 1},
		`"x":null`:                            {},
		`"x@odata.type":"Edm.Int64","x":null`: {},
		`"y":5`:                               {},
		`"x@odata.type":"Edm.DateTime","x":"1601-01-01T00:00:00Z"`:             date(1601, 1, 1, 0, 0, 0, 0),
		`"x@odata.type":"Edm.DateTime","x":"9999-12-31T23:59:59.9999999Z"`:     date(9999, 12, 31, 23, 59, 59, 9999999),
		`"x@odata.type":"Edm.DateTime","x":"2024-02-29T01:02:03.45Z"`:          date(2024, 2, 29, 1, 2, 3, 4500000),
		`"x@odata.type":"Edm.DateTime","x":"2024-02-29T01:02:03.123456789Z"`:   date(2024, 2, 29, 1, 2, 3, 1234567),
		`"x@odata.type":"Edm.Guid","x":"0F8FAD5B-D9CB-469F-A165-70867728950E"`: {Type: engine.Guid, S: "0f8fad5b-d9cb-469f-a165-70867728950e"},
		`"x@odata.type":"Edm.Binary","x":"AAEC/w=="`:                           {Type: engine.Binary, S: "\x00\x01\x02\xff"},
		`"x@odata.type":"Edm.Binary","x":""`:                                   {Type: engine.Binary},
		`"\u0078":5`:                                                           {Type: engine.Int32, N: 5},
		// A type apart from its property.
		`"x":"5","x@odata.type":"Edm.Int64"`:                                    {Type: engine.Int64, N: 5},
		`"x@odata.type":"Edm.Int64","y":1,"x":"5"`:                              {Type: engine.Int64, N: 5},
		`"x@odata.type":"Edm.Int64","y@odata.type":"Edm.Int64","y":"1","x":"5"`: {Type: engine.Int64, N: 5},
		`"x":1,"x":2`: {Type: engine.Int32, N: 2},
		`"x":1,"x@odata.note":{"a":[1,{"b":null}],"c":true}`: {Type: engine.Int32, N: 1},
	} {
		for _, names := range [][]string{{"x"}, nil} {
			e, err := decodeSingle(t, `{"odata.metadata":"m","odata.etag":"W/\"1\"","PartitionKey":"p", "RowKey" : "r",`+text+"}", names)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			if e.PartitionKey != "p" || e.RowKey != "r" || e.ETag != `W/"1"` {
				t.Errorf("%s: keys and ETag are %q, %q, %q", text, e.PartitionKey, e.RowKey, e.ETag)
			}
			var got engine.Value
			if i := slices.Index(e.Names, "x"); i >= 0 {
				got = e.Values[i]
			}
			if got != want {
				t.Errorf("%s with %q: %+v, want %+v", text, names, got, want)
			}
		}
	}
	if e, err := decodeSingle(t, `{"x@odata.type":"Edm.Double","x":"NaN"}`, nil); err != nil || !math.IsNaN(math.Float64frombits(e.Values[0].N)) {
		t.Errorf("NaN: %v, %v", e.Values, err)
	}
}

// TestDecodeErrors: what is not an entity gives an error.
func TestDecodeErrors(t *testing.T) {
	whole := `{"odata.etag":"e","PartitionKey":"p","RowKey":"r","a@odata.type":"Edm.Int64","a":"5","b":1.5,"c":true,"d":"\u00e4"}`
	for i := range len(whole) {
		if _, err := decodeSingle(t, whole[:i], nil); err == nil {
			t.Errorf("%s: no error", whole[:i])
		}
	}
	for _, text := range []string{
		whole + "x", whole + whole, `[]`, `{"x":}`, `{"x":01}`, `{"x":1.}`, `{"x":-}`, `{"x":1e}`, `{"x":+1}`, `{"x":tru}`,
		`{"x":{}}`, `{"x":[1]}`, `{"x" 1}`, `{"x":1,}`, `{,"x":1}`, "{\"x\":\"\n\"}", `{"x":"\q"}`, `{"x":"\u12g4"}`, `{"x":1e999}`,
		`{"PartitionKey":5}`, `{"Timestamp":"soon"}`,
		`{"x@odata.type":"Edm.Int64","x":"5.5"}`, `{"x@odata.type":"Edm.Int64","x":"9223372036854775808"}`,
		`{"x@odata.type":"Edm.Int32","x":2147483648}`, `{"x@odata.type":"Edm.Int64","x":true}`,
		`{"x@odata.type":"Edm.Guid","x":"abc"}`, `{"x@odata.type":"Edm.Binary","x":"*"}`, `{"x@odata.type":"Edm.Boolean","x":"yes"}`,
		`{"x@odata.type":"Edm.DateTime","x":"2023-02-29T00:00:00Z"}`, `{"x@odata.type":"Edm.DateTime","x":"2023-02-28T24:00:00Z"}`,
		`{"x@odata.type":"Edm.DateTime","x":"2023-02-28T00:00:00.Z"}`, `{"x@odata.type":"Edm.DateTime","x":"2023-02-28T00:00:00+01:00"}`,
		`{"x@odata.type":"Edm.Duration","x":"PT5S"}`, `{"x@odata.type":"Edm.String","x":5}`,
		`{"y@odata.x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
	} {
		if e, err := decodeSingle(t, text, []string{"x", "y"}); err == nil {
			t.Errorf("%s: no error, but %+v", text, e)
		}
	}
	for _, text := range []string{"", "{}", `{"value":5}`, `{"value":[}`, `{"value":[{}`, `{"value":[{},]}`, `{"value":[]`, `{"value":[]}x`} {
		d := newDecoder(nil, nil)
		if err := d.page([]byte(text), new(page)); err == nil {
			t.Errorf("page %s: no error", text)
		}
	}
}

// TestDecodePage decodes entities that differ, twice with the same storage, and shares lists of names.
func TestDecodePage(t *testing.T) {
	text := `{"odata.metadata":"m","value":[
		{"PartitionKey":"p","RowKey":"1","a":1,"b":"x"},
		{"PartitionKey":"p","RowKey":"2","a":2,"b":"y"},
		{"PartitionKey":"p","RowKey":"3","b":"z"},
		{"PartitionKey":"p","RowKey":"4"},
		{"PartitionKey":"p","RowKey":"5","b":"v","c":true,"a":5},
		{"PartitionKey":"p","RowKey":"6","a":6,"b":"w"}]}`
	render := func(p *page) string {
		var out strings.Builder
		for _, e := range p.entities {
			fmt.Fprintf(&out, "%s%s", e.PartitionKey, e.RowKey)
			for i, name := range e.Names {
				if v := e.Values[i]; v.Type != engine.Absent {
					fmt.Fprintf(&out, " %s=%d:%d%s", name, v.Type, v.N, v.S)
				}
			}
			out.WriteByte('\n')
		}
		return out.String()
	}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, "p1 a=2:1 b=1:0x\np2 a=2:2 b=1:0y\np3 b=1:0z\np4\np5 b=1:0v c=5:1 a=2:5\np6 a=2:6 b=1:0w\n"},
		{[]string{"c", "a"}, "p1 a=2:1\np2 a=2:2\np3\np4\np5 c=5:1 a=2:5\np6 a=2:6\n"},
		{[]string{}, "p1\np2\np3\np4\np5\np6\n"},
	} {
		d := newDecoder(c.names, c.names)
		var p page
		for range 3 {
			p.reset()
			if err := d.page([]byte(text), &p); err != nil {
				t.Fatal(err)
			}
			if got := render(&p); got != c.want {
				t.Errorf("with %q:\n%swant\n%s", c.names, got, c.want)
			}
		}
		first, last := p.entities[0].Names, p.entities[5].Names
		if len(first) != len(last) || len(first) > 0 && &first[0] != &last[0] {
			t.Errorf("with %q: entities that are alike do not share their names", c.names)
		}
		if len(c.names) > 0 && &first[0] != &c.names[0] {
			t.Errorf("with %q: the names are not the slice that was asked for", c.names)
		}
	}
}

// TestTextsStay: texts do not change when the page's storage is used again.
func TestTextsStay(t *testing.T) {
	d := newDecoder(nil, nil)
	var p page
	var got []string
	for i := range 3000 {
		p.reset()
		if err := d.page(fmt.Appendf(nil, `{"value":[{"PartitionKey":"p%d","RowKey":"\u0041%d","s":"%s"}]}`, i, i, strings.Repeat("x", i%1500)), &p); err != nil {
			t.Fatal(err)
		}
		e := p.entities[0]
		got = append(got, e.PartitionKey+e.RowKey+strconv.Itoa(len(e.Values[0].S)), e.PartitionKey, e.Values[0].S)
	}
	for i := range 3000 {
		if want := fmt.Sprintf("p%dA%d%d", i, i, i%1500); got[3*i] != want || got[3*i+1] != "p"+strconv.Itoa(i) || got[3*i+2] != strings.Repeat("x", i%1500) {
			t.Fatalf("%d: %q, want %q", i, got[3*i:3*i+2], want)
		}
	}
}

// TestEntityRoundTrip writes and reads every type at its extremes, and agrees with encoding/json about the
// text between.
func TestEntityRoundTrip(t *testing.T) {
	e := engine.Entity{PartitionKey: "p'ä", RowKey: "r\"\\"}
	add := func(v engine.Value) {
		e.Names = append(e.Names, fmt.Sprintf("n%d", len(e.Names)))
		e.Values = append(e.Values, v)
	}
	var all strings.Builder
	for r := rune(0); r < 0x11000; r += 1 + r/200 {
		if r < 0xd800 || r > 0xdfff {
			all.WriteRune(r)
		}
	}
	for _, s := range []string{"", "it's", "\x00", "</script>&", "😀\U0010ffff\uffff", all.String()} {
		add(engine.Value{Type: engine.String, S: s})
		add(engine.Value{Type: engine.Binary, S: s})
	}
	for _, n := range []int64{0, -1, math.MaxInt64, math.MinInt64} {
		add(engine.Value{Type: engine.Int64, N: uint64(n)})
		add(engine.Value{Type: engine.Int32, N: uint64(n >> 32)})
	}
	for _, f := range []float64{0, math.Copysign(0, -1), 1, -1.5, 1e21, 0.1, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1)} {
		add(engine.Value{Type: engine.Double, N: math.Float64bits(f)})
	}
	for _, n := range []int64{engine.MinDateTime, engine.MaxDateTime, ticksAtEpoch - 1, ticksAtEpoch, 638000000000000001} {
		add(engine.Value{Type: engine.DateTime, N: uint64(n)})
	}
	add(engine.Value{Type: engine.Boolean, N: 1})
	add(engine.Value{Type: engine.Boolean})
	add(engine.Value{Type: engine.Guid, S: "0f8fad5b-d9cb-469f-a165-70867728950e"})
	add(engine.Value{})

	text := appendEntity(nil, &e)
	if i := bytes.IndexFunc(text, func(r rune) bool { return r > 0x7e || r < 0x20 }); i >= 0 {
		t.Errorf("byte %d of the body is not printable ASCII", i)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatalf("encoding/json: %v", err)
	}
	got, err := decodeSingle(t, string(text), e.Names)
	if err != nil {
		t.Fatal(err)
	}
	if got.PartitionKey != e.PartitionKey || got.RowKey != e.RowKey || m["PartitionKey"] != e.PartitionKey || m["RowKey"] != e.RowKey {
		t.Errorf("keys %q, %q", got.PartitionKey, got.RowKey)
	}
	for i, want := range e.Values {
		if got.Values[i] != want {
			t.Errorf("%s: %+v, want %+v", e.Names[i], got.Values[i], want)
		}
		if s, ok := m[e.Names[i]].(string); want.Type == engine.String && (!ok || s != want.S) {
			t.Errorf("%s: encoding/json reads %q, want %q", e.Names[i], s, want.S)
		}
	}
}

// FuzzDecode holds the decoder against encoding/json: it reads what that reads, the same, and what that
// refuses it refuses or passes over.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`{"odata.etag":"W/\"1\"","PartitionKey":"p","RowKey":"r","Timestamp":"2024-01-01T00:00:00Z","a":1,"b":"\ud83d\ude00","c":null}`,
		`{"a@odata.type":"Edm.Int64","a":"5","b":true,"b":-0.5e-3}`, `{"a":"5","a@odata.type":"Edm.Int64"}`, `{"x@y":[1,{"z":"\\"}],"é":1}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d := newDecoder(nil, nil)
		var e engine.Entity
		if d.single(text, &e) != nil {
			return
		}
		if len(e.Names) != len(e.Values) {
			t.Fatalf("%d names, %d values", len(e.Names), len(e.Values))
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var m map[string]any
		if err := decoder.Decode(&m); err != nil {
			return // the inside of what is passed over is not looked at closely
		}
		for i, name := range e.Names {
			v := e.Values[i]
			want, ok := m[name]
			if !ok {
				t.Fatalf("property %q is not there", name)
			}
			switch w := want.(type) {
			case string:
				if v.Type == engine.String && v.S != w {
					t.Fatalf("property %q: %q, want %q", name, v.S, w)
				}
			case bool:
				if v.Type != engine.Boolean || v.N == 1 != w {
					t.Fatalf("property %q: %+v, want %t", name, v, w)
				}
			case json.Number:
				number, err := w.Float64()
				got := float64(int64(v.N))
				if v.Type == engine.Double {
					got = math.Float64frombits(v.N)
				}
				if err != nil || got != number {
					t.Fatalf("property %q: %v, want %s", name, got, w)
				}
			case nil:
				if v.Type != engine.Absent {
					t.Fatalf("property %q: %+v, want none", name, v)
				}
			default:
				t.Fatalf("property %q: %+v, want %T", name, v, want)
			}
		}
	})
}
