package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/nearlyfreedb/nearlyfree"
	"github.com/spf13/cobra"
)

// topOptions are what the command line of top says.
type topOptions struct {
	by, format string
	most       int
	follow     bool
}

func topCommand() *cobra.Command {
	var o topOptions
	c := &cobra.Command{
		Use:   "top LOG",
		Short: "Add up what an application's statements cost, from its log",
		Long: `Add up what statements have cost. Statements that differ only in literals count together. LOG is the log that the
application's StatementLog writes to a slog.JSONHandler: a file, or - for the standard input.

  nearlyfree.Config{…, Observer: &nearlyfree.StatementLog{Logger: slog.New(slog.NewJSONHandler(file, nil))}}

Other lines in it are skipped. With --follow, top continues as the log grows, until Ctrl-C.`,
		Example: `  nearlyfree top app.log --by dollars
  kubectl logs -f deploy/shop | nearlyfree top --follow -`,
		Args: takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt)
			defer stop()
			out := c.OutOrStdout()
			f, ok := out.(*os.File)
			terminal := ok && isatty.IsTerminal(f.Fd())
			if o.format == "" {
				o.format = "tsv"
				if terminal {
					o.format = "table"
				}
			}
			in := io.Reader(os.Stdin)
			if args[0] != "-" {
				file, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer file.Close()
				in = file
			}
			return top(ctx, in, o, terminal, out)
		},
	}
	f := c.Flags()
	f.StringVar(&o.by, "by", "requests", "sort by: "+strings.Join(topOrders, ", "))
	f.StringVarP(&o.format, "format", "f", "", "format: "+formatNames()+" (default table on a terminal, else tsv)")
	f.IntVarP(&o.most, "most", "n", 20, "print at most `N` statements")
	f.BoolVar(&o.follow, "follow", false, "continue as the log grows, and print every two seconds")
	return c
}

var topOrders = []string{"requests", "dollars", "time", "times", "entities"}

// logged is what a line of a StatementLog says.
type logged struct {
	Statement string
	Duration  int64 // nanoseconds
	Rows      int64
	Requests  int64
	Read      int64 `json:"entities_read"`
	Written   int64 `json:"entities_written"`
	Scans     string
	Error     string

	Time       loggedTime
	Partitions []nearlyfree.PartitionUse
}

// topLine is what the statements of one shape have cost.
type topLine struct {
	shape                                   string
	times, errors, rows, requests, entities int64
	took                                    time.Duration
	scans                                   bool
}

// topTable adds up.
type topTable map[string]*topLine

// shapes of literals in a statement, and of lists of them.
var (
	literalShape = regexp.MustCompile(`'(?:[^'\\]|\\.|'')*'|\b0[xX][0-9a-fA-F]+\b|\b[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\b`)
	listShape    = regexp.MustCompile(`\?(?:\s*,\s*\?)+`)
	rowsShape    = regexp.MustCompile(`(\((?:\?|\?…)\))(?:\s*,\s*\((?:\?|\?…)\))+`)
	blanks       = regexp.MustCompile(`\s+`)
)

// shapeOf is a statement without its literals.
func shapeOf(text string) string {
	text = blanks.ReplaceAllString(strings.TrimSpace(text), " ")
	text = literalShape.ReplaceAllString(text, "?")
	text = listShape.ReplaceAllString(text, "?…")
	return rowsShape.ReplaceAllString(text, "$1…")
}

// add takes in a line of the log; it ignores a line that is not about a statement.
func (t topTable) add(line []byte) {
	var l logged
	if json.Unmarshal(line, &l) != nil || l.Statement == "" {
		return
	}
	shape := shapeOf(l.Statement)
	of := t[shape]
	if of == nil {
		of = &topLine{shape: shape}
		t[shape] = of
	}
	of.times++
	of.rows += l.Rows
	of.requests += l.Requests
	of.entities += l.Read + l.Written
	of.took += time.Duration(l.Duration)
	of.scans = of.scans || l.Scans != ""
	if l.Error != "" {
		of.errors++
	}
}

