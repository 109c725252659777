package tests

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

var makeFormat = flag.String("make", "", "make the golden store of a new format, of this name")

// formatTables makes a store with everything that definitions can say, and with changes that were cut off. A number
// before a statement says after how many transactions its process dies.
const formatTables = `
CREATE TABLE kinds (id INT PRIMARY KEY, a BOOL, b BIT(9), c TINYINT(1), d TINYINT UNSIGNED, e SMALLINT, f MEDIUMINT, g BIGINT, h BIGINT UNSIGNED, i FLOAT, j DOUBLE, k FLOAT(7,2), l DECIMAL(20,6), m CHAR(5), n VARCHAR(20), o TINYTEXT, p LONGTEXT, q ENUM('red','it''s'), r SET('x','y','z'), s BINARY(4), t VARBINARY(10), u BLOB, v DATE, w DATETIME, x DATETIME(7), y TIMESTAMP(3), z TIME(6), aa YEAR, bb JSON, cc UUID)

INSERT INTO kinds VALUES (1, TRUE, b'100000001', -1, 255, -32768, 8388607, -9223372036854775808, 18446744073709551615, 1.5, -2.25e300, 12345.67, -12345678901234.567891, 'abc', 'größe 😀', 't', REPEAT('long ', 7000), 'it''s', 'x,z', x'00ff', x'01', x'deadbeef', '0001-01-01', '9999-12-31 23:59:59', '2024-02-29 12:34:56.7654321', '2024-01-01 00:00:00.123', '-838:59:59', 2155, '{"a": [1, "b", null]}', '0123abcd-4567-89ef-8000-fedcba987654'), (2, FALSE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '', '', '', '', 'red', '', '', '', '', '2024-01-01', '2024-01-01', '2024-01-01', '2024-01-01', 0, 1901, '[]', '00000000-0000-0000-0000-000000000000')

INSERT INTO kinds (id) VALUES (3)

CREATE TABLE computed (id BIGINT AUTO_INCREMENT PRIMARY KEY, a INT NOT NULL DEFAULT 5, b VARCHAR(20) DEFAULT (CONCAT('b', a)), c INT AS (a * 2) STORED, d INT AS (a + 1) VIRTUAL, e DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), KEY (c), CHECK (a > 0), CONSTRAINT small CHECK (c < 1000)) AUTO_INCREMENT=100 COMMENT='it''s computed'

INSERT INTO computed (a, e) VALUES (1, '2024-01-01'), (2, '2024-01-02'), (3, '2024-01-03')

CREATE TABLE keyed (a VARCHAR(30), b INT, c DECIMAL(8,2), d TEXT, e DATE, PRIMARY KEY (a, b DESC), UNIQUE KEY c (c, b), KEY d (d(10) DESC, e) COMMENT 'd', KEY e (e) INCLUDE (c), KEY copy (e DESC, c) COPY KEYS) COLLATE utf8mb4_0900_ai_ci

INSERT INTO keyed VALUES ('Zoë', 1, 1.5, 'some long text', '2024-01-01'), ('zoe', 2, -1.5, 'some long words', NULL), ('Über', 3, NULL, NULL, '2023-01-01'), ('', -4, 0, '', '2025-01-01')

CREATE TABLE collated (id INT PRIMARY KEY, a VARCHAR(9) COLLATE nocase UNIQUE, b VARCHAR(9) COLLATE utf8mb4_bin UNIQUE, c VARCHAR(9) COLLATE utf8mb4_general_ci UNIQUE, d VARCHAR(9) COLLATE utf8mb4_unicode_ci UNIQUE, e VARCHAR(9) COLLATE utf8mb4_unicode_520_ci UNIQUE, f VARCHAR(9) COLLATE utf8mb4_0900_as_ci UNIQUE, g VARCHAR(9) COLLATE utf8mb4_0900_as_cs UNIQUE)

INSERT INTO collated VALUES (1, 'Straße', 'Straße', 'Straße', 'Straße', 'Straße', 'Straße', 'Straße'), (2, 'école', 'école', 'école', 'école', 'école', 'école', 'école')

CREATE TABLE unkeyed (a INT, b TEXT, KEY (a))

INSERT INTO unkeyed VALUES (1, 'one'), (1, 'one'), (2, NULL)

CREATE TABLE bykey (tenant VARCHAR(20), id INT, v INT, PRIMARY KEY (tenant, id), KEY (v)) PARTITION BY KEY (tenant)

INSERT INTO bykey VALUES ('ann', 1, 10), ('ann', 2, 20), ('bob', 1, 30)

CREATE TABLE byhash (id INT PRIMARY KEY, v INT, KEY (v)) PARTITION BY HASH (id) PARTITIONS 4

INSERT INTO byhash VALUES (1, 10), (2, 20), (3, 30), (4, 40), (5, 50)

CREATE TABLE global (tenant VARCHAR(20), id INT, mail VARCHAR(50) COLLATE utf8mb4_0900_ai_ci, code INT, v INT, PRIMARY KEY (tenant, id), UNIQUE KEY mail (mail) GLOBAL, UNIQUE KEY code (code, mail(3)) GLOBAL INCLUDE (v)) PARTITION BY KEY (tenant)

INSERT INTO global VALUES ('ann', 1, 'Zoë@example.com', 1, 10), ('ann', 2, NULL, 2, 20), ('bob', 1, 'bob@example.com', NULL, 30)

CREATE TABLE spread (id INT PRIMARY KEY, mail VARCHAR(50), UNIQUE KEY (mail) GLOBAL) PARTITION BY HASH (id) PARTITIONS 4

INSERT INTO spread VALUES (1, 'one'), (2, 'two'), (3, NULL)

CREATE TABLE author (id INT PRIMARY KEY, pen_name VARCHAR(30) UNIQUE)

CREATE TABLE book (id INT PRIMARY KEY, author INT, under VARCHAR(30), sequel INT, FOREIGN KEY (author) REFERENCES author (id) ON DELETE CASCADE, CONSTRAINT known FOREIGN KEY (under) REFERENCES author (pen_name) ON DELETE SET NULL ON UPDATE CASCADE, FOREIGN KEY (sequel) REFERENCES book (id))

INSERT INTO author VALUES (1, 'Ann'), (2, 'Bob')

INSERT INTO book VALUES (1, 1, 'Bob', NULL), (2, 1, NULL, 1), (3, NULL, NULL, NULL)

CREATE TABLE ranged (at DATE, id INT, v INT, PRIMARY KEY (at, id), KEY (v)) PARTITION BY RANGE (YEAR(at)) (PARTITION p0 VALUES LESS THAN (2024), PARTITION p1 VALUES LESS THAN (2025), PARTITION p2 VALUES LESS THAN MAXVALUE)

INSERT INTO ranged VALUES ('2023-05-05', 1, 10), ('2024-05-05', 2, 20), ('2030-05-05', 3, 30)

CREATE TABLE listed (country CHAR(2), id INT, PRIMARY KEY (country, id)) PARTITION BY LIST COLUMNS (country) AUTOMATIC (PARTITION north VALUES IN ('DK', 'SE'))

INSERT INTO listed VALUES ('DK', 1), ('IT', 2)

CREATE TABLE monthly (at DATETIME, id INT, PRIMARY KEY (at DESC, id)) PARTITION BY RANGE (at) INTERVAL (1 MONTH)

INSERT INTO monthly VALUES ('2024-01-31', 1), ('2024-03-01', 2)

1: INSERT INTO monthly VALUES ('2024-07-01', 3)

CREATE TABLE expense (id INT PRIMARY KEY, who VARCHAR(30) NOT NULL, KEY (who))

INSERT INTO expense VALUES (1, 'Ann'), (2, 'Bob')

CREATE TABLE item (expense INT, n INT, what VARCHAR(50), PRIMARY KEY (expense, n), KEY (what), FOREIGN KEY (expense) REFERENCES expense (id) ON DELETE CASCADE) INTERLEAVE IN PARENT expense WITH PARENT

INSERT INTO item VALUES (1, 1, 'train'), (1, 2, 'tea'), (2, 1, 'book')

CREATE TABLE note (expense INT, n INT, part INT, PRIMARY KEY (expense, n, part), FOREIGN KEY (expense, n) REFERENCES item (expense, n)) INTERLEAVE IN PARENT item

INSERT INTO note VALUES (1, 2, 1)

CREATE EXTERNAL TABLE log (tenant TEXT, at DATETIME(7), id UUID, text TEXT PROPERTY 'Message' EDM String, n INT PROPERTY 'N', CHECK (n > 0)) LOCATION 'WebLog' PARTITION KEY 't-{tenant}' ROW KEY '{at:R19}_{id:N}' COMMENT 'of a web server'

INSERT INTO log VALUES ('a', '2024-01-01', '0123abcd-4567-89ef-8000-fedcba987654', 'hello', 5)

CREATE TABLE changed (id INT PRIMARY KEY, old INT, v INT)

INSERT INTO changed VALUES (1, 1, 1), (2, 2, 2)

ALTER TABLE changed ADD COLUMN added VARCHAR(10) NOT NULL DEFAULT 'new', ADD COLUMN octets BINARY(2) DEFAULT x'ff00', RENAME COLUMN v TO renamed, DROP COLUMN old

INSERT INTO changed VALUES (3, 3, 'own', NULL)

CREATE TABLE dropped (id INT PRIMARY KEY)

DROP TABLE dropped

CREATE TABLE indexed (id INT PRIMARY KEY, a INT, b INT)

INSERT INTO indexed VALUES (1, 10, 100), (2, 20, 200)

1: CREATE INDEX deleteonly ON indexed (a)

2: CREATE INDEX writeonly ON indexed (b)

INSERT INTO indexed VALUES (3, 30, 300)

CREATE TABLE announced (id INT PRIMARY KEY, v INT)

INSERT INTO announced VALUES (1, 1)

1: ALTER TABLE announced ADD COLUMN x INT NOT NULL DEFAULT 5

CREATE TABLE required (id INT PRIMARY KEY, v INT, w INT)

INSERT INTO required VALUES (1, 1, 1)

1: ALTER TABLE required MODIFY COLUMN v VARCHAR(10) NOT NULL

CREATE TABLE checked (id INT PRIMARY KEY, v INT)

INSERT INTO checked VALUES (1, 1)

1: ALTER TABLE checked ADD CONSTRAINT positive CHECK (v > 0)

CREATE TABLE leaving (id INT PRIMARY KEY, v INT, w INT)

INSERT INTO leaving VALUES (1, 1, 1)

1: ALTER TABLE leaving DROP COLUMN v

CREATE TABLE half (id INT PRIMARY KEY, v INT, w INT)

INSERT INTO half VALUES (1, 1, 1), (2, 2, 2)

2: ALTER TABLE half MODIFY COLUMN v VARCHAR(10)

CREATE TABLE filling (id INT PRIMARY KEY, w INT)

INSERT INTO filling VALUES (1, 1), (2, 2)

2: ALTER TABLE filling ADD COLUMN x INT AS (w + 1) STORED

INSERT INTO filling (id, w) VALUES (3, 3)

INSERT INTO half (id, v, w) VALUES (3, 'three', 3)

CREATE VIEW sums (k, total, words) AS SELECT e.id, COUNT(*), GROUP_CONCAT(i.what ORDER BY i.n) FROM expense e JOIN item i ON i.expense = e.id GROUP BY e.id

CREATE ALGORITHM = MERGE SQL SECURITY INVOKER VIEW few AS SELECT *, v + 1 FROM byhash WHERE v < 40

CREATE VIEW fewer AS SELECT id, v FROM few WHERE id > 1 WITH LOCAL CHECK OPTION

CREATE ALGORITHM = TEMPTABLE VIEW several AS SELECT id, v FROM byhash UNION SELECT id, w FROM half

CREATE TABLE veiled (id INT PRIMARY KEY AUTO_INCREMENT INVISIBLE, v INT, secret VARCHAR(10) DEFAULT 'none' INVISIBLE, KEY (secret))

INSERT INTO veiled VALUES (10), (20)

INSERT INTO veiled (v, secret) VALUES (30, 'own')

CREATE DATABASE Second COLLATE utf8mb4_0900_ai_ci

CREATE TABLE Second.expense (id INT PRIMARY KEY, what VARCHAR(10), UNIQUE KEY (what))

INSERT INTO Second.expense VALUES (1, 'tea'), (2, 'Pen')

CREATE VIEW Second.beyond AS SELECT a.who, b.what FROM nearlyfree.expense a JOIN Second.expense b ON b.id = a.id

CREATE TABLE Second.claim (id INT PRIMARY KEY, expense INT, FOREIGN KEY (expense) REFERENCES nearlyfree.filling (id) ON DELETE CASCADE)

INSERT INTO Second.claim VALUES (7, 1), (8, 3)

CREATE TABLE period (year INT, id INT, PRIMARY KEY (year, id)) PARTITION BY RANGE (year) (PARTITION past VALUES LESS THAN (2020), PARTITION now VALUES LESS THAN MAXVALUE)

INSERT INTO period VALUES (2019, 1), (2024, 1)

CREATE TABLE booking (id INT PRIMARY KEY, year INT, period INT, FOREIGN KEY (year, period) REFERENCES period (year, id))

INSERT INTO booking VALUES (1, 2019, 1), (2, 2024, 1)

CREATE DATABASE vacant

CREATE DATABASE gone

CREATE TABLE gone.t (id INT PRIMARY KEY, v INT, KEY (v))

INSERT INTO gone.t VALUES (1, 1), (2, 2)

1: DROP DATABASE gone
`

