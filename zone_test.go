package nearlyfree_test

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// A time.Time is a moment, in a session of any time zone: what is stored comes back, and NOW() is now.
func TestTimeZone(t *testing.T) {
	ctx := t.Context()
	db := open(t, "mem://?time_zone=Europe/Berlin")
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	run := func(statement string, args ...any) {
		t.Helper()
		if _, err := conn.ExecContext(ctx, statement, args...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	run("CREATE TABLE t (id INT PRIMARY KEY, ts TIMESTAMP(6), dt DATETIME(6), d DATE, made TIMESTAMP(6) DEFAULT CURRENT_TIMESTAMP(6), KEY (ts))")
	at := time.Date(2024, 7, 1, 22, 30, 0, 123456000, time.UTC) // the 2nd of July in Berlin
	run("INSERT INTO t (id, ts, dt, d) VALUES (1, ?, ?, CAST(? AS DATE))", at, at.In(time.FixedZone("", 3600)), at)

	stmt, err := conn.PrepareContext(ctx, "SELECT ts, dt, d, made, NOW(6), CAST(ts AS CHAR), CAST(dt AS CHAR) FROM t WHERE ts = ?")
	if err != nil {
		t.Fatal(err)
	}
	defer stmt.Close()
	read := func(zone, text string) {
		t.Helper()
		var ts, dt, d, made, now time.Time
		var tsText, dtText string
		if err := stmt.QueryRowContext(ctx, at).Scan(&ts, &dt, &d, &made, &now, &tsText, &dtText); err != nil {
			t.Fatal(err)
		}
		if !ts.Equal(at) || tsText != text {
			t.Errorf("in %s the TIMESTAMP is %v, %s, want %v, %s", zone, ts, tsText, at, text)
		}
		if since := time.Since(now); since < 0 || since > time.Minute {
			t.Errorf("in %s NOW() is %v", zone, now)
		}
		if since := time.Since(made); since < 0 || since > time.Minute {
			t.Errorf("in %s the default is %v", zone, made)
		}
		if dtText != "2024-07-02 00:30:00.123456" {
			t.Errorf("in %s the DATETIME is %s", zone, dtText)
		}
		if zone == "Europe/Berlin" && (!dt.Equal(at) || d.Format(time.RFC3339) != "2024-07-02T00:00:00+02:00") {
			t.Errorf("the DATETIME is %v, want %v, the DATE %v", dt, at, d)
		}
	}
	read("Europe/Berlin", "2024-07-02 00:30:00.123456")
	for zone, text := range map[string]string{"+00:00": "2024-07-01 22:30:00.123456", "-05:30": "2024-07-01 17:00:00.123456", "America/New_York": "2024-07-01 18:30:00.123456"} {
		run("SET time_zone = ?", zone) // the statement was planned in another one
		read(zone, text)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	var zone string
	if err := db.QueryRowContext(ctx, "SELECT @@time_zone").Scan(&zone); err != nil || zone != "Europe/Berlin" {
		t.Errorf("a session that went back to the pool has the time zone %s, %v", zone, err)
	}
}

// What a session set is gone when its connection goes back to the pool.
func TestSessionsAreReset(t *testing.T) {
	ctx := t.Context()
	db := open(t, "mem://")
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, "SET @a = 1; PREPARE s FROM 'SELECT 1'; SET time_zone = '+02:00'; SET block_encryption_mode = 'aes-256-ecb'"); err != nil {
		t.Fatal(err)
	}
	var a, zone, mode sql.NullString
	if err := db.QueryRowContext(ctx, "SELECT @a, @@time_zone, @@block_encryption_mode").Scan(&a, &zone, &mode); err != nil || a.Valid || zone.String != "+00:00" || mode.String != "aes-128-ecb" {
		t.Errorf("the session has @a %v, time_zone %v, block_encryption_mode %v, %v", a, zone, mode, err)
	}
	var e *nearlyfree.Error
	if _, err := db.ExecContext(ctx, "EXECUTE s"); !errors.As(err, &e) || e.Number != 1243 {
		t.Errorf("EXECUTE of another session's statement: %v", err)
	}
	// Arguments by name stay arguments.
	var b, c sql.NullInt64
	if err := db.QueryRowContext(ctx, "SELECT @b, @b + 1", sql.Named("b", 2)).Scan(&b, &c); err != nil || b.Int64 != 2 || c.Int64 != 3 {
		t.Errorf("@b is %v, @b + 1 %v, %v", b, c, err)
	}
	if err := db.QueryRowContext(ctx, "SELECT @b, @misspelt", sql.Named("b", 2)).Scan(&b, &c); err == nil {
		t.Error("a variable that no argument is given for, beside one that has one, is no error")
	}
	if _, err := sql.Open("nearlyfree", "mem://?time_zone=Mars/Olympus"); err == nil {
		t.Error("a time zone that is not known is no error")
	}
}
