package tests

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestForeign makes a physical table with properties of every type by a mapping, and uses it without one.
func TestForeign(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			config := s.config(t)
			config.Database = "" // only the default database has tables without a definition
			_, conn := connect(t, config)
			ctx := context.Background()
			name := fmt.Sprintf("Foreign%x", rand.Uint64())
			for _, c := range []struct{ statement, want string }{
				{"CREATE EXTERNAL TABLE m" + name + ` (tenant TEXT, at DATETIME(7), id UUID, n INT PROPERTY 'Count' EDM Int32,
					big BIGINT PROPERTY 'Big' EDM Int64, price DOUBLE PROPERTY 'Price' EDM Double, flag BOOL PROPERTY 'Flag' EDM Boolean,
					born DATETIME(7) PROPERTY 'Born' EDM DateTime, tag UUID PROPERTY 'Tag' EDM Guid, raw BLOB PROPERTY 'Raw' EDM Binary,
					name TEXT PROPERTY 'Name' EDM String) LOCATION '` + name + "' PARTITION KEY '{tenant}' ROW KEY '{at:R}_{id}'", "affected 0"},
				{"INSERT INTO m" + name + ` VALUES
					('it''s & 100%', '2024-01-02 03:04:05.0000001', '00000000-0000-0000-0000-000000000001', -5, 9007199254740993, 1, TRUE, '1700-01-01 00:00:00.0000001', '0123abcd-4567-89ef-8000-fedcba987654', x'00ff', 'é😀'),
					('it''s & 100%', '2024-01-03', '00000000-0000-0000-0000-000000000002', 7, NULL, 2.5, FALSE, NULL, NULL, NULL, NULL),
					('b', '2024-01-03', '00000000-0000-0000-0000-000000000003', 9, NULL, NULL, NULL, NULL, NULL, NULL, 'Name')`, "affected 3"},
				{"SELECT Count, Big, Price, Flag, Born, Tag, Raw, Name FROM " + name + " WHERE PartitionKey = 'it''s & 100%' AND RowKey LIKE '%0001'",
					"Count | Big | Price | Flag | Born | Tag | Raw | Name\n-5 | 9007199254740993 | 1 | true | 1700-01-01 00:00:00.0000001 | 0123abcd-4567-89ef-8000-fedcba987654 | x'00ff' | é😀"},
				{"SELECT id FROM m" + name + " WHERE tenant = 'it''s & 100%' ORDER BY at DESC LIMIT 1", "id\n00000000-0000-0000-0000-000000000002"},
				{"SELECT n FROM m" + name + " WHERE tenant >= 'a' AND tenant < 'c'", "n\n9"},
				{"SELECT n FROM m" + name + " WHERE n > 0 AND price >= 2 OR flag = TRUE OR born < '1800-01-01' ORDER BY n", "n\n-5\n7"},
				{"SELECT n FROM m" + name + " WHERE tag = '0123abcd-4567-89ef-8000-fedcba987654' AND big = 9007199254740993 AND name = 'é😀'", "n\n-5"},
				{"SELECT n FROM m" + name + " WHERE born = '1700-01-01 00:00:00.0000001' AND born > '1700-01-01' AND born < '1700-01-01 00:00:00.0000002'", "n\n-5"},
				{"SELECT n FROM m" + name + " WHERE born = '1700-01-01' OR born < '1700-01-01 00:00:00.0000001' OR born > '1700-01-01 00:00:00.0000001'", "n"},
				{"UPDATE " + name + " SET Count = 'five', Big = NULL, Later = 1.5 WHERE PartitionKey = 'it''s & 100%' AND Count = -5", "affected 1"},
				{"SELECT Count, Big, Price, Flag, Born, Tag, Raw, Name, Later FROM " + name + " WHERE Count = 'five'",
					"Count | Big | Price | Flag | Born | Tag | Raw | Name | Later\nfive | NULL | 1 | true | 1700-01-01 00:00:00.0000001 | 0123abcd-4567-89ef-8000-fedcba987654 | x'00ff' | é😀 | 1.5"},
				{"SELECT Count FROM " + name + " WHERE Timestamp < '2020-01-01' OR Timestamp > '9000-01-01'", "Count"},
				{"SELECT Count FROM " + name + " WHERE Count IN (7, 9) AND Timestamp > '2020-01-01' ORDER BY Count", "Count\n7\n9"},
				{"DROP TABLE m" + name, "affected 0"},
				{"SELECT COUNT(*) FROM " + name, "COUNT(*)\n3"},
				{"DELETE FROM " + name, "affected 3"},
			} {
				if got := answer(ctx, conn, c.statement); got != c.want {
					t.Errorf("%s:\ngot  %s\nwant %s", c.statement, got, c.want)
				}
			}
		})
	}
}
