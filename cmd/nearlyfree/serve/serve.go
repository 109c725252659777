// Package serve shows a database as pages in a browser: its tables and how their entities lie in the store, a box for queries, their plans with
// expected and actual cost, and the keys that they touch.
//
// The pages are made here, by html/template. The script only avoids loading whole pages; they also work without it. Nothing is loaded from
// elsewhere.
package serve

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// Options say what is shown, and to whom.
type Options struct {
	DB        *sql.DB
	Connector *nearlyfree.Connector // of DB
	Config    *nearlyfree.Config    // of Connector
	Addr      string                // "": 127.0.0.1 and a free port
	// BeyondLoopback allows an Addr that other machines can reach.
	BeyondLoopback bool
	Out            io.Writer // gets the URL
}

// Run serves pages until ctx ends. Statements under way end with it.
func Run(ctx context.Context, o Options) error {
	addr, err := o.address()
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
	}
	hosts, err := hostsOf(listener.Addr(), os.Hostname)
	if err != nil {
		return err
	}
	pages := newServer(o, hosts)
	server := &http.Server{
		Handler: pages.handler(), BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16,
		ErrorLog: log.New(io.Discard, "", 0), // of connections that clients break off
	}
	fmt.Fprintf(o.Out, "open %s\nThe token lets you in: keep it secret, as whoever has it can do what you can. Ctrl-C ends the server.\n", pages.guard.url(hosts))
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	if err := server.Shutdown(last); err != nil { // a client does not read the answer
		server.Close()
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// address is where to listen. An address that other machines can reach must be requested explicitly.
func (o *Options) address() (string, error) {
	if o.Addr == "" {
		return "127.0.0.1:0", nil
	}
	host, _, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return "", fmt.Errorf("--addr %s: %w: it is an address and a port, such as 127.0.0.1:8080", o.Addr, err)
	}
	if isLoopback(host) {
		return o.Addr, nil
	}
	if !o.BeyondLoopback {
		return "", fmt.Errorf("--addr %s can be reached by other machines. What you and they send is not encrypted: whoever listens on the way has the token and all data, "+
			"and who has the token can run any statement. If you want that, say --beyond-loopback, too; else use ssh -L", o.Addr)
	}
	fmt.Fprintf(o.Out, "WARNING: %s can be reached by other machines, and nothing is encrypted\n", o.Addr)
	return o.Addr, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
