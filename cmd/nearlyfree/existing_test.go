package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ran runs the command in a process of its own.
func ran(t *testing.T, args ...string) (said string, code int) {
	t.Helper()
	p := exec.Command(os.Args[0], args...)
	p.Env = append(os.Environ(), "NEARLYFREE_TEST_COMMAND=1")
	out, err := p.CombinedOutput()
	if p.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), p.ProcessState.ExitCode()
}

// TestDryRunWritesNothing: load --dry-run makes no file, and leaves one that is there as it is.
func TestDryRunWritesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	people := fileOf(t, "people.csv", "id,a\n1,x\n2,y\n")
	made := "CREATE TABLE `people` (\n"
	for _, dsn := range []string{"file:" + path, "file:" + path + "?database=shop", "file:" + filepath.Join(filepath.Dir(path), "no", "x.db")} {
		if said, code := ran(t, "load", dsn, people, "--dry-run"); code != 0 || !strings.HasPrefix(said, made) {
			t.Errorf("%s: exit %d: %s", dsn, code, said)
		}
	}
	if said, code := ran(t, "load", "file:"+path, fileOf(t, "t.sql", "SELECT 1;"), "--dry-run"); code != 1 || !strings.Contains(said, "--dry-run is for CSV") {
		t.Errorf("exit %d: %s", code, said)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
		t.Errorf("%v is left: %v", left, err)
	}
	opened(t, "file:"+path, "CREATE TABLE pets (id INT PRIMARY KEY)").close()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ want, table string }{{made, "people"}, {"table pets exists already\n", "pets"}} {
		if said, code := ran(t, "load", "file:"+path, people, "--dry-run", "--table", c.table); code != 0 || !strings.HasPrefix(said, c.want) {
			t.Errorf("exit %d: %s", code, said)
		}
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file has changed: %v", err)
	}
}

// TestNoSuchDatabase: what reads a database that nobody has made says so. One without tables is one.
func TestNoSuchDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	opened(t, "file:"+path, "CREATE TABLE t (id INT PRIMARY KEY); CREATE DATABASE bare; CREATE DATABASE sales; CREATE TABLE sales.t (id INT PRIMARY KEY); CREATE DATABASE gone; DROP DATABASE gone").close()
	for _, command := range []string{"dump", "check", "repair", "stats", "copy"} {
		for database, unknown := range map[string]bool{"nosuch": true, "gone": true, "bare": false, "sales": false, "nearlyfree": false} {
			args := []string{command, "file:" + path + "?database=" + database}
			if command == "copy" {
				args = append(args, "mem://")
			}
			said, code := ran(t, args...)
			if unknown != (code == 1) || unknown != strings.Contains(said, "Error 1049 (42000): Unknown database '"+database+"'") {
				t.Errorf("%s: exit %d: %s", args, code, said)
			}
		}
	}
	if said, code := ran(t, "dump", "file:"+path+"?database=nosuch&readonly=true"); code != 1 || !strings.Contains(said, "1049") {
		t.Errorf("exit %d: %s", code, said)
	}
}
