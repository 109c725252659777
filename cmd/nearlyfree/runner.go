package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// runner runs statements and prints what they give.
type runner struct {
	db     *database
	out    io.Writer // rows
	notes  io.Writer // errors, counts, costs
	format printer
	quiet  bool
	force  bool // continue after a statement that fails
	failed int
	skip   *skipped // what is left out; nil: nothing is
}

// end is the error of a run that continued after errors.
func (r *runner) end() error {
	r.tellSkipped()
	if r.failed > 0 {
		return errShown
	}
	return nil
}

func (r *runner) text(ctx context.Context, name, text string) error {
	return r.script(ctx, name, strings.NewReader(text))
}

func (r *runner) file(ctx context.Context, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return r.script(ctx, name, f)
}

// script runs the statements of a text. The first that fails ends it, unless the run is to continue.
func (r *runner) script(ctx context.Context, name string, in io.Reader) error {
	s := newStatements(in)
	for n := 0; ; n++ {
		st, err := s.next()
		if err == io.EOF {
			if n == 0 {
				fmt.Fprintf(r.notes, "%s: %s\n", name, noStatement)
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := r.run(ctx, st); err != nil {
			if err == errQuit {
				return nil
			}
			fmt.Fprintf(r.notes, "%s, line %d: %s\n", name, st.line, r.explainedOf(st.text, err))
			if r.failed++; !r.force || ctx.Err() != nil {
				return errShown
			}
		}
	}
}

// run runs a statement or a command of the shell.
func (r *runner) run(ctx context.Context, st statement) error {
	if strings.HasPrefix(st.text, ".") {
		return r.command(ctx, st.text)
	}
	if st.record {
		usual := r.format
		r.format = recordPrinter{}
		defer func() { r.format = usual }()
	}
	return r.statement(ctx, st.text)
}

// statement runs one statement. An interrupt from the keyboard ends only the statement.
func (r *runner) statement(ctx context.Context, text string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if r.skip.skips(text) {
		return nil
	}
	before, began := r.db.connector.Stats(), time.Now()
	said, err := r.rows(ctx, text)
	if err == nil {
		err = r.noteSkipped(ctx, text)
	}
	if err == nil && !r.quiet && said != "" {
		fmt.Fprintf(r.notes, "%s%s%s\n", said, r.db.warnings(text), r.cost(before, time.Since(began)))
	}
	return err
}

// rows sends a statement and prints its rows, and reports the result.
func (r *runner) rows(ctx context.Context, text string) (said string, err error) {
	if !returnsRows(text) {
		result, err := r.db.conn.ExecContext(ctx, text)
		if err != nil {
			return "", err
		}
		n, err := result.RowsAffected()
		if err != nil || !writesRows[firstWord(text)] {
			return "done", nil
		}
		return plural(n, "row") + " affected", nil
	}
	rows, err := r.db.conn.QueryContext(ctx, text)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := columnsOf(rows)
	if err != nil {
		return "", err
	}
	if len(columns) == 0 {
		return "done", rows.Err()
	}
	n, err := r.print(rows, columns)
	return plural(n, "row"), err
}

// print prints the rows in parts.
func (r *runner) print(rows *sql.Rows, columns []column) (n int64, err error) {
	var part [][]any
	first := true
	flush := func(last bool) error {
		err := r.format.part(r.out, columns, part, first, last)
		part, first = nil, false
		return err
	}
	for rows.Next() {
		cells, pointers := make([]any, len(columns)), make([]any, len(columns))
		for i := range cells {
			pointers[i] = &cells[i]
		}
		if err := rows.Scan(pointers...); err != nil {
			return n, err
		}
		n++
		if part = append(part, cells); len(part) == tableRows {
			if err := flush(false); err != nil {
				return n, err
			}
		}
	}
	if err := rows.Err(); err != nil {
		return n, err
	}
	return n, flush(true)
}

// cost says what a statement took.
func (r *runner) cost(before nearlyfree.Stats, took time.Duration) string {
	did := r.db.connector.Stats().Sub(before)
	return fmt.Sprintf(" · %s · %s · $%.2f a million", plural(did.Requests, "request"), took.Round(10*time.Microsecond),
		did.DollarsPerMillion(nearlyfree.ListPrice))
}

func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	if stem, ok := strings.CutSuffix(word, "y"); ok {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// returnsRows says whether a statement is a query: by its first word, and by RETURNING.
func returnsRows(text string) bool {
	word := firstWord(text)
	if writesRows[word] {
		return strings.Contains(strings.ToUpper(text), "RETURNING")
	}
	return word == "(" || queryWords[word]
}

var writesRows = map[string]bool{"INSERT": true, "REPLACE": true, "UPDATE": true, "DELETE": true}

var queryWords = map[string]bool{
	"SELECT": true, "WITH": true, "VALUES": true, "TABLE": true, "SHOW": true, "DESC": true, "DESCRIBE": true, "EXPLAIN": true,
	"CHECK": true, "REPAIR": true, "ANALYZE": true, "OPTIMIZE": true, "CHECKSUM": true, "EXECUTE": true,
}

// firstWord is the first word of a statement after its comments, in capitals.
func firstWord(text string) string {
	text = behindComments(text)
	if strings.HasPrefix(text, "(") {
		return "("
	}
	n := strings.IndexFunc(text, func(c rune) bool { return !('a' <= c|0x20 && c|0x20 <= 'z' || c == '_') })
	if n < 0 {
		n = len(text)
	}
	return strings.ToUpper(text[:n])
}

// explained is an error in words for the user.
func explained(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted: " + err.Error()
	}
	return err.Error()
}

// explainedOf is an error of a statement in words for the user.
func (r *runner) explainedOf(text string, err error) string {
	told := explained(err)
	if r.skip == nil && (strings.Contains(told, "skip_unsupported_keys = 1") || isProgram(text)) {
		told += "\n--skip leaves such things out, and lists them"
	}
	return told
}
