//go:build unix

package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/command.md and docs/mysql.md anew")

// untold is what differs from run to run.
var untold = regexp.MustCompile(`\b[0-9.]+(µs|ms|s)\b|[0-9]+ a second|[0-9]+ bytes, as`)

// TestDocs: what docs/command.md and docs/mysql.md show is what the command prints.
func TestDocs(t *testing.T) {
	for _, name := range []string{"command", "mysql"} {
		t.Run(name, func(t *testing.T) { checkPage(t, "../../docs/"+name+".md") })
	}
}

// shopDump is what mysqldump writes, shortened.
const shopDump = `-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
/*!40101 SET NAMES utf8mb4 */;
DROP TABLE IF EXISTS ` + "`customer`" + `;
CREATE TABLE ` + "`customer`" + ` (
  ` + "`id`" + ` int unsigned NOT NULL AUTO_INCREMENT,
  ` + "`name`" + ` varchar(60) COLLATE utf8mb4_0900_ai_ci NOT NULL,
  ` + "`notes`" + ` text,
  PRIMARY KEY (` + "`id`" + `),
  KEY ` + "`name`" + ` (` + "`name`" + `),
  FULLTEXT KEY ` + "`notes`" + ` (` + "`notes`" + `)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
LOCK TABLES ` + "`customer`" + ` WRITE;
INSERT INTO ` + "`customer`" + ` VALUES (1,'Ann',NULL),(2,'Bob','it''s him');
UNLOCK TABLES;
/*!50003 CREATE TRIGGER ` + "`stamp`" + ` BEFORE UPDATE ON ` + "`customer`" + ` FOR EACH ROW SET NEW.notes = NULL */;
`

func checkPage(t *testing.T, page string) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		filepath.Join(bin, "nearlyfree"): "#!/bin/sh\nNEARLYFREE_TEST_COMMAND=1 exec '" + os.Args[0] + "' \"$@\"\n",
		filepath.Join(dir, "people.csv"): "id,name,born,balance\n1,Ann,2001-02-03,12.50\n2,\"Bob \"\"B\"\" Brown\",,-3\n3,,2010-12-24,0\n",
		filepath.Join(dir, "app.log"): `{"msg":"statement","statement":"SELECT name FROM people WHERE id = 7","duration":12000000,"rows":1,"requests":1,"partitions":[{"table":"people","partition":"00","read":1,"written":0}]}` + "\n" +
			`{"msg":"statement","statement":"SELECT name FROM people WHERE id = 8","duration":14000000,"rows":1,"requests":1}` + "\n" +
			`{"msg":"statement reads without a key","statement":"SELECT COUNT(*) FROM people WHERE born IS NULL","duration":310000000,"rows":1,"requests":9,"entities_read":8200,"partitions":[{"table":"people","partition":"00","read":8200,"written":0}],"scans":"…"}` + "\n",
		filepath.Join(dir, "shop.sql"): shopDump,
		filepath.Join(dir, "more.csv"): "name,id,born\nCarol,4,1999-01-01\nDave,5,yesterday\nAnn,1,2001-02-03\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	parts := strings.Split(string(text), "```console\n")
	for i, part := range parts[1:] {
		block, rest, _ := strings.Cut(part, "```\n")
		var got strings.Builder
		for _, line := range strings.Split(block, "\n") {
			command, ok := strings.CutPrefix(line, "$ ")
			if !ok {
				continue
			}
			c := exec.Command("sh", "-c", command+" 2>&1")
			c.Dir = dir
			c.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
			out, _ := c.CombinedOutput() // some of them tell of rows that are refused
			got.WriteString(line + "\n" + string(out))
		}
		if untold.ReplaceAllString(got.String(), "…") == untold.ReplaceAllString(block, "…") {
			continue
		}
		if !*update {
			t.Errorf("%s is not what is printed: go test ./cmd/nearlyfree -run Docs -update\n%s\nwant\n%s", page, block, got.String())
		}
		parts[i+1] = got.String() + "```\n" + rest
	}
	if *update {
		if err := os.WriteFile(page, []byte(strings.Join(parts, "```console\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
