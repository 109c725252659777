package tests

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// figures is what a program reads of FORMAT=JSON.
type figures struct {
	Rows, Requests, Entities, Written, Runs, Times float64
	Nanoseconds                                    int64
}

type operatorFigures struct {
	Operator string
	Scan     *struct {
		Database, Table, Index, Access string
		Reads                          []struct {
			Physical      string
			PartitionKey  *string `json:"partition_key"`
			RowKey        string  `json:"row_key"`
			From, To      string
			FromPartition string `json:"from_partition"`
		}
		More int `json:"more_reads"`
	}
	Estimate, Actual *figures
	Inputs           []*operatorFigures
}

type planFigures struct {
	Plan             []*operatorFigures
	Estimate, Actual *figures
}

func figuresOf(t *testing.T, text string) (doc planFigures) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return doc
}

func countRows(ctx context.Context, conn *sql.Conn, query string) (n int, err error) {
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return 0, err
	}
	for rows.Next() {
		n++
	}
	return n, errors.Join(rows.Err(), rows.Close())
}

// TestAnalysis: a statement that is run for its rows tells what EXPLAIN ANALYZE tells, and counts as it does without.
func TestAnalysis(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			connector, conn := connect(t, s.config(t))
			runAll(t, conn, "CREATE TABLE a (id INT PRIMARY KEY, n INT, KEY (n))", "CREATE TABLE b (a INT, id INT, PRIMARY KEY (a, id))",
				"INSERT INTO a VALUES (1, 10), (2, 20), (3, 20), (4, 30)", "INSERT INTO b VALUES (1, 1), (2, 1), (2, 2), (3, 1)")
			const query = "SELECT b.id FROM a JOIN b ON b.a = a.id WHERE a.n = 20"
			var analysis nearlyfree.Analysis
			ctx := nearlyfree.WithAnalysis(t.Context(), &analysis)
			before := connector.Stats()
			rows, err := conn.QueryContext(ctx, query)
			if err != nil {
				t.Fatal(err)
			}
			if analysis.JSON() != "" || analysis.Text() != nil {
				t.Error("the statement is not over")
			}
			for rows.Next() {
			}
			if err := errors.Join(rows.Err(), rows.Close()); err != nil {
				t.Fatal(err)
			}
			did := connector.Stats().Sub(before)
			doc := figuresOf(t, analysis.JSON())
			if a := doc.Actual; a == nil || a.Rows != 3 || a.Requests != float64(did.Requests-did.SchemaRequests) || a.Requests == 0 || a.Nanoseconds <= 0 {
				t.Errorf("%+v, and the connector %+v", a, did)
			}
			var scans []*operatorFigures
			var walk func([]*operatorFigures)
			walk = func(list []*operatorFigures) {
				for _, o := range list {
					if o.Actual == nil {
						t.Errorf("%s has done nothing", o.Operator)
					}
					if o.Scan != nil {
						scans = append(scans, o)
					}
					walk(o.Inputs)
				}
			}
			walk(doc.Plan)
			if len(scans) != 2 || scans[0].Scan.Table != "a" || scans[0].Scan.Index != "n" || scans[1].Scan.Table != "b" || scans[0].Actual.Entities != 2 {
				t.Fatalf("%s", analysis.JSON())
			}
			if r := scans[0].Scan.Reads; len(r) == 0 || !strings.HasSuffix(r[0].From, "n!8000000000000014") || r[0].Physical == "" {
				t.Errorf("%+v", r)
			}
			if r := scans[1].Scan.Reads; len(r) == 0 {
				t.Errorf("what was read for %d keys is not told: %s", 2, analysis.JSON())
			}

			// A scan has given the rows that its own conditions leave, also where it runs for each row of a join.
			if _, err := countRows(ctx, conn, "SELECT b.id FROM a JOIN b ON b.a = a.id AND b.id % 2 = 0 WHERE a.n = 20"); err != nil {
				t.Fatal(err)
			}
			scans = nil
			walk(figuresOf(t, analysis.JSON()).Plan)
			if len(scans) != 2 || scans[1].Actual.Rows != 1 || scans[1].Actual.Entities != 3 {
				t.Errorf("%s", analysis.JSON())
			}

			// A write, a definition, a failure, and a query that nobody reads to its end.
			analysis = nearlyfree.Analysis{}
			if _, err := conn.ExecContext(ctx, "UPDATE a SET n = 21 WHERE id = 2"); err != nil {
				t.Fatal(err)
			}
			if a := figuresOf(t, analysis.JSON()).Actual; a.Rows != 1 || a.Written < 3 || a.Requests < 2 {
				t.Errorf("%+v", a)
			}
			analysis = nearlyfree.Analysis{}
			if _, err := conn.ExecContext(ctx, "CREATE TABLE c (id INT PRIMARY KEY)"); err != nil || analysis.JSON() != "" {
				t.Error(err, analysis.JSON())
			}
			if _, err := conn.ExecContext(ctx, "INSERT INTO a VALUES (5, 50), (1, 1)"); !errors.Is(err, nearlyfree.ErrDuplicateKey) || analysis.JSON() == "" {
				t.Error(err, analysis.JSON())
			}
			analysis = nearlyfree.Analysis{}
			rows, err = conn.QueryContext(ctx, "SELECT id FROM a ORDER BY id")
			if err != nil || !rows.Next() {
				t.Fatal(err)
			}
			rows.Close()
			if a := figuresOf(t, analysis.JSON()).Actual; a.Rows != 1 || a.Requests == 0 {
				t.Errorf("%+v", a)
			}
		})
	}
}

