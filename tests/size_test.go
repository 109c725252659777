package tests

import (
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestSizes: every row and every index entry is counted once, for its own table, whatever else lies in its physical table.
func TestSizes(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			config := s.config(t)
			connector, conn := connect(t, config)
			for _, text := range []string{
				"CREATE TABLE small (id INT PRIMARY KEY, a VARCHAR(9))", "INSERT INTO small VALUES (1, 'xyz')",
				"CREATE TABLE pk (id INT PRIMARY KEY, a VARCHAR(9), b INT, KEY (a), UNIQUE KEY (b))",
				"INSERT INTO pk VALUES (1, 'x', 1), (2, 'y', NULL), (3, 'x', 3)",
				"CREATE TABLE item (id INT, n INT, PRIMARY KEY (id, n), FOREIGN KEY (id) REFERENCES pk (id)) INTERLEAVE IN PARENT pk WITH PARENT",
				"INSERT INTO item VALUES (1, 1), (1, 2), (2, 1)",
				"CREATE TABLE spread (tenant INT, id INT, PRIMARY KEY (tenant, id), KEY (id)) PARTITION BY KEY (tenant)",
				"INSERT INTO spread VALUES (1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (3, 2)",
				"CREATE TABLE divided (id INT, y INT, PRIMARY KEY (id, y)) PARTITION BY RANGE (y) (PARTITION a VALUES LESS THAN (10), PARTITION b VALUES LESS THAN (20))",
				"INSERT INTO divided VALUES (1, 1), (2, 11), (3, 12)", "CREATE TABLE nothing (id INT PRIMARY KEY)", "CREATE VIEW v AS SELECT id FROM small",
			} {
				if _, err := conn.ExecContext(t.Context(), text); err != nil {
					t.Fatal(text, err)
				}
			}
			before := connector.Stats()
			got, err := connector.Sizes(t.Context(), 2)
			if err != nil {
				t.Fatal(err)
			}
			if did := connector.Stats().Sub(before); did.Requests < 2 {
				t.Errorf("it has taken %d requests", did.Requests)
			}
			want := map[string]struct{ rows, entries, partitions, largest int64 }{
				"small": {1, 0, 1, 1}, "pk": {3, 6, 1, 15}, "item": {3, 3, 1, 15} /* entries: copies of parents */, "spread": {6, 6, 3, 6}, "divided": {3, 0, 2, 2}, "nothing": {},
			}
			for _, g := range got {
				w, ok := want[g.Table]
				delete(want, g.Table)
				if !ok || g.Rows != w.rows || g.Entries != w.entries || g.Partitions != w.partitions && s.variant == "" {
					t.Errorf("%+v, want %+v", g, w)
				}
				if s.variant == "" && w.largest > 0 && (len(g.Largest) != min(2, int(w.partitions)) || g.Largest[0].Entities != w.largest) {
					t.Errorf("%+v, want %+v", g, w)
				}
				if g.Table == "small" && s.variant == "" && !isAccount(config) && g.Bytes != 4+2*int64(len("00PK!8000000000000001"))+(8+2*2+8)+(8+2*1+4+2*3) { // id and a
					t.Errorf("a row has %d bytes", g.Bytes)
				}
			}
			if len(want) > 0 {
				t.Errorf("%v are not told of", want)
			}
			if p := nearlyfree.ListPrice.MonthlyCost(2e9); p != 0.09 {
				t.Errorf("2 GB cost %v a month", p)
			}
		})
	}
}
