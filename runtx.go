package nearlyfree

import (
	"context"
	"database/sql"
	"errors"

	"github.com/nearlyfreedb/nearlyfree/internal/retry"
)

// RunTx runs fn in a transaction and commits it. If another writer was faster, RunTx rolls back and runs fn again after a pause, until that
// succeeds or ctx ends. It knows by ErrConflict or ErrSchemaChanged from fn or from the commit, or by ErrDuplicateKey from the commit. So fn
// must do nothing that cannot be done twice, and must neither commit nor roll back. After any other error of fn, or a panic, RunTx rolls
// back and passes it on.
//
//	err := nearlyfree.RunTx(ctx, db, &sql.TxOptions{Isolation: sql.LevelSerializable}, func(tx *sql.Tx) error {
//		var n int
//		if err := tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM duty WHERE day = ?", day).Scan(&n); err != nil {
//			return err
//		}
//		if n < 2 {
//			return errTooFew
//		}
//		_, err := tx.ExecContext(ctx, "DELETE FROM duty WHERE day = ? AND name = ?", day, name)
//		return err
//	})
//
// When ctx ends, RunTx returns the error of ctx together with that of the last run.
func RunTx(ctx context.Context, db *sql.DB, opts *sql.TxOptions, fn func(tx *sql.Tx) error) error {
	for try := 1; ; try++ {
		err := runOnce(ctx, db, opts, fn)
		if err != nil && ctx.Err() != nil && !errors.Is(err, ctx.Err()) { // database/sql has rolled back, and may not say why
			return errors.Join(ctx.Err(), err)
		}
		if err == nil || !isConflict(err) {
			return err
		}
		if ended := retry.Sleep(ctx, retry.Transaction.Pause(try)); ended != nil {
			return errors.Join(ended, err)
		}
	}
}

func runOnce(ctx context.Context, db *sql.DB, opts *sql.TxOptions, fn func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, opts)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing once it is committed
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// isConflict says whether a transaction failed only because others wrote at the same time, and nothing of it was written.
func isConflict(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Applied == AppliedNo &&
		(errors.Is(err, ErrConflict) || errors.Is(err, ErrSchemaChanged) || errors.Is(err, ErrDuplicateKey) && e.Retryable)
}