// TestExplainFigures: the words of EXPLAIN are there as numbers.
func TestExplainFigures(t *testing.T) {
	t.Parallel()
	_, conn := connect(t, &nearlyfree.Config{Store: "mem://"})
	runAll(t, conn, "CREATE TABLE a (id INT PRIMARY KEY, n INT, KEY (n))", "INSERT INTO a VALUES (1, 10), (2, 20), (3, 20), (4, 30)")
	explained := func(query string) planFigures {
		return figuresOf(t, queryStrings(t, conn, "EXPLAIN FORMAT=JSON "+query)[0])
	}
	if doc := explained("SELECT * FROM a"); doc.Estimate != nil || doc.Actual != nil || doc.Plan[0].Inputs[0].Estimate != nil || doc.Plan[0].Inputs[0].Actual != nil {
		t.Errorf("%+v", doc)
	}
	runAll(t, conn, "ANALYZE TABLE a")
	doc := explained("SELECT * FROM a WHERE id IN (1, 3)")
	scan := doc.Plan[0].Inputs[0]
	if doc.Estimate == nil || doc.Estimate.Requests != 2 || scan.Scan == nil || scan.Scan.Database != "nearlyfree" || scan.Scan.Access != "point reads" || len(scan.Scan.Reads) != 2 ||
		*scan.Scan.Reads[1].PartitionKey != "00" || scan.Scan.Reads[1].RowKey != "PK!8000000000000003" || scan.Estimate.Rows != 2 {
		t.Errorf("%+v of %+v", scan.Scan, doc)
	}
	doc = explained("UPDATE a SET n = 5 WHERE n = 20")
	if write := doc.Plan[0]; write.Estimate == nil || write.Estimate.Rows != 2 || write.Estimate.Written != 6 || write.Scan != nil {
		t.Errorf("%+v", write.Estimate)
	}
	values := make([]string, 300)
	for i := range values {
		values[i] = strconv.Itoa(i)
	}
	doc = explained("SELECT id FROM a FORCE INDEX (PRIMARY) WHERE id IN (" + strings.Join(values, ", ") + ")")
	if s := doc.Plan[0].Inputs[0].Scan; len(s.Reads) != 200 || s.More != 100 {
		t.Errorf("%d reads and %d more", len(s.Reads), s.More)
	}
}