// TestMakeFormat makes the golden store of a format; see docs/format.md.
func TestMakeFormat(t *testing.T) {
	if *makeFormat == "" {
		t.Skip("makes a store only where -make names it")
	}
	memory := embedded.OpenMemory(embedded.Options{})
	config := &nearlyfree.Config{
		Store:       "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key,
		Transport:   &azuretest.Transport{Service: azuretest.NewService(memory)},
		SchemaLease: 20 * time.Millisecond,
	}
	for statement := range strings.SplitSeq(strings.TrimSpace(formatTables), "\n\n") {
		db := openGolden(t, config)
		if n, err := strconv.Atoi(statement[:1]); err == nil {
			halfway(t, db, config.Transport.(*azuretest.Transport), statement[3:], n)
		} else {
			exec(t, db, statement)
		}
		closeGolden(t, db)
	}
	single := *config
	single.Layout = nearlyfree.LayoutSingle
	db := openGolden(t, &single)
	exec(t, db, "CREATE TABLE shared (id INT PRIMARY KEY, v INT, KEY (v))")
	exec(t, db, "INSERT INTO shared VALUES (1, 10), (2, 20)")
	closeGolden(t, db)

	dir := filepath.Join("testdata", "formats", *makeFormat)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string, content []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	entities := dumpEntities(t, memory)
	write("entities.txt", []byte(entities))
	path := filepath.Join(t.TempDir(), "store")
	file, err := embedded.OpenFile(path, embedded.FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	loadEntities(t, file, entities)
	shareBodies(t, file)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	plain, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	to := gzip.NewWriter(&packed)
	if _, err := to.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	write("file.gz", packed.Bytes())
}

func openGolden(t *testing.T, config *nearlyfree.Config) *sql.DB {
	t.Helper()
	connector, err := nearlyfree.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	return sql.OpenDB(connector)
}

func closeGolden(t *testing.T, db *sql.DB) {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// shareBodies writes rows again together with those of their index entries that hold the same, as statements write them.
func shareBodies(t *testing.T, file engine.Engine) {
	t.Helper()
	tables, err := file.Tables(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		groups := map[string][]engine.Op{}
		err := engine.Each(t.Context(), file, engine.Scan{Table: table, AllPartitions: true}, func(e *engine.Entity) error {
			if len(e.Values) > 0 {
				key := fmt.Sprintf("%q %q %v", e.PartitionKey, e.Names, e.Values)
				own := engine.Entity{PartitionKey: e.PartitionKey, RowKey: e.RowKey, Names: e.Names, Values: slices.Clone(e.Values)}
				groups[key] = append(groups[key], engine.Op{Kind: engine.Replace, Entity: own})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, ops := range groups {
			row := slices.IndexFunc(ops, func(op engine.Op) bool { return strings.HasPrefix(op.Entity.RowKey, "PK!") })
			if row < 0 || len(ops) == 1 {
				continue
			}
			for i := range ops {
				if i != row {
					ops[i].Row = ops[row].Entity.RowKey
				}
			}
			if err := file.Commit(t.Context(), engine.Commit{Table: table, PartitionKey: ops[0].Entity.PartitionKey, Ops: ops}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
