package clients

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/mysqldialect"
	"github.com/uptrace/bun/migrate"

	"github.com/nearlyfreedb/nearlyfree"
)

type Writer struct {
	bun.BaseModel `bun:"table:writers,alias:w"`

	ID      int64 `bun:",pk,autoincrement"`
	Name    string
	Emails  []string       // JSON
	Details map[string]any `bun:"type:json"`
	Photo   []byte
	Rating  float64   `bun:",nullzero,notnull,default:1.5"`
	Active  bool      `bun:",notnull"`
	Created time.Time `bun:",nullzero,notnull,default:current_timestamp"`
	Gone    time.Time `bun:",soft_delete,nullzero"`

	Stories []*Story `bun:"rel:has-many,join:id=writer_id"`
}

type Story struct {
	ID       int64 `bun:",pk,autoincrement"`
	Title    string
	WriterID int64
	Writer   *Writer  `bun:"rel:belongs-to,join:writer_id=id"`
	Genres   []*Genre `bun:"m2m:story_genres,join:Story=Genre"`
}

type Genre struct {
	ID   int64  `bun:",pk,autoincrement"`
	Name string `bun:",unique"`
}

type StoryGenre struct {
	bun.BaseModel `bun:"table:story_genres"`

	StoryID int64  `bun:",pk"`
	Story   *Story `bun:"rel:belongs-to,join:story_id=id"`
	GenreID int64  `bun:",pk"`
	Genre   *Genre `bun:"rel:belongs-to,join:genre_id=id"`
}

// TestBun is a library of stories on github.com/uptrace/bun, with relations, upserts, transactions within transactions and migrations.
func TestBun(t *testing.T) {
	onStores(t, nearlyfree.LayoutSingle, func(t *testing.T, pool *sql.DB) {
		db := bun.NewDB(pool, mysqldialect.New())
		db.RegisterModel((*StoryGenre)(nil))
		ctx := t.Context()
		bunMigrate(t, db)
		writers := []*Writer{
			{Name: "Ann", Emails: []string{"a@example.com", "ann@example.com"}, Details: map[string]any{"born": 1970.0, "o'": `\ "`}, Photo: []byte{0, 255, '\''}, Active: true},
			{Name: "Bob \\ 'the' ?"},
		}
		_, err := db.NewInsert().Model(&writers).Exec(ctx)
		must(t, err)
		equal(t, "id of the second", writers[1].ID, writers[0].ID+1)
		stories := []Story{{Title: "One", WriterID: writers[0].ID}, {Title: "Two", WriterID: writers[0].ID}, {Title: "Three", WriterID: writers[1].ID}}
		_, err = db.NewInsert().Model(&stories).Exec(ctx)
		must(t, err)
		genres := []Genre{{Name: "novel"}, {Name: "crime"}}
		_, err = db.NewInsert().Model(&genres).Exec(ctx)
		must(t, err)
		_, err = db.NewInsert().Model(&[]StoryGenre{{StoryID: 1, GenreID: 1}, {StoryID: 1, GenreID: 2}, {StoryID: 3, GenreID: 1}}).Exec(ctx)
		must(t, err)

		bunFind(t, db)
		bunChange(t, db, stories)
		bunTransactions(t, db)
		res, err := db.NewDelete().Model(writers[1]).WherePK().Exec(ctx) // by gone
		must(t, err)
		n, err := res.RowsAffected()
		must(t, err)
		equal(t, "deleted", n, 1)
		for all, want := range map[bool]int64{false: 1, true: 2} {
			q := db.NewSelect().Model((*Writer)(nil))
			if all {
				q = q.WhereAllWithDeleted()
			}
			count, err := q.Count(ctx)
			must(t, err)
			equal(t, "writers", count, want)
		}
		_, err = db.NewTruncateTable().Model((*StoryGenre)(nil)).Exec(ctx)
		must(t, err)
		_, err = db.NewDropTable().Model((*StoryGenre)(nil)).IfExists().Exec(ctx)
		must(t, err)
	})
}

func bunMigrate(t *testing.T, db *bun.DB) {
	t.Helper()
	ctx := t.Context()
	all := migrate.NewMigrations()
	all.Add(migrate.Migration{Name: "20240101", Up: func(ctx context.Context, m *migrate.Migrator, _ *migrate.Migration) error {
		for _, model := range []any{(*Writer)(nil), (*Story)(nil), (*Genre)(nil), (*StoryGenre)(nil)} {
			if _, err := m.DB().NewCreateTable().Model(model).IfNotExists().Exec(ctx); err != nil {
				return err
			}
		}
		_, err := m.DB().NewCreateIndex().Model((*Story)(nil)).Index("stories_writer").Column("writer_id").Exec(ctx)
		return err
	}, Down: func(ctx context.Context, m *migrate.Migrator, _ *migrate.Migration) error {
		_, err := m.DB().NewDropIndex().Model((*Story)(nil)).Index("stories_writer").Exec(ctx)
		return err
	}})
	all.Add(migrate.Migration{Name: "20240102", Up: func(ctx context.Context, m *migrate.Migrator, _ *migrate.Migration) error {
		_, err := m.DB().NewAddColumn().Model((*Story)(nil)).ColumnExpr("pages INT NOT NULL DEFAULT 1").Exec(ctx)
		return err
	}, Down: func(ctx context.Context, m *migrate.Migrator, _ *migrate.Migration) error {
		_, err := m.DB().NewDropColumn().Model((*Story)(nil)).Column("pages").Exec(ctx)
		return err
	}})
	m := migrate.NewMigrator(db, all)
	must(t, m.Init(ctx))
	must(t, m.Lock(ctx))
	if err := migrate.NewMigrator(db, all).Lock(ctx); err == nil {
		t.Fatal("two have the lock")
	}
	group, err := m.Migrate(ctx)
	must(t, err)
	equal(t, "migrations", len(group.Migrations), 2)
	must(t, m.Unlock(ctx))
	for range 2 {
		_, err = m.Rollback(ctx)
		must(t, err)
		if group, err = m.Migrate(ctx); err != nil || len(group.Migrations) == 0 {
			t.Fatal(group, err)
		}
	}
}

