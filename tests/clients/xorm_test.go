package clients

import (
	"database/sql"
	"testing"
	"time"

	"xorm.io/xorm"
	"xorm.io/xorm/core"
	"xorm.io/xorm/names"

	"github.com/nearlyfreedb/nearlyfree"
)

type Account struct {
	Id      int64
	Name    string  `xorm:"varchar(25) notnull unique"`
	Balance float64 `xorm:"decimal(12,2) default 0"`
	Owner   string  `xorm:"index(owner_since) varchar(40)"`
	Since   time.Time
	Tags    []string       `xorm:"json"`
	Extra   map[string]int `xorm:"text"`
	Active  bool           `xorm:"notnull default true"`
	Photo   []byte         `xorm:"mediumblob"`
	Created time.Time      `xorm:"created"`
	Updated time.Time      `xorm:"updated"`
	Deleted time.Time      `xorm:"deleted"`
	Version int            `xorm:"version"`
}

type Entry struct {
	AccountId int64 `xorm:"pk"`
	No        int   `xorm:"pk"`
	Amount    float64
	Text      string
}

// TestXorm is a ledger on xorm.io/xorm: its tables are synchronized, twice, and then with one column more.
func TestXorm(t *testing.T) {
	onStores(t, nearlyfree.LayoutSingle, func(t *testing.T, pool *sql.DB) {
		var database string // of which xorm asks for tables
		must(t, pool.QueryRow("SELECT DATABASE()").Scan(&database))
		e, err := xorm.NewEngineWithDB("mysql", "user:password@tcp(localhost)/"+database, core.FromDB(pool))
		must(t, err)
		e.SetMapper(names.GonicMapper{})
		for range 2 {
			must(t, e.Sync(new(Account), new(Entry)))
		}
		a := Account{Name: "one", Owner: "Ann", Since: time.Now(), Tags: []string{"x", "y"}, Extra: map[string]int{"k": 1}, Active: true, Photo: []byte{0, 200}}
		n, err := e.Insert(&a)
		must(t, err)
		equal(t, "inserted", n, 1)
		n, err = e.Insert(&[]Account{{Name: "two", Owner: "Bob", Balance: 10.255}, {Name: "three", Owner: "Bob", Active: true}})
		must(t, err)
		equal(t, "inserted at once", n, 2)
		if _, err := e.Insert(&Account{Name: "two"}); err == nil {
			t.Fatal("a name twice")
		}
		got := Account{Id: a.Id}
		has, err := e.Get(&got)
		must(t, err)
		equal(t, "has", has, true)
		equal(t, "tags", len(got.Tags), 2)
		equal(t, "extra", got.Extra["k"], 1)
		equal(t, "photo", string(got.Photo), "\x00\xc8")
		if since := time.Since(got.Created); since < -2*time.Second || since > time.Hour {
			t.Fatalf("created %v ago", since)
		}
		xormWrite(t, e, got)
		xormRead(t, e)
		n, err = e.ID(a.Id).Delete(new(Account))
		must(t, err)
		equal(t, "deleted", n, 1)
		count, err := e.Count(new(Account))
		must(t, err)
		equal(t, "accounts", count, 2)
		count, err = e.Unscoped().Count(new(Account))
		must(t, err)
		equal(t, "with those deleted", count, 3)
		xormTables(t, e)
	})
}

func xormWrite(t *testing.T, e *xorm.Engine, a Account) {
	t.Helper()
	stale := a
	a.Balance = 5
	n, err := e.ID(a.Id).Cols("balance").Update(&a)
	must(t, err)
	equal(t, "updated", n, 1)
	n, err = e.ID(a.Id).Cols("balance").Update(&stale)
	must(t, err)
	equal(t, "updated by an old version", n, 0)
	_, err = e.Table(new(Account)).ID(a.Id).Incr("balance", 2.5).Update(map[string]any{"owner": "Ann"})
	must(t, err)
	_, err = e.Transaction(func(s *xorm.Session) (any, error) {
		if _, err := s.Insert(&Entry{a.Id, 1, 7.5, "in"}, &Entry{a.Id, 2, -2, "out"}); err != nil {
			return nil, err
		}
		var sum float64
		if _, err := s.Table("entry").Where("account_id = ?", a.Id).Select("SUM(amount)").Get(&sum); err != nil {
			return nil, err
		}
		equal(t, "sum", sum, 5.5)
		_, err := s.Exec("UPDATE account SET balance = balance + ? WHERE id = ?", sum, a.Id)
		return nil, err
	})
	must(t, err)
	s := e.NewSession()
	defer s.Close()
	must(t, s.Begin())
	_, err = s.Where("no > ?", 0).Delete(new(Entry))
	must(t, err)
	must(t, s.Rollback())
}

func xormRead(t *testing.T, e *xorm.Engine) {
	t.Helper()
	var all []Account
	must(t, e.Where("owner LIKE ?", "B%").In("name", "two", "three").Desc("name").Limit(5, 0).Find(&all))
	equal(t, "found", len(all), 2)
	equal(t, "rounded", all[0].Balance, 10.26)
	var joined []struct {
		Account `xorm:"extends"`
		Entry   `xorm:"extends"`
	}
	must(t, e.Table("account").Join("INNER", "entry", "entry.account_id = account.id").Where("entry.amount > 0").Find(&joined))
	equal(t, "joined", len(joined), 1)
	equal(t, "text", joined[0].Text, "in")
	equal(t, "balance", joined[0].Balance, 13)
	rows, err := e.QueryString("SELECT owner, COUNT(*) AS n FROM account GROUP BY owner HAVING n > 1")
	must(t, err)
	equal(t, "groups", rows[0]["n"], "2")
	has, err := e.Exist(&Account{Owner: "Eve"})
	must(t, err)
	equal(t, "Eve", has, false)
	must(t, e.Where("id > ?", 0).Iterate(new(Account), func(_ int, bean any) error {
		equal(t, "a name", bean.(*Account).Name != "", true)
		return nil
	}))
}

func xormTables(t *testing.T, e *xorm.Engine) {
	t.Helper()
	type Account struct {
		Id    int64
		Name  string `xorm:"varchar(25) notnull unique"`
		Phone string `xorm:"varchar(20) index"`
	}
	must(t, e.Sync(new(Account)))
	tables, err := e.DBMetas()
	must(t, err)
	equal(t, "tables", len(tables), 2)
	for _, table := range tables {
		if table.Name == "account" {
			equal(t, "columns", len(table.Columns()), 14)
			equal(t, "the key is counted up", table.AutoIncrColumn().Name, "id")
			equal(t, "type", table.GetColumn("balance").SQLType.Name, "DECIMAL")
		}
	}
	must(t, e.DropTables("entry"))
}
