package clients

import (
	"database/sql"
	_ "embed"
	"errors"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/tests/clients/books"
)

//go:embed books/schema.sql
var booksSchema string

// TestSqlc runs what github.com/sqlc-dev/sqlc has made of books/query.sql, every statement prepared.
func TestSqlc(t *testing.T) {
	onStores(t, nearlyfree.LayoutSingle, func(t *testing.T, db *sql.DB) {
		ctx := t.Context()
		exec(t, db, booksSchema)
		q, err := books.Prepare(ctx, db)
		must(t, err)
		defer q.Close()
		r, err := q.CreateAuthor(ctx, books.CreateAuthorParams{Name: "Ann", Born: sql.NullTime{Time: time.Date(1970, 2, 3, 0, 0, 0, 0, time.UTC), Valid: true}})
		must(t, err)
		ann, err := r.LastInsertId()
		must(t, err)
		for _, bio := range []string{"first", "second"} {
			must(t, q.PutAuthor(ctx, books.PutAuthorParams{Name: "Bob", Bio: sql.NullString{String: bio, Valid: true}}))
		}
		author, err := q.GetAuthor(ctx, ann)
		must(t, err)
		equal(t, "born", author.Born.Time.Format(time.DateOnly), "1970-02-03")
		all, err := q.ListAuthors(ctx, books.ListAuthorsParams{Limit: 10, Offset: 1})
		must(t, err)
		equal(t, "authors behind the first", len(all), 1)
		equal(t, "bio of Bob", all[0].Bio.String, "second")
		some, err := q.AuthorsNamed(ctx, []string{"Bob", "Ann", "Eve"})
		must(t, err)
		equal(t, "named", len(some), 2)

		tx, err := db.BeginTx(ctx, nil)
		must(t, err)
		within := q.WithTx(tx)
		id, err := within.CreateBook(ctx, books.CreateBookParams{AuthorID: ann, Title: "One", Price: "10.25", Status: books.BookStatusPrinted, Tags: []byte(`{"b": [1], "a": 2}`)})
		must(t, err)
		_, err = within.CreateBook(ctx, books.CreateBookParams{AuthorID: ann, Title: "Two", Price: "3", Status: books.BookStatusSold, Tags: []byte(`null`)})
		must(t, err)
		must(t, tx.Commit())
		n, err := q.Reprice(ctx, books.RepriceParams{Factor: "1.1", Author: ann})
		must(t, err)
		equal(t, "books repriced", n, 1)
		of, err := q.BooksOf(ctx, "A%")
		must(t, err)
		equal(t, "price", of[0].Price, "11.28")
		equal(t, "tags", string(of[0].Tags), `{"a": 2, "b": [1]}`)
		totals, err := q.Totals(ctx)
		must(t, err)
		equal(t, "books of Ann", totals[0].Books, 2)
		equal(t, "books of Bob", totals[1].Books, 0)
		both, err := q.BookAndAuthor(ctx, id)
		must(t, err)
		equal(t, "author", both.Author.Name, "Ann")
		equal(t, "status", both.Book.Status, books.BookStatusPrinted)
		found, err := q.HasBook(ctx, "Two")
		must(t, err)
		equal(t, "found", found, true)
		n, err = q.DeleteAuthor(ctx, ann)
		must(t, err)
		equal(t, "deleted", n, 1)
		if _, err := q.BookAndAuthor(ctx, id); !errors.Is(err, sql.ErrNoRows) {
			t.Fatal("the book is there still", err)
		}
	})
}
