// Package tests holds the driver against scripts of SQL, through database/sql alone, over every engine.
package tests

import (
	"bytes"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

var update = flag.Bool("update", false, "write the scripts' answers anew")

// store is a kind of store that the scripts run over.
type store struct {
	name string
	// config gives the settings of a fresh, empty store.
	config func(t *testing.T) *nearlyfree.Config
	// dear says that the same statements need more requests here.
	dear bool
	// variant names the answers that are others here, where a script has any.
	variant string
}

var stores = []store{
	{name: "memory", config: func(t *testing.T) *nearlyfree.Config { return &nearlyfree.Config{Store: "mem://"} }},
	{name: "file", config: func(t *testing.T) *nearlyfree.Config {
		return &nearlyfree.Config{Store: "file:" + filepath.Join(t.TempDir(), "data")}
	}},
	{name: "service", config: func(t *testing.T) *nearlyfree.Config { return overService(0, false) }},
	{name: "service of tiny pages", dear: true, config: func(t *testing.T) *nearlyfree.Config { return overService(2, true) }},
	{name: "memory, single", variant: "single", config: func(t *testing.T) *nearlyfree.Config {
		return &nearlyfree.Config{Store: "mem://", Layout: nearlyfree.LayoutSingle}
	}},
	{name: "service, single", variant: "single", config: func(t *testing.T) *nearlyfree.Config {
		config := overService(0, false)
		config.Layout = nearlyfree.LayoutSingle
		return config
	}},
}

// overService gives the settings of a table service played in this process; see azuretest.Service.
func overService(page int, empty bool) *nearlyfree.Config {
	s := azuretest.NewService(embedded.OpenMemory(embedded.Options{}))
	s.PageEntities, s.EmptyPages = page, empty
	return &nearlyfree.Config{
		Store:       "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key,
		Transport:   &azuretest.Transport{Service: s},
		SchemaLease: time.Millisecond,
	}
}

// TestScripts runs scripts/*.txt over every store. A script is a list of paragraphs: SQL, a line ----, and the
// answer: the rows with | between the columns, then what the statement cost, or the error. Behind it may follow a
// line ---- VARIANT and the answer of the stores of that variant, where it is another one: other keys, other costs.
// The flag -update writes the answers of the first store, and of the first one of each variant where they are others;
// all others must give the same.
func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("scripts/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for i, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			writes := *update && i == slices.IndexFunc(stores, func(o store) bool { return o.variant == s.variant })
			for _, path := range paths {
				t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
					runScript(t, s, path, writes)
				})
			}
		})
	}
}

// connect opens one connection to a store, until the test ends; the Connector counts what it costs.
func connect(t *testing.T, config *nearlyfree.Config) (*nearlyfree.Connector, *sql.Conn) {
	t.Helper()
	connector, err := nearlyfree.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return connector, conn
}

