package define

import (
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// TestGrowPartitions: which partitions are made for rows of some values, and which one ahead.
func TestGrowPartitions(t *testing.T) {
	date := func(s string) value.Value {
		v, err := value.Type{Base: value.TypeDate}.Convert(value.FromString(s))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		column, interval string
		rows             []value.Value
		want             string
	}{
		{"DATE", "1 MONTH", []value.Value{date("2026-12-31")}, "p202612 p202701"},
		{"DATE", "1 MONTH", []value.Value{date("2026-12-31"), date("2026-01-01"), date("2026-12-01")}, "p202601 p202612 p202701"},
		{"DATE", "1 WEEK", []value.Value{date("2026-11-21")}, "p20261116 p20261123"},
		{"DATE", "1 YEAR", []value.Value{date("9999-01-01")}, "p9999"},
		{"INT", "10", []value.Value{value.FromInt(5), value.FromInt(-5)}, "p_10 p0 p10"},
		{"TINYINT", "100", []value.Value{value.FromInt(99)}, "p0 p100"},
		{"TINYINT", "100", []value.Value{value.FromInt(100)}, "p100"}, // 200 is beyond the column's values
		{"BIGINT UNSIGNED", "10", []value.Value{value.FromUint(1<<64 - 1)}, "p18446744073709551610"},
	} {
		parsed, err := dialect.Parse("CREATE TABLE t (c "+c.column+" PRIMARY KEY) PARTITION BY RANGE (c) INTERVAL ("+c.interval+")", dialect.Options{})
		if err != nil {
			t.Fatal(err)
		}
		table, err := Define(parsed.Statement.(*dialect.CreateTable), planner.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var missing [][]value.Value
		for _, v := range c.rows {
			missing = append(missing, []value.Value{v})
		}
		if err := table.GrowPartitions(missing, true); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, p := range table.Partitions.List {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s by %s: parts %s, want %s", c.column, c.interval, got, c.want)
		}
	}
}
