package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
	"github.com/spf13/cobra"
)

func checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check [DSN] [TABLE ...]",
		Short: "Compare every row with its index entries",
		Long: `Read all tables, or those that you name, and report what is wrong: compare rows with their index entries, parents and
checksums, and views with their tables (CHECK TABLE … EXTENDED). The exit status is 0 only if nothing is wrong.`,
		Example: `  nearlyfree check file:shop.db`,
		RunE: func(c *cobra.Command, args []string) error {
			return withExisting(c, args, func(ctx context.Context, db *database, names []string) error {
				err := maintain(ctx, db, names, false, taskOf(c), c.OutOrStdout())
				return db.tellOthers(ctx, c.ErrOrStderr(), names, err)
			})
		},
	}
}

func repairCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "repair [DSN] [TABLE ...]",
		Short: "Repair index entries that do not match their rows, and give up what is damaged",
		Long: `Repair what check finds, in all tables or those that you name (REPAIR TABLE). What cannot be read any more is given up,
and reported. The exit status is 0 only if nothing is wrong afterwards.`,
		Example: `  nearlyfree repair file:shop.db`,
		RunE: func(c *cobra.Command, args []string) error {
			return withExisting(c, args, func(ctx context.Context, db *database, names []string) error {
				err := maintain(ctx, db, names, true, taskOf(c), c.OutOrStdout())
				return db.tellOthers(ctx, c.ErrOrStderr(), names, err)
			})
		},
	}
}

// maintain checks or repairs each table, and reports the result.
func maintain(ctx context.Context, db *database, names []string, repair bool, t *task, out io.Writer) error {
	defer t.end()
	if len(names) == 0 {
		var err error
		list := allTables
		if repair {
			list = strings.Replace(allTables, " ORDER", " AND table_type = 'BASE TABLE' ORDER", 1) // a view has no rows to mend
		}
		if names, err = db.column(ctx, list, 0); err != nil {
			return err
		}
	}
	t.begin("tables", int64(len(names)), "table")
	began, bad := time.Now(), 0
	for _, name := range names {
		statement := "CHECK TABLE " + ask.Quoted(name) + " EXTENDED"
		if repair {
			statement = "REPAIR TABLE " + ask.Quoted(name)
		}
		rows, err := db.rows(ctx, statement)
		if err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
		well := true
		for _, row := range rows {
			kind, text := row[2], row[3]
			if kind == "status" && text == "OK" {
				continue
			}
			well = well && kind != "error" && kind != "status"
			fmt.Fprintf(out, "%s: %s: %s\n", name, kind, text)
		}
		if !well {
			bad++
		}
		t.add(1)
	}
	t.endPart()
	fmt.Fprintf(out, "%d of %d tables and views are correct, in %s\n", len(names)-bad, len(names), time.Since(began).Round(time.Millisecond))
	if bad > 0 {
		return errShown
	}
	return nil
}

func backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup [DSN] FILE",
		Short: "Copy a database file, even while a program writes to it",
		Long: `Copy a database file into a new file, as of one moment. A program that has it open can go on writing: nobody waits.
The copy has everything that was committed before. For other stores use copy or dump.`,
		Example: `  nearlyfree backup file:shop.db shop-monday.db`,
		Args:    takes(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			dsn, rest, err := dataSource(args)
			if err != nil {
				return err
			}
			if len(rest) != 1 {
				return errors.New("backup needs the name of the new file")
			}
			return backup(c.Context(), dsn, strings.TrimPrefix(rest[0], "file:"), notesOf(c))
		},
	}
}

func backup(ctx context.Context, dsn, to string, notes io.Writer) error {
	path, err := pathOf(dsn)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := nearlyfree.BackupFile(ctx, path, to); err != nil {
		return err
	}
	info, err := os.Stat(to)
	if err != nil {
		return err
	}
	fmt.Fprintf(notes, "%s has %d bytes, as of a moment ago, in %s\n", to, info.Size(), time.Since(began).Round(time.Millisecond))
	return nil
}

// pathOf is the file that a data source name names.
func pathOf(dsn string) (string, error) {
	config, err := nearlyfree.ParseDSN(dsn)
	if err != nil {
		return "", err
	}
	return fileOfStore(config)
}

// fileOfStore is the file of a store.
func fileOfStore(config *nearlyfree.Config) (string, error) {
	path, ok := strings.CutPrefix(config.Store, "file:")
	if !ok {
		return "", errors.New("backup is for files only: copy FROM TO copies any store, dump writes it as SQL")
	}
	return url.PathUnescape(path)
}
