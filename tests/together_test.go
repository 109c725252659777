package tests

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

var aboutResult = regexp.MustCompile(`about ([0-9.]+) rows?`)

// TestValuesThatGoTogether: a city lies in one country, so the two leave as many rows as the city alone.
func TestValuesThatGoTogether(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]*nearlyfree.Config{"memory": {Store: "mem://"}, "service": overService(0, false)} {
		t.Run(name, func(t *testing.T) {
			_, conn := connect(t, config)
			runAll(t, conn, "CREATE TABLE place (id INT PRIMARY KEY, country INT, city INT, size INT, KEY lies (country, city, size), KEY both_ (city, size))")
			for from := 0; from < 12_000; from += 1000 {
				var rows []string
				for i := from; i < from+1000; i++ {
					city := i * 7919 % 200
					rows = append(rows, fmt.Sprintf("(%d, %d, %d, %d)", i, city%20, city, i%10))
				}
				runAll(t, conn, "INSERT INTO place VALUES "+strings.Join(rows, ", "))
			}
			for _, most := range []int{100, 8} { // all on the service, then a sample
				runAll(t, conn, fmt.Sprint("SET analyze_requests = ", most), "ANALYZE TABLE place")
				for query, want := range map[string]float64{
					"SELECT * FROM place WHERE country = 7 AND city = 27":              60,
					"SELECT * FROM place WHERE country = ? AND city = ?":               60,
					"SELECT * FROM place WHERE country = 7":                            600,
					"SELECT country, city, COUNT(*) FROM place GROUP BY country, city": 200,
				} {
					args := []any{}
					if strings.Contains(query, "?") {
						args = []any{7, 27}
					}
					var line string
					if err := conn.QueryRowContext(t.Context(), "EXPLAIN "+query, args...).Scan(&line); err != nil {
						t.Fatal(err)
					}
					m := aboutResult.FindStringSubmatch(line)
					if m == nil {
						t.Fatalf("%s: %s", query, line)
					}
					if got, _ := strconv.ParseFloat(m[1], 64); math.Max(got, want) > 2*math.Min(got, want) {
						t.Errorf("%d requests for statistics: %s: %s, want %v", most, query, line, want)
					}
				}
			}
			rows := queryStrings(t, conn, "SELECT cardinality FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'place' AND index_name = 'lies' ORDER BY seq_in_index")
			if n, _ := strconv.Atoi(rows[1]); n < 150 || n > 260 {
				t.Errorf("cardinality %v", rows)
			}
		})
	}
}
