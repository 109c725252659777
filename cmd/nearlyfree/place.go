package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
)

// place is how far long work has come. It is kept in a table of the store that the work writes to, in the transaction that writes the rows:
// interrupted work continues after the last written row, and writes none twice.
type place struct {
	work     string // the work: "load people.csv into people"
	source   string // distinguishes its source from others; for a file, the part of it that is done
	done     int64  // records, statements or rows
	written  int64
	rejected int64
	rejects  int64  // how long the file of those is
	last     string // the key behind which a copy goes on

	begun bool // it is in the store
}

// placeTable is the table that holds places while there are any, in the database of the data source name.
const placeTable = "nearlyfree_load"

// placeTable names the table even if the work has moved to another database by USE.
func (d *database) placeTable() string { return ask.Quoted(ask.Home(d.config)) + "." + placeTable }

// findPlace gives the place of work that may have begun before; with anew it forgets that place. The caller must check whether the source is the
// same.
func (d *database) findPlace(ctx context.Context, work string, anew bool) (*place, error) {
	p := &place{work: work}
	rows, err := d.rows(ctx, "SELECT source, done, written, rejected, rejects, last FROM "+d.placeTable()+" WHERE work = "+quoted(work))
	if isGone(err) {
		return p, nil
	}
	if err != nil || len(rows) == 0 {
		return p, err
	}
	row := rows[0]
	p.begun = true
	if anew {
		return p, nil
	}
	p.source, p.last = row[0], row[5]
	_, err = fmt.Sscan(strings.Join(row[1:5], " "), &p.done, &p.written, &p.rejected, &p.rejects)
	return p, err
}

// begin makes the table where the place is kept.
func (d *database) beginPlace(ctx context.Context, p *place) error {
	err := d.exec(ctx, "CREATE TABLE IF NOT EXISTS "+d.placeTable()+" (work VARCHAR(300) PRIMARY KEY, source VARCHAR(100), done BIGINT, written BIGINT, rejected BIGINT, rejects BIGINT, last TEXT)"+
		" COMMENT 'how far interrupted work of the command nearlyfree has come'")
	if err != nil {
		return err
	}
	return d.keepPlace(ctx, p)
}

// keepPlace writes the place, in the transaction that is open.
func (d *database) keepPlace(ctx context.Context, p *place) error {
	_, err := d.conn.ExecContext(ctx, "REPLACE INTO "+d.placeTable()+" (work, source, done, written, rejected, rejects, last) VALUES (?, ?, ?, ?, ?, ?, ?)",
		p.work, p.source, p.done, p.written, p.rejected, p.rejects, p.last)
	p.begun = p.begun || err == nil
	return err
}

// isGone says whether an error means that the table of places, or even its database, does not exist.
func isGone(err error) bool {
	number := errorNumber(err)
	return number == nearlyfree.CodeNoSuchTable || number == nearlyfree.CodeUnknownDatabase
}

// endPlaces forgets the places of finished work, all of them at once. It is not interrupted: work that finds no place starts over.
func (d *database) endPlaces(ctx context.Context, places ...*place) error {
	if !slices.ContainsFunc(places, func(p *place) bool { return p.begun }) {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer stop()
	err := d.transaction(ctx, func() error {
		for _, p := range places {
			if _, err := d.conn.ExecContext(ctx, "DELETE FROM "+d.placeTable()+" WHERE work = ?", p.work); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	rows, err := d.rows(ctx, "SELECT 1 FROM "+d.placeTable()+" LIMIT 1")
	if err != nil || len(rows) > 0 {
		return err
	}
	return d.exec(ctx, "DROP TABLE "+d.placeTable())
}

// errorNumber is MySQL's number of an error; 0 if it has none.
func errorNumber(err error) uint16 {
	var e *nearlyfree.Error
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

// atHome says whether the store is in this process, where a transaction over two tables costs nothing.
func (d *database) atHome() bool {
	return strings.HasPrefix(d.config.Store, "mem:") || strings.HasPrefix(d.config.Store, "file:")
}

// transaction runs f in a transaction, again if others got ahead of it.
func (d *database) transaction(ctx context.Context, f func() error) error {
	for try := 0; ; try++ {
		if err := d.exec(ctx, "START TRANSACTION"); err != nil {
			return err
		}
		err := f()
		if err == nil {
			err = d.exec(ctx, "COMMIT")
		}
		if err == nil {
			return nil
		}
		d.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		if !errors.Is(err, nearlyfree.ErrConflict) || try == 10 || ctx.Err() != nil {
			return err
		}
	}
}
