package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
)

// database is an open store and the single connection that all statements run on, so that transactions and SET last.
type database struct {
	config    *nearlyfree.Config
	connector *nearlyfree.Connector
	db        *sql.DB
	conn      *sql.Conn
	file      string // that the data source name names; "": none
}

var scheme = regexp.MustCompile(`^[a-z]{2,}:`) // C: is a disk

// isDSN distinguishes a data source name from the name of a SQL file.
func isDSN(arg string) bool { return scheme.MatchString(arg) || !strings.HasSuffix(arg, ".sql") }

// looksLikeDSN distinguishes a data source name from the name of a table or another file.
func looksLikeDSN(arg string) bool { return scheme.MatchString(arg) || strings.Contains(arg, "=") }

// open opens the store and asks it something, so that a wrong name or key is reported before the prompt.
func open(ctx context.Context, dsn string) (*database, error) { return openWith(ctx, dsn, nil) }

// openWith opens a store with other options than its name says.
func openWith(ctx context.Context, dsn string, change func(*nearlyfree.Config)) (*database, error) {
	config, err := nearlyfree.ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	if change != nil {
		change(config)
	}
	file, _ := pathOf(dsn)
	db, err := connect(ctx, config)
	if err == nil {
		db.file = file
	}
	return db, err
}

func connect(ctx context.Context, config *nearlyfree.Config) (*database, error) {
	connector, err := nearlyfree.NewConnector(config)
	if err != nil {
		return nil, err
	}
	d := &database{config: config, connector: connector, db: sql.OpenDB(connector)}
	if d.conn, err = d.db.Conn(ctx); err == nil {
		err = d.conn.PingContext(ctx)
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// mustBeThere fails if the database in the data source name does not exist. That one's own connections see it all the same, because it comes
// with its first table, so another database is asked.
func (d *database) mustBeThere(ctx context.Context) error {
	if d.config.Database == "" {
		return nil
	}
	tables, err := d.rows(ctx, "SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() LIMIT 1")
	if err != nil || len(tables) > 0 {
		return err
	}
	config := *d.config
	config.Database = ""
	other, err := connect(ctx, &config)
	if err != nil {
		return err
	}
	defer other.close()
	return other.exec(ctx, "USE "+ask.Quoted(d.config.Database))
}

// spent says how many requests were made since, and what they cost. For memory and files it is what they would have cost.
func (d *database) spent(since nearlyfree.Stats) string {
	did := d.connector.Stats().Sub(since)
	text := fmt.Sprintf("%s, $%.6f", plural(did.Requests, "request"), did.DollarsPerMillion(nearlyfree.ListPrice)/1e6)
	if ask.InProcess(d.config) {
		return "on Azure " + text
	}
	return text
}

// has says whether a file is one of the store.
func (d *database) has(name string) bool {
	if d.file == "" || name == "" {
		return false
	}
	log := d.file + ".log"
	if real, err := filepath.EvalSymlinks(d.file); err == nil {
		log = real + ".log"
	}
	one, err1 := filepath.Abs(name)
	other, err2 := filepath.Abs(log)
	return sameFile(name, d.file) || sameFile(name, log) || one == other && err1 == nil && err2 == nil
}

func sameFile(a, b string) bool {
	one, err1 := os.Stat(a)
	other, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(one, other)
}

func (d *database) close() {
	if d.conn != nil {
		d.conn.Close()
	}
	d.db.Close()
}

// names are the names known for completion.
type names struct{ tables, columns, databases []string }

// names gives the tables of the session's database, their columns, and all databases.
func (d *database) names(ctx context.Context) (known names, err error) {
	rows, err := d.rows(ctx, "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = DATABASE()")
	if err != nil {
		return known, err
	}
	seen := map[string]bool{}
	add := func(list *[]string, kind, name string) {
		if !seen[kind+name] {
			seen[kind+name] = true
			*list = append(*list, name)
		}
	}
	for _, row := range rows {
		add(&known.tables, "table ", row[0])
		add(&known.columns, "column ", row[1])
	}
	known.databases, err = d.column(ctx, "SHOW DATABASES", 0)
	return known, err
}

// column gives a column of an answer, as texts.
func (d *database) column(ctx context.Context, query string, n int) ([]string, error) {
	rows, err := d.rows(ctx, query)
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = row[n]
	}
	return out, err
}

// warnings says how many warnings the last statement left: " · 2 warnings"; SHOW lists those of the one before.
func (d *database) warnings(text string) string {
	n := 0
	_ = d.conn.Raw(func(c any) error { // a lost connection reports nothing
		n = c.(nearlyfree.StatsConn).Warnings()
		return nil
	})
	if n == 0 || firstWord(text) == "SHOW" {
		return ""
	}
	return " · " + plural(int64(n), "warning")
}

// rows gives a short answer, as texts; NULL is an empty one.
func (d *database) rows(ctx context.Context, query string, args ...any) ([][]string, error) {
	return ask.Texts(ctx, d.conn, query, args...)
}

// exec runs statements in turn.
func (d *database) exec(ctx context.Context, texts ...string) error {
	for _, text := range texts {
		if _, err := d.conn.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}
