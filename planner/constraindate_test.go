package planner_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// TestDateFunctions: what conditions on YEAR and TO_DAYS make of a key holds the dates that satisfy them, and no
// others.
func TestDateFunctions(t *testing.T) {
	dates := []string{"0001-01-01", "0001-01-02", "1999-12-31", "2000-01-01", "2000-02-29", "2000-12-31", "2001-01-01", "9998-12-31", "9999-12-31"}
	limits := []string{"-1e30", "-5", "0", "1", "366", "367", "1999", "1999.5", "2000", "'2000'", "2000e0", "2001", "9999", "10000",
		"730119", "730120", "730120.5", "730121", "3652424", "3652425", "1e30", "NULL", "9223372036854775807"}
	for _, desc := range []string{"", " DESC"} {
		for _, kind := range []string{"DATE", "DATETIME"} {
			f := schemaOf(t, "CREATE TABLE t (d "+kind+", id INT, PRIMARY KEY (d"+desc+", id))")
			table := f["t"]
			for _, function := range []string{"YEAR", "TO_DAYS"} {
				var conds []string
				for _, limit := range limits {
					for _, op := range []string{"=", "<", "<=", ">", ">="} {
						conds = append(conds, fmt.Sprintf("%s(d) %s %s", function, op, limit), fmt.Sprintf("%s %s %s(d)", limit, op, function))
					}
				}
				conds = append(conds, function+"(d) IN (2000, 9999, 730119)", function+"(d) BETWEEN 2000 AND 730119", function+"(d) <> 2000")
				for _, cond := range conds {
					p, err := build(f, "SELECT id FROM t WHERE "+cond)
					if err != nil {
						t.Fatalf("%s: %v", cond, err)
					}
					scans := p.Scans()
					if len(scans) == 0 {
						continue // never true
					}
					var r access.Reads
					if err := scans[0].Reads(&expr.Env{Session: &expr.Session{}}, &r); err != nil {
						t.Fatalf("%s: %v", cond, err)
					}
					plan, err := build(f, "SELECT "+cond+" FROM t")
					if err != nil {
						t.Fatal(err)
					}
					whole := plan.Root.(*planner.Project).Exprs[0]
					for _, date := range dates {
						v, err := table.Columns[0].Type.Convert(value.FromString(date))
						if err != nil {
							t.Fatal(err)
						}
						row := []value.Value{v, value.FromInt(1), value.NullValue}
						key, err := table.AppendRowKey(nil, row)
						if err != nil {
							t.Fatal(err)
						}
						truth, err := expr.CompileCond(whole)(&expr.Env{Row: row, Session: &expr.Session{}})
						if err != nil {
							t.Fatal(err)
						}
						read := false
						for _, s := range r.Spans {
							read = read || s.From <= string(key) && string(key) < s.To
						}
						if truth && !read || scans[0].Residual == nil && r.Exact && truth != read {
							t.Errorf("%s%s, %s, %s: true %v, read %v", kind, desc, cond, date, truth, read)
						}
						if scans[0].Access == access.PartitionScan && !strings.HasSuffix(cond, "<> 2000") {
							t.Fatalf("%s reads everything", cond)
						}
					}
				}
			}
		}
	}
}
