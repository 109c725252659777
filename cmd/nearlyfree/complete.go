package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// words are those that statements are made of, for completion.
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
	return line[:start], candidates(line[start:at], s.names), line[at:]
}

// byteOf is where the rune of an index begins.
func byteOf(line string, pos int) int {
	for i := range line {
		if pos == 0 {
			return i
		}
		pos--
	}
	return len(line)
}

// candidates are the names and words that begin as a word does; words in the case in which it was begun.
func candidates(begun string, names []string) (found []string) {
	if begun == "" {
		return nil
	}
	if begun[0] == '.' {
		for _, name := range commandNames() {
			if strings.HasPrefix(name, begun) {
				found = append(found, name+" ")
			}
		}
		return found
	}
	for _, name := range names {
		if hasPrefixFold(name, begun) {
			found = append(found, name)
		}
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

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
