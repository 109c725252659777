package tests

import (
	"context"
	"database/sql"
	"sync"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// underContext sends queries with a context of its own.
type underContext struct {
	tx  *sql.Tx
	ctx context.Context
}

func (w underContext) QueryContext(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	return w.tx.QueryContext(w.ctx, query, args...)
}

// TestInformationSchemaAgain: a query that others have sent before, with a context that has ended since, reads by its own context and
// by the definitions of its own moment. Several may do so at once.
func TestInformationSchemaAgain(t *testing.T) {
	t.Parallel()
	for _, config := range []*nearlyfree.Config{{Store: "mem://"}, overService(0, false)} {
		connector, err := nearlyfree.NewConnector(config)
		if err != nil {
			t.Fatal(err)
		}
		db := sql.OpenDB(connector)
		defer db.Close()
		for _, s := range []string{"CREATE DATABASE other", "CREATE TABLE t (id INT PRIMARY KEY, v INT)", "CREATE TABLE other.t (id INT PRIMARY KEY, v INT)",
			"CREATE VIEW w AS SELECT * FROM other.t"} {
			mustExec(t, db, s)
		}
		queries := []string{
			"SELECT TABLE_NAME FROM information_schema.tables WHERE TABLE_SCHEMA = 'other'",
			"SELECT SCHEMA_NAME FROM information_schema.schemata WHERE SCHEMA_NAME IN ('other', 'nearlyfree')",
			"SELECT DATA_TYPE FROM information_schema.columns WHERE TABLE_NAME = 'w' AND COLUMN_NAME = 'v'",
			"SELECT CONSTRAINT_NAME FROM information_schema.table_constraints",
		}
		run := func(ctx context.Context) (all []string) {
			tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
			if err != nil {
				t.Error(err)
				return nil
			}
			defer tx.Rollback()
			for _, query := range queries {
				all = append(all, firsts(t, underContext{tx, ctx}, query)...)
			}
			return all
		}
		first, cancel := context.WithCancel(t.Context())
		before := run(first)
		cancel()
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() { run(t.Context()) })
		}
		wait.Wait()
		mustExec(t, db, "ALTER TABLE other.t MODIFY v VARCHAR(10)")
		after := run(t.Context())
		if len(before) != 6 || len(after) != 6 || before[3] != "int" || after[3] != "varchar" {
			t.Errorf("%s: %q, then %q", config.Store, before, after)
		}
	}
}
