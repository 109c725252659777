package planes

import (
	"database/sql"
	_ "embed"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/aarondl/null/v8"
	"github.com/aarondl/sqlboiler/v4/boil"
	"github.com/aarondl/sqlboiler/v4/queries"
	"github.com/aarondl/sqlboiler/v4/queries/qm"
	"github.com/aarondl/sqlboiler/v4/types"
	"github.com/ericlagergren/decimal"
	"github.com/go-sql-driver/mysql"

	"planes/models"
)

//go:embed schema.sql
var schema string

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

func hours(tenths int64) types.Decimal { return types.NewDecimal(decimal.New(tenths, 1)) }

// The models are what the generator has made of the store.
func TestPlanes(t *testing.T) {
	db, err := sql.Open("mysql", os.Getenv("PROGRAM_DSN")+"?parseTime=true&multiStatements=true")
	must(t, err)
	defer db.Close()
	_, err = db.Exec(schema)
	must(t, err)
	ctx := t.Context()

	ann := &models.Pilot{Name: "Ann", Rank: models.PilotRankCaptain, Hours: hours(1235), Active: true, Born: null.TimeFrom(time.Date(1980, 5, 6, 0, 0, 0, 0, time.UTC))}
	must(t, ann.Insert(ctx, db, boil.Infer()))
	bob := &models.Pilot{Name: "Bob", Hours: hours(0), Active: true}
	must(t, bob.Insert(ctx, db, boil.Infer()))
	equal(t, "id of Bob", bob.ID, ann.ID+1)
	equal(t, "default of Bob's rank", bob.Rank, models.PilotRankFirst)
	var e *mysql.MySQLError
	if err := (&models.Pilot{Name: "Ann", Hours: hours(0)}).Insert(ctx, db, boil.Infer()); !errors.As(err, &e) || e.Number != 1062 {
		t.Fatal(err)
	}
	must(t, ann.AddJets(ctx, db, true, &models.Jet{Age: 3, Name: "one", Data: null.JSONFrom([]byte(`{"seats":180}`))}, &models.Jet{Age: 9, Name: "two", Color: null.StringFrom("red")}))
	must(t, bob.AddLanguages(ctx, db, true, &models.Language{Name: "Danish"}))
	must(t, ann.AddLanguages(ctx, db, false, bob.R.Languages...))
	must(t, ann.AddLanguages(ctx, db, true, &models.Language{Name: "Welsh"}))

	pilots, err := models.Pilots(qm.Load(models.PilotRels.Jets, models.JetWhere.Age.GT(2), qm.OrderBy("age DESC")), qm.Load(models.PilotRels.Languages), models.PilotWhere.Active.EQ(true), qm.OrderBy("name")).All(ctx, db)
	must(t, err)
	equal(t, "pilots", len(pilots), 2)
	equal(t, "oldest jet", pilots[0].R.Jets[0].Name, "two")
	equal(t, "languages of Ann", len(pilots[0].R.Languages), 2)
	equal(t, "hours of Ann", pilots[0].Hours.String(), "123.5")
	equal(t, "born", pilots[0].Born.Time.Format(time.DateOnly), "1980-05-06")
	jet, err := models.Jets(qm.InnerJoin("pilot p ON p.id = jet.pilot_id"), qm.Where("p.name = ? AND jet.color IS NULL", "Ann"), qm.WhereIn("jet.age IN ?", 3, 4)).One(ctx, db)
	must(t, err)
	equal(t, "data", string(jet.Data.JSON), `{"seats": 180}`)
	if _, err := models.FindJet(ctx, db, 99); !errors.Is(err, sql.ErrNoRows) {
		t.Fatal(err)
	}
	var counts []struct {
		Color null.String `boil:"color"`
		N     int         `boil:"n"`
	}
	must(t, queries.Raw("SELECT color, COUNT(*) AS n FROM jet GROUP BY 1 ORDER BY 1").Bind(ctx, db, &counts))
	equal(t, "colors", len(counts), 2)
	of, err := models.JetsOfs(qm.OrderBy("pilot")).All(ctx, db)
	must(t, err)
	equal(t, "jets of Ann", of[0].Jets, 2)

	tx, err := db.BeginTx(ctx, nil)
	must(t, err)
	jet.Color = null.StringFrom("blue")
	n, err := jet.Update(ctx, tx, boil.Whitelist(models.JetColumns.Color))
	must(t, err)
	equal(t, "updated", n, 1)
	n, err = models.Jets(models.JetWhere.Age.LT(100)).UpdateAll(ctx, tx, models.M{"age": 1})
	must(t, err)
	equal(t, "updated at once", n, 2)
	must(t, tx.Rollback())
	must(t, jet.Reload(ctx, db))
	equal(t, "color", jet.Color.Valid, false)
	up := &models.Language{ID: bob.R.Languages[0].ID, Name: "dansk"}
	must(t, up.Upsert(ctx, db, boil.Whitelist(models.LanguageColumns.Name), boil.Infer()))
	exists, err := models.Languages(models.LanguageWhere.Name.EQ("dansk")).Exists(ctx, db)
	must(t, err)
	equal(t, "upserted", exists, true)
	if _, err := ann.Delete(ctx, db); !errors.As(err, &e) || e.Number != 1451 {
		t.Fatalf("a pilot with jets: %v", err)
	}
	must(t, bob.SetLanguages(ctx, db, false))
	n, err = bob.Delete(ctx, db)
	must(t, err)
	equal(t, "deleted", n, 1)
}
