package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/serve"
	"github.com/spf13/cobra"
)

func serveCommand() *cobra.Command {
	var o serve.Options
	var readOnly bool
	c := &cobra.Command{
		Use:   "serve [DSN]",
		Short: "Show a database in a browser: tables as they are stored, a query box, plans and costs",
		Long: `Show a database in a browser on this machine: the tables and how the store keeps their entities, a query box, and for
each query its plan as a tree, with estimated and actual figures, and the keys that it touches. Before a statement
writes, or makes many requests, the page shows its plan and asks.

The server listens on 127.0.0.1 only, and prints an address with a token that lets you in. With --readonly it refuses
every write, and can show a file that another program has open.`,
		Example: `  nearlyfree serve file:shop.db
  nearlyfree serve file:shop.db --readonly
  nearlyfree serve file:shop.db --addr 127.0.0.1:8080`,
		Args: takes(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := mustExist(c, args); err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			change := func(config *nearlyfree.Config) { config.ReadOnly = config.ReadOnly || readOnly }
			return withDatabase(c, args, change, func(_ context.Context, db *database, _ []string) error {
				o.DB, o.Connector, o.Config, o.Out = db.db, db.connector, db.config, c.ErrOrStderr()
				return serve.Run(ctx, o)
			})
		},
	}
	c.Flags().StringVar(&o.Addr, "addr", "", "listen on this `ADDRESS:PORT` (default 127.0.0.1 and a free port)")
	c.Flags().BoolVar(&o.BeyondLoopback, "beyond-loopback", false, "let other machines reach --addr: nothing is encrypted")
	c.Flags().BoolVar(&readOnly, "readonly", false, "refuse every write")
	return c
}
