package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/nearlyfreedb/nearlyfree"
	"github.com/spf13/cobra"
)

func statsCommand() *cobra.Command {
	var format, log string
	var partitions int
	c := &cobra.Command{
		Use:   "stats [DSN]",
		Short: "Print the size of each table: rows, index entries, bytes, dollars a month, largest store partitions",
		Long: `Read all rows and index entries, and print for each table how many there are, how many bytes Azure bills for them, what
they cost a month in a cheap region, and which store partitions are the largest. On Azure a store partition serves about
2,000 entities a second. Reading takes one request for each thousand entities. Whatever the store is, bytes and dollars
are what Azure would bill.

With --log, stats also reads the log of an application, as top does. It names the indexes that no statement in the log
uses, and the busiest store partitions if the application logs partitions (Config.Partitions).`,
		Example: `  nearlyfree stats file:shop.db
  nearlyfree stats file:shop.db --partitions 10 --log app.log`,
		Args: takes(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if format == "" {
				format = "tsv"
				if f, ok := c.OutOrStdout().(*os.File); ok && isatty.IsTerminal(f.Fd()) {
					format = "table"
				}
			}
			if log != "" {
				if _, err := os.Stat(log); err != nil { // before all is read
					return err
				}
			}
			return withExisting(c, args, func(ctx context.Context, db *database, _ []string) error {
				sizes, err := stats(ctx, db, format, partitions, c.OutOrStdout(), notesOf(c))
				if err == nil && log != "" {
					err = unread(ctx, db, log, c.ErrOrStderr())
				}
				if err == nil && log != "" {
					err = hottest(log, sizes, partitions, c.ErrOrStderr())
				}
				return db.tellOthers(ctx, c.ErrOrStderr(), nil, err)
			})
		},
	}
	c.Flags().StringVarP(&format, "format", "f", "", "format of the figures: "+formatNames()+" (default table on a terminal, else tsv)")
	c.Flags().StringVar(&log, "log", "", "`FILE` that a StatementLog wrote: name the indexes that no statement in it uses, and the busiest store partitions")
	c.Flags().IntVar(&partitions, "partitions", 3, "list `N` store partitions: the largest of each table that has several, and the busiest")
	return c
}

// stats prints what the tables take, and the largest store partitions.
func stats(ctx context.Context, db *database, format string, partitions int, out, notes io.Writer) ([]nearlyfree.TableSize, error) {
	print, err := formatOf(format)
	if err != nil {
		return nil, err
	}
	began, before := time.Now(), db.connector.Stats()
	sizes, err := db.connector.Sizes(ctx, max(partitions, 1))
	if err != nil {
		return nil, err
	}
	head := columnsNamed("table", "VARCHAR", "rows", "BIGINT", "index_entries", "BIGINT", "bytes", "BIGINT", "index_bytes", "BIGINT", "dollars_a_month", "DECIMAL",
		"partitions", "BIGINT", "largest_partition", "VARCHAR", "its_entities", "BIGINT")
	var rows [][]any
	var all nearlyfree.TableSize
	line := func(s nearlyfree.TableSize, partition, entities any) {
		rows = append(rows, []any{s.Table, s.Rows, s.Entries, s.Bytes, s.IndexBytes, fmt.Sprintf("%.6f", nearlyfree.ListPrice.MonthlyCost(s.Bytes)), s.Partitions, partition, entities})
	}
	for _, s := range sizes {
		all.Rows, all.Entries, all.Bytes, all.IndexBytes, all.Partitions = all.Rows+s.Rows, all.Entries+s.Entries, all.Bytes+s.Bytes, all.IndexBytes+s.IndexBytes, all.Partitions+s.Partitions
		if len(s.Largest) == 0 {
			line(s, nil, nil)
			continue
		}
		line(s, s.Largest[0].Name(), s.Largest[0].Entities)
	}
	if err := print.part(out, head, rows, true, true); err != nil {
		return nil, err
	}
	for _, s := range sizes {
		if s.Partitions < 2 || partitions < 2 {
			continue
		}
		var list []string
		for _, p := range s.Largest {
			list = append(list, fmt.Sprintf("%s with %s (%d%%)", p.Name(), plural(p.Entities, "entity"), 100*p.Entities/max(s.Rows+s.Entries, 1)))
		}
		fmt.Fprintf(notes, "%s: the largest of %d store partitions: %s\n", s.Table, s.Partitions, strings.Join(list, ", "))
	}
	did := db.connector.Stats().Sub(before)
	fmt.Fprintf(notes, "in all: %s, %s, %d bytes, $%.6f a month; read by %s in %s\n", plural(all.Rows, "row"), plural(all.Entries, "index entry"), all.Bytes,
		nearlyfree.ListPrice.MonthlyCost(all.Bytes), plural(did.Requests, "request"), time.Since(began).Round(time.Millisecond))
	return sizes, nil
}
