package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// sqlLoader runs the statements of a file. It groups those that write rows into transactions that also write the place, so the file's own BEGIN
// and COMMIT have no effect.
type sqlLoader struct {
	*loader
	runner *runner     // what it leaves out
	inside []statement // of the transaction; none: none is open
	bytes  int         // of their texts
	rows   int64       // that they have written
	failed int
	doubt  bool      // the interrupted load may have made the next change of definitions
	broken bool      // a COMMIT has failed: only the kept place tells what is done
	late   *lateKeys // nil before the first statement that may concern them
}

const noStatement = "there is no statement in it"

// groupBytes is about how many octets of statements form one transaction. A transaction knows which rows it has written; a reference to a row of
// an earlier one takes a look, which is a request on an account.
const groupBytes = 1 << 20

// loadSQL runs a file of SQL.
func (l *loader) loadSQL(ctx context.Context) error {
	if l.options.dryRun {
		return errors.New("--dry-run is for CSV and JSON lines")
	}
	if err := l.open(ctx, ""); err != nil {
		return err
	}
	defer l.source.Close()
	s := &sqlLoader{loader: l, doubt: l.place.begun && !l.options.restart && l.place.last != refused, runner: &runner{db: l.db, out: io.Discard, notes: l.task.out}}
	if l.place.last == refused {
		l.place.last = ""
	}
	if err := s.keep(ctx); err != nil {
		return err
	}
	if l.options.skip {
		if err := s.runner.beginSkip(ctx); err != nil {
			return err
		}
	}
	l.task.begin(l.name, l.source.size, "byte")
	began, spent := time.Now(), l.db.connector.Stats()
	before := l.place.done
	in := newStatements(l.source)
	for n := int64(0); ; n++ {
		st, err := in.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = s.statement(ctx, st, n < before)
		}
		if err != nil {
			s.give(context.WithoutCancel(ctx), ctx.Err() == nil && isRefused(err))
			return err
		}
		l.task.reached(l.source.read.Load())
	}
	if err := s.commit(ctx); err != nil {
		return err
	}
	l.task.endPart()
	s.runner.tellSkipped()
	if l.place.done == 0 {
		l.task.say("%s: %s", l.name, noStatement)
		return nil
	}
	l.task.tell("%s: %s in %s, %s written; %s", l.name, plural(l.place.done, "statement"), time.Since(began).Round(time.Millisecond), plural(l.place.written, "row"), l.db.spent(spent))
	if s.failed > 0 {
		return errShown
	}
	return nil
}

var setsAutocommit = regexp.MustCompile(`(?i)\bautocommit\s*:?=`)

// statement runs a statement. It skips what an earlier load has done, except statements about the session.
func (s *sqlLoader) statement(ctx context.Context, st statement, done bool) error {
	word := statementWord(st.text)
	session := word == "SET" || word == "USE"
	if done && !session {
		return nil
	}
	err := s.run(ctx, st, word, session)
	if err == nil {
		if !done {
			s.did(st)
		}
		return nil
	}
	if s.options.restart && errorNumber(err) == nearlyfree.CodeTableExists {
		err = fmt.Errorf("%w\n--restart runs the file from its beginning: drop what an earlier load has made", err)
	}
	told := &failedStatement{st.line, s.runner.explainedOf(st.text, err), err}
	if !s.options.force || ctx.Err() != nil || s.broken || !isOfStatement(err) {
		return told
	}
	s.task.say("%s, %v", s.name, told)
	s.failed++
	s.did(st)
	return nil
}

// did notes that a statement is done.
func (s *sqlLoader) did(st statement) {
	s.place.done++
	s.part.addStatement(st)
	s.place.source = s.part.String()
}

// keepWith keeps the place after a statement that is noted later.
func (s *sqlLoader) keepWith(st statement, keep func() error) error {
	done, source, part := s.place.done, s.place.source, s.part
	s.did(st)
	err := keep()
	s.place.done, s.place.source, s.part = done, source, part
	return err
}

// failedStatement is the error of a statement, and its line.
type failedStatement struct {
	line int
	told string
	err  error
}

func (f *failedStatement) Error() string { return fmt.Sprintf("line %d: %s", f.line, f.told) }

func (f *failedStatement) Unwrap() error { return f.err }

// isOfStatement says whether an error is about the statement, so that the next one may run.
func isOfStatement(err error) bool {
	var e *nearlyfree.Error
	return errors.As(err, &e) && e.Applied != nearlyfree.AppliedUnknown && !errors.Is(err, nearlyfree.ErrConflict)
}

// isRefused says whether an error means that nothing of a statement was done.
func isRefused(err error) bool {
	var e *nearlyfree.Error
	var part *partError
	return isOfStatement(err) && errors.As(err, &e) && e.Applied == nearlyfree.AppliedNo && !errors.As(err, &part)
}

// partError is an error of one action of an ALTER TABLE: those before it are done.
type partError struct{ error }

func (e *partError) Unwrap() error { return e.error }

// refused stands in for the last row if the statement after the place is known not to be done.
const refused = "refused"

