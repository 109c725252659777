package tests

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// TestRawKeys holds conditions on the keys of another program's table, which say what is read, against the same ones
// inside a CASE, which all rows are checked for; and orders against those of rows that are sorted here.
func TestRawKeys(t *testing.T) {
	t.Parallel()
	for i, s := range stores {
		runs := testrun.Few(40)
		if s.name != "memory" {
			runs = testrun.Few(8)
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for seed := i * runs; seed < (i+1)*runs; seed++ {
				t.Run(fmt.Sprint(seed), func(t *testing.T) { newRawKeys(t, s, uint64(seed)).run(40) })
			}
		})
	}
}

type rawKeys struct {
	*testing.T
	*rand.Rand
	conn  *sql.Conn
	table string
	texts []string
}

func newRawKeys(t *testing.T, s store, seed uint64) *rawKeys {
	k := &rawKeys{T: t, Rand: rand.New(rand.NewPCG(seed, 3))}
	config := s.config(t)
	config.Database = "" // only the default database has tables without a definition
	_, k.conn = connect(t, config)
	k.table = fmt.Sprintf("Raw%x", rand.Uint64())
	k.texts = slices.Clone(keyTexts)
	k.Shuffle(len(k.texts), func(i, j int) { k.texts[i], k.texts[j] = k.texts[j], k.texts[i] })
	k.texts = k.texts[:4+k.IntN(6)]
	k.exec(fmt.Sprintf("CREATE EXTERNAL TABLE m%[1]s (p TEXT, r TEXT, v TEXT PROPERTY 'V') LOCATION '%[1]s' PARTITION KEY '{p}' ROW KEY '{r}'", k.table))
	for range 30 {
		k.exec(fmt.Sprintf("INSERT IGNORE INTO m%s VALUES (%s, %s, '1')", k.table, k.key(), k.key()))
	}
	t.Cleanup(func() {
		k.exec("DELETE FROM m" + k.table)
		k.exec("DROP TABLE m" + k.table)
	})
	return k
}

func (k *rawKeys) exec(text string) {
	if _, err := k.conn.ExecContext(context.Background(), text); err != nil {
		k.Errorf("%s: %v", text, err)
	}
}

func (k *rawKeys) run(steps int) {
	for range steps {
		cond := k.cond(2)
		from := fmt.Sprintf("SELECT PartitionKey, RowKey, V FROM %s WHERE ", k.table)
		each := "CASE WHEN " + cond + " THEN 1 ELSE 0 END = 1"
		k.same(from+cond+" ORDER BY V, PartitionKey, RowKey", from+each+" ORDER BY V, PartitionKey, RowKey")
		direction := k.pick("", " DESC")
		tail := fmt.Sprintf(" ORDER BY %s LIMIT %d OFFSET %d", k.pick("PartitionKey"+direction+", RowKey"+direction, "RowKey, PartitionKey"), 1+k.IntN(6), k.IntN(3))
		sorted := fmt.Sprintf("SELECT PartitionKey, RowKey, V FROM (SELECT PartitionKey, RowKey, V FROM %s LIMIT 1000) x WHERE ", k.table)
		k.same(from+cond+tail, sorted+each+tail)
		if k.Failed() {
			return
		}
	}
}

func (k *rawKeys) same(text, plain string) {
	a, errA := k.answer(text)
	b, errB := k.answer(plain)
	if errA != nil || errB != nil || !slices.Equal(a, b) {
		plan, _ := k.answer("EXPLAIN " + text)
		k.Errorf("%s\ngot  %v %s\nwant %v %s\n%s", text, errA, strings.Join(a, "\n     "), errB, strings.Join(b, "\n     "), strings.Join(plan, "\n"))
	}
}

func (k *rawKeys) answer(text string) ([]string, error) {
	rows, err := k.conn.QueryContext(context.Background(), text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return table(rows)
}

func (k *rawKeys) pick(all ...string) string { return all[k.IntN(len(all))] }
func (k *rawKeys) key() string               { return literal(k.pick(k.texts...)) }

func (k *rawKeys) cond(depth int) string {
	if depth > 0 {
		switch k.IntN(5) {
		case 0:
			return k.cond(depth-1) + " AND " + k.cond(depth-1)
		case 1, 2:
			return "(" + k.cond(depth-1) + " OR " + k.cond(depth-1) + ")"
		case 3:
			return "NOT (" + k.cond(depth-1) + ")"
		}
	}
	column := k.pick("PartitionKey", "RowKey")
	switch k.IntN(10) {
	case 0:
		return fmt.Sprintf("%s IN (%s, %s, %s)", column, k.key(), k.key(), k.key())
	case 1:
		return fmt.Sprintf("%s %sBETWEEN %s AND %s", column, k.pick("", "NOT "), k.key(), k.key())
	case 2:
		return fmt.Sprintf("%s %sLIKE CONCAT(LEFT(%s, %d), '%s')", column, k.pick("", "NOT "), k.key(), k.IntN(4), k.pick("%", "", "_", "%a%"))
	case 3:
		return fmt.Sprintf("(PartitionKey, RowKey) %s (%s, %s)", k.pick("<", ">", "<=", ">=", "="), k.key(), k.key())
	case 4:
		return fmt.Sprintf("(PartitionKey, RowKey) IN ((%s, %s), (%s, %s))", k.key(), k.key(), k.key(), k.key())
	case 5:
		return fmt.Sprintf("PartitionKey = %s AND RowKey %s %s", k.key(), k.pick("=", "<", ">="), k.key())
	case 6: // what several texts equal
		return fmt.Sprintf("%s %s 0", column, k.pick("=", "<", ">="))
	case 7:
		return fmt.Sprintf("(PartitionKey, RowKey) IN ((%s, %s), (%s, %s)) AND PartitionKey = 0", k.key(), k.key(), k.key(), k.key())
	case 8:
		return fmt.Sprintf("(PartitionKey = %s OR RowKey = %s)", k.key(), k.key())
	}
	return fmt.Sprintf("%s %s %s", column, k.pick("=", "=", "<", "<=", ">", ">=", "<>"), k.key())
}
