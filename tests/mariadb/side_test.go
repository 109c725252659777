package mariadb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-sql-driver/mysql"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// patience is how long a statement may take: REPEAT of a large number takes MariaDB several seconds, on a busy machine more.
const patience = 2 * time.Minute

// side is one of the databases that are compared.
type side struct {
	name    string
	db      *sql.DB
	conn    *sql.Conn
	mariadb bool
}

// answer is what a side says to a statement.
type answer struct {
	err      error
	number   uint16 // of the error
	read     bool   // rows, rather than what was written
	rows     [][]cell
	affected int64
	lastID   int64
	warnings string // their numbers
}

// cell is one value. Floats are told apart, as sums may differ in the last digits.
type cell struct {
	text    string
	isFloat bool
	isJSON  bool // a document, whatever it is
}

// openOurs opens this driver on a store.
func openOurs(t testing.TB, name, dsn string) *side {
	t.Helper()
	db, err := sql.Open("nearlyfree", dsn)
	if err != nil {
		t.Fatal(err)
	}
	return pin(t, &side{name: name}, db)
}

// openAccount opens this driver on an account: Azurite, where NEARLYFREE_AZURITE says that there is one, else a simulated one.
func openAccount(t testing.TB, name string, layout nearlyfree.Layout) *side {
	t.Helper()
	config := &nearlyfree.Config{Store: os.Getenv("NEARLYFREE_AZURITE"), Database: fmt.Sprintf("m%d", time.Now().UnixNano()%1e12), Layout: layout, SchemaLease: 50 * time.Millisecond}
	if config.Store == "" {
		config.Store = "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key
		config.Transport, config.SchemaLease = &azuretest.Transport{Service: azuretest.NewService(embedded.OpenMemory(embedded.Options{}))}, time.Millisecond
	}
	connector, err := nearlyfree.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	return pin(t, &side{name: name}, sql.OpenDB(connector))
}

// openNth opens this driver on one kind of store after the other.
func openNth(t testing.TB, name string, n uint64) *side {
	t.Helper()
	switch n % 5 {
	case 0:
		return openOurs(t, name, "mem://")
	case 1:
		return openOurs(t, name, "mem://?layout=single")
	case 2:
		return openOurs(t, name, "file:"+filepath.Join(t.TempDir(), "store.db"))
	case 3:
		return openAccount(t, name, nearlyfree.LayoutTable)
	}
	return openAccount(t, name, nearlyfree.LayoutSingle)
}

// openTheirs opens a fresh database of MariaDB, which goes with the test.
func openTheirs(t testing.TB) *side {
	t.Helper()
	db, err := sql.Open("mysql", serverDSN)
	if err != nil {
		t.Fatal(err)
	}
	s := pin(t, &side{name: "MariaDB", mariadb: true}, db)
	name := fmt.Sprintf("nearlyfree_%d", time.Now().UnixNano())
	for _, text := range []string{
		"CREATE DATABASE " + name + " CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin", "USE " + name,
		"SET NAMES utf8mb4 COLLATE utf8mb4_nopad_bin", "SET sql_mode = '" + sqlMode + "'", "SET time_zone = '+00:00'",
	} {
		if a := s.exec(text); a.err != nil {
			t.Fatal(a.err)
		}
	}
	t.Cleanup(func() { s.exec("DROP DATABASE " + name) })
	return s
}

func pin(t testing.TB, s *side, db *sql.DB) *side {
	t.Helper()
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s.db, s.conn = db, conn
	t.Cleanup(func() { conn.Close(); db.Close() })
	return s
}

// beside gives another session on the database of s.
func (s *side) beside(t testing.TB) *side {
	t.Helper()
	conn, err := s.db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	other := &side{name: s.name, db: s.db, conn: conn, mariadb: s.mariadb}
	if s.mariadb {
		if a := other.exec("USE " + s.query("SELECT DATABASE()").rows[0][0].text); a.err != nil {
			t.Fatal(a.err)
		}
	}
	return other
}

// mariadbWords gives MariaDB's name for what it names in another way.
var mariadbWords = strings.NewReplacer("utf8mb4_0900_ai_ci", "utf8mb4_uca1400_nopad_ai_ci", "utf8mb4_0900_as_ci", "utf8mb4_uca1400_nopad_as_ci",
	"utf8mb4_0900_bin", "utf8mb4_nopad_bin")

func (s *side) words(text string) string {
	if s.mariadb {
		return mariadbWords.Replace(text)
	}
	return text
}

func (s *side) exec(text string) answer {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := s.conn.ExecContext(ctx, s.words(text))
	if err != nil {
		return failed(err)
	}
	var a answer
	a.affected, _ = r.RowsAffected()
	a.lastID, _ = r.LastInsertId()
	return a
}

