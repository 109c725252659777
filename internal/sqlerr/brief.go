package sqlerr

import (
	"strconv"
	"unicode/utf8"
)

// quoted is how many octets of a given name, text or statement an error repeats.
const quoted = 100

// Brief is what an error repeats of s: no more than its beginning.
func Brief(s string) string { return CutAt(s, quoted) }

// Whole is an argument of a message that is not shortened.
type Whole string

// Briefly applies Brief to those arguments of a message that are strings.
func Briefly(args []any) []any {
	for i, a := range args {
		if s, ok := a.(string); ok && len(s) > quoted {
			args[i] = Brief(s)
		}
	}
	return args
}

// BriefMessage bounds a message that contains the words of others.
func BriefMessage(s string) string { return CutAt(s, 5*quoted) }

// CutAt gives the first octets of s, up to a whole character, and says that more follows.
func CutAt(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// Count is a number of things in English: "1 row", "2 rows", "0 rows".
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}
