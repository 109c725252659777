// Package tpch makes the data of TPC-H, small and the same each time, after the distributions of its specification (clause 4.2), and
// has its 22 queries with the parameters of their validation. Texts that no query looks at are shorter.
//
//	for statement := range tpch.Load(0.01) { … } // CREATE TABLE, INSERT, CREATE INDEX
//	rows, err := db.Query(tpch.Queries[0])
package tpch

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"time"
)

// tables are the definitions, in words that all databases read.
var tables = []string{
	`CREATE TABLE region (r_regionkey INT NOT NULL PRIMARY KEY, r_name VARCHAR(25) NOT NULL, r_comment VARCHAR(152))`,
	`CREATE TABLE nation (n_nationkey INT NOT NULL PRIMARY KEY, n_name VARCHAR(25) NOT NULL, n_regionkey INT NOT NULL, n_comment VARCHAR(152))`,
	`CREATE TABLE supplier (s_suppkey INT NOT NULL PRIMARY KEY, s_name VARCHAR(25) NOT NULL, s_address VARCHAR(40) NOT NULL, s_nationkey INT NOT NULL, s_phone VARCHAR(15) NOT NULL, s_acctbal DECIMAL(15,2) NOT NULL, s_comment VARCHAR(101) NOT NULL)`,
	`CREATE TABLE customer (c_custkey INT NOT NULL PRIMARY KEY, c_name VARCHAR(25) NOT NULL, c_address VARCHAR(40) NOT NULL, c_nationkey INT NOT NULL, c_phone VARCHAR(15) NOT NULL, c_acctbal DECIMAL(15,2) NOT NULL, c_mktsegment VARCHAR(10) NOT NULL, c_comment VARCHAR(117) NOT NULL)`,
	`CREATE TABLE part (p_partkey INT NOT NULL PRIMARY KEY, p_name VARCHAR(55) NOT NULL, p_mfgr VARCHAR(25) NOT NULL, p_brand VARCHAR(10) NOT NULL, p_type VARCHAR(25) NOT NULL, p_size INT NOT NULL, p_container VARCHAR(10) NOT NULL, p_retailprice DECIMAL(15,2) NOT NULL, p_comment VARCHAR(30) NOT NULL)`,
	`CREATE TABLE partsupp (ps_partkey INT NOT NULL, ps_suppkey INT NOT NULL, ps_availqty INT NOT NULL, ps_supplycost DECIMAL(15,2) NOT NULL, ps_comment VARCHAR(199) NOT NULL, PRIMARY KEY (ps_partkey, ps_suppkey))`,
	`CREATE TABLE orders (o_orderkey INT NOT NULL PRIMARY KEY, o_custkey INT NOT NULL, o_orderstatus VARCHAR(1) NOT NULL, o_totalprice DECIMAL(15,2) NOT NULL, o_orderdate DATE NOT NULL, o_orderpriority VARCHAR(15) NOT NULL, o_clerk VARCHAR(15) NOT NULL, o_shippriority INT NOT NULL, o_comment VARCHAR(79) NOT NULL)`,
	`CREATE TABLE lineitem (l_orderkey INT NOT NULL, l_partkey INT NOT NULL, l_suppkey INT NOT NULL, l_linenumber INT NOT NULL, l_quantity DECIMAL(15,2) NOT NULL, l_extendedprice DECIMAL(15,2) NOT NULL, l_discount DECIMAL(15,2) NOT NULL, l_tax DECIMAL(15,2) NOT NULL, l_returnflag VARCHAR(1) NOT NULL, l_linestatus VARCHAR(1) NOT NULL, l_shipdate DATE NOT NULL, l_commitdate DATE NOT NULL, l_receiptdate DATE NOT NULL, l_shipinstruct VARCHAR(25) NOT NULL, l_shipmode VARCHAR(10) NOT NULL, l_comment VARCHAR(44) NOT NULL, PRIMARY KEY (l_orderkey, l_linenumber))`,
}

