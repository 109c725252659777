package sqllogic

import (
	"context"
	"database/sql"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/nearlyfreedb/nearlyfree"
)

var (
	corpus = flag.String("corpus", "", "folder with the public corpus, or a part of it")
	onFile = flag.Bool("file", false, "run the corpus on files, not in memory")
	errors = flag.Int("errors", 5, "failures shown of each file of the corpus")
)

// TestOwnScripts runs testdata/*.test in memory and on a file: every record must pass.
func TestOwnScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.test")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			o, on := runFile(t, path, "mem://", 1000), runFile(t, path, fileName(t), 1000)
			if o.Passed == 0 || on != o {
				t.Errorf("in memory %+v, on a file %+v", o, on)
			}
		})
	}
}

// TestCorpus runs all .test files below the folder that -corpus names; without one it runs the own scripts'
// folder, so that the walk itself is tested.
func TestCorpus(t *testing.T) {
	root := *corpus
	if root == "" {
		root = "testdata"
	}
	var paths []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".test") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test files below %s: %v", root, err)
	}
	slices.Sort(paths)
	var total Outcome
	for _, path := range paths {
		began := time.Now()
		name := "mem://"
		if *onFile {
			name = fileName(t)
		}
		o := runFile(t, path, name, *errors)
		total.Add(o)
		if *corpus != "" {
			t.Logf("%s: %d passed, %d refused, %d wrong, %d for others, %v", path, o.Passed, o.Refused, o.Wrong, o.Skipped, time.Since(began).Round(time.Millisecond))
		}
	}
	t.Logf("%d files: %d passed, %d refused, %d wrong, %d for others", len(paths), total.Passed, total.Refused, total.Wrong, total.Skipped)
}

// fileName is the data source name of a fresh file.
func fileName(t *testing.T) string { return "file:" + filepath.Join(t.TempDir(), "logic.db") }

func runFile(t *testing.T, path, name string, show int) Outcome {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := Parse(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	db, err := sql.Open("nearlyfree", name)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	return Run(context.Background(), db, records, func(r *Record, wrong bool, message string) {
		if show--; show >= 0 {
			t.Errorf("%s:%d: %s\n  %s", path, r.Line, r.SQL, message)
		} else {
			t.Fail()
		}
	})
}
