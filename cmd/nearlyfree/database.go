package main

import (
	"context"
	"database/sql"
	"regexp"
	"strings"

	"github.com/nearlyfreedb/nearlyfree"
)

// database is one open store and the one connection that all statements run on, so that transactions and SET last.
type database struct {
	connector *nearlyfree.Connector
	db        *sql.DB
	conn      *sql.Conn
}

var scheme = regexp.MustCompile(`^[a-z]{2,}:`) // C: is a disk

// isDSN tells a data source name from the name of a SQL file.
func isDSN(arg string) bool { return scheme.MatchString(arg) || !strings.HasSuffix(arg, ".sql") }

// open opens the store and asks it something, so that a wrong name or key is told before the prompt.
func open(ctx context.Context, dsn string) (*database, error) {
	config, err := nearlyfree.ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	connector, err := nearlyfree.NewConnector(config)
	if err != nil {
		return nil, err
	}
	d := &database{connector: connector, db: sql.OpenDB(connector)}
	if d.conn, err = d.db.Conn(ctx); err == nil {
		err = d.conn.PingContext(ctx)
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *database) close() {
	if d.conn != nil {
		d.conn.Close()
	}
	d.db.Close()
}

// names gives the tables of the session's database and their columns, for completion.
func (d *database) names(ctx context.Context) ([]string, error) {
	rows, err := d.conn.QueryContext(ctx, "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = DATABASE()")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	seen := map[string]bool{}
	var names []string
	for rows.Next() {
		var both [2]string
		if err := rows.Scan(&both[0], &both[1]); err != nil {
			return nil, err
		}
		for _, name := range both {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names, rows.Err()
}

// column gives a column of an answer, as texts.
func (d *database) column(ctx context.Context, query string, n int) ([]string, error) {
	rows, err := d.conn.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	cells := make([]any, len(columns))
	for i := range cells {
		cells[i] = new(sql.NullString)
	}
	var out []string
	for rows.Next() {
		if err := rows.Scan(cells...); err != nil {
			return nil, err
		}
		out = append(out, cells[n].(*sql.NullString).String)
	}
	return out, rows.Err()
}