// indexes are those of the foreign keys.
var indexes = []string{
	`CREATE INDEX n_region ON nation (n_regionkey)`,
	`CREATE INDEX s_nation ON supplier (s_nationkey)`,
	`CREATE INDEX c_nation ON customer (c_nationkey)`,
	`CREATE INDEX ps_supp ON partsupp (ps_suppkey)`,
	`CREATE INDEX o_cust ON orders (o_custkey)`,
	`CREATE INDEX l_part ON lineitem (l_partkey, l_suppkey)`,
	`CREATE INDEX l_supp ON lineitem (l_suppkey)`,
}

// Load gives the statements that make and fill the tables at a scale factor; 1 has 6 million rows of lineitem.
func Load(scale float64) iter.Seq[string] {
	return func(yield func(string) bool) {
		l := &loader{scale: scale, random: rand.New(rand.NewPCG(7, 19)), yield: yield, more: true}
		l.emit(tables...)
		l.emit(indexes...)
		l.regions()
		l.suppliers()
		l.parts()
		l.customers()
		l.orders()
		l.flush()
	}
}

// loader makes rows, and of these INSERTs.
type loader struct {
	scale  float64
	random *rand.Rand
	yield  func(string) bool
	more   bool // the statements are still wanted

	pending map[string][]string
	prices  []int // of parts, in cents
}

// rowsPerInsert is how many rows an INSERT has.
const rowsPerInsert = 500

func (l *loader) emit(statements ...string) {
	for _, s := range statements {
		l.more = l.more && l.yield(s)
	}
}

func (l *loader) row(table, format string, values ...any) {
	if l.pending == nil {
		l.pending = map[string][]string{}
	}
	l.pending[table] = append(l.pending[table], fmt.Sprintf("("+format+")", values...))
	if len(l.pending[table]) >= rowsPerInsert {
		l.insert(table)
	}
}

func (l *loader) insert(table string) {
	if rows := l.pending[table]; len(rows) > 0 {
		l.emit("INSERT INTO " + table + " VALUES " + strings.Join(rows, ","))
		l.pending[table] = rows[:0]
	}
}

func (l *loader) flush() {
	for _, table := range []string{"region", "nation", "supplier", "part", "partsupp", "customer", "orders", "lineitem"} {
		l.insert(table)
	}
}

// count scales a number of rows.
func (l *loader) count(n int) int { return max(1, int(float64(n)*l.scale)) }

// suppliersCount is how many suppliers there are: enough for each part to have four.
func (l *loader) suppliersCount() int { return max(100, l.count(10_000)) }

// between is uniform from low to high, both included.
func (l *loader) between(low, high int) int { return low + l.random.IntN(high-low+1) }

func pick[T any](l *loader, list []T) T { return list[l.random.IntN(len(list))] }

func (l *loader) words(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = pick(l, nouns)
	}
	return strings.Join(out, " ")
}

func money(cents int) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)
}

func (l *loader) phone(nation int) string {
	return fmt.Sprintf("%d-%d-%d-%d", 10+nation, l.between(100, 999), l.between(100, 999), l.between(1000, 9999))
}

func (l *loader) regions() {
	for i, name := range regions {
		l.row("region", "%d,'%s','%s'", i, name, l.words(5))
	}
	for i, n := range nations {
		l.row("nation", "%d,'%s',%d,'%s'", i, n.name, n.region, l.words(5))
	}
}

func (l *loader) suppliers() {
	for i := 1; i <= l.suppliersCount(); i++ {
		comment := l.words(5)
		switch i % 200 { // five each of 10,000, and more, so that small scales have some
		case 7:
			comment = "slow Customer said Complaints"
		case 107:
			comment = "quick Customer said Recommends"
		}
		nation := l.random.IntN(len(nations))
		l.row("supplier", "%d,'Supplier#%09d','%s',%d,'%s',%s,'%s'", i, i, l.words(2), nation, l.phone(nation), money(l.between(-99999, 999999)), comment)
	}
}

