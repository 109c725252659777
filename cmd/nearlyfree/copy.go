package main

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
	"github.com/spf13/cobra"
)

func copyCommand() *cobra.Command {
	var restart bool
	c := &cobra.Command{
		Use:   "copy FROM TO",
		Short: "Copy all tables, rows and views into another store, and compare the two",
		Long: `Copy all tables, rows and views of one store into another store, which must not have them yet.

Run the command again to continue a copy that was interrupted; --restart drops what the copy has made, and begins anew.
At the end, copy counts the rows of each table in both stores, and compares their digests: the exit status is 0 only if
all are the same. In memory and in a file, FROM is read as of one moment. If somebody writes to FROM between an
interruption and the end of the copy, that shows as a difference. Nobody else should write to TO.`,
		Example: `  nearlyfree copy file:shop.db "$AZURE_STORAGE_CONNECTION_STRING"
  nearlyfree copy 'AccountName=…;AccountKey=…' file:backup.db`,
		Args: takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return withExisting(c, args[:1], func(ctx context.Context, from *database, _ []string) error {
				bulk := func(config *nearlyfree.Config) { config.Bulk = nearlyfree.BulkChunked }
				return withDatabase(c, args[1:], bulk, func(ctx context.Context, to *database, _ []string) error {
					err := copyAll(ctx, from, to, restart, taskOf(c))
					return from.tellOthers(ctx, c.ErrOrStderr(), nil, err)
				})
			})
		},
	}
	c.Flags().BoolVar(&restart, "restart", false, "drop what an interrupted copy has made, and begin anew")
	return c
}

// copier copies one store into another.
type copier struct {
	from, to *database
	source   string // distinguishes FROM from other sources
	task     *task
	places   []*place
}

// copyAll copies everything, and compares.
func copyAll(ctx context.Context, from, to *database, restart bool, t *task) error {
	defer t.end()
	sum := sha256.Sum256([]byte(from.config.String())) // which has no secret
	c := &copier{from: from, to: to, source: hex.EncodeToString(sum[:16]), task: t}
	if err := to.exec(ctx, "SET time_zone = '+00:00', foreign_key_checks = 0, sql_mode = 'STRICT_TRANS_TABLES,NO_AUTO_VALUE_ON_ZERO'"); err != nil {
		return err
	}
	err := from.moment(ctx, sql.LevelDefault, func() error { return c.run(ctx, restart) })
	if err == nil || errors.Is(err, errShown) { // it is compared
		err = errors.Join(to.endPlaces(ctx, c.places...), err)
	}
	return err
}

func (c *copier) run(ctx context.Context, restart bool) error {
	all, _, err := c.from.definitions(ctx)
	if err != nil {
		return err
	}
	list := ofStore(all, c.task)
	if err := c.find(ctx, list, restart); err != nil {
		return err
	}
	began := time.Now()
	c.task.prefix = "copying "
	sums := make([]digest, len(list))
	for i, def := range list {
		p := c.places[i]
		if !def.view || p.last != whole {
			err = c.make(ctx, def, p)
		}
		if err == nil && !def.view && p.last != whole {
			sums[i], err = c.rows(ctx, def.name, p)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", def.name, err)
		}
	}
	same, rows, err := c.compare(ctx, list, sums)
	if err != nil {
		return err
	}
	c.task.endPart()
	if !same {
		c.task.say("the copy differs from its source: see above")
		return errShown
	}
	c.task.tell("both are the same: %s, %s in %s", tablesAndViews(list), plural(rows, "row"), time.Since(began).Round(time.Millisecond))
	return nil
}

// tablesAndViews says how many there are of each.
func tablesAndViews(list []definition) string {
	views := int64(0)
	for _, def := range list {
		views += int64(boolOrder(def.view))
	}
	text := plural(int64(len(list))-views, "table")
	if views > 0 {
		text += ", " + plural(views, "view")
	}
	return text
}

// whole stands in for the last row of a table that is copied.
const whole = "whole"

