package clients

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program is one of testdata that is generated, then run on mysqlshim.
type program struct {
	schema   string   // a file with the tables that are there when it is generated
	tools    []string // that its go.mod brings
	generate []string
}

var programs = map[string]program{
	"sqlboiler": {
		schema:   "schema.sql",
		tools:    []string{"github.com/aarondl/sqlboiler/v4", "github.com/aarondl/sqlboiler/v4/drivers/sqlboiler-mysql"},
		generate: []string{"sqlboiler", "mysql"},
	},
	"ent": {
		tools:    []string{"entgo.io/ent/cmd/ent"},
		generate: []string{"ent", "generate", "--feature", "sql/upsert,sql/lock,sql/modifier", "./ent/schema"},
	},
}

// TestPrograms generates programs by the unmodified generators, and runs their tests on memory, a file, and Azurite where it runs.
func TestPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("modules are fetched and built")
	}
	for name, p := range programs {
		t.Run(name, func(t *testing.T) {
			p.run(t, filepath.Join("testdata", name))
		})
	}
}

func (p program) run(t *testing.T, from string) {
	folder := t.TempDir()
	must(t, os.CopyFS(folder, os.DirFS(from)))
	replaceDriver(t, folder)
	tools := t.TempDir()
	run(t, command(folder, "go", append([]string{"build", "-o", tools + "/"}, p.tools...)...))
	store := "file:" + filepath.Join(t.TempDir(), "store")
	if p.schema != "" {
		text, err := os.ReadFile(filepath.Join(folder, p.schema))
		must(t, err)
		db, err := sql.Open("nearlyfree", store+"?database=planes&collation=utf8mb4_0900_ai_ci")
		must(t, err)
		exec(t, db, string(text))
		must(t, db.Close())
	}
	generate := command(folder, filepath.Join(tools, p.generate[0]), p.generate[1:]...)
	generate.Env = append(generate.Env, "NEARLYFREE_STORE="+store, "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	run(t, generate)
	run(t, command(folder, "go", "mod", "tidy"))
	test := filepath.Join(tools, "program.test")
	run(t, command(folder, "go", "test", "-c", "-o", test, "."))
	stores := []string{"mem://", store}
	if azurite := os.Getenv("NEARLYFREE_AZURITE"); azurite != "" {
		stores = append(stores, azurite+"schema_lease=100ms;")
	}
	for _, store := range stores {
		c := command(folder, test, "-test.v")
		c.Env = append(c.Env, "NEARLYFREE_STORE="+store, fmt.Sprintf("PROGRAM_DSN=user:password@tcp(localhost:3306)/p%d", time.Now().UnixNano()))
		if out := run(t, c); !strings.Contains(out, "--- PASS") {
			t.Fatalf("no test has run: %s", out)
		}
	}
}
