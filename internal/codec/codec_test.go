package codec

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema/schematest"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// CodecOf makes the codec of a table of an id and these columns.
func CodecOf(t *testing.T, columns ...string) *Codec {
	t.Helper()
	return NewCodec(schematest.NewTable(t, "t", 1, append([]string{"id INT"}, columns...)...))
}

func TestCodecRoundTrip(t *testing.T) {
	long := strings.Repeat("a😀ü", 40_000) // 160,000 units
	tests := []struct {
		column string
		stored engine.Value // of the first property
		v      value.Value
	}{
		{"c INT", engine.Value{Type: engine.Int64, N: 1<<64 - 7}, value.FromInt(-7)},
		{"c BIGINT", engine.Value{Type: engine.Int64, N: 1 << 63}, value.FromInt(math.MinInt64)},
		{"c BIGINT", engine.Value{Type: engine.Int64, N: math.MaxInt64}, value.FromInt(math.MaxInt64)},
		{"c INT unsigned", engine.Value{Type: engine.Int64, N: math.MaxUint32}, value.FromUint(math.MaxUint32)},
		{"c BIGINT unsigned", engine.Value{Type: engine.String, S: "18446744073709551615"}, value.FromUint(math.MaxUint64)},
		{"c BIGINT unsigned", engine.Value{Type: engine.String, S: "00000000000000000000"}, value.FromUint(0)},
		{"c YEAR", engine.Value{Type: engine.Int64, N: 2024}, value.FromInt(2024)},
		{"c DOUBLE", engine.Value{Type: engine.Double, N: 1 << 63}, value.FromFloat(math.Copysign(0, -1))},
		{"c FLOAT", engine.Value{Type: engine.Double, N: math.Float64bits(0.1)}, value.Type{Base: value.TypeFloat}.Single(value.FromFloat(0.1))},
		{"c BOOL", engine.Value{Type: engine.Boolean, N: 1}, value.FromBool(true)},
		{"c BOOL", engine.Value{Type: engine.Boolean}, value.FromBool(false)},
		{"c DECIMAL(10,2)", engine.Value{Type: engine.String, S: "-1.50"}, value.FromDecimalText("-1.50")},
		{"c VARCHAR(5)", engine.Value{Type: engine.String, S: "\x00😀"}, value.FromString("\x00😀")},
		{"c TEXT", engine.Value{Type: engine.String}, value.FromString("")},
		{"c TEXT", engine.Value{Type: engine.String, S: "kürzer"}, value.FromString("kürzer")},
		{"c TEXT", engine.Value{Type: engine.String, S: strings.Repeat("a😀ü", 8192)}, value.FromString(long)},
		{"c JSON", engine.Value{Type: engine.String, S: "[1]"}, value.FromJSON("[1]")},
		{"c BLOB", engine.Value{Type: engine.Binary}, value.FromBytes("")},
		{"c BLOB", engine.Value{Type: engine.Binary, S: long[:64<<10]}, value.FromBytes(long)},
		{"c VARBINARY(9)", engine.Value{Type: engine.Binary, S: "\x00\xff"}, value.FromBytes("\x00\xff")},
		{"c DATE", engine.Value{Type: engine.String, S: "0001-01-01"}, value.FromDate(0)},
		{"c DATE", engine.Value{Type: engine.String, S: "9999-12-31"}, value.FromDate(value.MaxTicks / engine.TicksPerDay * engine.TicksPerDay)},
		{"c DATETIME", engine.Value{Type: engine.String, S: "0001-01-01T00:00:00.0000001Z"}, value.FromTicks(1)},
		{"c DATETIME", engine.Value{Type: engine.String, S: "9999-12-31T23:59:59.9999999Z"}, value.FromTicks(value.MaxTicks)},
		{"c TIME", engine.Value{Type: engine.Int64, N: 1<<64 - 5}, value.FromDuration(-5)},
		{"c UUID", engine.Value{Type: engine.Guid, S: "00000000-0000-0000-0000-00000000000f"}, value.FromUUID("00000000-0000-0000-0000-00000000000f")},
	}
	for _, test := range tests {
		c := CodecOf(t, test.column, "z INT")
		e, err := c.EncodeRow([]value.Value{value.FromInt(1), test.v, value.FromInt(9)})
		if err != nil {
			t.Errorf("%s: %v", test.column, err)
			continue
		}
		if e.Values[1] != test.stored {
			t.Errorf("%s: stored as %.60v, want %.60v", test.column, e.Values[1], test.stored)
		}
		if err := engine.AzureLimits().CheckEntity(&e); err != nil {
			t.Errorf("%s: %v", test.column, err)
		}
		for _, columns := range [][]int{{0, 1, 2}, {1}, {1, 3}} {
			selected := c.Select(columns)
			e := e
			e.ETag = "tag"
			if selected != nil {
				e.Names, e.Values = selected, engine.Gather(e.Names, e.Values, selected)
			}
			row := make([]value.Value, 7)
			if err := c.Decoder(columns, 2, selected).DecodeRow(&e, row); err != nil {
				t.Errorf("%s: %v", test.column, err)
			}
			if row[3] != test.v {
				t.Errorf("%s: came back as %.60v", test.column, row[3])
			}
			if wanted := slices.Contains(columns, 3); wanted != (row[5] == value.FromString("tag")) {
				t.Errorf("%s: ETag is %v", test.column, row[5])
			}
		}
	}
}

