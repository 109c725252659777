package mysql

import (
	"slices"
	"strings"
)

// ansi is the expansion of ANSI in sql_mode, except REAL_AS_FLOAT: a REAL stays a DOUBLE.
var ansi = []string{"PIPES_AS_CONCAT", "ANSI_QUOTES", "IGNORE_SPACE", "ONLY_FULL_GROUP_BY"}

// ansiMode is the sql_mode of a data source name with ANSI expanded, and whether ANSI is in it: then texts are read that way from the first one
// on.
func ansiMode(mode string) (string, bool) {
	bare := strings.ToUpper(strings.Trim(mode, `'"`))
	words := strings.Split(bare, ",")
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	if at := slices.Index(words, "ANSI"); at >= 0 {
		words = slices.Replace(words, at, at+1, ansi...)
	}
	if !slices.Contains(words, "ANSI_QUOTES") || !slices.Contains(words, "PIPES_AS_CONCAT") {
		return mode, false
	}
	return "'" + strings.Join(words, ",") + "'", true
}
