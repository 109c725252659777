package serve

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// words are the template functions that write numbers.
var words = template.FuncMap{
	"n": grouped, "count": count, "bytes": bytesText, "dollars": dollarsText, "perMillion": perMillion, "took": tookText, "about": aboutText, "key": keyParts, "percent": percentText,
}

// grouped is a number with its thousands apart.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count is a number with the name of the things.
func count(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	if stem, ok := strings.CutSuffix(word, "y"); ok {
		return grouped(n) + " " + stem + "ies"
	}
	return grouped(n) + " " + word + "s"
}

func bytesText(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	v, u := float64(n), 0
	for ; v >= 1000 && u < len(units)-1; u++ {
		v /= 1000
	}
	if u == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return strconv.FormatFloat(v, 'f', digits(v), 64) + " " + units[u]
}

// digits behind the point, for three in all.
func digits(v float64) int {
	switch {
	case v >= 100:
		return 0
	case v >= 10:
		return 1
	}
	return 2
}

// dollarsText is an amount of dollars; small amounts matter here, too.
func dollarsText(v float64) string {
	switch {
	case v == 0:
		return "$0"
	case v < 1e-6:
		return "< $0.000001"
	case v < 0.01:
		return "$" + strconv.FormatFloat(v, 'f', min(6, 1-int(math.Floor(math.Log10(v)))), 64)
	}
	return "$" + strconv.FormatFloat(v, 'f', 2, 64)
}

// perMillion is what a million times so many requests cost.
func perMillion(requests int64) string {
	return fmt.Sprintf("$%.2f", nearlyfree.Stats{Requests: requests}.DollarsPerMillion(nearlyfree.ListPrice))
}

func tookText(d time.Duration) string {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}

// aboutText is an estimate with three digits.
func aboutText(v float64) string {
	if v < 10 && v != math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	v = math.Round(v)
	for unit := 1.0; ; unit *= 10 {
		if v < 1000*unit {
			return grouped(int64(math.Round(v/unit) * unit))
		}
	}
}

func percentText(part, of int64) string {
	if of == 0 {
		return "–"
	}
	p := 100 * float64(part) / float64(of)
	if p > 0 && p < 0.1 {
		return "< 0.1 %"
	}
	return strconv.FormatFloat(p, 'f', max(0, digits(p)-1), 64) + " %"
}

// keyParts cuts a key at its separators, so that its parts can be told apart: the first is a name.
func keyParts(key string) []string { return strings.Split(visible(key), "!") }