func (l *loader) parts() {
	suppliers := l.suppliersCount()
	l.prices = make([]int, l.count(200_000)+1)
	for i := 1; i < len(l.prices); i++ {
		l.prices[i] = 90000 + i/10%20001 + 100*(i%1000)
		name := make([]string, 5)
		for j, at := range l.random.Perm(len(colors))[:5] {
			name[j] = colors[at]
		}
		maker := l.between(1, 5)
		l.row("part", "%d,'%s','Manufacturer#%d','Brand#%d%d','%s %s %s',%d,'%s %s',%s,'%s'", i, strings.Join(name, " "), maker, maker, l.between(1, 5),
			pick(l, sizes), pick(l, finishes), pick(l, metals), l.between(1, 50), pick(l, containerSizes), pick(l, containers), money(l.prices[i]), l.words(2))
		for j := range 4 {
			l.row("partsupp", "%d,%d,%d,%s,'%s'", i, supplierOf(i, j, suppliers), l.between(1, 9999), money(l.between(100, 100000)), l.words(8))
		}
	}
}

// supplierOf is the supplier number n, of four, of a part.
func supplierOf(part, n, suppliers int) int {
	return (part+n*(suppliers/4+(part-1)/suppliers))%suppliers + 1
}

func (l *loader) customers() {
	for i := 1; i <= l.count(150_000); i++ {
		nation := l.random.IntN(len(nations))
		l.row("customer", "%d,'Customer#%09d','%s',%d,'%s',%s,'%s','%s'", i, i, l.words(2), nation, l.phone(nation), money(l.between(-99999, 999999)), pick(l, segments), l.words(7))
	}
}

var (
	firstDay   = time.Date(1992, 1, 1, 0, 0, 0, 0, time.UTC)
	currentDay = time.Date(1995, 6, 17, 0, 0, 0, 0, time.UTC)
)

// orderDays are the days on which orders may be: 1992-01-01 to 1998-08-02.
const orderDays = 2406

func (l *loader) orders() {
	customers, parts, suppliers := l.count(150_000), len(l.prices)-1, l.suppliersCount()
	for i := range l.count(1_500_000) {
		key := i/8*32 + i%8 + 1
		customer := l.between(1, customers)
		for customer%3 == 0 { // a third has no orders
			customer = l.between(1, customers)
		}
		day := firstDay.AddDate(0, 0, l.random.IntN(orderDays))
		lines, open, total := l.between(1, 7), 0, 0
		for line := 1; line <= lines; line++ {
			part, quantity := l.between(1, parts), l.between(1, 50)
			price, discount, tax := quantity*l.prices[part], l.between(0, 10), l.between(0, 8)
			ship := day.AddDate(0, 0, l.between(1, 121))
			commit, receipt := day.AddDate(0, 0, l.between(30, 90)), ship.AddDate(0, 0, l.between(1, 30))
			returned, status := "N", "F"
			if !receipt.After(currentDay) {
				returned = pick(l, []string{"R", "A"})
			}
			if ship.After(currentDay) {
				status = "O"
				open++
			}
			total += price * (100 - discount) / 100 * (100 + tax) / 100
			l.row("lineitem", "%d,%d,%d,%d,%d,%s,%s,%s,'%s','%s','%s','%s','%s','%s','%s','%s'", key, part, supplierOf(part, l.random.IntN(4), suppliers), line, quantity,
				money(price), money(discount), money(tax), returned, status, date(ship), date(commit), date(receipt), pick(l, instructions), pick(l, modes), l.words(3))
		}
		status := "P"
		switch open {
		case 0:
			status = "F"
		case lines:
			status = "O"
		}
		comment := l.words(6)
		if l.random.IntN(100) == 0 {
			comment = "the special " + pick(l, nouns) + " requests " + pick(l, nouns)
		}
		l.row("orders", "%d,%d,'%s',%s,'%s','%s','Clerk#%09d',0,'%s'", key, customer, status, money(total), date(day), pick(l, priorities), l.between(1, max(1, l.count(1000))), comment)
	}
}

func date(t time.Time) string { return t.Format(time.DateOnly) }
