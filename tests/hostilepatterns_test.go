package tests

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// like matches as slowly and plainly as can be.
func like(s, pattern []rune, escape rune) bool {
	if len(pattern) == 0 {
		return len(s) == 0
	}
	switch p := pattern[0]; {
	case p == escape && escape != 0 && len(pattern) > 1:
		return len(s) > 0 && s[0] == pattern[1] && like(s[1:], pattern[2:], escape)
	case p == '%':
		for i := 0; i <= len(s); i++ {
			if like(s[i:], pattern[1:], escape) {
				return true
			}
		}
		return false
	default:
		return len(s) > 0 && (p == '_' || s[0] == p) && like(s[1:], pattern[1:], escape)
	}
}

// TestHostilePatterns: LIKE with hostile texts and patterns is what a plain matcher says, with a key or without.
func TestHostilePatterns(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	short := slices.DeleteFunc(slices.Clone(hostile), func(s string) bool { return len(s) > 40 })
	pieces := []string{"%", "_", `\`, `\%`, `\_`, `\\`, "a", "'", "!", "\x00", "é", "😀", "|", "|%", "|_", "||", "%%", "\ufffd", "\U0010ffff", "z", "~", "\x7f"}
	patterns := slices.Clone(short)
	for _, s := range short {
		patterns = append(patterns, s+"%", "%"+s, s+"_", strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(s)+"%")
	}
	for range testrun.Few(250) {
		var b strings.Builder
		for range 1 + random.IntN(5) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		patterns = append(patterns, b.String())
	}
	for _, kind := range []string{"plain", "primary", "index", "unique", "key"} {
		t.Run(kind, func(t *testing.T) {
			everywhere(t, func(t *testing.T, db *sql.DB) {
				run(t, db, columnsOf[kind])
				stored := short
				var args []any
				for i, s := range stored {
					args = append(args, i, s)
				}
				run(t, db, "INSERT INTO t (id, s) VALUES (?, ?)"+strings.Repeat(", (?, ?)", len(stored)-1), args...)
				for n, pattern := range patterns {
					if (testing.Short() || !strings.HasSuffix(t.Name(), "memory")) && n%testrun.Of(4, 7) != 0 {
						continue // to save time
					}
					for _, escape := range []struct {
						clause string
						r      rune
					}{{"", '\\'}, {" ESCAPE '|'", '|'}, {" ESCAPE ''", 0}} {
						if escape.r != '\\' && n%3 != 0 {
							continue
						}
						var want []int
						for i, s := range stored {
							if like([]rune(s), []rune(pattern), escape.r) {
								want = append(want, i)
							}
						}
						if got := ids(t, db, "SELECT id FROM t WHERE s LIKE ?"+escape.clause, pattern); !slices.Equal(got, want) {
							t.Errorf("LIKE %q%s: %s", pattern, escape.clause, difference(got, want, stored))
						}
						if n%5 > 0 {
							continue
						}
						if got := ids(t, db, "SELECT id FROM t WHERE s LIKE "+literal(pattern)+escape.clause); !slices.Equal(got, want) {
							t.Errorf("LIKE %s%s: %s", literal(pattern), escape.clause, difference(got, want, stored))
						}
						if got := ids(t, db, "SELECT id FROM t WHERE NOT s LIKE ?"+escape.clause, pattern); len(got) != len(stored)-len(want) {
							t.Errorf("NOT LIKE %q%s: %d rows of %d", pattern, escape.clause, len(got), len(stored)-len(want))
						}
					}
				}
			})
		})
	}
}

// TestHostilePairs: a key of two texts keeps their border: no pair is found for another.
func TestHostilePairs(t *testing.T) {
	t.Parallel()
	parts := []string{"", "a", "!", "a!", "!a", "!!", "\x00", "a\x00", "/", "~", "'", "%", "😀", "\u00ff", strings.Repeat("x", 300), strings.Repeat("x", 300) + "!"}
	for kind, definition := range map[string]string{
		"primary": "CREATE TABLE t (id INT, a VARCHAR(400), b VARCHAR(400), PRIMARY KEY (a, b))",
		"unique":  "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(400) NOT NULL, b VARCHAR(400) NOT NULL, UNIQUE KEY (a, b))",
		"index":   "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(400), b VARCHAR(400), KEY (a, b), KEY (b, a))",
		"key":     "CREATE TABLE t (id INT, a VARCHAR(400), b VARCHAR(400), PRIMARY KEY (a, b)) PARTITION BY KEY (a)",
		"keys":    "CREATE TABLE t (id INT, a VARCHAR(400), b VARCHAR(400), PRIMARY KEY (a, b)) PARTITION BY KEY (a, b)",
	} {
		t.Run(kind, func(t *testing.T) {
			everywhere(t, func(t *testing.T, db *sql.DB) {
				run(t, db, definition)
				n := 0
				var args []any
				for _, a := range parts {
					for _, b := range parts {
						args = append(args, n, a, b)
						n++
					}
				}
				run(t, db, "INSERT INTO t VALUES (?, ?, ?)"+strings.Repeat(", (?, ?, ?)", n-1), args...)
				n = 0
				for i, a := range parts {
					var row []int
					for j, b := range parts {
						if got := ids(t, db, "SELECT id FROM t WHERE a = ? AND b = ?", a, b); !slices.Equal(got, []int{n}) {
							t.Errorf("%.20q, %.20q gives %v, want %d", a, b, got, n)
						}
						row = append(row, i*len(parts)+j)
						n++
					}
					if got := ids(t, db, "SELECT id FROM t WHERE a = ?", a); !slices.Equal(got, row) {
						t.Errorf("%.20q gives %v, want %v", a, got, row)
					}
				}
			})
		})
	}
}

// TestHostileNames: any name that MySQL takes between backticks names what it was given to, and nothing else.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	names := []string{"a", "a b", "a-b", "a'b", `a"b`, "a``b", "a;b", "a/b", `a\b`, "a#b", "a?b", "a%b", "a%20b", "a!b", "a$b", "größe", "日本", "😀", "select", "PartitionKey", "RowKey", "timestamp", "etag", "odata.type", "a@odata.type", "a.b", "a_b", "a__b", "1", "1a", "_", "__", "x41", "--", "/*", "PK", "pk", "$batch", "Tables", "null", strings.Repeat("n", 60), strings.Repeat("n", 61)}
	everywhere(t, func(t *testing.T, db *sql.DB) {
		taken := map[string]int{}
		for i, name := range names {
			q := fmt.Sprintf("CREATE TABLE `%s` (`%s` INT PRIMARY KEY, `x %s` VARCHAR(100), KEY `k %s` (`x %s`))", name, name, name, name, name)
			if _, err := db.Exec(q); err != nil {
				if name != "pk" { // the same as PK
					t.Errorf("%q: %v", name, err)
				}
				continue
			}
			taken[name] = i
			run(t, db, fmt.Sprintf("INSERT INTO `%s` (`%s`, `x %s`) VALUES (?, ?)", name, name, name), i, name)
		}
		for name, i := range taken {
			for _, q := range []string{"SELECT `%[1]s` FROM `%[1]s`", "SELECT `%[1]s`.`%[1]s` FROM `%[1]s` WHERE `%[1]s` = ?", "SELECT `%[1]s` FROM `%[1]s` WHERE `x %[1]s` LIKE ?"} {
				q = fmt.Sprintf(q, name)
				var args []any
				if strings.Contains(q, "= ?") {
					args = []any{i}
				} else if strings.Contains(q, "LIKE ?") {
					args = []any{"%" + name[:1] + "%"}
				}
				if got := ids(t, db, q, args...); !slices.Equal(got, []int{i}) {
					t.Errorf("%s gives %v, want %d", q, got, i)
				}
			}
		}
		if got := texts(t, db, "SHOW TABLES"); len(got) != len(taken) {
			t.Errorf("%d tables of %d: %q", len(got), len(taken), got)
		}
		columns := make([]string, 0, len(names))
		for _, name := range names {
			if name != "pk" { // the same as PK
				columns = append(columns, name)
			}
		}
		q := "CREATE TABLE wide (id INT PRIMARY KEY"
		insert, marks, args := "INSERT INTO wide (id", "?", []any{1}
		for i, name := range columns {
			q += ", `" + name + "` INT"
			insert += ", `" + name + "`"
			marks += ", ?"
			args = append(args, 100+i)
		}
		run(t, db, q+")")
		run(t, db, insert+") VALUES ("+marks+")", args...)
		for i, name := range columns {
			if got := ids(t, db, "SELECT `"+name+"` FROM wide WHERE `"+name+"` = ?", 100+i); !slices.Equal(got, []int{100 + i}) {
				t.Errorf("column %q gives %v, want %d", name, got, 100+i)
			}
			if got := ids(t, db, "SELECT id FROM wide WHERE `"+name+"` <> ?", 100+i); len(got) != 0 {
				t.Errorf("column %q is another", name)
			}
		}
	})
}
