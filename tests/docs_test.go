package tests

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// The parts of a page of the documentation: blocks of SQL, their comments, the ends of statements.
var (
	sqlBlock     = regexp.MustCompile("(?s)\n```sql\n(.*?)\n```")
	sqlComment   = regexp.MustCompile(`--.*`)
	statementEnd = regexp.MustCompile(`;\s*`)
)

// beforeSection makes what a section of docs/patterns.md speaks of as being there.
var beforeSection = map[string][]string{
	"Any existing table": {
		"CREATE EXTERNAL TABLE made (tenant TEXT, day TEXT, level INT PROPERTY 'Level', note TEXT PROPERTY 'Note') LOCATION 'WebLog' PARTITION KEY '{tenant}' ROW KEY '{day}'",
		"INSERT INTO made VALUES ('acme', '2024-01-02', 1, 'x')",
		"DROP TABLE made",
	},
}

// TestPatternsRun runs every block of SQL in docs/patterns.md as it stands, each section in a database of its own.
func TestPatternsRun(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/patterns.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		title, _, _ := strings.Cut(section, "\n")
		t.Run(title, func(t *testing.T) {
			config := &nearlyfree.Config{Store: "mem://"}
			if strings.Contains(section, "?layout=single\n") {
				config.Layout = nearlyfree.LayoutSingle
			}
			_, conn := connect(t, config)
			statements := beforeSection[title]
			for _, block := range sqlBlock.FindAllStringSubmatch(section, -1) {
				statements = append(statements, statementEnd.Split(sqlComment.ReplaceAllString(block[1], ""), -1)...)
			}
			for _, statement := range statements {
				if strings.TrimSpace(statement) == "" {
					continue
				}
				args := make([]any, strings.Count(statement, "?"))
				if _, err := conn.ExecContext(context.Background(), statement, args...); err != nil {
					t.Errorf("%s\n%v", statement, err)
				}
				ran++
			}
		})
	}
	if ran < 30 {
		t.Errorf("%d statements were found", ran)
	}
}
