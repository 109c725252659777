// Command nearlyfree works with a database of the driver of that name: a shell on a terminal, and a runner of SQL files without one.
//
//	nearlyfree file:expenses.db                      # the shell
//	nearlyfree file:expenses.db -c 'SHOW TABLES'     # one text of SQL
//	nearlyfree file:expenses.db load.sql more.sql    # files, in turn
//	nearlyfree file:expenses.db < load.sql
//
// The data source name is the driver's; without one it uses the environment variable NEARLYFREE_DSN.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/nearlyfreedb/nearlyfree"
	"github.com/spf13/cobra"
)

func main() {
	if err := command().ExecuteContext(context.Background()); err != nil {
		if !errors.Is(err, errShown) {
			fmt.Fprintln(os.Stderr, "nearlyfree:", withoutName(err))
		}
		os.Exit(1)
	}
}

// withoutName is the text of an error without the program's name, which begins the driver's errors, even inside another error.
func withoutName(err error) string {
	const name = "nearlyfree: "
	text := err.Error()
	var own *nearlyfree.Error
	if errors.As(err, &own) {
		text = strings.Replace(text, own.Error(), strings.TrimPrefix(own.Error(), name), 1)
	}
	return strings.TrimPrefix(text, name)
}

// errShown is the error of a run whose errors have been printed.
var errShown = errors.New("a statement failed")

// options are what the command line says.
type options struct {
	texts  []string // of -c
	files  []string
	format string
	force  bool
	quiet  bool
	skip   bool
}

func command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "nearlyfree [DSN] [FILE.sql ...]",
		Short: "A shell for databases of the nearlyfree driver",
		Long: `A shell for databases of the nearlyfree driver.

DSN is what sql.Open takes: mem://NAME, file:PATH, an Azure storage connection
string, or the URL of a table endpoint. Without one
the environment variable NEARLYFREE_DSN is used. Statements come from -c, from
the files, or from the standard input; on a terminal there is a prompt, where
.help lists the commands.`,
		Args:    cobra.ArbitraryArgs,
		Version: version(),
		Example: `  nearlyfree file:expenses.db
  nearlyfree file:expenses.db -c 'SELECT * FROM expense' --format json
  nearlyfree mem://try schema.sql`,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(c *cobra.Command, args []string) error {
			dsn := os.Getenv("NEARLYFREE_DSN")
			if len(args) > 0 && isDSN(args[0]) {
				dsn, args = args[0], args[1:]
			}
			if dsn == "" {
				return errNoDSN
			}
			o.files = args
			return run(c.Context(), dsn, o)
		},
	}
	c.AddCommand(dumpCommand(), loadCommand(), copyCommand(), checkCommand(), repairCommand(), statsCommand(), backupCommand(), topCommand(), serveCommand())
	f := c.Flags()
	f.StringArrayVarP(&o.texts, "command", "c", nil, "run this `SQL` and exit; may be given several times")
	f.StringVarP(&o.format, "format", "f", "", "format of rows: "+formatNames()+" (default table on a terminal, else tsv)")
	f.BoolVar(&o.force, "force", false, "continue after a statement that fails")
	f.BoolVar(&o.skip, "skip", false, "leave out triggers, stored programs, keys that are not supported, and zero dates as defaults; make geometries BLOB; list all that at the end")
	c.PersistentFlags().BoolVarP(&o.quiet, "quiet", "q", false, "print only rows and errors: no counts, no costs")
	return c
}

// notesOf is where a command reports counts and costs: nowhere with -q.
func notesOf(c *cobra.Command) io.Writer {
	if quiet, _ := c.Flags().GetBool("quiet"); quiet {
		return io.Discard
	}
	return c.ErrOrStderr()
}

// taskOf is the task of a command.
func taskOf(c *cobra.Command) *task {
	if notesOf(c) == io.Discard {
		return &task{out: c.ErrOrStderr(), quiet: true}
	}
	return newTask(c.ErrOrStderr())
}

// dataSource takes the data source name from the arguments of a command of several words, or else from the environment.
func dataSource(args []string) (dsn string, rest []string, err error) {
	if len(args) > 0 && looksLikeDSN(args[0]) {
		return args[0], args[1:], nil
	}
	if dsn = os.Getenv("NEARLYFREE_DSN"); dsn != "" {
		return dsn, args, nil
	}
	if len(args) > 0 {
		return "", nil, fmt.Errorf("%q is not a data source name: pass one first, such as file:PATH, or set NEARLYFREE_DSN", args[0])
	}
	return "", nil, errNoDSN
}

var errNoDSN = errors.New("no data source name: pass one, such as file:PATH or mem://NAME, or set NEARLYFREE_DSN")

// withDatabase opens the database that the arguments name, and hands it on with the other arguments. An interrupt from the keyboard
// ends the context.
func withDatabase(c *cobra.Command, args []string, change func(*nearlyfree.Config), f func(context.Context, *database, []string) error) error {
	dsn, rest, err := dataSource(args)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt)
	defer stop()
	db, err := openWith(ctx, dsn, change)
	if err != nil {
		return err
	}
	defer db.close()
	if err = f(ctx, db, rest); err != nil && ctx.Err() != nil && !errors.Is(err, errShown) {
		return fmt.Errorf("interrupted: %w", err)
	}
	return err
}

// withExisting is withDatabase for commands that only read or repair: it makes no file that does not exist, and fails if no database of the name
// exists.
func withExisting(c *cobra.Command, args []string, f func(context.Context, *database, []string) error) error {
	if err := mustExist(c, args); err != nil {
		return err
	}
	return withDatabase(c, args, nil, func(ctx context.Context, db *database, rest []string) error {
		if err := db.mustBeThere(ctx); err != nil {
			return err
		}
		return f(ctx, db, rest)
	})
}

// mustExist says that the file that the arguments name does not exist.
func mustExist(c *cobra.Command, args []string) error {
	dsn, _, err := dataSource(args)
	if err != nil {
		return err
	}
	if path, err := pathOf(dsn); err == nil {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("%s needs a database that is there: %w", c.Name(), err)
		}
	}
	return nil
}

// takes refuses other numbers of arguments; a most of -1 allows any number.
func takes(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return fmt.Errorf("%s given: it is %s", plural(int64(len(args)), "argument"), c.UseLine())
		}
		return nil
	}
}

// run opens the database and runs what the options name, or the shell.
func run(ctx context.Context, dsn string, o options) error {
	terminal := isatty.IsTerminal(os.Stdin.Fd()) && isatty.IsTerminal(os.Stdout.Fd())
	if o.format == "" {
		o.format = "tsv"
		if isatty.IsTerminal(os.Stdout.Fd()) {
			o.format = "table"
		}
	}
	print, err := formatOf(o.format)
	if err != nil {
		return err
	}
	db, err := open(ctx, dsn)
	if err != nil {
		return err
	}
	defer db.close()
	r := &runner{db: db, out: os.Stdout, notes: os.Stderr, format: print, quiet: o.quiet, force: o.force}
	if o.skip {
		if err := r.beginSkip(ctx); err != nil {
			return err
		}
	}
	switch {
	case len(o.texts) > 0:
		for _, text := range o.texts {
			if err := r.text(ctx, "-c", text); err != nil {
				return err
			}
		}
		return r.end()
	case len(o.files) > 0:
		for _, name := range o.files {
			if err := r.file(ctx, name); err != nil {
				return err
			}
		}
		return r.end()
	case terminal:
		return (&shell{runner: r}).loop(ctx)
	}
	if err := r.script(ctx, "standard input", os.Stdin); err != nil {
		return err
	}
	return r.end()
}