func runScript(t *testing.T, s store, path string, update bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	config := s.config(t)
	if bytes.Contains(text, []byte("\n"+singleLine+"\n")) {
		config.Layout, s.variant = nearlyfree.LayoutSingle, ""
	}
	foreign := strings.HasPrefix(filepath.Base(path), "foreign_")
	if foreign && strings.HasPrefix(s.name, "azurite") && s.variant != "" {
		t.Skip("there is one default database, in which this script runs with the other layout")
	}
	if foreign {
		config.Database = "" // only the default database has tables without a definition
	}
	connector, conn := connect(t, config)
	ctx := context.Background()
	if foreign { // whether an earlier script has made the catalog is not to show in what this one costs
		for _, statement := range []string{"CREATE TABLE IF NOT EXISTS first (id INT PRIMARY KEY)", "DROP TABLE first"} {
			if _, err := conn.ExecContext(ctx, statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	var out strings.Builder
	for number, text := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		p := readParagraph(text)
		if p.answers == nil && isComment(text) {
			fmt.Fprintf(&out, "%s\n\n", text)
			continue
		}
		before := connector.Stats()
		asked := p.statement
		if config.Database != "" { // scripts and answers speak of the default database
			asked = strings.ReplaceAll(asked, "nearlyfree", config.Database)
		}
		got := answer(ctx, conn, asked)
		cost := connector.Stats().Sub(before)
		if config.Database != "" {
			got = strings.ReplaceAll(got, config.Database+"Z8", "Z8") // in the names of physical tables
			got = strings.ReplaceAll(got, config.Database, "nearlyfree")
		}
		want := p.answer(s.variant)
		if s.dear {
			want, _, _ = strings.Cut(want, "\n(")
		} else if !strings.HasPrefix(got, "error: ") {
			got += fmt.Sprintf("\n(%d requests, %d entities read, %d written)", cost.Requests-cost.SchemaRequests, cost.EntitiesReturned, cost.EntitiesWritten)
		}
		if !update && strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%s, paragraph %d:\n%s\n---- got\n%s\n---- want\n%s", path, number+1, p.statement, got, want)
		}
		p.set(s.variant, strings.TrimSpace(got))
		p.write(&out)
	}
	if update {
		if err := os.WriteFile(path, []byte(strings.TrimRight(out.String(), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// singleLine is the remark of a script that is about layout=single: it runs so over every store.
const singleLine = "# layout=single"

// paragraph is a statement of a script with its answers.
type paragraph struct {
	statement string
	answers   map[string]string // by variant; "" is that of the others. nil: there is none yet
}

// answerLine begins an answer.
var answerLine = regexp.MustCompile(`(?m)^----( \w+)?$\n?`)

func readParagraph(text string) *paragraph {
	lines := answerLine.FindAllStringIndex(text, -1)
	if lines == nil {
		return &paragraph{statement: text}
	}
	p := &paragraph{statement: strings.TrimRight(text[:lines[0][0]], "\n"), answers: map[string]string{}}
	for i, at := range lines {
		end := len(text)
		if i+1 < len(lines) {
			end = lines[i+1][0]
		}
		p.answers[strings.TrimSpace(text[at[0]+len("----"):at[1]])] = strings.TrimSpace(text[at[1]:end])
	}
	return p
}

func (p *paragraph) answer(variant string) string {
	if a, has := p.answers[variant]; has {
		return a
	}
	return p.answers[""]
}

// set changes an answer. A variant has one where it is another one.
func (p *paragraph) set(variant, answer string) {
	if p.answers == nil {
		p.answers = map[string]string{}
	}
	p.answers[variant] = answer
	if variant != "" && answer == p.answers[""] {
		delete(p.answers, variant)
	}
}

func (p *paragraph) write(out *strings.Builder) {
	fmt.Fprintf(out, "%s\n----\n%s\n", p.statement, p.answers[""])
	for _, variant := range slices.Sorted(maps.Keys(p.answers)) {
		if variant != "" {
			fmt.Fprintf(out, "---- %s\n%s\n", variant, p.answers[variant])
		}
	}
	out.WriteString("\n")
}

// isComment says whether a paragraph is remarks alone.
func isComment(paragraph string) bool {
	for _, line := range strings.Split(paragraph, "\n") {
		if !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

// queries are the words that begin a statement with rows.
var queries = []string{"SELECT", "SHOW", "DESC", "EXPLAIN", "WITH", "(", "CHECK", "REPAIR", "ANALYZE", "OPTIMIZE"}

func answer(ctx context.Context, conn *sql.Conn, statement string) string {
	upper := strings.ToUpper(statement)
	isQuery := strings.Contains(upper, "RETURNING")
	for _, word := range queries {
		isQuery = isQuery || strings.HasPrefix(upper, word)
	}
	if !isQuery {
		r, err := conn.ExecContext(ctx, statement)
		if err != nil {
			return "error: " + err.Error()
		}
		affected, _ := r.RowsAffected()
		id, _ := r.LastInsertId()
		if id != 0 {
			return fmt.Sprintf("affected %d, id %d", affected, id)
		}
		return fmt.Sprintf("affected %d", affected)
	}
	rows, err := conn.QueryContext(ctx, statement)
	if err != nil {
		return "error: " + err.Error()
	}
	defer rows.Close()
	lines, err := table(rows)
	if err != nil {
		return "error: " + err.Error()
	}
	return strings.Join(lines, "\n")
}

// table gives the names and rows as lines.
func table(rows *sql.Rows) ([]string, error) {
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	lines := []string{strings.Join(names, " | ")}
	values := make([]any, len(names))
	pointers := make([]any, len(names))
	for i := range values {
		pointers[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return nil, err
		}
		cells := make([]string, len(values))
		for i, v := range values {
			cells[i] = cell(v)
		}
		lines = append(lines, strings.Join(cells, " | "))
	}
	return lines, rows.Err()
}

func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case []byte:
		return fmt.Sprintf("x'%x'", v)
	case time.Time:
		return v.Format("2006-01-02 15:04:05.9999999")
	case string:
		if v == "" {
			return "''"
		}
		return v
	}
	return fmt.Sprint(v)
}
