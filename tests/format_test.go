package tests

import (
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// The golden stores are what a version of each format wrote, as entities of an account and as a file: see docs/format.md.
// Every later version opens them, reads the same from them, and goes on writing. -make makes one.
const formats = "testdata/formats"

// TestFormats runs the statements of formats/*/answers.txt over the golden stores. The flag -update writes the answers, but
// no store, anew.
func TestFormats(t *testing.T) {
	names, err := filepath.Glob(formats + "/*")
	if err != nil || len(names) == 0 {
		t.Fatalf("no golden stores: %v", err)
	}
	for _, dir := range names {
		for i, open := range []func(t *testing.T, dir string) *nearlyfree.Config{goldenAccount, goldenFile} {
			t.Run(filepath.Base(dir)+[]string{"/account", "/file"}[i], func(t *testing.T) {
				runAnswers(t, open(t, dir), filepath.Join(dir, "answers.txt"), *update && i == 0)
			})
		}
	}
}

func runAnswers(t *testing.T, config *nearlyfree.Config, path string, update bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, conn := connect(t, config)
	var out strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		if isComment(paragraph) {
			fmt.Fprintf(&out, "%s\n\n", paragraph)
			continue
		}
		p := readParagraph(paragraph)
		got := strings.TrimSpace(answer(t.Context(), conn, p.statement))
		if want := p.answer(""); !update && got != want {
			t.Errorf("%s\n---- got\n%s\n---- want\n%s", p.statement, got, want)
		}
		p.set("", got)
		p.write(&out)
	}
	if update {
		if err := os.WriteFile(path, []byte(strings.TrimRight(out.String(), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFormatWritten: this version writes rows and index entries just as the one did that made the newest golden store.
func TestFormatWritten(t *testing.T) {
	dirs, err := filepath.Glob(formats + "/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no golden stores: %v", err)
	}
	memory := embedded.OpenMemory(embedded.Options{})
	loadEntities(t, memory, goldenEntities(t, slices.Max(dirs)))
	_, conn := connect(t, accountOver(memory))
	for table, columns := range map[string]string{"kinds": "*", "computed": "id, a, b, e", "keyed": "*", "collated": "*", "bykey": "*", "byhash": "*", "global": "*"} {
		into := ""
		if columns != "*" {
			into = "(" + columns + ")"
		}
		for _, statement := range []string{
			"CREATE TABLE copy" + table + " LIKE " + table,
			"INSERT INTO copy" + table + " " + into + " SELECT " + columns + " FROM " + table,
		} {
			if _, err := conn.ExecContext(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		was, is := dumpTable(t, memory, keymap.TableName("", table)), dumpTable(t, memory, keymap.TableName("", "copy"+table))
		if was == "" || is != was {
			t.Errorf("table %s is\n%s\nwas\n%s", table, is, was)
		}
	}
}

// goldenEntities are those of an account, as text.
func goldenEntities(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "entities.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func goldenAccount(t *testing.T, dir string) *nearlyfree.Config {
	return accountOf(t, goldenEntities(t, dir))
}

// accountOf gives the settings of an account that holds entities.
func accountOf(t *testing.T, entities string) *nearlyfree.Config {
	t.Helper()
	memory := embedded.OpenMemory(embedded.Options{})
	loadEntities(t, memory, entities)
	return accountOver(memory)
}

func accountOver(store engine.Engine) *nearlyfree.Config {
	return &nearlyfree.Config{
		Store:       "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key,
		Transport:   &azuretest.Transport{Service: azuretest.NewService(store)},
		SchemaLease: time.Millisecond,
	}
}

func goldenFile(t *testing.T, dir string) *nearlyfree.Config {
	t.Helper()
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the file has the order of octets of another machine")
	}
	packed, err := os.Open(filepath.Join(dir, "file.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	from, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "store")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return &nearlyfree.Config{Store: "file:" + path}
}

// dumpEntities writes all tables of a store as text: the name of a table at the beginning of a line, then for each of its
// entities a line with its keys, and below that its properties.
func dumpEntities(t *testing.T, e engine.Engine) string {
	t.Helper()
	tables, err := e.Tables(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(tables)
	var b strings.Builder
	for _, table := range tables {
		fmt.Fprintf(&b, "table %s\n%s", table, dumpTable(t, e, table))
	}
	return b.String()
}

func dumpTable(t *testing.T, e engine.Engine, table string) string {
	t.Helper()
	var b strings.Builder
	err := engine.Each(t.Context(), e, engine.Scan{Table: table, AllPartitions: true}, func(e *engine.Entity) error {
		if strings.HasPrefix(e.RowKey, "!t!") {
			return nil // it tells of a transaction that is finished, under a random name
		}
		fmt.Fprintf(&b, "entity %s %s\n", quote(e.PartitionKey), quote(e.RowKey))
		for i, v := range e.Values {
			if v.Type != engine.Absent && e.Names[i] != keymap.OperationIDs { // which are random
				fmt.Fprintf(&b, "  %s %s %d %s\n", e.Names[i], v.Type, v.N, quote(v.S))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func quote(s string) string {
	if strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// loadEntities puts what dumpEntities wrote into an empty store.
func loadEntities(t *testing.T, e engine.Engine, text string) {
	t.Helper()
	edms := map[string]engine.Edm{}
	for edm := engine.String; edm <= engine.Binary; edm++ {
		edms[edm.String()] = edm
	}
	table, entity := "", engine.Entity{}
	store := func() {
		if entity.RowKey == "" && entity.PartitionKey == "" {
			return
		}
		op := engine.Op{Kind: engine.Insert, Entity: entity}
		if err := e.Commit(t.Context(), engine.Commit{Table: table, PartitionKey: entity.PartitionKey, Ops: []engine.Op{op}}); err != nil {
			t.Fatal(err)
		}
		entity = engine.Entity{}
	}
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "table":
			store()
			if table = rest; e.CreateTable(t.Context(), table, nil) != nil {
				t.Fatalf("table %s cannot be made", table)
			}
		case "entity":
			store()
			entity.PartitionKey, rest = unquote(t, rest)
			entity.RowKey, _ = unquote(t, rest[1:])
		default:
			words := strings.SplitN(strings.TrimSpace(rest), " ", 4)
			n, err := strconv.ParseUint(words[2], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			v := engine.Value{Type: edms[words[1]], N: n}
			v.S, _ = unquote(t, words[3])
			entity.Names, entity.Values = append(entity.Names, words[0]), append(entity.Values, v)
		}
	}
	store()
}

func unquote(t *testing.T, s string) (text, rest string) {
	t.Helper()
	quoted, err := strconv.QuotedPrefix(s)
	if err == nil {
		text, err = strconv.Unquote(quoted)
	}
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return text, s[len(quoted):]
}
