package tests

import (
	"errors"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestNewerFormat opens stores that a newer version wrote, or one from before the first release: what must not be read or
// written is refused by name, and the rest works.
func TestNewerFormat(t *testing.T) {
	t.Parallel()
	entities := goldenEntities(t, formats+"/003")
	const (
		unknown = ", which this version of nearlyfree does not know: "
		toRead  = unknown + "use a newer version"
		toWrite = unknown + "it can be read, but not written; use a newer version to write"
	)
	changes := []string{
		"INSERT INTO byhash VALUES (9, 90)", "UPDATE byhash SET v = 1 WHERE id = 1", "DELETE FROM byhash", "REPLACE INTO byhash VALUES (1, 1)",
		"ALTER TABLE byhash ADD COLUMN x INT", "CREATE INDEX i ON byhash (v)", "RENAME TABLE byhash TO other", "TRUNCATE TABLE byhash",
		"DROP TABLE byhash", "REPAIR TABLE byhash",
	}
	reads := []string{"SELECT * FROM byhash WHERE v > 10", "SHOW CREATE TABLE byhash", "CHECK TABLE byhash", "EXPLAIN SELECT * FROM byhash"}
	others := []string{"SELECT * FROM bykey", "INSERT INTO bykey VALUES ('x', 1, 1)", "CREATE TABLE made (id INT PRIMARY KEY)", "DROP TABLE bykey"}
	for name, c := range map[string]struct {
		old, new string // of the entities
		refused  []string
		want     string
		class    error
		allowed  []string
	}{
		"format": {"  Format Int64 3 ``", "  Format Int64 4 ``",
			append(reads, changes...), "the catalog of the store has the format 4" + toRead, nearlyfree.ErrNewer, nil},
		"before the first release": {"  Format Int64 3 ``", "  Format Int64 2 ``",
			append(reads, changes...), "the catalog of the store has the format 2, from before the first release of nearlyfree: only the version that wrote it reads it; " +
				"copy the rows with that one into an empty store of this one", nearlyfree.ErrCorrupt, nil},
		"store to read": {"  Format Int64 3 ``\n", "  Format Int64 3 ``\n  ToRead String 0 `blobs zip`\n",
			append(reads, others...), "the catalog of the store uses the features blobs, zip" + toRead, nearlyfree.ErrNewer, nil},
		"store to write": {"  Format Int64 3 ``\n", "  Format Int64 3 ``\n  ToWrite String 0 `intents`\n",
			append(others[1:], changes...), "the catalog of the store uses the feature intents" + toWrite, nearlyfree.ErrNewer, reads},
		"definition to read": {`{"name":"byhash"`, `{"to_read":["words"],"name":"byhash"`,
			append(reads, changes...), "table byhash uses the feature words" + toRead, nearlyfree.ErrNewer, others},
		"definition to write": {`{"name":"byhash"`, `{"to_write":["words"],"words":{"of":[1]},"name":"byhash"`,
			changes, "table byhash uses the feature words" + toWrite, nearlyfree.ErrNewer, append(reads, others...)},
		"field": {`{"name":"byhash"`, `{"clustered":true,"name":"byhash"`,
			append(reads, changes...), "table byhash has the field clustered in its definition" + toRead, nearlyfree.ErrNewer, others},
		"word": {`"by":"hash"`, `"by":"moon"`,
			append(reads, changes...), `table byhash: store_partitions.by is "moon"` + toRead, nearlyfree.ErrNewer, others},
		"child": {`{"to_read":["parent","parent_copies"],"name":"item"`, `{"to_read":["parent","parent_copies"],"to_write":["words"],"name":"item"`,
			[]string{"DELETE FROM expense", "INSERT INTO item VALUES (1, 9, 'x')"}, "table item uses the feature words" + toWrite, nearlyfree.ErrNewer, []string{"SELECT * FROM item", "INSERT INTO expense VALUES (7, 'x')"}},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(entities, c.old) {
				t.Fatal("the golden store is another one")
			}
			_, conn := connect(t, accountOf(t, strings.Replace(entities, c.old, c.new, 1)))
			for _, statement := range c.allowed {
				if got := answer(t.Context(), conn, statement); strings.HasPrefix(got, "error") {
					t.Errorf("%s: %s", statement, got)
				}
			}
			for _, statement := range c.refused {
				_, err := conn.ExecContext(t.Context(), statement)
				var e *nearlyfree.Error
				if !errors.As(err, &e) || !errors.Is(err, c.class) || e.Message != c.want || e.Applied != nearlyfree.AppliedNo {
					t.Errorf("%s: %v\nwant %s", statement, err, c.want)
				}
			}
		})
	}
}
