package tests

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
)

type beginKey struct{}

// beginner puts a number into the context of each statement, and keeps what it was told.
type beginner struct {
	mu         sync.Mutex
	begun      int
	wrong      []string
	statements []*nearlyfree.Statement
}

func (b *beginner) Begin(ctx context.Context, s *nearlyfree.Statement) context.Context {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.begun++
	if ctx.Value(beginKey{}) != nil {
		b.wrong = append(b.wrong, s.Text+" begins within another one")
	}
	return context.WithValue(ctx, beginKey{}, fmt.Sprint(b.begun, " ", s.Operation(), " ", s.Outline(), " ", len(s.Args()), " ", s.Database, " ", s.Server, " ", s.Begun.IsZero()))
}

func (b *beginner) Statement(ctx context.Context, s *nearlyfree.Statement) {
	b.mu.Lock()
	defer b.mu.Unlock()
	want := fmt.Sprint(b.begun, " ", s.Operation(), " ", s.Outline(), " ", len(s.Args()), " ", s.Database, " ", s.Server, " ", s.Begun.IsZero())
	if got := ctx.Value(beginKey{}); got != want {
		b.wrong = append(b.wrong, fmt.Sprintf("%s: told of %q, and at its beginning of %v", s.Text, want, got))
	}
	b.statements = append(b.statements, s)
}

// TestBeginObserver: the context that Begin gives is the one of the statement's requests, and of its end.
func TestBeginObserver(t *testing.T) {
	t.Parallel()
	config := overService(0, false)
	b, later := &beginner{}, 0
	config.Observer = nearlyfree.Observers{b, nearlyfree.ObserverFunc(func(ctx context.Context, _ *nearlyfree.Statement) {
		if ctx.Value(beginKey{}) != nil {
			later++
		}
	})}
	transport := config.Transport.(*azuretest.Transport)
	var mu sync.Mutex
	var sent []string
	transport.Fault = func(_ int, r *http.Request) azuretest.Fault {
		mu.Lock()
		defer mu.Unlock()
		if of, ok := r.Context().Value(beginKey{}).(string); ok {
			sent = append(sent, of)
		}
		return azuretest.Fault{}
	}
	_, conn := connect(t, config)
	runAll(t, conn, "CREATE TABLE a (id INT PRIMARY KEY, s VARCHAR(20))", "CREATE TABLE b (id INT PRIMARY KEY)", "CREATE DATABASE other", "CREATE TABLE other.c (id INT PRIMARY KEY)")
	b.statements = nil
	for _, c := range []struct{ statement, operation, tables string }{
		{"SELECT * FROM a WHERE id = 1", "SELECT", "[a]"},
		{"SELECT a.s FROM b JOIN a ON a.id = b.id WHERE b.id IN (SELECT id FROM other.c)", "SELECT", "[b a other.c]"},
		{"INSERT INTO b SELECT id FROM a", "INSERT", "[b a]"},
		{"UPDATE a SET s = 'secret' WHERE id = 1", "UPDATE", "[a]"},
		{"CREATE INDEX i ON a (s)", "CREATE INDEX", "[a]"},
		{"CREATE VIEW v AS SELECT id FROM a", "CREATE", "[v]"},
		{"SELECT * FROM v WHERE id = 1", "SELECT", "[v a]"},
		{"SHOW TABLES", "SHOW", "[information_schema.TABLES]"},
		{"SELECT 1", "SELECT", "[]"},
		{"USE other", "USE", "[]"},
		{"SELECT * FROM c", "SELECT", "[c]"},
		{"DROP TABLE c", "DROP TABLE", "[c]"},
		{"BEGIN", "BEGIN", "[]"},
		{"COMMIT", "COMMIT", "[]"},
	} {
		mu.Lock()
		sent = nil
		mu.Unlock()
		if err := readAll(conn, c.statement); err != nil {
			t.Fatal(err)
		}
		s := b.statements[len(b.statements)-1]
		if s.Text != c.statement || s.Operation() != c.operation || !strings.EqualFold(fmt.Sprint(s.Tables()), c.tables) || s.Server != "fakeaccount.table.core.windows.net" || time.Since(s.Begun) < s.Duration {
			t.Errorf("%s: %s %v %s", s.Text, s.Operation(), s.Tables(), s.Server)
		}
		if strings.Contains(s.Outline(), "secret") {
			t.Error(s.Outline())
		}
		mu.Lock()
		for _, of := range sent {
			if !strings.HasPrefix(of, fmt.Sprint(b.begun, " ")) {
				t.Errorf("%s: a request of %s", c.statement, of)
			}
		}
		if s.Stats.Requests > 0 && len(sent) == 0 {
			t.Errorf("%s: no request has its context", c.statement)
		}
		mu.Unlock()
	}
	tx, err := conn.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	runAll(t, tx, "INSERT INTO nearlyfree.a VALUES (7, 'x')")
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if len(b.wrong) > 0 || later != b.begun || b.begun != 4+14+3 {
		t.Errorf("%d begun, %d told later, wrong: %q", b.begun, later, b.wrong)
	}
}

// TestLogOfErrors: the log has the id of the request that failed, and no literal of the text unless it is asked for.
func TestLogOfErrors(t *testing.T) {
	t.Parallel()
	for _, arguments := range []bool{false, true} {
		config := overService(0, false)
		config.Retry.MaxTries = 1
		var out bytes.Buffer
		config.Observer = &nearlyfree.StatementLog{Logger: slog.New(slog.NewTextHandler(&out, nil)), Arguments: arguments}
		_, conn := connect(t, config)
		runAll(t, conn, "CREATE TABLE a (id INT PRIMARY KEY, s VARCHAR(20))")
		out.Reset()
		if err := readAll(conn, "SELECT nowhere FROM a WHERE s = 'secret'"); err == nil {
			t.Fatal("it runs")
		}
		if strings.Contains(out.String(), "secret") != arguments || !strings.Contains(out.String(), "Unknown column") {
			t.Error(out.String())
		}
		config.Transport.(*azuretest.Transport).Fault = func(_ int, r *http.Request) azuretest.Fault {
			return azuretest.Fault{Status: http.StatusServiceUnavailable, Code: "ServerBusy"}
		}
		out.Reset()
		if err := readAll(conn, "SELECT * FROM a WHERE id = 1"); err == nil {
			t.Fatal("it runs")
		}
		if !strings.Contains(out.String(), "request_id=fake-fault") || !strings.Contains(out.String(), "(request fake-fault)") {
			t.Error(out.String())
		}
	}
}
