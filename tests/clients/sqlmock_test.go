package clients

import (
	"database/sql"
	"testing"
	"time"

	"github.com/DATA-DOG/go-sqlmock"

	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// rename is the program under test.
func rename(db *sql.DB, id uint64, name string, at time.Time) error {
	_, err := db.Exec("update customer set Name = ?, changed = ? where id = ? -- by id", name, at, id)
	return err
}

// The hooks of nearlyfreetest make a mock take a statement however it is written, and an argument as the driver sends it.
func TestMockTellsTheTruth(t *testing.T) {
	db, mock, err := sqlmock.New(
		sqlmock.QueryMatcherOption(nearlyfreetest.QueryMatcher),
		sqlmock.ValueConverterOption(nearlyfreetest.ValueConverter),
	)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	at := time.Date(2026, 5, 6, 7, 8, 9, 123456789, time.UTC)
	mock.ExpectExec("UPDATE `customer` SET name = ?, changed = ? WHERE id = ?").
		WithArgs("Ann", at.Truncate(100), int64(7)).
		WillReturnResult(sqlmock.NewResult(0, 1))
	if err := rename(db, 7, "Ann", at); err != nil {
		t.Fatal(err)
	}
	if err := mock.ExpectationsWereMet(); err != nil {
		t.Fatal(err)
	}
}