func (s *sqlLoader) run(ctx context.Context, st statement, word string, session bool) error {
	switch {
	case strings.HasPrefix(st.text, "."):
		return errors.New("it is a command of the shell: run the file by nearlyfree DSN FILE")
	case word == "BEGIN" || word == "START" || word == "COMMIT":
		return nil
	case word == "ROLLBACK" || word == "SAVEPOINT" || word == "XA":
		return fmt.Errorf("%s: load has transactions of its own: run the file by nearlyfree DSN FILE", word)
	case s.runner.skip.skips(st.text):
		return nil
	case session:
		if err := s.commit(ctx); err != nil { // when they run again, the statements in it must find the session as it was
			return err
		}
		if err := s.db.exec(ctx, st.text); err != nil || !setsAutocommit.MatchString(st.text) {
			return err
		}
		return s.db.exec(ctx, "SET autocommit = 1")
	case writesRows[word]:
		s.doubt = false // no later statement ran without this one
		return s.write(ctx, st)
	}
	if err := s.commit(ctx); err != nil {
		return err
	}
	doubt := s.doubt
	s.doubt = false
	text, err := s.early(ctx, st.text)
	if err == nil && text != "" {
		err = s.define(ctx, text, doubt)
	}
	if err != nil {
		return err
	}
	return s.keepWith(st, func() error { return s.keep(ctx) })
}

// define runs a change of definitions. In doubt, it, or some of its actions, may have been made already.
func (s *sqlLoader) define(ctx context.Context, text string, doubt bool) error {
	err := s.db.exec(ctx, text)
	if doubt && wasDone[errorNumber(err)] {
		err = s.defineLeft(ctx, text)
	}
	if err != nil {
		return err
	}
	return s.runner.noteSkipped(ctx, text)
}

// defineLeft runs each action of an ALTER TABLE that was not made.
func (s *sqlLoader) defineLeft(ctx context.Context, text string) error {
	parts, err := alterParts(text, s.dialect())
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err := s.db.exec(ctx, part.sql); err != nil && !wasDone[errorNumber(err)] {
			return &partError{err}
		}
	}
	return nil
}

// wasDone are the errors of a change of definitions that was made already.
var wasDone = map[uint16]bool{
	nearlyfree.CodeTableExists: true, nearlyfree.CodeUnknownTable: true, nearlyfree.CodeNoSuchTable: true, nearlyfree.CodeDuplicateColumn: true,
	nearlyfree.CodeDuplicateKeyName: true, nearlyfree.CodeCantDropField: true, 1826: true, 3822: true, // a foreign key, a CHECK
	nearlyfree.CodeDatabaseExists: true, nearlyfree.CodeNoDatabaseToDrop: true,
}

// write runs a statement that writes rows, in the transaction that is open.
func (s *sqlLoader) write(ctx context.Context, st statement) error {
	err := s.inTransaction(ctx, st)
	if errors.Is(err, nearlyfree.ErrConflict) {
		if err = s.again(ctx); err == nil {
			err = s.inTransaction(ctx, st)
		}
	}
	if s.bytes += len(st.text); err == nil && s.bytes > groupBytes {
		err = s.keepWith(st, func() error { return s.commit(ctx) })
	}
	return err
}

func (s *sqlLoader) inTransaction(ctx context.Context, st statement) error {
	if len(s.inside) == 0 {
		if err := s.db.exec(ctx, "START TRANSACTION"); err != nil {
			return err
		}
	}
	result, err := s.db.conn.ExecContext(ctx, st.text)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	s.rows += n
	s.inside = append(s.inside, st)
	return err
}

// again runs the statements of the transaction once more, after others got ahead of it.
func (s *sqlLoader) again(ctx context.Context) (err error) {
	list := s.inside
	for range 10 {
		s.db.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		s.inside, s.rows, err = nil, 0, nil
		for _, st := range list {
			if err = s.inTransaction(ctx, st); err != nil {
				break
			}
		}
		if !errors.Is(err, nearlyfree.ErrConflict) {
			return err
		}
	}
	return err
}

// commit ends the open transaction, writing the place of what is done.
func (s *sqlLoader) commit(ctx context.Context) error {
	if len(s.inside) == 0 {
		return nil
	}
	var err error
	before := s.place.written
	for range 10 {
		s.place.written = before + s.rows
		if err = nil; s.place.begun {
			err = s.db.keepPlace(ctx, s.place)
		}
		if err == nil {
			err = s.db.exec(ctx, "COMMIT")
		}
		if !errors.Is(err, nearlyfree.ErrConflict) || ctx.Err() != nil {
			break
		}
		if err = s.again(ctx); err != nil {
			break
		}
	}
	if err != nil {
		s.db.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		s.place.written, s.broken = before, true
	}
	s.inside, s.bytes, s.rows = nil, 0, 0
	return err
}

// give commits what is done when a statement has failed, so that a load that continues begins with that statement. If a COMMIT failed, the kept
// place is right whether or not the COMMIT was applied.
func (s *sqlLoader) give(ctx context.Context, nothing bool) {
	ctx, stop := context.WithTimeout(ctx, 10*time.Second) // the store may be the cause of the failure
	defer stop()
	if s.broken || s.commit(ctx) != nil || !nothing || s.doubt {
		return
	}
	s.place.last = refused
	s.keep(ctx) // without it the next load assumes that the statement may be done
}

// statementWord is the first word of a statement, even if it is in a comment for servers of some version.
func statementWord(text string) string {
	text = behindComments(text)
	if !strings.HasPrefix(text, "/*") {
		return firstWord(text)
	}
	return firstWord(strings.TrimSpace(commentMarks.ReplaceAllString(text[:min(len(text), 500)], " ")))
}