func TestCodecNull(t *testing.T) {
	c := CodecOf(t, "a INT", "b TEXT")
	e, err := c.EncodeRow([]value.Value{value.FromInt(1), value.NullValue, value.NullValue})
	if err != nil {
		t.Fatal(err)
	}
	row := []value.Value{value.NullValue, value.FromInt(5), value.FromInt(5)}
	d := c.Decoder([]int{0, 1, 2}, 0, nil)
	// A store gives back what is there; another row of the same read may have all.
	for _, e := range []engine.Entity{e, {Names: []string{"id"}, Values: e.Values[:1]}, e} {
		row[1], row[2] = value.FromInt(5), value.FromInt(5)
		if err := d.DecodeRow(&e, row); err != nil {
			t.Fatal(err)
		}
		if row[0] != value.FromInt(1) || !row[1].IsNull() || !row[2].IsNull() {
			t.Errorf("came back as %v", row)
		}
	}
}

func TestCodecForeignNumbers(t *testing.T) {
	c := CodecOf(t, "a BIGINT", "b DOUBLE", "c BIGINT unsigned")
	e := engine.Entity{Names: []string{"a", "b", "c", "id"}, Values: []engine.Value{
		{Type: engine.Double, N: math.Float64bits(-3)}, {Type: engine.Int32, N: 4}, {Type: engine.Int64, N: 5}, {Type: engine.Int32, N: 6},
	}}
	row := make([]value.Value, 4)
	if err := c.Decoder([]int{0, 1, 2, 3}, 0, nil).DecodeRow(&e, row); err != nil {
		t.Fatal(err)
	}
	if want := []value.Value{value.FromInt(6), value.FromInt(-3), value.FromFloat(4), value.FromUint(5)}; !slices.Equal(row, want) {
		t.Errorf("got %v, want %v", row, want)
	}
}

func TestCodecCorrupt(t *testing.T) {
	for column, v := range map[string]engine.Value{
		"c INT":             {Type: engine.String, S: "7"},
		"c BIGINT":          {Type: engine.Double, N: math.Float64bits(1.5)},
		"c INT unsigned":    {Type: engine.Int64, N: 1<<64 - 1},
		"c BIGINT unsigned": {Type: engine.String, S: "7"},
		"c DOUBLE":          {Type: engine.String, S: "7"},
		"c BOOL":            {Type: engine.Int64, N: 1},
		"c DECIMAL(10,2)":   {Type: engine.String, S: "1."},
		"c TEXT":            {Type: engine.Binary, S: "x"},
		"c BLOB":            {Type: engine.String, S: "x"},
		"c DATE":            {Type: engine.String, S: "2023-02-29"},
		"c DATETIME":        {Type: engine.String, S: "2023-02-28 10:00:00.0000000Z"},
		"c TIME":            {Type: engine.String, S: "10:00:00"},
		"c UUID":            {Type: engine.String, S: "x"},
	} {
		c := CodecOf(t, column)
		e := engine.Entity{PartitionKey: "00", RowKey: "PK!1", Names: []string{"c"}, Values: []engine.Value{v}}
		err := c.Decoder([]int{1}, 0, nil).DecodeRow(&e, make([]value.Value, 2))
		var ee *engine.Error
		if !errors.As(err, &ee) || ee.Code != engine.CodeCorrupt {
			t.Errorf("%s: %v", column, err)
			continue
		}
		for _, part := range []string{"table t", "PK!1", "column c"} {
			if !strings.Contains(ee.Message, part) {
				t.Errorf("%s: %q does not name %q", column, ee.Message, part)
			}
		}
	}
}

func TestCodecWrongKind(t *testing.T) {
	c := CodecOf(t, "c DATE")
	if _, err := c.EncodeRow([]value.Value{value.FromInt(1), value.FromString("2024-01-01")}); err == nil {
		t.Error("text went into a DATE")
	}
}

func TestCodecSelect(t *testing.T) {
	c := CodecOf(t, "a INT", "b TEXT", "d TEXT")
	if got := c.Select([]int{0, 1, 2, 3}); got != nil {
		t.Errorf("all columns: %q", got)
	}
	if got := c.Select([]int{0, 2, 3}); got != nil {
		t.Errorf("all long columns: %q", got)
	}
	if got, want := c.Select([]int{0, 1}), []string{"id", "a"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := c.Select([]int{2}); len(got) != maxParts || got[0] != "b" || got[1] != "b_01" || got[15] != "b_15" {
		t.Errorf("one of two long columns: %q", got)
	}
}

func TestTicks(t *testing.T) {
	for _, ticks := range []int64{0, 1, engine.TicksPerDay - 1, engine.TicksPerDay, 59 * engine.TicksPerDay, 730_119 * engine.TicksPerDay, value.MaxTicks, 637_134_336_000_000_001} {
		s := string(engine.AppendTime(nil, ticks))
		if got, ok := engine.ParseTime(s); !ok || got != ticks {
			t.Errorf("%d → %s → %d, %v", ticks, s, got, ok)
		}
		if want, err := value.ParseTime(s); err != nil || want != ticks {
			t.Errorf("%d → %s, which is %d, %v", ticks, s, want, err)
		}
	}
	for day := int64(0); day < value.MaxTicks/engine.TicksPerDay; day += 13 {
		s := string(engine.AppendDate(nil, day*engine.TicksPerDay))
		if want := value.TimeFromTicks(day * engine.TicksPerDay).Format("2006-01-02"); s != want {
			t.Fatalf("day %d is %s, want %s", day, s, want)
		}
		if got, ok := engine.ParseDate(s); !ok || got != day*engine.TicksPerDay {
			t.Fatalf("%s → %d, %v", s, got, ok)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	f.Add("2024-02-29T23:59:59.1234567Z")
	f.Add("0000-01-01T00:00:00.0000000Z")
	f.Fuzz(func(t *testing.T, s string) {
		if ticks, ok := engine.ParseTime(s); ok && string(engine.AppendTime(nil, ticks)) != s {
			t.Errorf("%q → %d → %s", s, ticks, engine.AppendTime(nil, ticks))
		}
	})
}
