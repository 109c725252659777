package mariadb

import (
	"database/sql"
	"flag"
	"fmt"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/tests/tpch"
)

var scale = flag.Float64("tpch", 0.001, "scale factor of TPC-H; 0.01 is its benchmark's")

// BenchmarkTPCH runs each query side by side, here in memory: go test -run '^$' -bench TPCH -tpch 0.01 -benchtime 3x .
func BenchmarkTPCH(b *testing.B) {
	needServer(b)
	ours := openTPCH(b, "nearlyfree", "mem://", nil)
	theirs := openTPCH(b, "mysql", serverDSN, []string{"DROP DATABASE IF EXISTS tpch", "CREATE DATABASE tpch", "USE tpch"})
	for i, query := range tpch.Queries {
		for _, side := range []struct {
			name string
			conn *sql.Conn
		}{{"ours", ours}, {"mariadb", theirs}} {
			b.Run(fmt.Sprintf("%02d/%s", i+1, side.name), func(b *testing.B) {
				for b.Loop() {
					if err := readAll(b, side.conn, query); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// openTPCH makes the data on a connection.
func openTPCH(b *testing.B, driver, dsn string, before []string) *sql.Conn {
	b.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	conn, err := db.Conn(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	run := func(statement string) {
		if _, err := conn.ExecContext(b.Context(), statement); err != nil {
			b.Fatalf("%.200s: %v", statement, err)
		}
	}
	for _, s := range before {
		run(s)
	}
	for s := range tpch.Load(*scale) {
		run(s)
	}
	run("ANALYZE TABLE region, nation, supplier, customer, part, partsupp, orders, lineitem")
	return conn
}

func readAll(b *testing.B, conn *sql.Conn, query string) error {
	rows, err := conn.QueryContext(b.Context(), query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}
