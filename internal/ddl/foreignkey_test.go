package ddl

import (
	"context"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// dying is a store that a process loses after some commits.
type dying struct {
	engine.Transactor
	left int
}

func (d *dying) Commit(ctx context.Context, c engine.Commit) error {
	if d.left--; d.left < 0 {
		return engine.Errorf(engine.CodeUnreachable, "the process has died")
	}
	return d.Transactor.Commit(ctx, c)
}

// process is one that changes definitions in a store.
type process struct {
	t       *testing.T
	definer *Definer
}

func newProcess(t *testing.T, e engine.Engine) *process {
	c := catalog.Open(e, "", 0, nil)
	return &process{t, &Definer{Runtime: &exec.Runtime{Engine: e, Parallel: 1, Definitions: c, Sequences: c}, Catalog: c, Implicit: true}}
}

func (p *process) run(statement string) error {
	p.t.Helper()
	parsed, err := dialect.Parse(statement, dialect.Options{})
	if err != nil {
		p.t.Fatal(err)
	}
	_, err = p.definer.Run(p.t.Context(), parsed.Statement, &expr.Session{}, &engine.Meter{})
	return err
}

func (p *process) must(statements ...string) {
	p.t.Helper()
	for _, s := range statements {
		if err := p.run(s); err != nil {
			p.t.Fatalf("%s: %v", s, err)
		}
	}
}

func (p *process) table(name string) (found *schema.Table) {
	p.t.Helper()
	err := p.definer.Catalog.With(p.t.Context(), func(s *catalog.Snapshot) (err error) {
		if found, err = s.Table(p.t.Context(), name); isNoTable(err) {
			found, err = nil, nil
		}
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return found
}

// TestForeignKeyDied: whenever a process dies that makes, adds, renames or drops what foreign keys tie, the next one finds a foreign key
// whole or not at all, the tables on both sides agree, and the statement can be sent again.
func TestForeignKeyDied(t *testing.T) {
	for _, statement := range []string{
		"CREATE TABLE more (id INT PRIMARY KEY, p INT, CONSTRAINT fresh FOREIGN KEY (p) REFERENCES parent (id))",
		"ALTER TABLE child ADD CONSTRAINT added FOREIGN KEY (q) REFERENCES parent (id)",
		"ALTER TABLE child DROP FOREIGN KEY child_ibfk_1",
		"RENAME TABLE parent TO elder",
		"ALTER TABLE parent RENAME COLUMN id TO number",
		"CREATE INDEX IF NOT EXISTS better ON child (p, q)",
		"DROP TABLE child",
		"DROP TABLE parent, child",
	} {
		done := false
		for commits := 0; !done && commits < 40; commits++ {
			store := embedded.OpenMemory(embedded.Options{})
			t.Cleanup(func() { store.Close() })
			newProcess(t, store).must("CREATE TABLE parent (id INT PRIMARY KEY)",
				"CREATE TABLE child (id INT PRIMARY KEY, p INT, q INT, FOREIGN KEY (p) REFERENCES parent (id) ON DELETE CASCADE)")
			done = newProcess(t, &dying{store, commits}).run(statement) == nil

			next := newProcess(t, store)
			parents := map[string]*schema.Table{}
			for _, name := range []string{"parent", "elder"} {
				if p := next.table(name); p != nil {
					parents[name] = p
				}
			}
			for _, name := range []string{"child", "more"} {
				c := next.table(name)
				if c == nil {
					continue
				}
				for i := range c.ForeignKeys {
					k := &c.ForeignKeys[i]
					p := parents[k.Parent]
					if p == nil || !p.IsReferredBy(schema.Own(name)) {
						t.Fatalf("%s, dead after %d commits: %s refers to %s, which does not know it", statement, commits, name, k.Parent)
					}
					if _, err := schema.NewReference(c, k, p); err != nil {
						t.Errorf("%s, dead after %d commits: %v", statement, commits, err)
					}
				}
			}
			if !done {
				if c := next.table("child"); c != nil {
					next.must("ALTER TABLE child COMMENT = 'finishes'")
					for _, k := range next.table("child").ForeignKeys {
						if k.State != schema.Public {
							t.Errorf("%s, dead after %d commits: %s is left %v", statement, commits, k.Name, k.State)
						}
					}
				}
				err := next.run(statement)
				if c := next.table("child"); c != nil && c.Index("better") != nil && (len(c.Indexes) > 1 || err != nil) {
					t.Errorf("%s, dead after %d commits, again: the child has %d indexes, %v", statement, commits, len(c.Indexes), err)
				}
				if err != nil && next.table("child") != nil && next.table("parent") != nil {
					t.Errorf("%s, dead after %d commits, again: %v", statement, commits, err)
				}
			}
		}
		if !done {
			t.Errorf("%s was never made", statement)
		}
	}
}
