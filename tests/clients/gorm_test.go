package clients

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"

	"github.com/nearlyfreedb/nearlyfree"
)

// User and the others are what a program's models look like: the types that gorm gives by default, and some tags.
type User struct {
	gorm.Model
	Name      string `gorm:"size:100;index"`
	Email     *string
	Code      string  `gorm:"size:40;uniqueIndex;not null"`
	Age       uint8   `gorm:"default:18"`
	Balance   float64 `gorm:"type:decimal(10,2);not null;default:0"`
	Active    bool    `gorm:"not null;default:true"`
	Score     float32
	Seen      *time.Time
	Photo     []byte
	Notes     string `gorm:"type:text"`
	Company   *Company
	Pets      []Pet
	Tags      []Tag `gorm:"many2many:user_tags"`
	CompanyID *uint
}

type Company struct {
	ID   uint
	Name string `gorm:"size:50;uniqueIndex"`
}

type Pet struct {
	ID     uint
	UserID uint `gorm:"index"`
	Name   string
	Born   time.Time `gorm:"type:date"`
}

type Tag struct {
	Name string `gorm:"primaryKey;size:30"`
}

func openGorm(t *testing.T, db *sql.DB) *gorm.DB {
	t.Helper()
	g, err := gorm.Open(mysql.New(mysql.Config{Conn: db}), &gorm.Config{Logger: logger.Discard})
	must(t, err)
	return g
}

// TestGorm runs gorm.io/gorm by gorm.io/driver/mysql, with its foreign keys.
func TestGorm(t *testing.T) {
	onStores(t, nearlyfree.LayoutSingle, func(t *testing.T, db *sql.DB) {
		g := openGorm(t, db)
		for range 2 { // the second finds nothing to do
			must(t, g.AutoMigrate(&Company{}, &User{}, &Pet{}, &Tag{}))
		}
		equal(t, "foreign key of pets", g.Migrator().HasConstraint(&User{}, "Pets"), true)
		gormCreate(t, g)
		gormFind(t, g)
		gormUpdate(t, g)
		gormUpsert(t, g)
		gormTransactions(t, g)
		gormDelete(t, g)
		must(t, g.AutoMigrate(&Company{}, &User{}, &Pet{}, &Tag{}))
	})
}

func gormCreate(t *testing.T, g *gorm.DB) {
	seen := time.Now()
	ann := User{Name: "Ann", Code: "a", Balance: 19.999, Score: 0.1, Seen: &seen, Photo: []byte{0, 255}, Company: &Company{Name: "Acme"},
		Pets: []Pet{{Name: "Rex", Born: time.Now()}, {Name: "Tom", Born: time.Now()}}, Tags: []Tag{{"new"}, {"vip"}}}
	must(t, g.Create(&ann).Error)
	equal(t, "id of the first", ann.ID, 1)
	equal(t, "id of the second pet", ann.Pets[1].ID, ann.Pets[0].ID+1)
	users := []User{{Name: "Bob", Code: "b", CompanyID: ann.CompanyID}, {Name: "Cid", Code: "c"}, {Name: "Dan", Code: "d", Age: 40}}
	r := g.Create(&users)
	must(t, r.Error)
	equal(t, "rows of a batch", r.RowsAffected, 3)
	for i, u := range users {
		equal(t, "id in a batch", u.ID, uint(2+i))
	}
	many := make([]User, 20) // with the entries of their indexes they are 80 entities: a transaction has at most 100
	for i := range many {
		many[i] = User{Name: "Many", Code: "many" + string(rune('A'+i))}
	}
	must(t, g.CreateInBatches(many, 10).Error)

	var back User
	must(t, g.First(&back, ann.ID).Error)
	equal(t, "DECIMAL(10,2) of 19.999", back.Balance, 20.00)
	equal(t, "float32", back.Score, float32(0.1))
	equal(t, "datetime(3) of time.Now()", back.Seen.UnixMilli(), seen.Truncate(100*time.Nanosecond).Round(time.Millisecond).UnixMilli())
	equal(t, "bytes", string(back.Photo), "\x00\xff")
	equal(t, "default", back.Age, 18)
	equal(t, "bool", back.Active, true)
	equal(t, "NULL", back.Email, nil)
	if err := g.Create(&User{Name: "Again", Code: "a"}).Error; err == nil {
		t.Fatal("a unique index takes a code twice")
	}
}

func gormFind(t *testing.T, g *gorm.DB) {
	var u User
	must(t, g.Preload("Company").Preload("Pets").Preload("Tags").First(&u, "code = ?", "a").Error)
	equal(t, "company", u.Company.Name, "Acme")
	equal(t, "pets", len(u.Pets), 2)
	equal(t, "tags", len(u.Tags), 2)
	equal(t, "DATE", u.Pets[0].Born.Format(time.DateOnly), time.Now().UTC().Format(time.DateOnly))
	var users []User
	must(t, g.Joins("Company").Where("users.name IN ?", []string{"Ann", "Bob", "Cid"}).Order("users.id").Find(&users).Error)
	equal(t, "joined", len(users), 3)
	equal(t, "company of Bob", users[1].Company.Name, "Acme")
	if users[2].Company != nil {
		t.Fatal("Cid has a company")
	}
	var n int64
	must(t, g.Model(&User{}).Where("name LIKE ?", "Ma%").Or("age > ?", 30).Count(&n).Error)
	equal(t, "counted", n, 21)
	must(t, g.Where(&User{Name: "Many"}).Order("code DESC").Limit(3).Offset(2).Find(&users).Error)
	equal(t, "page", users[0].Code, "manyR")
	var groups []struct {
		Name  string
		Total int64
		Sum   float64
	}
	must(t, g.Model(&User{}).Select("name, COUNT(*) AS total, SUM(age) AS sum").Group("name").Having("COUNT(*) > ?", 1).Scan(&groups).Error)
	equal(t, "groups", len(groups), 1)
	equal(t, "sum", groups[0].Sum, 20*18)
	must(t, g.Where("company_id IN (?)", g.Model(&Company{}).Select("id")).Order("id").Find(&users).Error)
	equal(t, "by a subquery", len(users), 2)
	must(t, g.Where("created_at <= ? AND created_at > ?", time.Now().Add(time.Second), time.Now().Add(-time.Hour)).Find(&users).Error)
	equal(t, "by time", len(users), 24)
	var names []string
	must(t, g.Model(&User{}).Distinct().Order("name").Pluck("name", &names).Error)
	equal(t, "names", len(names), 5)
	if err := g.First(&User{}, "code = ?", "none").Error; !errors.Is(err, gorm.ErrRecordNotFound) {
		t.Fatal(err)
	}
	var eve User
	must(t, g.Where(User{Code: "e"}).Attrs(User{Name: "Eve"}).FirstOrCreate(&eve).Error)
}