func bunFind(t *testing.T, db *bun.DB) {
	t.Helper()
	ctx := t.Context()
	var ann Writer
	must(t, db.NewSelect().Model(&ann).Relation("Stories", func(q *bun.SelectQuery) *bun.SelectQuery { return q.Order("id DESC") }).Where("name = ?", "Ann").Scan(ctx))
	equal(t, "stories", len(ann.Stories), 2)
	equal(t, "first story", ann.Stories[0].Title, "Two")
	equal(t, "e-mails", ann.Emails[1], "ann@example.com")
	equal(t, "details", ann.Details["o'"], any(`\ "`))
	equal(t, "photo", string(ann.Photo), "\x00\xff'")
	equal(t, "rating", ann.Rating, 1.5)
	if since := time.Since(ann.Created); since < -2*time.Second || since > time.Hour {
		t.Fatalf("created %v ago", since)
	}
	var stories []Story
	n, err := db.NewSelect().Model(&stories).Relation("Writer").Relation("Genres").Where("writer.name LIKE ?", "%'the' ?").WhereOr("story.id IN (?)", bun.List([]int{1, 99})).
		OrderExpr("story.id").Limit(10).ScanAndCount(ctx)
	must(t, err)
	equal(t, "counted", n, 2)
	equal(t, "writer of the second", stories[1].Writer.Name, "Bob \\ 'the' ?")
	equal(t, "genres of the first", len(stories[0].Genres), 2)
	var totals []struct {
		Name  string
		Count int
	}
	counts := db.NewSelect().TableExpr("stories").ColumnExpr("writer_id, COUNT(*) AS count").GroupExpr("writer_id")
	must(t, db.NewSelect().With("counts", counts).TableExpr("counts").Join("JOIN writers AS w ON w.id = counts.writer_id").ColumnExpr("w.name, counts.count").OrderExpr("w.id").Scan(ctx, &totals))
	equal(t, "stories of Ann", totals[0].Count, 2)
	exists, err := db.NewSelect().Model((*Genre)(nil)).Where("name = ?", "none").Exists(ctx)
	must(t, err)
	equal(t, "there is none", exists, false)
	if err := db.NewSelect().Model(&ann).Where("id = 99").Scan(ctx); !errors.Is(err, sql.ErrNoRows) {
		t.Fatal(err)
	}
}

func bunChange(t *testing.T, db *bun.DB, stories []Story) {
	t.Helper()
	ctx := t.Context()
	_, err := db.NewInsert().Model(&Genre{ID: 1, Name: "novels"}).On("DUPLICATE KEY UPDATE").Set("name = VALUES(name)").Exec(ctx)
	must(t, err)
	_, err = db.NewInsert().Model(&Genre{Name: "novels"}).Ignore().Exec(ctx)
	must(t, err)
	for i := range stories {
		stories[i].Title += "!"
	}
	res, err := db.NewUpdate().Model(&stories).Column("title").Bulk().Exec(ctx)
	must(t, err)
	n, err := res.RowsAffected()
	must(t, err)
	equal(t, "updated", n, 3)
	_, err = db.NewUpdate().Model((*Writer)(nil)).Set("rating = rating * ?", 2).Where("name LIKE ?", "A%").Exec(ctx)
	must(t, err)
	var title string
	must(t, db.NewSelect().Model((*Story)(nil)).Column("title").Where("id = 3").Scan(ctx, &title))
	equal(t, "title", title, "Three!")
}

func bunTransactions(t *testing.T, db *bun.DB) {
	t.Helper()
	ctx := t.Context()
	no := errors.New("no")
	must(t, db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewInsert().Model(&Genre{Name: "kept"}).Exec(ctx); err != nil {
			return err
		}
		if err := tx.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error { // a savepoint
			_, err := tx.NewInsert().Model(&Genre{Name: "lost"}).Exec(ctx)
			return errors.Join(err, no)
		}); !errors.Is(err, no) {
			return err
		}
		return nil
	}))
	n, err := db.NewSelect().Model((*Genre)(nil)).Where("name IN ('kept', 'lost')").Count(ctx)
	must(t, err)
	equal(t, "genres of the transactions", n, 1)
}
