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
		Short: "Show a database in a browser: its tables as they lie, a query box, plans and what they cost",
		Long: `Show a database as pages in a browser of this machine: the tables and how their entities lie in the store, a box for
queries, the plan of each as a tree with what was estimated and what was done, and which keys it touches. What writes, or takes
many requests, is shown before it is run.

It listens on 127.0.0.1 alone, and prints an address with a token, which lets in. With --readonly nothing can be written, and a
file may be looked into that another program has open.`,
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
	c.Flags().StringVar(&o.Addr, "addr", "", "listen on this `ADDRESS:PORT` in place of 127.0.0.1 and a free port")
	c.Flags().BoolVar(&o.BeyondLoopback, "beyond-loopback", false, "let --addr be one that other machines can reach: nothing that is sent is encrypted")
	c.Flags().BoolVar(&readOnly, "readonly", false, "refuse every write")
	return c
}
