package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
)

// errQuit ends the shell.
var errQuit = errors.New("quit")

// shellCommand is what a line that begins with a point does.
type shellCommand struct {
	args, does string
	run        func(r *runner, ctx context.Context, args string) error
}

var shellCommands map[string]shellCommand

func init() { // .help reads the map
	shellCommands = map[string]shellCommand{
		".help":    {"", "lists these commands", (*runner).help},
		".tables":  {"[LIKE]", "lists all tables, or those LIKE 'x%'", (*runner).tables},
		".schema":  {"[TABLE]", "prints the statements that make the tables", (*runner).schema},
		".explain": {"SQL", "draws the plan of a statement and what it costs, without running it", (*runner).explain},
		".analyze": {"SQL", "runs a statement, and draws what each part of its plan took", (*runner).analyze},
		".format":  {"[NAME]", "sets how rows are printed: " + formatNames(), (*runner).setFormat},
		".read":    {"FILE", "runs the statements of a file, as SOURCE FILE does", func(r *runner, ctx context.Context, name string) error { return r.file(ctx, name) }},
		".stats":   {"", "prints what all statements have cost so far", (*runner).stats},
		".quit":    {"", "ends the shell, as QUIT, EXIT and Ctrl-D do", func(*runner, context.Context, string) error { return errQuit }},
		".exit":    {"", "ends the shell, as .quit does", func(*runner, context.Context, string) error { return errQuit }},
	}
}

// command runs a line that begins with a point.
func (r *runner) command(ctx context.Context, line string) error {
	name, args, _ := strings.Cut(line, " ")
	c, ok := shellCommands[strings.ToLower(strings.TrimSuffix(name, ";"))]
	if !ok {
		return fmt.Errorf("the command %s is not known; .help lists them", name)
	}
	args = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(args), ";"))
	if args == "" && c.args != "" && c.args[0] != '[' {
		return fmt.Errorf("%s needs %s after it", name, c.args)
	}
	return c.run(r, ctx, args)
}

func commandNames() []string {
	var names []string
	for name := range shellCommands {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (r *runner) help(context.Context, string) error {
	for _, name := range commandNames() {
		c := shellCommands[name]
		fmt.Fprintf(r.out, "%-18s %s\n", name+" "+c.args, c.does)
	}
	fmt.Fprintln(r.out, `
A statement ends at a semicolon, or at \G, which prints each column on its own line. USE NAME ends with its line. \c and Ctrl-C drop the
statement that you are typing; Ctrl-C also ends a statement that is running.`)
	return nil
}

func (r *runner) tables(ctx context.Context, like string) error {
	if like != "" {
		like = " LIKE " + quoted(strings.Trim(like, "'"))
	}
	return r.statement(ctx, "SHOW FULL TABLES"+like)
}

func quoted(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'" }

const allTables = "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_type, table_name"

// tellOthers says, if all tables were meant and err is nil, that the store has other databases, which were left alone.
func (d *database) tellOthers(ctx context.Context, notes io.Writer, tables []string, err error) error {
	if err != nil || len(tables) > 0 {
		return err
	}
	names, err := d.column(ctx, "SELECT DISTINCT table_schema FROM information_schema.tables WHERE table_type <> 'SYSTEM VIEW' AND table_schema <> DATABASE() ORDER BY 1", 0)
	if err == nil && len(names) > 0 {
		option := "?database=NAME after the data source name"
		if !ask.InProcess(d.config) && !strings.HasPrefix(d.config.Store, "http") {
			option = "Database=NAME in the connection string"
		}
		fmt.Fprintf(notes, "only database %s: %s is for %s\n", ask.Home(d.config), option, strings.Join(names, ", "))
	}
	return err
}

// schema prints the statements as text, in an order in which they can be run.
func (r *runner) schema(ctx context.Context, table string) error {
	var names []string
	if table != "" {
		names = []string{strings.Trim(table, "`")}
	}
	list, circle, err := r.db.definitions(ctx, names...)
	if err != nil {
		return err
	}
	if circle {
		fmt.Fprint(r.out, "SET foreign_key_checks = 0;\n\n")
	}
	for _, def := range list {
		fmt.Fprintf(r.out, "%s;\n\n", def.create)
	}
	if circle {
		fmt.Fprint(r.out, "SET foreign_key_checks = 1;\n\n")
	}
	return nil
}

func (r *runner) explain(ctx context.Context, sql string) error {
	return r.drawn(ctx, "EXPLAIN FORMAT=TREE "+sql)
}

func (r *runner) analyze(ctx context.Context, sql string) error {
	return r.drawn(ctx, "EXPLAIN ANALYZE FORMAT=TREE "+sql)
}

// drawn prints the one column of an answer as it is.
func (r *runner) drawn(ctx context.Context, sql string) error {
	lines, err := r.db.column(ctx, sql, 0)
	if err != nil {
		return err
	}
	for _, line := range lines {
		fmt.Fprintln(r.out, line)
	}
	return nil
}

func (r *runner) setFormat(_ context.Context, name string) error {
	if name == "" {
		fmt.Fprintln(r.out, "the formats are "+formatNames())
		return nil
	}
	p, err := formatOf(name)
	if err == nil {
		r.format = p
	}
	return err
}

func (r *runner) stats(context.Context, string) error {
	s := r.db.connector.Stats()
	fmt.Fprintf(r.out, "%s, %d of them for definitions, %d sent again\n%d entities looked at, %d returned, %d written\n%d bytes in, %d bytes out\n",
		plural(s.Requests, "request"), s.SchemaRequests, s.Retries, s.EntitiesScanned, s.EntitiesReturned, s.EntitiesWritten, s.BytesIn, s.BytesOut)
	return nil
}
