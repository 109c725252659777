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
)

var update = flag.Bool("update", false, "write the scripts' answers anew")

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
	if !*update { // which writes the answers of one store after the other
		t.Parallel()
	}
	for i, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			if !*update {
				t.Parallel()
			}
			writes := *update && i == slices.IndexFunc(stores, func(o store) bool { return o.variant == s.variant })
			for _, path := range paths {
				t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
					runScript(t, s, path, writes)
				})
			}
		})
	}
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
	if bytes.Contains(text, []byte("\n"+azureLine+"\n")) {
		config.Transactions = nearlyfree.TransactionsGroup
	}
	if isAccount(config) && !s.dear {
		config.Bulk = nearlyfree.BulkChunked // costs what it costs elsewhere
		name := filepath.Base(path)          // what takes more requests there than elsewhere:
		s.dear = strings.HasPrefix(name, "mysql_foreign_keys") || strings.HasPrefix(name, "unique_global") || name == "update_moves.txt" || strings.HasPrefix(name, "databases") || name == "partition_foreign_keys.txt"
	}
	if s.shared && strings.HasPrefix(filepath.Base(path), "databases") {
		t.Skip("other tests have databases in this account, too; see TestUseAndPool")
	}
	foreign := strings.HasPrefix(filepath.Base(path), "external_")
	if foreign {
		config.Database = "" // only the default database has tables without a definition
		if s.shared && s.variant != "" {
			t.Skip("the script has run in this default database, with the other layout")
		}
		s.dear = s.dear || s.shared // by what other tests have left in its catalog
	}
	connector, conn := connect(t, config)
	ctx := context.Background()
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
			got, want = costLine.ReplaceAllString(got, ""), costLine.ReplaceAllString(want, "")
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

// azureLine is the remark of a script that is about the transactions of Azure: it runs so over every store.
const azureLine = "# transactions=group"

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

// costLine is what an answer says about its cost.
var costLine = regexp.MustCompile(`(?m)^\(\d+ requests, .*\)$|, requests \d+$`)

// queries are the words that begin a statement with rows.
var queries = []string{"SELECT", "SHOW", "DESC", "EXPLAIN", "WITH", "(", "CHECK", "REPAIR", "ANALYZE", "OPTIMIZE", "EXECUTE", "VALUES", "TABLE"}

func answer(ctx context.Context, conn *sql.Conn, statement string) string {
	upper := strings.ToUpper(statement)
	isQuery := strings.Contains(upper, "RETURNING")
	for _, word := range queries {
		isQuery = isQuery || strings.HasPrefix(upper, word)
	}
	if !isQuery || strings.Contains(upper, " INTO @") {
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
	types, err := rows.ColumnTypes()
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
			if octets, ok := v.([]byte); ok && types[i].DatabaseTypeName() == "JSON" {
				v = string(octets)
			}
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
