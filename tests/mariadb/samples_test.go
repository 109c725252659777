package mariadb

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

var samples = flag.String("samples", "", "a directory with sakila.sql, northwind.sql and employee.sql, as their projects publish them for MySQL")

//go:embed testdata/samples.txt
var sampleQueries string

// TestSamples: databases that everybody knows load as they are published, and answer queries as MariaDB does. Chinook is here, version 1.4.5 of
// github.com/lerocha/chinook-database, whose licence stands beside it. The others are where -samples says, as Sakila is too large and Northwind's rows
// are Microsoft's: sakila-mv-schema.sql and sakila-mv-data.sql are of github.com/datacharmer/test_db, northwind.sql and northwind-data.sql of
// github.com/dalers/mywind. employee.sql is mysql/dataset_large/employee.sql of github.com/bytebase/employee-sample-database, with the files that it
// reads by source in their places: ten thousand people of the employees sample.
func TestSamples(t *testing.T) {
	needServer(t)
	config, err := mysql.ParseDSN(serverDSN)
	if err != nil {
		t.Fatal(err)
	}
	command := filepath.Join(t.TempDir(), "nearlyfree")
	if out, err := exec.Command("go", "build", "-o", command, "../../cmd/nearlyfree").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var ours, theirs *side
	for _, line := range strings.Split(strings.TrimSpace(sampleQueries), "\n") {
		name, begins := strings.CutPrefix(line, "# ")
		if begins && name != "chinook" && *samples == "" {
			t.Logf("without -samples %s and what is behind it is not tried", name)
			return
		}
		if !begins {
			got, want := ours.query(line), theirs.query(line)
			if what := got.differs(want); what != "" || want.err != nil {
				t.Errorf("%s: %s\n%s\nwant\n%s", line, what, got, want)
			}
			continue
		}
		dump, text := sample(t, name)
		dsn := "file:" + filepath.Join(t.TempDir(), "sample.db") + "?collation=utf8mb4_general_ci" // MariaDB's default
		if out, err := exec.Command(command, "load", dsn, dump, "--skip", "--restart").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		client := exec.Command("mariadb", "--no-defaults", "--socket="+config.Addr, "--user=root", "--default-character-set=utf8mb4")
		client.Stdin = strings.NewReader("DROP DATABASE IF EXISTS " + name + "; DROP DATABASE IF EXISTS Chinook;\n" + text)
		if out, err := client.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		ours, theirs = openOurs(t, name, dsn), openTheirs(t)
		use := "USE " + map[string]string{"chinook": "Chinook"}[name]
		if use == "USE " {
			use += name
		}
		for _, s := range []*side{ours, theirs} {
			if a := s.exec(use); a.err != nil {
				t.Fatal(a.err)
			}
		}
		for _, row := range theirs.query("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE' AND TABLE_NAME <> 'film_text'").rows { // that is filled by triggers
			query := "SELECT COUNT(*) FROM `" + row[0].text + "`"
			if got, want := ours.query(query), theirs.query(query); got.differs(want) != "" {
				t.Errorf("%s: %s: %s, want %s", name, query, got, want)
			}
		}
	}
}

// sample gives the file of a sample, and what it holds.
func sample(t *testing.T, name string) (file, text string) {
	file = filepath.Join(*samples, name+".sql")
	if name == "chinook" {
		file = filepath.Join("testdata", name+".sql.gz")
	}
	raw, err := os.ReadFile(file)
	if err == nil && strings.HasSuffix(file, ".gz") {
		var unpacked *gzip.Reader
		if unpacked, err = gzip.NewReader(bytes.NewReader(raw)); err == nil {
			raw, err = io.ReadAll(unpacked)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return file, string(raw)
}
