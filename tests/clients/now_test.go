package clients

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// unit is what one of so many digits of a second is worth.
func unit(digits int) time.Duration {
	d := time.Second
	for range digits {
		d /= 10
	}
	return d
}

// TestNow is a program that stores time.Now() in columns of every kind.
func TestNow(t *testing.T) {
	onStores(t, nearlyfree.LayoutTable, func(t *testing.T, db *sql.DB) {
		columns := "id INT PRIMARY KEY AUTO_INCREMENT, d DATE, y YEAR, v VARCHAR(40), x TEXT, created TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, " +
			"changed DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3)"
		names := "d"
		for digits := range 7 {
			columns += fmt.Sprintf(", dt%[1]d DATETIME(%[1]d), ts%[1]d TIMESTAMP(%[1]d) NULL, t%[1]d TIME(%[1]d), KEY (dt%[1]d)", digits)
			names += fmt.Sprintf(", dt%[1]d, ts%[1]d, t%[1]d", digits)
		}
		exec(t, db, "CREATE TABLE moments ("+columns+")")
		for range 12 {
			storeNow(t, db, names)
		}
		var n int
		must(t, db.QueryRow("SELECT COUNT(*) FROM moments WHERE dt6 <= ? AND dt0 > ? AND created > ?", time.Now(), time.Now().Add(-time.Hour), time.Now().Add(-time.Hour)).Scan(&n))
		equal(t, "rows of now", n, 12)
	})
}

// storeNow writes one row and reads back what its columns kept.
func storeNow(t *testing.T, db *sql.DB, names string) {
	t.Helper()
	now := time.Now()
	args := []any{now}
	marks := "?"
	for range 7 {
		marks += ", ?, ?, ?"
		args = append(args, now, now, now)
	}
	r, err := db.Exec("INSERT INTO moments ("+names+") VALUES ("+marks+")", args...)
	must(t, err)
	id, err := r.LastInsertId()
	must(t, err)
	var date time.Time
	must(t, db.QueryRow("SELECT d FROM moments WHERE id = ?", id).Scan(&date))
	equal(t, "DATE", date.Format(time.DateOnly), now.UTC().Format(time.DateOnly))
	for digits := range 7 {
		var dt, ts time.Time
		var clock string
		must(t, db.QueryRow(fmt.Sprintf("SELECT dt%[1]d, ts%[1]d, t%[1]d FROM moments WHERE id = ?", digits), id).Scan(&dt, &ts, &clock))
		want := now.UTC().Truncate(100 * time.Nanosecond).Round(unit(digits))
		equal(t, fmt.Sprintf("DATETIME(%d)", digits), dt, want)
		equal(t, fmt.Sprintf("TIMESTAMP(%d)", digits), ts, want)
		layout := "15:04:05"
		if digits > 0 {
			layout += "." + "000000"[:digits]
		}
		if midnight := want.Truncate(24 * time.Hour); !midnight.After(now) { // at midnight a TIME is rounded to 24:00:00
			equal(t, fmt.Sprintf("TIME(%d)", digits), clock, want.Format(layout))
		}
		// What was given finds what was kept where the column has all of its digits, and by what was read back always.
		var found int
		must(t, db.QueryRow(fmt.Sprintf("SELECT COUNT(*) FROM moments WHERE id = ? AND dt%[1]d = ? AND ts%[1]d = ?", digits), id, dt, ts).Scan(&found))
		equal(t, fmt.Sprintf("found by DATETIME(%d)", digits), found, 1)
	}
	before := now.Add(-time.Minute)
	_, err = db.Exec("UPDATE moments SET dt3 = ?, ts0 = ?, v = ?, x = ?, y = ? WHERE id = ?", before, before, before, before, before.Year(), id)
	must(t, err)
	var got, changed time.Time
	var year int
	must(t, db.QueryRow("SELECT dt3, changed, y FROM moments WHERE id = ?", id).Scan(&got, &changed, &year))
	equal(t, "DATETIME(3) after an UPDATE", got, before.UTC().Truncate(100*time.Nanosecond).Round(time.Millisecond))
	equal(t, "YEAR", year, before.Year())
	if since := time.Since(changed); since < -time.Second || since > time.Minute {
		t.Fatalf("ON UPDATE CURRENT_TIMESTAMP(3) was %v ago", since)
	}
}
