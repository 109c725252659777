// Package ask has the questions that both the shell and the pages ask a database.
package ask

import (
	"cmp"
	"context"
	"database/sql"
	"strings"

	"github.com/nearlyfreedb/nearlyfree"
)

// Queryer is a *sql.DB or *sql.Conn.
type Queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Texts gives a short answer, as texts; NULL is an empty one.
func Texts(ctx context.Context, db Queryer, query string, args ...any) ([][]string, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out [][]string
	for rows.Next() {
		cells, pointers := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range cells {
			pointers[i] = &cells[i]
		}
		if err := rows.Scan(pointers...); err != nil {
			return nil, err
		}
		texts := make([]string, len(cells))
		for i, c := range cells {
			texts[i] = c.String
		}
		out = append(out, texts)
	}
	return out, rows.Err()
}

// Quoted is a name as statements write it, whatever characters it has.
func Quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// Home is the database of the data source name.
func Home(c *nearlyfree.Config) string { return cmp.Or(c.Database, "nearlyfree") }

// InProcess says whether the store is memory or a file, so that no request is sent anywhere.
func InProcess(c *nearlyfree.Config) bool {
	return strings.HasPrefix(c.Store, "mem:") || strings.HasPrefix(c.Store, "file:")
}
