package clients

import (
	"context"
	"database/sql"
	"testing"
	"time"

	sq "github.com/Masterminds/squirrel"
	"github.com/XSAM/otelsql"
	"github.com/georgysavva/scany/v2/sqlscan"
	"github.com/xo/dburl"
	"go.opentelemetry.io/otel/attribute"

	"github.com/nearlyfreedb/nearlyfree"
)

type order struct {
	ID     int64
	Person string
	Total  float64
	Paid   *time.Time
	Lines  int
}

// TestSquirrelAndScany is a list of orders whose queries github.com/Masterminds/squirrel builds and github.com/georgysavva/scany reads.
func TestSquirrelAndScany(t *testing.T) {
	onStores(t, nearlyfree.LayoutTable, func(t *testing.T, db *sql.DB) {
		ctx := t.Context()
		exec(t, db, "CREATE TABLE orders (id BIGINT PRIMARY KEY AUTO_INCREMENT, person VARCHAR(40) NOT NULL, total DECIMAL(10,2) NOT NULL, paid DATETIME(3), KEY (person))",
			"CREATE TABLE lines_ (order_id BIGINT, no INT, what VARCHAR(40), PRIMARY KEY (order_id, no))")
		b := sq.StatementBuilder.RunWith(sq.NewStmtCache(db))
		insert := b.Insert("orders").Columns("person", "total", "paid").Values("Ann", 10.5, time.Now()).Values("Bob", sq.Expr("2 * ?", 4), nil).Values("Ann", 1, nil)
		r, err := insert.Exec()
		must(t, err)
		n, err := r.RowsAffected()
		must(t, err)
		equal(t, "rows", n, 3)
		_, err = b.Insert("lines_").Columns("order_id", "no", "what").Select(sq.Select("id", "1", "'first'").From("orders").Where(sq.Gt{"total": 5})).Exec()
		must(t, err)
		_, err = b.Insert("lines_").SetMap(map[string]any{"order_id": 1, "no": 2, "what": "second"}).Suffix("ON DUPLICATE KEY UPDATE what = VALUES(what)").Exec()
		must(t, err)
		_, err = b.Update("orders").Set("total", sq.Case().When("paid IS NULL", "total + 1").Else("total")).Where(sq.Or{sq.Eq{"person": []string{"Ann", "Bob"}}, sq.Eq{"paid": nil}}).OrderBy("id").Limit(10).Exec()
		must(t, err)

		query, args, err := sq.Select("o.id", "o.person", "o.total", "o.paid", "COUNT(l.no) AS `lines`").From("orders o").LeftJoin("lines_ l ON l.order_id = o.id").
			Where(sq.And{sq.NotEq{"o.person": "Cid"}, sq.Expr("EXISTS (?)", sq.Select("1").From("orders").Where("person = o.person"))}).
			GroupBy("o.id", "o.person", "o.total", "o.paid").OrderBy("o.id").Offset(0).Limit(5).ToSql()
		must(t, err)
		var orders []order
		must(t, sqlscan.Select(ctx, db, &orders, query, args...))
		equal(t, "orders", len(orders), 3)
		equal(t, "lines of the first", orders[0].Lines, 2)
		equal(t, "total of the second", orders[1].Total, 9)
		equal(t, "the second is not paid", orders[1].Paid == nil, true)
		var one order
		must(t, sqlscan.Get(ctx, db, &one, "SELECT id, total FROM orders WHERE person = ?", "Bob"))
		equal(t, "order of Bob", one.ID, orders[1].ID)
		if err := sqlscan.Get(ctx, db, &one, "SELECT id FROM orders WHERE person = ?", "Eve"); !sqlscan.NotFound(err) {
			t.Fatal(err)
		}
		query, args, err = sq.Select("id").From("orders").Where(sq.Eq{"id": []int{}}).ToSql()
		must(t, err)
		var ids []int64
		must(t, sqlscan.Select(ctx, db, &ids, query, args...))
		equal(t, "of an empty list", len(ids), 0)
		_, err = b.Delete("orders").Where(sq.Lt{"total": 3}).Exec()
		must(t, err)
	})
}

// TestOtelsql wraps the driver in github.com/XSAM/otelsql.
func TestOtelsql(t *testing.T) {
	connector, err := nearlyfree.Driver{}.OpenConnector("mem://")
	must(t, err)
	db := otelsql.OpenDB(connector, otelsql.WithAttributes(attribute.String("db.system", "mysql")), otelsql.WithSQLCommenter(true))
	defer db.Close()
	exec(t, db, "CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY, at DATETIME(6))")
	ctx := t.Context()
	now := time.Now().UTC().Truncate(time.Microsecond)
	_, err = db.ExecContext(ctx, "INSERT INTO t VALUES (?, ?)", uint64(1)<<63, now)
	must(t, err)
	stmt, err := db.PrepareContext(ctx, "SELECT at FROM t WHERE id = ?")
	must(t, err)
	defer stmt.Close()
	var got time.Time
	must(t, stmt.QueryRowContext(ctx, uint64(1)<<63).Scan(&got))
	equal(t, "time", got.Equal(now), true)
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	must(t, err)
	_, err = tx.ExecContext(ctx, "DELETE FROM t")
	must(t, err)
	must(t, tx.Rollback())
	conn, err := db.Conn(ctx)
	must(t, err)
	defer conn.Close()
	must(t, conn.Raw(func(c any) error {
		counted, ok := c.(interface{ Raw() any })
		if !ok {
			return nil
		}
		if _, ok := counted.Raw().(nearlyfree.StatsConn); !ok {
			t.Errorf("a %T is in it", counted.Raw())
		}
		return nil
	}))
	rows, err := db.QueryContext(context.Background(), "SELECT * FROM t")
	must(t, err)
	defer rows.Close()
	types, err := rows.ColumnTypes()
	must(t, err)
	equal(t, "type", types[0].DatabaseTypeName(), "UNSIGNED BIGINT")
}

// TestDburl opens a store by a URL of github.com/xo/dburl.
func TestDburl(t *testing.T) {
	dburl.Register(dburl.Scheme{Name: "nearlyfree", Generator: dburl.GenOpaque, Opaque: true, Aliases: []string{"nf"}})
	for _, url := range []string{"nearlyfree:mem://", "nf:mem://dburl?scan=deny"} {
		db, err := dburl.Open(url)
		must(t, err)
		must(t, db.Ping())
		must(t, db.Close())
	}
}
