package main

import (
	"regexp"
	"strings"
)

// forOthers writes a definition so that MySQL and MariaDB accept it, too: parts that only this dialect knows are in comments that only it reads,
// and each program gets a collation by its own name.
func forOthers(create string) string {
	return notTheirs.ReplaceAllStringFunc(create, func(s string) string {
		words := strings.TrimSpace(s)
		switch {
		case strings.ContainsRune("'`\"", rune(s[0])):
			return s
		case strings.HasPrefix(words, "DEFINER"):
			return ""
		case strings.HasPrefix(words, ")"): // ) GLOBAL
			return ") /*N! GLOBAL */"
		case strings.HasPrefix(words, "STORED"), strings.HasPrefix(words, "VIRTUAL"): // MariaDB takes no NOT NULL behind it
			return strings.TrimSuffix(s, "NOT NULL") + "/*!50750 NOT NULL */"
		case strings.HasPrefix(s, ","):
			return " /*N! , " + strings.TrimSpace(s[1:]) + " */"
		case strings.HasPrefix(words, "COLLATE"):
			head, name := words[:len("COLLATE=")], words[len("COLLATE="):]
			theirs := collationsOfOthers[strings.ToLower(name)]
			if theirs.mysql == name {
				return " /*!50750 " + words + " */ /*M!101000 " + head + theirs.mariaDB + " */"
			}
			return " /*N! " + words + " */"
		}
		return " /*N! " + words + " */"
	})
}

// collationOfOthers is a collation's name elsewhere. MariaDB skips comments for MySQL 5.7.50 and later.
type collationOfOthers struct{ mysql, mariaDB string }

var collationsOfOthers = map[string]collationOfOthers{
	"utf8mb4_0900_bin":   {"utf8mb4_0900_bin", "utf8mb4_nopad_bin"},
	"utf8mb4_0900_ai_ci": {"utf8mb4_0900_ai_ci", "utf8mb4_uca1400_nopad_ai_ci"},
	"utf8mb4_0900_as_ci": {"utf8mb4_0900_as_ci", "utf8mb4_uca1400_nopad_as_ci"},
	"utf8mb4_0900_as_cs": {"utf8mb4_0900_as_cs", "utf8mb4_uca1400_nopad_as_cs"},
}

const quotedNames = "\\(`(?:[^`]|``)*`(?:, `(?:[^`]|``)*`)*\\)"

// notTheirs finds what others do not know, and skips quotes.
var notTheirs = regexp.MustCompile("(?s)'(?:[^'\\\\]|\\\\.|'')*'|`(?:[^`]|``)*`|\"(?:[^\"]|\"\")*\"" +
	"| COLLATE[ =](?:utf8mb4_0900_\\w+|nocase)\\b" +
	"|\\) GLOBAL\\b| INCLUDE " + quotedNames + "| COPY KEYS\\b" +
	"|,\n  CONSTRAINT `[^\n]* NOT ENFORCED\\b| (?:STORED|VIRTUAL) NOT NULL\\b" +
	"|\nPARTITION BY KEY .*$|\nPARTITION BY [^\n]* (?:INTERVAL \\(|AUTOMATIC).*$" +
	"| INTERLEAVE IN PARENT `(?:[^`]|``)*`(?: WITH PARENT)?" +
	"|DEFINER=`(?:[^`]|``)*`@`(?:[^`]|``)*` ")
