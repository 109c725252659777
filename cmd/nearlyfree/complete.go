package main

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// words are the words of statements, for completion.
var words = strings.Fields(`ADD ALL ALTER ANALYZE AND AS ASC AUTO_INCREMENT AVG BEGIN BETWEEN BIGINT BOOL BY CASE CAST CHECK COLUMN COLUMNS COMMIT
	CONSTRAINT COUNT CREATE CURRENT_TIMESTAMP DATE DATETIME DECIMAL DEFAULT DELETE DESC DESCRIBE DISTINCT DOUBLE DROP ELSE END EXISTS EXPLAIN
	FALSE FOREIGN FROM FULL GROUP HAVING IF IN INDEX INDEXES INNER INSERT INTERVAL INTO IS JOIN JSON KEY LEFT LIKE LIMIT MAX MIN NOT NULL OFFSET
	ON OPTIMIZE OR ORDER PARTITION PRIMARY REFERENCES RENAME REPAIR REPLACE RETURNING RIGHT ROLLBACK SAVEPOINT SELECT SET SHOW START SUM TABLE
	TABLES TEXT THEN TIMESTAMP TO TRANSACTION TRUE TRUNCATE UNION UNIQUE UPDATE USING UUID VALUES VARCHAR VIEW WHEN WHERE WITH`)

// complete gives what the word before the cursor may become.
func (s *shell) complete(line string, pos int) (head string, found []string, tail string) {
	at := byteOf(line, pos)
	start := at
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(line[:start])
		if !(r == '_' || r == '$' || r == '.' && start == size || unicode.IsLetter(r) || unicode.IsDigit(r)) {
			break
		}
		start -= size
	}
	before := strings.Join(append(slices.Clone(s.asked), line[:start]), "\n")
	return line[:start], candidates(line[start:at], before, s.names), line[at:]
}

// byteOf is the byte offset of the rune at an index.
func byteOf(line string, pos int) int {
	for i := range line {
		if pos == 0 {
			return i
		}
		pos--
	}
	return len(line)
}

// candidates are the completions of a word: tables and databases where a table must come next, or else all names and words, words in the case in
// which the word was begun.
func candidates(begun, before string, known names) (found []string) {
	if strings.HasPrefix(begun, ".") {
		for _, name := range commandNames() {
			if strings.HasPrefix(name, begun) {
				found = append(found, name+" ")
			}
		}
		return found
	}
	add := func(list []string) {
		for _, name := range list {
			if hasPrefixFold(name, begun) && !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	switch placeOf(before) {
	case "TABLE":
		add(known.tables)
		add(known.databases)
	case "DATABASE":
		add(known.databases)
	}
	if len(found) > 0 || begun == "" {
		return found
	}
	add(known.tables)
	add(known.columns)
	if strings.HasSuffix(before, ".") {
		return found
	}
	for _, word := range words {
		if hasPrefixFold(word, begun) {
			if begun == strings.ToLower(begun) {
				word = strings.ToLower(word)
			}
			found = append(found, word)
		}
	}
	return found
}

// placeOf tells, from the word before, whether the name of a TABLE or of a DATABASE comes next; "": anything may.
func placeOf(before string) string {
	list := strings.Fields(strings.ToUpper(strings.TrimSuffix(before, "`")))
	if len(list) == 0 {
		return ""
	}
	word, first := list[len(list)-1], len(list) == 1
	switch word {
	case "FROM", "JOIN", "INTO", "TABLE", "DESCRIBE":
		return "TABLE"
	case "UPDATE":
		if first || list[len(list)-2] != "KEY" { // columns follow ON DUPLICATE KEY UPDATE
			return "TABLE"
		}
	case "DESC":
		if first { // else it is of ORDER BY
			return "TABLE"
		}
	case "USE", "DATABASE", "SCHEMA":
		return "DATABASE"
	}
	return ""
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
