package pets

import (
	"os"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/schema"
	"entgo.io/ent/schema/field"
	_ "github.com/go-sql-driver/mysql"

	"pets/ent"
	"pets/ent/group"
	"pets/ent/migrate"
	"pets/ent/pet"
	"pets/ent/user"
)

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

func TestPets(t *testing.T) {
	driver, err := entsql.Open(dialect.MySQL, os.Getenv("PROGRAM_DSN")+"?parseTime=true")
	must(t, err)
	client := ent.NewClient(ent.Driver(driver))
	defer client.Close()
	ctx := t.Context()
	for range 2 { // the second finds nothing to do
		must(t, client.Schema.Create(ctx, migrate.WithDropIndex(true), migrate.WithDropColumn(true)))
	}
	create(t, client)
	query(t, client)
	change(t, client)
	transactions(t, client)

	// A version later: a column more, another default, a text that may be longer, one index less.
	m, err := schema.NewMigrate(driver, schema.WithDropIndex(true), schema.WithDropColumn(true))
	must(t, err)
	later := *migrate.GroupsTable
	later.Columns = append([]*schema.Column{}, later.Columns...)
	name := *later.Columns[1]
	name.Size, name.Unique = 500, false
	later.Columns[1] = &name
	later.Columns[2] = &schema.Column{Name: "motto", Type: field.TypeString, Default: "none"}
	for range 2 {
		must(t, m.Create(ctx, &later))
	}
	var rows entsql.Rows
	must(t, driver.Query(ctx, "SELECT motto FROM `groups`", []any{}, &rows))
	defer rows.Close()
	mottos, err := entsql.ScanString(&rows)
	must(t, err)
	equal(t, "motto", mottos, "none")
}

func create(t *testing.T, client *ent.Client) {
	t.Helper()
	ctx := t.Context()
	ann := client.User.Create().SetName("Ann").SetAge(30).SetScore(0.5).SetTags([]string{"a", "b"}).SetPhoto([]byte{0, 255}).SaveX(ctx)
	bob := client.User.Create().SetName("Bob").SetState(user.StateOff).AddFriends(ann).SaveX(ctx)
	equal(t, "age of Bob", bob.Age, 18)
	if err := client.User.Create().SetName("Ann").Exec(ctx); !ent.IsConstraintError(err) {
		t.Fatalf("a name twice: %v", err)
	}
	pets := client.Pet.MapCreateBulk([]string{"Rex", "Tom", "Kit"}, func(c *ent.PetCreate, i int) {
		c.SetName([]string{"Rex", "Tom", "Kit"}[i]).SetOwner(ann).SetChip(1<<40 + uint64(i))
	}).SaveX(ctx)
	equal(t, "id of the third", pets[2].ID, pets[0].ID+2)
	client.Group.Create().SetName("all").AddUsers(ann, bob).SaveX(ctx)
	client.Card.Create().SetNumber("1234").SetOwner(ann).SetExpired(time.Now()).SaveX(ctx)
	if _, err := client.Card.Create().SetNumber("5").SetOwnerID(999).Save(ctx); !ent.IsConstraintError(err) {
		t.Fatalf("a card of nobody: %v", err)
	}
}

