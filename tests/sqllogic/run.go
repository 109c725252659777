package sqllogic

import (
	"context"
	"crypto/md5"
	"database/sql"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Engine is the name under which the driver takes part.
const Engine = "mysql"

// Outcome counts what came of a file's records.
type Outcome struct {
	Passed  int
	Skipped int // for other engines
	Refused int // an error where rows or success was wanted
	Wrong   int // rows that are not those wanted, or success where an error was wanted
}

// Add adds o2 to o.
func (o *Outcome) Add(o2 Outcome) {
	o.Passed += o2.Passed
	o.Skipped += o2.Skipped
	o.Refused += o2.Refused
	o.Wrong += o2.Wrong
}

// Report is told of each record that did not pass.
type Report func(r *Record, wrong bool, message string)

// Run runs records on one database.
func Run(ctx context.Context, db *sql.DB, records []Record, report Report) Outcome {
	var o Outcome
	labels := map[string]string{}
	for i := range records {
		r := &records[i]
		if !r.Runs(Engine) {
			o.Skipped++
			continue
		}
		switch r.Kind {
		case "halt":
			return o
		case "statement":
			_, err := db.ExecContext(ctx, r.SQL)
			switch {
			case (err != nil) == r.Error:
				o.Passed++
			case r.Error:
				o.Wrong++
				report(r, true, "succeeded, an error was wanted")
			default:
				o.Refused++
				report(r, false, err.Error())
			}
		case "query":
			values, err := read(ctx, db, r)
			if err != nil {
				o.Refused++
				report(r, false, err.Error())
				continue
			}
			if message := compare(r, values, labels); message != "" {
				o.Wrong++
				report(r, true, message)
				continue
			}
			o.Passed++
		}
	}
	return o
}

// read runs a query and gives its values as the format writes them, sorted as the record says.
func read(ctx context.Context, db *sql.DB, r *Record) ([]string, error) {
	rows, err := db.QueryContext(ctx, r.SQL)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	cells, pointers := make([]any, len(names)), make([]any, len(names))
	for i := range cells {
		pointers[i] = &cells[i]
	}
	var lines [][]string
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return nil, err
		}
		line := make([]string, len(cells))
		for i, v := range cells {
			kind := byte('T')
			if i < len(r.Types) {
				kind = r.Types[i]
			}
			line[i] = format(v, kind)
		}
		lines = append(lines, line)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if r.Sort == "rowsort" {
		slices.SortFunc(lines, slices.Compare)
	}
	values := slices.Concat(lines...)
	if r.Sort == "valuesort" {
		slices.Sort(values)
	}
	return values, nil
}

// format writes a value: I whole numbers, R three digits behind the point, T text with (empty) for none and @
// for what is not printable.
func format(v any, kind byte) string {
	if v == nil {
		return "NULL"
	}
	text := plain(v)
	switch kind {
	case 'I':
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			if i, err := strconv.ParseInt(text, 10, 64); err == nil {
				return strconv.FormatInt(i, 10)
			}
			return strconv.FormatFloat(math.Trunc(f)+0, 'f', 0, 64) // + 0: not -0
		}
		return "0"
	case 'R':
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return "0.000"
		}
		return strconv.FormatFloat(f, 'f', 3, 64)
	}
	if text == "" {
		return "(empty)"
	}
	return strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return '@'
		}
		return c
	}, text)
}

func plain(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case bool:
		if v {
			return "1"
		}
		return "0"
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case time.Time:
		return v.Format("2006-01-02 15:04:05")
	}
	return fmt.Sprint(v)
}

// compare gives "" when the values are those wanted.
func compare(r *Record, values []string, labels map[string]string) string {
	hash := hashOf(values)
	if r.Label != "" {
		if other, seen := labels[r.Label]; seen && other != hash {
			return fmt.Sprintf("differs from the earlier answer labelled %s", r.Label)
		}
		labels[r.Label] = hash
	}
	if !r.HasWant {
		return ""
	}
	if len(r.Want) == 1 && strings.Contains(r.Want[0], " values hashing to ") {
		if got := fmt.Sprintf("%d values hashing to %s", len(values), hash); got != r.Want[0] {
			return fmt.Sprintf("got %s, want %s; the first are %s", got, r.Want[0], strings.Join(values[:min(len(values), 12)], " "))
		}
		return ""
	}
	if !slices.Equal(values, r.Want) {
		return fmt.Sprintf("got %q, want %q", values[:min(len(values), 40)], r.Want[:min(len(r.Want), 40)])
	}
	return ""
}

func hashOf(values []string) string {
	h := md5.New()
	for _, v := range values {
		h.Write([]byte(v))
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil))
}
