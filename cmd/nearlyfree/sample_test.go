package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestSample: Chinook loads as it is published, and what dump writes of it has the same tables and rows.
func TestSample(t *testing.T) {
	t.Parallel()
	db := opened(t, "mem://?database=Chinook", "")
	if said, err := loaded(t, db, loadOptions{}, "../../tests/mariadb/testdata/chinook.sql.gz"); err != nil || !strings.Contains(said, "15607 rows written") {
		t.Fatal(err, said)
	} else if !strings.Contains(said, "on Azure 923 requests") { // some 10,800 where parents are looked for one by one
		t.Error(said)
	}
	const sales = "SELECT Country, SUM(Total) AS sold FROM Customer JOIN Invoice USING (CustomerId) GROUP BY Country ORDER BY sold DESC LIMIT 3"
	if got := db.answer(t, sales); got != "USA,523.06\nCanada,303.96\nFrance,195.10" {
		t.Errorf("sales:\n%s", got)
	}
	var said bytes.Buffer
	if err := maintain(t.Context(), db, nil, false, newTask(&said), &said); err != nil || !strings.Contains(said.String(), "11 of 11 tables") {
		t.Errorf("%v %s", err, said.String())
	}
	again := opened(t, "mem://", "")
	if said, err := loaded(t, again, loadOptions{}, fileOf(t, "chinook.sql", dumped(t, db, dumpOptions{format: "sql"}))); err != nil {
		t.Fatal(err, said)
	}
	if got, want := again.state(t), db.state(t); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
