package clients

import (
	"database/sql"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/nearlyfreedb/nearlyfree"
)

func init() { sqlx.BindDriver("nearlyfree", sqlx.QUESTION) } // for names, IN lists and Rebind

type place struct {
	Country string
	City    sql.NullString
	Code    int `db:"telcode"`
}

type person struct {
	ID    int64
	Name  string
	Email sql.NullString
	Added time.Time
	Place place
}

// TestSqlx is an address book on github.com/jmoiron/sqlx.
func TestSqlx(t *testing.T) {
	onStores(t, nearlyfree.LayoutTable, func(t *testing.T, pool *sql.DB) {
		db := sqlx.NewDb(pool, "nearlyfree")
		db.MustExec("CREATE TABLE place (country VARCHAR(40) NOT NULL, city VARCHAR(40), telcode INT PRIMARY KEY)")
		db.MustExec("CREATE TABLE person (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(40) NOT NULL, email VARCHAR(80), place INT, added TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, KEY (name))")
		_, err := db.NamedExec("INSERT INTO place (country, city, telcode) VALUES (:country, :city, :telcode)",
			[]place{{"Hong Kong", sql.NullString{}, 852}, {"Singapore", sql.NullString{String: "Singapore", Valid: true}, 65}, {"Vatican", sql.NullString{}, 39}})
		must(t, err)
		tx := db.MustBegin()
		r := tx.MustExec(tx.Rebind("INSERT INTO person (name, email, place) VALUES (?, ?, ?)"), "Ann", "ann@example.com", 65)
		id, err := r.LastInsertId()
		must(t, err)
		_, err = tx.NamedExec("INSERT INTO person (name, place) VALUES (:name, :place)", []map[string]any{{"name": "Bob", "place": 852}, {"name": "Cid", "place": 852}})
		must(t, err)
		must(t, tx.Commit())

		var ann person
		must(t, db.Get(&ann, `SELECT p.id, p.name, p.email, p.added, l.country "place.country", l.city "place.city", l.telcode "place.telcode"
			FROM person p JOIN place l ON l.telcode = p.place WHERE p.id = ?`, id))
		equal(t, "country of Ann", ann.Place, place{"Singapore", sql.NullString{String: "Singapore", Valid: true}, 65})
		equal(t, "email of Ann", ann.Email.String, "ann@example.com")
		if since := time.Since(ann.Added); since < -2*time.Second || since > time.Hour {
			t.Fatalf("Ann was added %v ago", since)
		}
		query, args, err := sqlx.In("SELECT name FROM person WHERE place IN (?) AND name <> ? ORDER BY name DESC", []int{852, 65}, "Ann")
		must(t, err)
		var names []string
		must(t, db.Select(&names, db.Rebind(query), args...))
		equal(t, "names", len(names), 2)
		equal(t, "first", names[0], "Cid")

		rows, err := db.NamedQuery("SELECT * FROM place WHERE telcode = :telcode", place{Code: 39})
		must(t, err)
		defer rows.Close()
		var found place
		for rows.Next() {
			must(t, rows.StructScan(&found))
		}
		equal(t, "place", found.Country, "Vatican")
		stmt, err := db.PrepareNamed("SELECT COUNT(*) FROM person WHERE name LIKE :first OR place = :place")
		must(t, err)
		var n int
		must(t, stmt.Get(&n, map[string]any{"first": "A%", "place": 852}))
		equal(t, "counted", n, 3)
		all, err := db.Queryx("SELECT * FROM person ORDER BY id")
		must(t, err)
		defer all.Close()
		for all.Next() {
			got := map[string]any{}
			must(t, all.MapScan(got))
			equal(t, "columns", len(got), 5)
		}
		must(t, all.Err())
	})
}
