package clients

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// other is the database of People, another one in each test.
var other string

// People is a model of another database than the current one.
type People struct {
	ID   uint
	Name string `gorm:"size:50;index"`
}

// TableName has the database, too.
func (People) TableName() string { return other + ".people" }

// TestGormDatabases: gorm's migrator and statements go by the current database, and by one that a model names.
func TestGormDatabases(t *testing.T) {
	onStores(t, "", func(t *testing.T, db *sql.DB) {
		other = fmt.Sprintf("g%d", time.Now().UnixNano())
		exec(t, db, "CREATE DATABASE "+other)
		defer exec(t, db, "DROP DATABASE "+other)
		g := openGorm(t, db)
		var current string
		must(t, db.QueryRow("SELECT DATABASE()").Scan(&current))
		equal(t, "current database", g.Migrator().CurrentDatabase(), current)
		must(t, g.AutoMigrate(&People{}, &Company{}))
		must(t, g.AutoMigrate(&Company{})) // of what is there; HasTable of gorm does not know a name with a database, on MySQL neither
		equal(t, "companies are there", g.Migrator().HasTable(&Company{}), true)
		var n int
		must(t, db.QueryRow("SELECT COUNT(*) FROM information_schema.statistics WHERE table_schema = ?", other).Scan(&n))
		equal(t, "keys of people", n, 2)
		must(t, g.Create(&[]People{{Name: "Ann"}, {Name: "Bob"}}).Error)
		must(t, g.Create(&Company{Name: "Bob"}).Error)
		var found People
		must(t, g.First(&found, "name = ?", "Bob").Error)
		equal(t, "id", found.ID, 2)
		must(t, g.Model(&found).Update("name", "Rob").Error)
		var names []string
		must(t, g.Model(&People{}).Order("id").Pluck("name", &names).Error)
		equal(t, "names", fmt.Sprint(names), "[Ann Rob]")
		must(t, db.QueryRow("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = ?", other).Scan(&n))
		equal(t, "tables", n, 1)
		must(t, g.Migrator().DropTable(&People{}))
		_, err := db.Exec("SELECT * FROM " + other + ".people")
		equal(t, "there are no people", errors.Is(err, nearlyfree.ErrNoTable), true)
		equal(t, "companies are there", g.Migrator().HasTable(&Company{}), true)
	})
}
