package planner

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/schema/schematest"
)

// TestTexts: a definition's texts are bound once for all who use it, and anew for another definition.
func TestTexts(t *testing.T) {
	table := schematest.People(t)
	table.Columns[4].Default, table.Columns[4].HasDefault = "1 + 2", true
	table.Checks = []schema.CheckDef{{Name: "c", Text: "points > id"}}
	all := make([]*schema.Texts, 8)
	var users sync.WaitGroup
	for i := range all {
		users.Go(func() {
			texts, err := Texts(table)
			if err != nil {
				t.Error(err)
			}
			all[i] = texts
		})
	}
	users.Wait()
	for _, texts := range all {
		if texts != all[0] {
			t.Fatal("two users have texts of their own")
		}
	}
	if got := expr.String(all[0].Columns[4].DefaultExpr) + ", " + expr.String(all[0].Checks[0].Expr); got != "3, points > id" {
		t.Errorf("the texts are %s", got)
	}

	next := table.Clone()
	next.Columns[4].Default = "5"
	for range 2 { // before Init, which keeps them, and after
		texts, err := Texts(next)
		if err != nil {
			t.Fatal(err)
		}
		if got := expr.String(texts.Columns[4].DefaultExpr); got != "5" {
			t.Errorf("the next default is %s", got)
		}
		if err := next.Init(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTextsUnknown: a text that cannot be bound is the definition's fault, and does not count as one of the statement.
func TestTextsUnknown(t *testing.T) {
	table := schematest.People(t)
	table.Checks = []schema.CheckDef{{Name: "c", Text: "shoes > 1"}}
	_, err := Texts(table)
	var bad *schema.TextsError
	if !errors.As(err, &bad) || bad.Table != "person" || !strings.Contains(err.Error(), "shoes") || isKnown(err) {
		t.Errorf("an unknown column: %v", err)
	}
}
