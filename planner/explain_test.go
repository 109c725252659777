package planner_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

var update = flag.Bool("update", false, "rewrite the golden files of testdata/explain")

// TestExplain runs the scripts of testdata/explain, one a rule. A script is made of blocks with an empty
// line between them: a statement, perhaps a line "args" with its arguments as SQL literals, the line
// "----", then what is expected. Lines that begin with # are comments. A line "statistics t 2000 a 40" says
// that t has 2,000 rows and its column a 40 values; "seek 8" is Options.Seek of the statement above it.
func TestExplain(t *testing.T) { runScripts(t, "testdata/explain/*.txt") }

// runScripts runs the scripts of a pattern, or with -update writes what they give.
func runScripts(t *testing.T, pattern string) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := runScript(string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(text) {
				t.Errorf("%s differs; -update rewrites it\n%s", file, firstDifference(got, string(text)))
			}
		})
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			expected := "end"
			if i < len(w) {
				expected = w[i]
			}
			return "got  " + g[i] + "\nwant " + expected
		}
	}
	return "got less than wanted"
}

// runScript gives the script with its expectations as they are now.
func runScript(text string) string {
	tables := define.Tables{}
	var out []string
	for _, block := range strings.Split(strings.TrimRight(text, "\n"), "\n\n") {
		input, _, _ := strings.Cut(block+"\n", "----\n")
		var sql, args []string
		var opt planner.Options
		for _, line := range strings.Split(strings.TrimSpace(input), "\n") {
			switch {
			case strings.HasPrefix(line, "#"):
			case strings.HasPrefix(line, "args "):
				args = append(args, strings.TrimPrefix(line, "args "))
			case strings.HasPrefix(line, "seek "):
				opt.Seek, _ = strconv.ParseFloat(strings.TrimPrefix(line, "seek "), 64)
			case strings.HasPrefix(line, "statistics "):
				setStatistics(tables, strings.Fields(line)[1:])
			default:
				sql = append(sql, line)
			}
		}
		if len(sql) == 0 {
			out = append(out, strings.TrimSpace(input))
			continue
		}
		result := run(tables, opt, strings.Join(sql, "\n"), strings.Join(args, ""))
		out = append(out, strings.TrimSpace(input)+"\n----\n"+strings.Join(result, "\n"))
	}
	return strings.Join(out, "\n\n") + "\n"
}

// setStatistics says how many rows a table has, and how many values its columns.
func setStatistics(tables define.Tables, words []string) {
	number := func(s string) float64 { n, _ := strconv.ParseFloat(s, 64); return n }
	t := tables[words[0]]
	t.Statistics = &schema.Statistics{Rows: int64(number(words[1])), Columns: map[string]*schema.ColumnStatistics{}}
	for i := 2; i < len(words); i += 2 {
		column := t.Ordinal(words[i])
		t.Statistics.Columns[t.StatisticsName(column)] = &schema.ColumnStatistics{Type: t.StatisticsType(column), Distinct: number(words[i+1])}
	}
}

func run(tables define.Tables, opt planner.Options, sql, args string) []string {
	parsed, err := dialect.Parse(sql, dialect.Options{})
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	switch parsed.Statement.(type) {
	case *dialect.CreateTable:
		if err := tables.Run(parsed.Statement, planner.Options{}); err != nil {
			return []string{"error: " + err.Error()}
		}
		return []string{"ok"}
	}
	p, err := planner.Build(parsed, tables, opt)
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	values, err := literals(args)
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	lines := p.Explain(values)
	if err := p.CheckScans(); err != nil {
		lines = append(lines, "refused by scan=deny: "+err.Error())
	}
	return lines
}

// literals evaluates a list of SQL literals.
func literals(text string) ([]value.Value, error) {
	if text == "" {
		return nil, nil
	}
	parsed, err := dialect.Parse("select "+text, dialect.Options{})
	if err != nil {
		return nil, err
	}
	p, err := planner.Build(parsed, define.Tables{}, planner.Options{})
	if err != nil {
		return nil, err
	}
	project, ok := p.Root.(*planner.Project)
	if !ok {
		return nil, errors.New("args are no list of literals")
	}
	var out []value.Value
	for _, n := range project.Exprs {
		v, err := expr.Compile(n)(&expr.Env{})
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}
