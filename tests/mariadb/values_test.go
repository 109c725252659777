package mariadb

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestValues asks for random rows of literals by VALUES ROW(…), and MariaDB for a UNION ALL of the same.
func TestValues(t *testing.T) {
	needServer(t)
	ours, theirs := openOurs(t, "ours", "mem://"), openTheirs(t)
	g := windows{rand.New(rand.NewPCG(1, 13))}
	for range 300 {
		width := 1 + g.IntN(3)
		kinds := make([][]string, width)
		for i := range kinds {
			kinds[i] = [][]string{
				{"1", "-2", "300", "NULL", "18446744073709551615"},
				{"1", "2.50", "-0.125", "NULL", "3"},
				{"'a'", "'bcd'", "NULL", "12", "1.5", "''"},
				{"DATE'2024-01-31'", "TIMESTAMP'2024-01-31 10:11:12'", "NULL"},
				{"TRUE", "FALSE", "7", "NULL"},
				{"1e0", "2.5", "3", "NULL"},
			}[g.IntN(6)]
		}
		rows, arms := make([]string, 1+g.IntN(4)), []string{}
		names, order := make([]string, width), make([]string, width)
		for j := range names {
			names[j], order[j] = fmt.Sprintf("c%d", j), fmt.Sprint(j+1)+g.of("", " DESC")
		}
		for i := range rows {
			cells := make([]string, width)
			for j := range cells {
				cells[j] = g.of(kinds[j]...)
			}
			rows[i] = "ROW(" + strings.Join(cells, ", ") + ")"
			arms = append(arms, "SELECT "+strings.Join(cells, ", "))
		}
		values, union := "VALUES "+strings.Join(rows, ", "), strings.Join(arms, " UNION ALL ")
		end := " ORDER BY " + strings.Join(order, ", ") + g.of("", " LIMIT 2", " LIMIT 1 OFFSET 1")
		switch g.IntN(3) {
		case 0:
			values, union = values+end, union+end
		case 1:
			values = "WITH v (" + strings.Join(names, ", ") + ") AS (" + values + ") SELECT * FROM v" + end
			union = "WITH v (" + strings.Join(names, ", ") + ") AS (" + union + ") SELECT * FROM v" + end
		case 2:
			values = "SELECT " + strings.Join(names, ", ") + " FROM (" + values + ") AS v (" + strings.Join(names, ", ") + ")" + end
			union = "WITH v (" + strings.Join(names, ", ") + ") AS (" + union + ") SELECT * FROM v" + end
		}
		for _, of := range []*side{theirs, ours} {
			if a, b := ours.query(values), of.query(union); a.differs(b) != "" {
				t.Errorf("%s: %s\n%s: %s\nours %v\nthey %v", a.differs(b), values, of.name, union, a, b)
			}
		}
	}
}
