package tests

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// TestExplainIsALowerBound runs all scripts once more, and has each statement explained before it is run: it may not take
// fewer requests than EXPLAIN says it takes at least. (tests/sqlite does the same with random statements.)
func TestExplainIsALowerBound(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("scripts/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for i, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			explained := 0
			for j := i % len(paths); j < len(paths); j += len(paths) / testrun.Few(len(paths)) {
				explained += holdToExplain(t, s, paths[j])
			}
			if explained == 0 {
				t.Error("EXPLAIN says of no statement that it takes a request")
			}
		})
	}
}

// holdToExplain gives the number of statements for which EXPLAIN says that they take a request or more.
func holdToExplain(t *testing.T, s store, path string) (explained int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	config := s.config(t)
	if s.shared { // TestScripts has the default database, and what is in tables without a definition
		if strings.HasPrefix(filepath.Base(path), "external_") {
			return 0
		}
	} else {
		config.Database = ""
	}
	connector, conn := connect(t, config)
	ctx := context.Background()
	held := false // inside a transaction, where it is no bound
	for _, paragraph := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		statement, _, isStatement := strings.Cut(paragraph, "\n----")
		if !isStatement {
			continue
		}
		word, _, _ := strings.Cut(strings.ToUpper(statement)+" ", " ")
		switch word {
		case "BEGIN", "START":
			held = true
		case "COMMIT", "ROLLBACK", "CREATE", "ALTER", "DROP", "TRUNCATE":
			held = held && strings.HasPrefix(strings.ToUpper(statement), "ROLLBACK TO ")
		}
		least := int64(0)
		if !held && word != "ANALYZE" { // EXPLAIN ANALYZE is another statement
			plan := strings.Split(answer(ctx, conn, "EXPLAIN "+statement), "\n")
			_, _ = fmt.Sscanf(plan[len(plan)-1], "requests ≥ %d", &least)
		}
		before := connector.Stats().Requests
		got := answer(ctx, conn, statement)
		if sent := connector.Stats().Requests - before; sent < least && !strings.HasPrefix(got, "error: ") {
			t.Errorf("%s: %d requests, where EXPLAIN says %d or more: %s", path, sent, least, statement)
		}
		if least > 0 {
			explained++
		}
	}
	return explained
}