// print prints the statements that cost most.
func (t topTable) print(out io.Writer, print printer, o topOptions) error {
	lines := make([]*topLine, 0, len(t))
	var requests int64
	for _, l := range t {
		lines = append(lines, l)
		requests += l.requests
	}
	slices.SortFunc(lines, func(a, b *topLine) int {
		figure := func(l *topLine) int64 {
			return map[string]int64{"requests": l.requests, "dollars": l.requests, "time": int64(l.took), "times": l.times, "entities": l.entities}[o.by]
		}
		return cmp.Or(cmp.Compare(figure(b), figure(a)), cmp.Compare(a.shape, b.shape))
	})
	head := columnsNamed("times", "BIGINT", "requests", "BIGINT", "share", "VARCHAR", "dollars", "DECIMAL", "each", "DECIMAL", "entities", "BIGINT", "rows", "BIGINT",
		"mean_ms", "DECIMAL", "errors", "BIGINT", "scans", "BOOL", "statement", "VARCHAR")
	var rows [][]any
	for _, l := range lines[:min(len(lines), o.most)] {
		cost := nearlyfree.Stats{Requests: l.requests}.DollarsPerMillion(nearlyfree.ListPrice) / 1e6
		rows = append(rows, []any{l.times, l.requests, fmt.Sprintf("%d%%", 100*l.requests/max(requests, 1)), fmt.Sprintf("%.6f", cost), fmt.Sprintf("%.1f", float64(l.requests)/float64(l.times)),
			l.entities, l.rows, fmt.Sprintf("%.1f", l.took.Seconds()*1000/float64(l.times)), l.errors, l.scans, l.shape})
	}
	return print.part(out, head, rows, true, true)
}

// top reads a log to its end, or for as long as it grows.
func top(ctx context.Context, in io.Reader, o topOptions, terminal bool, out io.Writer) error {
	if !slices.Contains(topOrders, o.by) {
		return fmt.Errorf("statements cannot be sorted by %q: it is one of %s", o.by, strings.Join(topOrders, ", "))
	}
	print, err := formatOf(o.format)
	if err != nil {
		return err
	}
	table := topTable{}
	if !o.follow {
		if err := eachLine(in, table.add); err != nil && err != io.EOF {
			return err
		}
		return table.print(out, print, o)
	}
	lines, failed := make(chan []byte, 1000), make(chan error, 1)
	go follow(ctx, in, lines, failed)
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	grown := false
	for {
		select {
		case line := <-lines:
			table.add(line)
			grown = true
		case <-tick.C:
			if !grown {
				continue
			}
			grown = false
			if terminal {
				fmt.Fprint(out, "\x1b[H\x1b[2J")
			}
			if err := table.print(out, print, o); err != nil {
				return err
			}
		case err := <-failed:
			for len(lines) > 0 {
				table.add(<-lines)
			}
			return errors.Join(err, table.print(out, print, o))
		}
	}
}

// follow passes on the lines of a log, and waits for more at the end of a file. The end of a pipe ends it.
func follow(ctx context.Context, in io.Reader, lines chan<- []byte, failed chan<- error) {
	r := bufio.NewReaderSize(in, 1<<16)
	file, _ := in.(*os.File)
	grows := false
	if file != nil {
		info, err := file.Stat()
		grows = err == nil && info.Mode().IsRegular()
	}
	var begun []byte
	for ctx.Err() == nil {
		part, err := r.ReadBytes('\n')
		begun = append(begun, part...)
		if err == nil {
			lines <- begun
			begun = nil
			continue
		}
		if err != io.EOF || !grows {
			if len(begun) > 0 {
				lines <- begun
			}
			if err == io.EOF {
				err = nil
			}
			failed <- err
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	failed <- nil
}

// eachLine hands on the lines of a text.
func eachLine(in io.Reader, do func([]byte)) error {
	r := bufio.NewReaderSize(in, 1<<16)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			do(line)
		}
		if err != nil {
			return err
		}
	}
}