// find finds out how far an earlier copy has come. Anything that an earlier copy did not make is in the way.
func (c *copier) find(ctx context.Context, list []definition, restart bool) error {
	there, err := c.to.column(ctx, allTables, 0)
	if err != nil {
		return err
	}
	exists := map[string]bool{}
	for _, name := range there {
		exists[name] = true
	}
	begun := false
	for _, def := range list {
		p, err := c.to.findPlace(ctx, "copy "+def.name, restart)
		if err != nil {
			return err
		}
		source := c.source + " " + hashOf(def.create)
		if p.begun && !restart && p.source != source {
			return fmt.Errorf("%s: the interrupted copy had another source or definition: --restart begins anew", p.work)
		}
		p.source = source
		if exists[def.name] && !p.begun {
			return fmt.Errorf("%s is in TO already: copy into a store without it, or drop it there", ask.Quoted(def.name))
		}
		begun = begun || p.begun
		c.places = append(c.places, p)
	}
	if !begun {
		return nil
	}
	if !restart {
		c.task.say("an earlier copy was interrupted: continuing where it stopped")
		return nil
	}
	for i := len(list) - 1; i >= 0; i-- {
		kind := "TABLE"
		if list[i].view {
			kind = "VIEW"
		}
		if c.places[i].begun {
			if err := c.to.exec(ctx, "DROP "+kind+" IF EXISTS "+ask.Quoted(list[i].name)); err != nil {
				return err
			}
		}
	}
	if err := c.to.endPlaces(ctx, c.places...); err != nil {
		return err
	}
	for _, p := range c.places {
		p.begun = false
	}
	return nil
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// make makes a table or a view, which an interrupted copy may have made.
func (c *copier) make(ctx context.Context, def definition, p *place) error {
	begun := p.begun
	if !begun {
		if err := c.to.beginPlace(ctx, p); err != nil {
			return err
		}
	}
	err := c.to.exec(ctx, def.create)
	if begun && errorNumber(err) == nearlyfree.CodeTableExists {
		return nil
	}
	return err
}

// rows copies the rows of a table after those already copied. It gives the digest of all rows if it has read them all.
func (c *copier) rows(ctx context.Context, table string, p *place) (sum digest, err error) {
	to, err := c.to.target(ctx, table)
	if err != nil {
		return sum, err
	}
	names, err := c.from.stored(ctx, table)
	if err != nil {
		return sum, err
	}
	w := &rowWriter{loader: &loader{db: c.to, place: p, task: c.task}, target: to}
	if err := w.mapColumns(names); err != nil {
		return sum, err
	}
	n, skip := int64(0), p.done
	err = c.from.each(ctx, table, names, c.task, func(columns []column, row []any) error {
		sum.add(row)
		if n++; n <= skip {
			return nil
		}
		args := make([]any, len(row))
		for i, v := range row {
			if raw, ok := v.([]byte); ok && columns[i].Type == "JSON" {
				v = string(raw)
			} else if ok {
				v = append([]byte{}, raw...)
			}
			args[i] = v
		}
		return w.take(ctx, item{record: record{line: int(n)}, args: args})
	})
	if err != nil {
		return sum, err
	}
	if err := w.flush(ctx); err != nil {
		return sum, err
	}
	p.last = whole
	return sum, c.to.keepPlace(ctx, p)
}

// compare compares each table with its copy.
func (c *copier) compare(ctx context.Context, list []definition, sums []digest) (same bool, rows int64, err error) {
	same = true
	c.task.prefix = "comparing "
	for i, def := range list {
		if def.view {
			continue
		}
		names, err := c.from.stored(ctx, def.name)
		if err != nil {
			return false, 0, err
		}
		if sums[i].rows == 0 { // of a table that an earlier copy has copied
			if sums[i], err = c.from.digest(ctx, def.name, names, c.task); err != nil {
				return false, 0, err
			}
		}
		got, err := c.to.digest(ctx, def.name, names, c.task)
		if err != nil {
			return false, 0, err
		}
		rows += got.rows
		if got != sums[i] {
			same = false
			c.task.say("%s differs: FROM has %v, TO %v", def.name, sums[i], got)
		}
	}
	return same, rows, nil
}