func gormUpdate(t *testing.T, g *gorm.DB) {
	var u User
	must(t, g.First(&u, "code = ?", "b").Error)
	u.Name, u.Active, u.Balance = "Bobby", false, 1.005
	must(t, g.Save(&u).Error)
	must(t, g.Model(&u).Updates(map[string]any{"age": gorm.Expr("age + ?", 1), "balance": gorm.Expr("balance * ?", 1.1), "seen": time.Now()}).Error)
	r := g.Model(&User{}).Where("name = ?", "Many").Update("score", 2.5)
	must(t, r.Error)
	equal(t, "rows updated", r.RowsAffected, 20)
	var back User
	must(t, g.First(&back, u.ID).Error)
	equal(t, "name", back.Name, "Bobby")
	equal(t, "age", back.Age, 19)
	equal(t, "active", back.Active, false)
	if back.Balance < 1.10 || back.Balance > 1.12 {
		t.Fatalf("balance %v", back.Balance)
	}
	must(t, g.Model(&back).Association("Tags").Append(&Tag{"late"}))
	equal(t, "tags", g.Model(&back).Association("Tags").Count(), 1)
	must(t, g.Model(&back).Association("Tags").Clear())
}

func gormUpsert(t *testing.T, g *gorm.DB) {
	upsert := g.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "code"}}, DoUpdates: clause.AssignmentColumns([]string{"name", "age"})})
	must(t, upsert.Create(&[]User{{Name: "Cid II", Code: "c", Age: 50}, {Name: "Fay", Code: "f", Age: 20}}).Error)
	must(t, g.Clauses(clause.OnConflict{DoNothing: true}).Create(&User{Name: "nobody", Code: "c"}).Error)
	must(t, g.Clauses(clause.OnConflict{UpdateAll: true}).Create(&Company{ID: 1, Name: "Acme & Co"}).Error)
	must(t, g.Clauses(clause.Insert{Modifier: "IGNORE"}).Create(&Company{ID: 1, Name: "none"}).Error)
	var u User
	must(t, g.Preload("Company").First(&u, "code = ?", "c").Error)
	equal(t, "upserted", u.Name, "Cid II")
	equal(t, "upserted age", u.Age, 50)
	var c Company
	must(t, g.First(&c, 1).Error)
	equal(t, "company", c.Name, "Acme & Co")
}

func gormTransactions(t *testing.T, g *gorm.DB) {
	failed := errors.New("no")
	err := g.Transaction(func(tx *gorm.DB) error {
		must(t, tx.Create(&Tag{"lost"}).Error)
		return failed
	})
	equal(t, "error of the transaction", err, failed)
	must(t, g.Transaction(func(tx *gorm.DB) error {
		var u User
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&u, "code = ?", "d").Error; err != nil {
			return err
		}
		if err := tx.Model(&u).Update("balance", 100).Error; err != nil {
			return err
		}
		_ = tx.Transaction(func(inner *gorm.DB) error { // a savepoint
			must(t, inner.Model(&u).Update("name", "gone").Error)
			return failed
		})
		return nil
	}))
	var u User
	must(t, g.First(&u, "code = ?", "d").Error)
	equal(t, "balance", u.Balance, 100.0)
	equal(t, "name", u.Name, "Dan")
	var n int64
	must(t, g.Model(&Tag{}).Where("name = ?", "lost").Count(&n).Error)
	equal(t, "tags of a transaction that failed", n, 0)
}

func gormDelete(t *testing.T, g *gorm.DB) {
	var u User
	must(t, g.First(&u, "code = ?", "d").Error)
	must(t, g.Delete(&u).Error) // by deleted_at
	if err := g.First(&User{}, u.ID).Error; !errors.Is(err, gorm.ErrRecordNotFound) {
		t.Fatal(err)
	}
	must(t, g.Unscoped().First(&User{}, u.ID).Error)
	r := g.Unscoped().Where("name = ?", "Many").Delete(&User{})
	must(t, r.Error)
	equal(t, "rows deleted", r.RowsAffected, 20)
	must(t, g.Select("Pets").Delete(&User{Model: gorm.Model{ID: 1}}).Error)
	var n int64
	must(t, g.Model(&Pet{}).Count(&n).Error)
	equal(t, "pets", n, 0)
	must(t, g.Migrator().DropTable(&Pet{}))
	equal(t, "pets are there", g.Migrator().HasTable(&Pet{}), false)
}
