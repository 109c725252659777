package clients

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"testing/fstest"

	"github.com/golang-migrate/migrate/v4"
	migratemysql "github.com/golang-migrate/migrate/v4/database/mysql"
	"github.com/golang-migrate/migrate/v4/source/iofs"
	"github.com/pressly/goose/v3"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestGoose runs github.com/pressly/goose with migrations in SQL and in Go.
func TestGoose(t *testing.T) {
	files := fstest.MapFS{
		"00001_users.sql": {Data: []byte(`-- +goose Up
CREATE TABLE users (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, username VARCHAR(40) NOT NULL, UNIQUE KEY (username));
INSERT INTO users (username) VALUES ('root'), ('vojtechvitek');
-- +goose Down
DROP TABLE users;
`)},
		"00002_emails.sql": {Data: []byte(`-- +goose NO TRANSACTION
-- +goose Up
-- +goose StatementBegin
ALTER TABLE users ADD COLUMN email VARCHAR(80) NOT NULL DEFAULT '';
-- +goose StatementEnd
CREATE INDEX users_email ON users (email);
-- +goose Down
DROP INDEX users_email ON users;
ALTER TABLE users DROP COLUMN email;
`)},
	}
	onStores(t, nearlyfree.LayoutTable, func(t *testing.T, db *sql.DB) {
		inGo := goose.NewGoMigration(3, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE users SET email = CONCAT(username, '@example.com')")
			return err
		}}, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE users SET email = ''")
			return err
		}})
		p, err := goose.NewProvider(goose.DialectMySQL, db, files, goose.WithGoMigrations(inGo))
		must(t, err)
		ctx := t.Context()
		done, err := p.Up(ctx)
		must(t, err)
		equal(t, "migrations", len(done), 3)
		var email string
		must(t, db.QueryRow("SELECT email FROM users WHERE username = 'root'").Scan(&email))
		equal(t, "email", email, "root@example.com")
		version, err := p.GetDBVersion(ctx)
		must(t, err)
		equal(t, "version", version, 3)
		_, err = p.DownTo(ctx, 1)
		must(t, err)
		if err := db.QueryRow("SELECT email FROM users").Scan(&email); !errors.Is(err, nearlyfree.ErrUnknownColumn) {
			t.Fatal(err)
		}
		status, err := p.Status(ctx)
		must(t, err)
		equal(t, "state of the second", status[1].State, goose.StatePending)
		_, err = p.Up(ctx)
		must(t, err)
		_, err = p.DownTo(ctx, 0)
		must(t, err)
	})
}

// TestMigrate runs github.com/golang-migrate/migrate with several statements in a file.
func TestMigrate(t *testing.T) {
	files := fstest.MapFS{
		"1_users.up.sql":    {Data: []byte("CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(40)); CREATE INDEX users_name ON users (name);\n-- the first\nINSERT INTO users VALUES (1, 'a;b');")},
		"1_users.down.sql":  {Data: []byte("DROP TABLE users")},
		"2_city.up.sql":     {Data: []byte("ALTER TABLE users ADD city VARCHAR(40)")},
		"2_city.down.sql":   {Data: []byte("ALTER TABLE users DROP city")},
		"3_broken.up.sql":   {Data: []byte("INSERT INTO nowhere VALUES (1)")},
		"3_broken.down.sql": {Data: []byte("SELECT 1")},
	}
	onStores(t, nearlyfree.LayoutTable, func(t *testing.T, db *sql.DB) {
		source, err := iofs.New(files, ".")
		must(t, err)
		target, err := migratemysql.WithInstance(db, &migratemysql.Config{})
		must(t, err)
		m, err := migrate.NewWithInstance("iofs", source, "nearlyfree", target)
		must(t, err)
		must(t, m.Migrate(2))
		var name string
		must(t, db.QueryRow("SELECT name FROM users WHERE city IS NULL").Scan(&name))
		equal(t, "name", name, "a;b")
		if err := m.Up(); err == nil {
			t.Fatal("the third goes through")
		}
		version, dirty, err := m.Version()
		must(t, err)
		equal(t, "version", version, 3)
		equal(t, "dirty", dirty, true)
		must(t, m.Force(2))
		must(t, m.Steps(-1))
		must(t, m.Down())
		must(t, m.Drop())
		if err := db.QueryRow("SELECT 1 FROM schema_migrations").Scan(new(int)); !errors.Is(err, nearlyfree.ErrNoTable) {
			t.Fatal(err)
		}
	})
}
