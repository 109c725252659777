package session

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Rows gives what a cursor yields.
type Rows struct {
	Header *Header
	Zone   *time.Location // of the session; nil: UTC

	ctx      context.Context
	session  *Session
	prepared *Prepared      // the statement; nil if the rows exist already
	planned  *plannedAt     // its plan, with the definitions that it uses; nil if it cannot be restarted
	given    int64          // rows of it that were given
	tries    retry.Loop     // to restart it; Try is 0 until the first
	query    *query         // nil if the rows exist already, and after Close
	watched  *watched       // see Session.watch
	profiled *profiled      // see WithAnalysis; nil: not wanted
	ends     bool           // Close ends the statement
	running  *interruptible // the statement for KILL to end; nil: KILL does not
	cursor   cursor
	taking   *taking            // of a query that waits for rows of other transactions; else nil
	reading  epochs             // changes of definitions wait for it
	release  context.CancelFunc // of ctx, if the time of the query is limited; else nil
	sound    bool               // everything is read as of one moment, at which the definitions held
	checked  int64              // requests of the query that were answered when the definitions were last checked, see unchecked
}

// Header is what is known of a result's columns.
type Header struct {
	Columns []planner.ResultColumn
	Names   []string
}

func newHeader(columns []planner.ResultColumn) *Header {
	h := &Header{columns, make([]string, len(columns))}
	for i := range columns {
		h.Names[i] = columns[i].Name
	}
	return h
}

// listed gives rows that exist already.
func listed(h *Header, all [][]value.Value) Rows {
	return Rows{ctx: context.Background(), Header: h, cursor: &rowList{all}}
}

// Text is the text of the statement, for the position of an error.
func (r *Rows) Text() string {
	if r.prepared == nil {
		return ""
	}
	return r.prepared.Parsed.Text
}

// cursor is what yields rows: an *exec.Cursor, or a list of existing rows.
type cursor interface {
	Next(ctx context.Context) ([]value.Value, error) // io.EOF after the last; valid until the next call
	Close() error
}

var _ cursor = (*exec.Cursor)(nil)

// rowList is a cursor over existing rows.
type rowList struct{ rows [][]value.Value }

func (l *rowList) Next(context.Context) ([]value.Value, error) {
	if len(l.rows) == 0 {
		return nil, io.EOF
	}
	row := l.rows[0]
	l.rows = l.rows[1:]
	return row, nil
}

func (l *rowList) Close() error { l.rows = nil; return nil }

// Drain reads rows to their end, for a query whose rows are not wanted.
func (r *Rows) Drain() error {
	defer r.Close()
	for {
		if _, err := r.Next(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return r.inText(err)
		}
	}
}

// inText makes positions in err refer to the text of the statement.
func (r *Rows) inText(err error) error {
	if err == nil || r.prepared == nil {
		return err
	}
	return r.prepared.inText(err)
}

// Next gives the next row, valid until the call after; io.EOF after the last. A query that was overtaken by a change of
// definitions is restarted or, if it has already given rows, ends with an error: what it has not read yet may be gone.
func (r *Rows) Next() ([]value.Value, error) {
	row, err := r.next()
	if err != nil && r.release != nil && !errors.Is(err, io.EOF) {
		err = overtime(r.ctx, err)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.running.reason(err)
	}
	if err != nil && r.watched != nil && !errors.Is(err, io.EOF) {
		r.watched.Err = err
	}
	return row, err
}

func (r *Rows) next() ([]value.Value, error) {
	if r.cursor == nil {
		return nil, io.EOF
	}
	for {
		row, err := r.cursor.Next(r.ctx)
		if err == nil && !r.unchecked() {
			r.given++
			return row, nil
		}
		if r.planned == nil {
			return nil, err
		}
		changed := isOutdated(err)
		if table := r.redefined(err); table != "" {
			changed, err = true, &dml.SchemaChangedError{Table: table}
		}
		if err == nil || errors.Is(err, io.EOF) && !r.sound {
			table, checkErr := r.outdated()
			switch {
			case checkErr != nil:
				return nil, checkErr
			case table != "":
				changed, err = true, &dml.SchemaChangedError{Table: table}
			case err == nil:
				r.sound = r.query.cursor.IsOfOneMoment()
				r.given++
				return row, nil
			default:
				return nil, err
			}
		}
		if !changed || r.given > 0 {
			return nil, err
		}
		if err := r.again(err); err != nil {
			return nil, err
		}
	}
}

// unchecked says whether the definitions must be checked before a row is given. Processes that do not know of this one may
// have changed them since the store's last answer, and then also what is stored. If everything is read as of one moment, they are
// checked before the first row, and never again.
func (r *Rows) unchecked() bool {
	switch {
	case r.planned == nil || r.sound:
		return false
	case r.given == 0 && r.query.cursor.IsOfOneMoment():
		return true
	case !r.planned.unannounced():
		return false
	}
	answered := r.query.meter.Requests.Load()
	if r.profiled != nil {
		answered = r.profiled.cost().Requests.Load()
	}
	defer func() { r.checked = answered }()
	return answered != r.checked
}

// outdated gives the name of a table that can no longer be read by the definition that the query uses: rows or index entries
// may have been deleted, or have changed their form, before they were read. It gives "" if there is none.
func (r *Rows) outdated() (string, error) {
	if same, err := r.unchanged(); err != nil || same {
		return "", err
	}
	return r.firstUnfit(func(now *catalog.Snapshot, scan *access.Scan) (bool, error) {
		return now.Readable(r.ctx, scan.Table, scan.Index, scan.Columns)
	})
}