func query(t *testing.T, client *ent.Client) {
	t.Helper()
	ctx := t.Context()
	all := client.User.Query().WithPets(func(q *ent.PetQuery) { q.Order(ent.Desc(pet.FieldName)).Limit(2) }).WithFriends().WithCard().WithGroups().Order(ent.Asc(user.FieldName)).AllX(ctx)
	equal(t, "users", len(all), 2)
	ann := all[0]
	equal(t, "pets", len(ann.Edges.Pets), 2)
	equal(t, "the first", ann.Edges.Pets[0].Name, "Tom")
	equal(t, "chip", ann.Edges.Pets[0].Chip, 1<<40+1)
	equal(t, "friend", ann.Edges.Friends[0].Name, "Bob")
	equal(t, "card", ann.Edges.Card.Number, "1234")
	equal(t, "tags", len(ann.Tags), 2)
	equal(t, "photo", string(ann.Photo), "\x00\xff")
	if since := time.Since(ann.Created); since < -2*time.Second || since > time.Hour {
		t.Fatalf("created %v ago", since)
	}
	n := client.User.Query().Where(user.Or(user.HasPetsWith(pet.NameHasPrefix("R")), user.NameEqualFold("nobody")), user.HasGroupsWith(group.Name("all")), user.Not(user.StateEQ(user.StateOff))).CountX(ctx)
	equal(t, "counted", n, 1)
	names := client.Pet.Query().QueryOwner().QueryFriends().Select(user.FieldName).StringsX(ctx)
	equal(t, "friends of owners", names[0], "Bob")
	var groups []struct {
		State      user.State
		Count, Sum int
	}
	client.User.Query().GroupBy(user.FieldState).Aggregate(ent.Count(), ent.Sum(user.FieldAge)).ScanX(ctx, &groups)
	equal(t, "states", len(groups), 2)
	page := client.User.Query().Where(user.AgeGT(1)).Order(user.ByPetsCount(entsql.OrderDesc()), ent.Asc(user.FieldID)).Offset(1).Limit(5).AllX(ctx)
	equal(t, "behind the first", page[0].Name, "Bob")
	if _, err := client.User.Query().Where(user.Name("Eve")).Only(ctx); !ent.IsNotFound(err) {
		t.Fatal(err)
	}
	equal(t, "exists", client.User.Query().Where(user.ScoreIsNil()).ExistX(ctx), true)
}

func change(t *testing.T, client *ent.Client) {
	t.Helper()
	ctx := t.Context()
	ann := client.User.Query().Where(user.Name("Ann")).OnlyX(ctx)
	ann = ann.Update().AddAge(1).ClearScore().AppendTags([]string{"c"}).SetBio("long").SaveX(ctx)
	equal(t, "age", ann.Age, 31)
	equal(t, "tags", len(ann.Tags), 3)
	equal(t, "updated", client.User.Update().Where(user.AgeLT(100)).SetActive(false).SaveX(ctx), 2)
	for range 2 {
		client.Group.Create().SetName("all").SetSize(7).OnConflict(entsql.ConflictColumns(group.FieldName)).UpdateNewValues().ExecX(ctx)
	}
	equal(t, "size", client.Group.Query().OnlyX(ctx).Size, 7)
	client.Group.CreateBulk(client.Group.Create().SetName("all"), client.Group.Create().SetName("few")).OnConflict().Ignore().ExecX(ctx)
	equal(t, "groups", client.Group.Query().CountX(ctx), 2)
	client.Group.Delete().Where(group.Name("few")).ExecX(ctx)
	equal(t, "deleted", client.Pet.Delete().Where(pet.Name("Kit")).ExecX(ctx), 1)
}

func transactions(t *testing.T, client *ent.Client) {
	t.Helper()
	ctx := t.Context()
	tx, err := client.Tx(ctx)
	must(t, err)
	tx.User.Create().SetName("lost").SaveX(ctx)
	must(t, tx.Rollback())
	tx, err = client.Tx(ctx)
	must(t, err)
	bob := tx.User.Query().Where(user.Name("Bob")).ForUpdate().OnlyX(ctx)
	bob.Update().SetAge(50).ClearGroups().ExecX(ctx)
	must(t, tx.Commit())
	equal(t, "lost", client.User.Query().Where(user.Name("lost")).ExistX(ctx), false)
	if err := client.User.DeleteOneID(0).Exec(ctx); !ent.IsNotFound(err) {
		t.Fatal(err)
	}
	client.Card.Delete().ExecX(ctx)
	ann := client.User.Query().Where(user.Name("Ann")).OnlyX(ctx)
	ann.Update().ClearFriends().ClearGroups().ExecX(ctx)
	must(t, client.User.DeleteOne(ann).Exec(ctx)) // and the pets with her
	equal(t, "pets", client.Pet.Query().CountX(ctx), 0)
}
