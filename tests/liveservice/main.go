// Liveservice asks a table service whether it does what nearlyfree relies on: yes or no, with a figure, and with what each no means
// for the driver. It needs an account, makes one table of its own there, and deletes it. It sends some thousand requests, for less than
// a cent.
//
//	AZURE_STORAGE_CONNECTION_STRING='AccountName=…;AccountKey=…' go run ./tests/liveservice
//
// It ends with 0 where every answer is yes, with 1 where one is not, and with 2 where it could not ask.
//
// Azurite says yes to all, which proves nothing about the service.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure"
)

// variable is the environment variable that names the account, as it does for other programs.
const variable = "AZURE_STORAGE_CONNECTION_STRING"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	bad, err := ask(ctx)
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "liveservice:", err)
		os.Exit(2)
	case bad > 0:
		os.Exit(1)
	}
}

// ask asks the account that the environment names.
func ask(ctx context.Context) (bad int, err error) {
	many := usual
	flag.DurationVar(&many.pages, "pages", many.pages, "for how long pages are read while a writer changes them")
	flag.IntVar(&many.writes, "writes", many.writes, "how often one entity is written, to see whether an ETag comes again")
	flag.Parse()
	location := os.Getenv(variable)
	if location == "" {
		return 0, errors.New(variable + " is not set: put the account's connection string there, as the portal shows it")
	}
	o, err := azure.ParseConnectionString(location)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", variable, err)
	}
	store, err := azure.Open(o)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", variable, err)
	}
	defer store.Close()
	return answers(ctx, os.Stdout, store, many)
}

// answers asks all questions of a store, in a table of its own, and says how many answers are not yes.
func answers(ctx context.Context, out io.Writer, store engine.Engine, many effort) (bad int, err error) {
	s := &service{Engine: store, table: "NfLive" + rand.Text()[:12], many: many}
	if err := s.CreateTable(ctx, s.table, nil); err != nil {
		return 0, fmt.Errorf("a table cannot be made: %w", err)
	}
	defer func() {
		// Also after an interrupt, which ends ctx.
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		if failed := s.DeleteTable(end, s.table, nil); failed != nil {
			err = errors.Join(err, fmt.Errorf("table %s is left, delete it: %w", s.table, failed))
		}
	}()
	for i := range questions {
		q := &questions[i]
		is, err := q.ask(ctx, s)
		if ctx.Err() != nil {
			return bad, ctx.Err()
		}
		switch {
		case err != nil:
			bad++
			fmt.Fprintf(out, "?    %s\n     no answer: %v\n", q.text, err)
		case is.yes:
			fmt.Fprintf(out, "yes  %s: %s\n", q.text, is.figure)
		default:
			bad++
			fmt.Fprintf(out, "no   %s: %s\n     %s\n", q.text, is.figure, q.no)
		}
	}
	if bad > 0 {
		fmt.Fprintf(out, "%d of %d answers are not yes.\n", bad, len(questions))
	} else {
		fmt.Fprintln(out, "All is as the driver needs it.")
	}
	return bad, nil
}
