package main

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// unread lists the indexes that no statement of a log is planned to read. The log is that of a StatementLog, as top reads it.
func unread(ctx context.Context, db *database, log string, notes io.Writer) error {
	file, err := os.Open(log)
	if err != nil {
		return err
	}
	defer file.Close()
	statements := map[string]string{} // one of each shape
	err = eachLine(file, func(line []byte) {
		var l logged
		if json.Unmarshal(line, &l) == nil && explains[statementWord(l.Statement)] {
			statements[shapeOf(l.Statement)] = l.Statement
		}
	})
	if err != nil && err != io.EOF {
		return err
	}
	used := map[[2]string]bool{}
	unplanned := 0
	for _, text := range statements {
		if err := db.indexesOf(ctx, text, used); err != nil {
			if ctx.Err() != nil {
				return err
			}
			unplanned++
		}
	}
	all, err := db.rows(ctx, "SELECT DISTINCT TABLE_NAME, INDEX_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND INDEX_NAME <> 'PRIMARY' AND NON_UNIQUE = 1 ORDER BY 1, 2")
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(row []string) bool { return used[foldedPair(row[0], row[1])] })
	list := make([]string, len(all))
	for i, row := range all {
		list[i] = row[0] + "." + row[1]
	}
	of := fmt.Sprintf("of %s in %s", plural(int64(len(statements)), "different statement"), log)
	switch {
	case len(statements) == 0:
		return fmt.Errorf("%s has no statement: pass the log that a StatementLog writes to a slog.JSONHandler", log)
	case len(list) == 0:
		fmt.Fprintf(notes, "%s, at least one reads each index that is not UNIQUE\n", of)
	default:
		fmt.Fprintf(notes, "%s, none reads by %s; a foreign key may need it\n", of, strings.Join(list, ", "))
	}
	if unplanned > 0 {
		fmt.Fprintf(notes, "%s could not be planned here, as tables are gone or were changed\n", plural(int64(unplanned), "statement"))
	}
	return nil
}

// explains are the words that a statement begins with which EXPLAIN takes.
var explains = map[string]bool{"SELECT": true, "WITH": true, "TABLE": true, "(": true, "INSERT": true, "REPLACE": true, "UPDATE": true, "DELETE": true}

// planOperator is the part of EXPLAIN FORMAT=JSON that is used.
type planOperator struct {
	Scan   *struct{ Table, Index string }
	Inputs []planOperator
}

// note notes the indexes that the operator reads.
func (e *planOperator) note(used map[[2]string]bool) {
	if e.Scan != nil {
		used[foldedPair(e.Scan.Table, e.Scan.Index)] = true
	}
	for i := range e.Inputs {
		e.Inputs[i].note(used)
	}
}

func foldedPair(table, index string) [2]string {
	return [2]string{strings.ToLower(table), strings.ToLower(index)}
}

// indexesOf notes the indexes that a statement's plan reads. The values of its arguments do not matter for that.
func (d *database) indexesOf(ctx context.Context, text string, used map[[2]string]bool) error {
	arguments := 0
	err := d.conn.Raw(func(c any) error {
		stmt, err := c.(driver.Conn).Prepare(text)
		if err == nil {
			arguments = stmt.NumInput()
			err = stmt.Close()
		}
		return err
	})
	if err != nil {
		return err
	}
	args := make([]any, max(arguments, 0))
	rows, err := d.rows(ctx, "EXPLAIN FORMAT=JSON "+text, args...)
	if err != nil && ctx.Err() == nil { // LIMIT takes no NULL
		for i := range args {
			args[i] = 1
		}
		rows, err = d.rows(ctx, "EXPLAIN FORMAT=JSON "+text, args...)
	}
	if err != nil {
		return err
	}
	var plan struct{ Plan []planOperator }
	for _, row := range rows {
		if err := json.Unmarshal([]byte(row[0]), &plan); err != nil {
			return err
		}
		for i := range plan.Plan {
			plan.Plan[i].note(used)
		}
	}
	return nil
}
