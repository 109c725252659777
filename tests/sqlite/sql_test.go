package sqlite

import (
	"fmt"
	"strings"
)

// sql is a piece of SQL in both dialects.
type sql struct{ ours, lite string }

func both(format string, args ...any) sql {
	s := fmt.Sprintf(format, args...)
	return sql{s, s}
}

// join formats pieces into one: each %s takes the piece's text of the dialect.
func join(format string, parts ...sql) sql { return join2(format, format, parts...) }

// join2 formats pieces by a format for each dialect, which may name pieces by their number: %[2]s.
func join2(ours, lite string, parts ...sql) sql {
	o, l := make([]any, len(parts)), make([]any, len(parts))
	for i, p := range parts {
		o[i], l[i] = p.ours, p.lite
	}
	return sql{fmt.Sprintf(ours, o...), fmt.Sprintf(lite, l...)}
}

func list(parts []sql, separator string) sql {
	ours, lite := make([]string, len(parts)), make([]string, len(parts))
	for i, p := range parts {
		ours[i], lite[i] = p.ours, p.lite
	}
	return sql{strings.Join(ours, separator), strings.Join(lite, separator)}
}

// statement is SQL to run on both sides.
type statement struct {
	sql
	params []param
	// order is what a query's order decides: the rows must agree, one after the other, in these columns of the
	// result; in the others as a whole.
	order []int
	// rows says that the statement gives rows.
	rows bool
	// plain says that the statement is for the tables without indexes, too; bare is its text for these, where it
	// is another one.
	plain bool
	bare  string
	// counted says that the number of affected rows means the same on both sides.
	counted bool
	// done is called when the statement went well.
	done func()
}

// param is an argument, named in both texts; its value is drawn for each execution.
type param struct {
	name   string
	kind   kind
	values []any // what it is drawn from; nil: all of the kind
}
