package exec

import (
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/schema/schematest"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// TestWholeIsGivenUp: an attempt to answer a subquery for all rows at once ends when it has cost what the runs have, by what the store
// looks at and not by the few rows that come of it.
func TestWholeIsGivenUp(t *testing.T) {
	db := newTestDB(t, 1, 1000)
	a, b := schematest.NewTable(t, "a", 1, "id INT", "x INT", "y INT"), schematest.NewTable(t, "b", 1, "id INT", "x INT", "y INT")
	schematest.AddIndex(b, "x", 1)
	db.create(a)
	db.create(b)
	var few, many [][]value.Value
	for i := range int64(60) {
		few = append(few, ints(i, i, 0))
	}
	for i := range int64(5000) {
		many = append(many, ints(i, i%1000, i/1000+i%10))
	}
	db.insert(a, few...)
	db.insert(b, many...)
	if n := len(db.query("SELECT id FROM a WHERE a.y < (SELECT COUNT(*) FROM b WHERE b.x = a.x AND b.y = 7)")); n != 30 {
		t.Errorf("%d rows", n)
	}
	if n := db.meter.Scanned.Load(); n > 6000 {
		t.Errorf("%d entities were looked at, of which the runs need %d", n, 60+60*5)
	}
}
