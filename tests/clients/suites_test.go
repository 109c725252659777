package clients

import (
	"database/sql"
	"encoding/json"
	"os"
	process "os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// suite is a module whose own tests open "mysql".
type suite struct {
	module  string   // at a version
	folder  string   // with the tests
	args    []string // of go test
	env     []string
	replace []string // beside those of mysqlshim
	setup   []string // statements that its documentation asks for, in database suite
	passes  int      // so many tests and subtests, at least
}

var suites = map[string]suite{
	"scs/mysqlstore": {
		module: "github.com/alexedwards/scs/mysqlstore@v0.0.0-20250417082927-ab20b3feb5e9",
		env:    []string{"SCS_MYSQL_TEST_DSN=user:password@tcp(localhost:3306)/suite?parseTime=true"},
		setup: []string{"CREATE TABLE sessions (token CHAR(43) PRIMARY KEY, data BLOB NOT NULL, expiry TIMESTAMP(6) NOT NULL)",
			"CREATE INDEX sessions_expiry_idx ON sessions (expiry)"},
		passes: 8,
	},
	"gofiber/storage/mysql": {
		module: "github.com/gofiber/storage/mysql@v1.3.5",
		env:    []string{"MYSQL_USERNAME=user", "MYSQL_PASSWORD=password", "MYSQL_DATABASE=suite"},
		passes: 13,
	},
	"sqlx": {
		module: "github.com/jmoiron/sqlx@v1.4.0",
		env:    []string{"SQLX_MYSQL_DSN=user:password@/suite?parseTime=true", "SQLX_POSTGRES_DSN=skip", "SQLX_SQLITE_DSN=skip"},
		passes: 50,
	},
	"golang-migrate": {
		module:  "github.com/golang-migrate/migrate/v4@v4.20.1",
		folder:  "database/mysql",
		args:    []string{"-short"}, // on one of three versions of MySQL
		replace: []string{"github.com/dhui/dktest=testdata/dktest"},
		passes:  39,
	},
	"go-rel/mysql": {
		module: "github.com/go-rel/mysql@v0.12.0",
		args:   []string{"-skip=TestAdapter_MustOpenConnection"}, // looks for a host that there is not
		env:    []string{"MYSQL_DATABASE=user@(localhost:3306)/suite"},
		passes: 172,
	},
	"upper/db": {
		module: "github.com/upper/db/v4@v4.10.0",
		folder: "adapter/mysql",
		args:   []string{"-skip=TestAdapter/TestIssue469_BadConnection"}, // waits for a server that ends idle connections
		env:    []string{"DB_NAME=suite", "DB_USERNAME=user", "DB_PASSWORD=password", "DB_HOST=localhost", "DB_PORT=3306"},
		passes: 55,
	},
}

// TestSuites runs suites of tests that others wrote for MySQL, unmodified, on mysqlshim.
func TestSuites(t *testing.T) {
	if testing.Short() {
		t.Skip("modules are fetched and built")
	}
	for name, s := range suites {
		t.Run(name, s.run)
	}
}

func (s suite) run(t *testing.T) {
	folder := s.fetch(t)
	store := "file:" + filepath.Join(t.TempDir(), "store")
	db, err := sql.Open("nearlyfree", store+"?database=suite&collation=utf8mb4_0900_ai_ci")
	must(t, err)
	exec(t, db, s.setup...)
	must(t, db.Close())

	test := command(filepath.Join(folder, s.folder), "go", append([]string{"test", "-count=1", "-v"}, append(s.args, ".")...)...)
	test.Env = append(append(test.Env, s.env...), "NEARLYFREE_STORE="+store)
	out, err := test.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := len(regexp.MustCompile(`(?m)^ *--- PASS`).FindAll(out, -1)); n < s.passes {
		t.Fatalf("%d tests pass, want %d\n%s", n, s.passes, out)
	}
	t.Logf("%s", regexp.MustCompile(`(?m)^ *--- (PASS|SKIP).*`).FindAll(out, -1))
}

// fetch copies a module and has mysqlshim take the driver's place.
func (s suite) fetch(t *testing.T) string {
	t.Helper()
	text, err := command(t.TempDir(), "go", "mod", "download", "-json", s.module).Output()
	var got struct{ Dir, Error string }
	if json.Unmarshal(text, &got) != nil || got.Dir == "" {
		t.Fatalf("%s cannot be fetched: %v %s", s.module, err, got.Error)
	}
	folder := filepath.Join(t.TempDir(), "module")
	must(t, os.CopyFS(folder, os.DirFS(got.Dir)))
	must(t, filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chmod(path, 0o755)
	}))
	replaceDriver(t, folder, s.replace...)
	run(t, command(folder, "go", "mod", "tidy"))
	return folder
}

// replaceDriver has mysqlshim take the place of MySQL's driver in a module.
func replaceDriver(t *testing.T, folder string, others ...string) {
	t.Helper()
	edit := []string{"mod", "edit", "-go=1.25.0"}
	for _, r := range append([]string{"github.com/go-sql-driver/mysql=../../mysqlshim", "github.com/nearlyfreedb/nearlyfree=../.."}, others...) {
		module, path, _ := strings.Cut(r, "=")
		path, err := filepath.Abs(path)
		must(t, err)
		edit = append(edit, "-replace="+module+"="+path)
	}
	run(t, command(folder, "go", edit...))
}

// command is one of a module that belongs to no workspace.
func command(folder, name string, args ...string) *process.Cmd {
	c := process.Command(name, args...)
	c.Dir = folder
	c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "CGO_ENABLED=0")
	return c
}

// run runs a command that must go well, and gives what it prints.
func run(t *testing.T, c *process.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", c, err, out)
	}
	return string(out)
}
