-- name: CreateAuthor :execresult
INSERT INTO author (name, bio, born) VALUES (?, ?, ?);

-- name: PutAuthor :exec
INSERT INTO author (name, bio) VALUES (?, ?) ON DUPLICATE KEY UPDATE bio = VALUES(bio);

-- name: GetAuthor :one
SELECT * FROM author WHERE id = ? LIMIT 1;

-- name: ListAuthors :many
SELECT * FROM author ORDER BY name LIMIT ? OFFSET ?;

-- name: AuthorsNamed :many
SELECT id, name FROM author WHERE name IN (sqlc.slice('names')) ORDER BY name;

-- name: CreateBook :execlastid
INSERT INTO book (author_id, title, price, status, tags) VALUES (?, ?, ?, ?, ?);

-- name: Reprice :execrows
UPDATE book SET price = price * sqlc.arg('factor') WHERE author_id = sqlc.arg('author') AND status <> 'sold';

-- name: BooksOf :many
SELECT b.id, b.title, b.price, b.status, b.tags, a.name AS author FROM book b JOIN author a ON a.id = b.author_id WHERE a.name LIKE ? ORDER BY b.id;

-- name: Totals :many
SELECT a.name, COUNT(b.id) AS books, COALESCE(SUM(b.price), 0) AS total FROM author a LEFT JOIN book b ON b.author_id = a.id GROUP BY a.id, a.name ORDER BY a.name;

-- name: HasBook :one
SELECT EXISTS(SELECT 1 FROM book WHERE title = ?) AS found;

-- name: BookAndAuthor :one
SELECT sqlc.embed(book), sqlc.embed(author) FROM book JOIN author ON author.id = book.author_id WHERE book.id = ?;

-- name: DeleteAuthor :execrows
DELETE FROM author WHERE id = ?;
