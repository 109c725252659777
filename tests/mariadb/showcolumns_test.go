package mariadb

import (
	"slices"
	"strings"
	"testing"
)

// TestShowColumns: what SHOW and information_schema list has the columns that MariaDB gives it, in its order. MariaDB has further ones at
// the end of some.
func TestShowColumns(t *testing.T) {
	needServer(t)
	ours, theirs := openOurs(t, "memory", "mem://"), openTheirs(t)
	columns := func(s *side, text string) []string {
		t.Helper()
		rows, err := s.conn.QueryContext(t.Context(), text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		defer rows.Close()
		names, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	for _, text := range []string{
		"SHOW TRIGGERS FROM information_schema", "SHOW EVENTS FROM information_schema", "SHOW PROCEDURE STATUS", "SHOW FUNCTION STATUS", "SHOW PLUGINS", "SHOW OPEN TABLES",
		"SHOW TABLE STATUS FROM information_schema", "SELECT * FROM information_schema.tables", "SELECT * FROM information_schema.events",
		"SELECT * FROM information_schema.triggers", "SELECT * FROM information_schema.routines",
	} {
		got, want := columns(ours, text), columns(theirs, text)
		if len(want) < len(got) || !slices.Equal(got, want[:len(got)]) {
			t.Errorf("%s has the columns\n%s\nMariaDB\n%s", text, strings.Join(got, ", "), strings.Join(want, ", "))
		}
		if len(want) > len(got) && !strings.Contains(strings.ToLower(text), "table") {
			t.Errorf("%s lacks the columns %s", text, strings.Join(want[len(got):], ", "))
		}
	}
}