func (s *side) query(text string) answer {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	rows, err := s.conn.QueryContext(ctx, s.words(text))
	if err != nil {
		return failed(err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return failed(err)
	}
	names := make([]string, len(types))
	values, pointers := make([]any, len(types)), make([]any, len(types))
	for i := range values {
		pointers[i], names[i] = &values[i], types[i].DatabaseTypeName()
	}
	a := answer{read: true}
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return failed(err)
		}
		row := make([]cell, len(values))
		for i, v := range values {
			row[i] = cellOf(v, names[i])
		}
		a.rows = append(a.rows, row)
	}
	if err := rows.Err(); err != nil {
		return failed(err)
	}
	return a
}

func failed(err error) answer {
	var ours *nearlyfree.Error
	var theirs *mysql.MySQLError
	switch {
	case errors.As(err, &ours):
		return answer{err: err, number: ours.Number}
	case errors.As(err, &theirs):
		return answer{err: err, number: theirs.Number}
	}
	return answer{err: err}
}

// cellOf undoes what the wire and the two drivers do to a value, and no more.
func cellOf(v any, typeName string) cell {
	switch v := v.(type) {
	case nil:
		return cell{text: "NULL"}
	case bool:
		return cell{text: strconv.Itoa(map[bool]int{true: 1}[v])}
	case float32:
		return cell{text: strconv.FormatFloat(float64(v), 'g', 6, 64), isFloat: true}
	case float64:
		if typeName == "FLOAT" {
			return cell{text: strconv.FormatFloat(float64(float32(v)), 'g', 6, 64), isFloat: true}
		}
		return cell{text: strconv.FormatFloat(v, 'g', -1, 64), isFloat: true}
	case []byte:
		return cellOf(string(v), typeName)
	case time.Time:
		if typeName == "DATE" {
			return cell{text: v.Format(time.DateOnly)}
		}
		return cell{text: v.Format("2006-01-02 15:04:05.9999999")}
	case string:
		return cell{text: textOf(v, typeName), isJSON: typeName == "JSON"}
	}
	return cell{text: fmt.Sprint(v)}
}

func textOf(v, typeName string) string {
	switch typeName {
	case "BIT":
		return new(big.Int).SetBytes([]byte(v)).String()
	case "DATETIME", "TIMESTAMP", "TIME":
		if strings.Contains(v, ".") {
			return strings.TrimRight(strings.TrimRight(v, "0"), ".")
		}
	}
	if !utf8.ValidString(v) {
		return fmt.Sprintf("0x%X", v)
	}
	return v
}

// tolerance is how far two floats may be apart: sums are made in another order, and libraries differ in the last digit.
const tolerance = 1e-13

func (c cell) equal(o cell) bool {
	switch {
	case c.text == o.text:
		return true
	case c.isFloat && o.isFloat || c.isLongFloat() && o.isLongFloat():
		a, _ := strconv.ParseFloat(c.text, 64)
		b, _ := strconv.ParseFloat(o.text, 64)
		return near(a, b)
	case c.isJSON || o.isJSON || c.isDocument() && o.isDocument():
		var a, b any
		return json.Unmarshal([]byte(c.text), &a) == nil && json.Unmarshal([]byte(o.text), &b) == nil && sameDocument(a, b)
	}
	return false
}

// isLongFloat says whether a text is that of a float with all of its digits.
func (c cell) isLongFloat() bool {
	digits := strings.TrimLeft(strings.NewReplacer(".", "", "-", "").Replace(c.text), "0")
	digits, _, _ = strings.Cut(digits, "e")
	return len(digits) >= 15 && len(digits) <= 18 && strings.Trim(digits, "0123456789") == "" && strings.Contains(c.text, ".")
}

func near(a, b float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b), 1e-300)
}

func sameDocument(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && near(a, b)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameDocument)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, sameDocument)
	}
	return a == b
}

// isDocument: MariaDB keeps JSON as the text that it was written in, so documents are compared by what they hold.
func (c cell) isDocument() bool {
	return strings.HasPrefix(c.text, "{") || strings.HasPrefix(c.text, "[")
}

// differs gives "" when both answers are the same, else what is different. Rows are compared in order.
func (a answer) differs(want answer) string {
	switch {
	case a.err != nil && want.err != nil:
		if a.number != want.number {
			return "errors"
		}
		return ""
	case a.err != nil || want.err != nil:
		return "one fails"
	case a.affected != want.affected:
		return "affected rows"
	case a.lastID != want.lastID:
		return "last id"
	case a.warnings != want.warnings:
		return "warnings"
	case len(a.rows) != len(want.rows):
		return "number of rows"
	}
	for i := range a.rows {
		if !slices.EqualFunc(a.rows[i], want.rows[i], cell.equal) {
			return "rows"
		}
	}
	return ""
}

func (a answer) String() string {
	if a.err != nil {
		return a.err.Error()
	}
	var b strings.Builder
	if a.read && a.rows == nil {
		return "no rows"
	}
	if !a.read {
		fmt.Fprintf(&b, "%d rows, last id %d", a.affected, a.lastID)
		if a.warnings != "" {
			fmt.Fprintf(&b, ", warnings %s", a.warnings)
		}
	}
	for _, row := range a.rows {
		b.WriteString("(")
		for i, c := range row {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(strconv.Quote(c.text))
		}
		b.WriteString(") ")
	}
	return b.String()
}