// redefined gives the name of a table of the query that has another definition by now, if err says that what is stored does not match
// the definition that the query uses; "" otherwise.
func (r *Rows) redefined(err error) string {
	if err == nil || err == io.EOF {
		return ""
	}
	var stored *engine.Error
	if !errors.As(err, &stored) || stored.Code != engine.CodeCorrupt {
		return ""
	}
	table, _ := r.firstUnfit(func(now *catalog.Snapshot, scan *access.Scan) (bool, error) { return now.Defines(r.ctx, scan.Table) })
	return table
}

// firstUnfit gives the name of the first stored table that the query reads and that does not fit; "" if all do.
func (r *Rows) firstUnfit(fits func(*catalog.Snapshot, *access.Scan) (bool, error)) (table string, err error) {
	for _, scan := range r.query.execution.Plan.Scans() {
		if scan.Table.Virtual != nil || scan.Table.Temporary {
			continue
		}
		ok := false
		err := r.session.db.catalogOf(scan.Table).With(r.ctx, func(now *catalog.Snapshot) (err error) {
			ok, err = fits(now, scan)
			return err
		})
		if err != nil {
			return "", err
		}
		if !ok {
			return scan.Table.Name, nil
		}
	}
	return "", nil
}

// unchanged says whether the definitions are still those that the query uses.
func (r *Rows) unchanged() (bool, error) {
	same := true
	for i := -1; i < len(r.planned.others); i++ {
		of := r.planned.snapshot
		if i >= 0 {
			of = r.planned.others[i]
		}
		c := of.Catalog()
		latest := c.Snapshot
		if c.Unannounced() {
			latest = c.Latest
		}
		now, err := latest(r.ctx)
		if err != nil {
			return false, err
		}
		same = same && now == of
	}
	return same, nil
}

// again is the plan if the query can be restarted by it; nil if it depends on no definitions.
func (p *plannedAt) again() *plannedAt {
	if p.snapshot == nil {
		return nil
	}
	return p
}

// unannounced says whether processes may change definitions that the plan uses without knowing of this process.
func (p *plannedAt) unannounced() bool {
	return p.snapshot.Catalog().Unannounced() || slices.ContainsFunc(p.others, func(of *catalog.Snapshot) bool { return of.Catalog().Unannounced() })
}

// again restarts the query after it failed for a cause, by definitions read anew. The columns must be those announced before.
func (r *Rows) again(cause error) error {
	if r.tries.Try == 0 {
		r.tries = retry.Begin(r.ctx, retry.Outdated)
		r.ctx = r.tries.Context
	}
	if err := r.tries.Again(cause); err != nil {
		return err
	}
	if err := r.cursor.Close(); err != nil {
		return err
	}
	r.session.forget(r.prepared)
	return r.begin()
}

// begin restarts the query, whose cursor is closed.
func (r *Rows) begin() error {
	r.reading.End()
	r.reading = epochs{own: r.prepared.in.Catalog.BeginRead()}
	planned, err := r.session.planWithin(r.ctx, r.prepared, &r.reading, (*catalog.Catalog).BeginRead)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(planned.plan.Columns, r.Header.Columns, sameColumn) {
		return &dml.SchemaChangedError{Table: planned.plan.Tables[0].Name}
	}
	if err := r.session.checkScans(planned.plan, r.Text()); err != nil {
		return err
	}
	r.session.state.Diagnostics.Begin()
	next := r.session.takeQuery()
	next.execution = r.query.execution
	if next.execution.Plan = planned.plan; r.profiled == nil {
		next.execution.Meter = &next.meter
	} else {
		r.profiled.plan = planned.plan
	}
	if err := r.session.runtime().Start(r.ctx, &next.execution, &next.cursor); err != nil {
		return err
	}
	r.session.endQuery(r.query, r.watched)
	r.planned, r.query, r.cursor = planned, next, &next.cursor
	return nil
}

func sameColumn(a, b planner.ResultColumn) bool {
	return a.Name == b.Name && a.Nullable == b.Nullable && a.Type.String() == b.Type.String()
}

// Close ends the query.
func (r *Rows) Close() error {
	if r.cursor == nil {
		return nil
	}
	if r.query != nil {
		r.count()
	}
	err := r.cursor.Close()
	r.cursor = nil
	r.taking.end()
	if r.query != nil {
		point := r.query.cursor.IsPoint()
		r.session.endQuery(r.query, r.watched)
		r.query = nil
		if r.ends {
			r.session.goes(r.running)
			r.session.ends(point)
			r.session.endAnalysis(r.profiled, r.watched, r.given)
			r.session.over(r.watched, r.given, err)
		}
	}
	r.reading.End()
	if r.release != nil {
		r.release()
	}
	return r.inText(err)
}

// count tells the session how many rows the query gave. A query that counts them itself is run to its end.
func (r *Rows) count() {
	s := &r.session.state
	s.RowCount = -1
	if !r.query.execution.Plan.CountsRows {
		s.FoundRows = r.given
		return
	}
	for {
		if _, err := r.cursor.Next(r.ctx); err != nil {
			return
		}
	}
}
