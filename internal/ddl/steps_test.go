package ddl

import (
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

func parse(t *testing.T, text string) dialect.Statement {
	t.Helper()
	p, err := dialect.Parse(text, dialect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p.Statement
}

func table(t *testing.T) *schema.Table {
	t.Helper()
	made, err := define.Define(parse(t, `CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(10) NOT NULL DEFAULT 'x', c INT, d INT AS (c + 1) STORED, e INT,
		KEY ab (a, b), UNIQUE KEY c (c), CONSTRAINT positive CHECK (a > 0))`).(*dialect.CreateTable), planner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestSteps: each change of definitions takes its steps one at a time, on the way there and back, and one that leaves some out is
// refused.
func TestSteps(t *testing.T) {
	for actions, refused := range map[string]string{ // what is said where the next definition follows at once; "": it may
		"ADD COLUMN n INT":                       "property n goes from absent to public",
		"ADD COLUMN n INT NOT NULL DEFAULT 5":    "property n goes from absent to public",
		"ADD COLUMN n INT NOT NULL":              "property n goes from absent to public",
		"ADD COLUMN n CHAR(36) DEFAULT (UUID())": "",
		"DROP COLUMN e":                          "property e goes from public to absent",
		"MODIFY COLUMN e VARCHAR(20)":            "property e goes from public to absent",
		"MODIFY COLUMN e VARCHAR(20) NOT NULL":   "property e goes from public to absent",
		"MODIFY COLUMN a INT NOT NULL":           "rule a NOT NULL goes from absent to public",
		"MODIFY COLUMN b VARCHAR(10)":            "",
		"MODIFY COLUMN a BIGINT":                 "",
		"ADD CONSTRAINT more CHECK (c > 0)":      "rule CHECK more c > 0 goes from absent to public",
		"DROP CHECK positive":                    "",
		"ADD INDEX n (c)":                        "index n goes from absent to public",
		"DROP INDEX ab":                          "index ab goes from public to absent",
		"RENAME INDEX ab TO ba":                  "",
		"RENAME COLUMN b TO bb":                  "",
		"ALTER COLUMN b SET DEFAULT 'y'":         "",
		"COMMENT = 'all'":                        "",
		"MODIFY COLUMN b VARCHAR(10) COLLATE utf8mb4_general_ci NOT NULL":                                 "index ab goes from public to absent",
		"DROP CHECK positive, DROP COLUMN a, ADD COLUMN a DATE, ADD UNIQUE a (a), RENAME COLUMN b TO g":   "index ab goes from public to absent",
		"ADD COLUMN n INT AS (a + 1) STORED NOT NULL, ADD CHECK (n > a), MODIFY COLUMN c BIGINT UNSIGNED": "index c goes from public to absent",
	} {
		before := table(t)
		x := &definition{Definer: &Definer{}, session: &expr.Session{}}
		c, err := x.together(t.Context(), before, parse(t, "ALTER TABLE t "+actions).(*dialect.AlterTable).Actions)
		if err != nil {
			t.Errorf("%s: %v", actions, err)
			continue
		}
		public := c.to.Clone()
		public.EndChange()
		err = before.CheckStep(public)
		if c.to.Fills() && refused == "" {
			err = before.CheckStep(c.to)
		}
		if refused == "" && err != nil || refused != "" && (err == nil || !strings.Contains(err.Error(), refused)) {
			t.Errorf("%s at once: %v, want %q", actions, err, refused)
		}
		at := before
		step := func(what string, next *schema.Table) {
			t.Helper()
			if err := at.CheckStep(next); err != nil {
				t.Errorf("%s: %s: %v", actions, what, err)
			}
			if err := bindable(next); err != nil {
				t.Errorf("%s: %s: %v", actions, what, err)
			}
			at = next
		}
		for _, state := range []schema.State{schema.WriteOnly, schema.DeleteOnly} {
			next := at.Clone()
			for _, ix := range c.Drop {
				next.Index(ix.Name).State = state
			}
			step("retire", next)
		}
		if c.NeedsAnnouncing() {
			between := announce(at, c.to, c.From)
			step("announce", between)
			step("take back", between.TakeBack())
			at = between
		}
		next := c.to.Clone()
		for _, state := range []schema.State{schema.DeleteOnly, schema.WriteOnly, schema.Public} {
			for _, ix := range c.Fill {
				next.Index(ix.Name).State = state
			}
			step("fill", next)
			next = next.Clone()
		}
		next.EndChange()
		step("end", next)
	}
}
