package azure

import (
	"context"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
)

// do sends a request until it is answered, or until repeating it is useless or unsafe. accept reads an answer of 2xx, which is invalid once
// accept returns, and says what is wrong with it; nil accepts any.
//
// What is safe: a read, at any time. A write, if it is certain that nothing was applied: the connection was never made, or the service answered
// 429 or ServerBusy. After anything else (a lost connection, a time-out, a 500) the write may have been applied, and a second one would be
// refused because of the first, or apply it twice; then the error says Applied: Unknown, and package once finds out. An idempotent write is
// repeated like a read; failure.retried says that an earlier try of it may have been applied, so that "exists" or "not found" may be its own
// effect.
func (e *Engine) do(ctx context.Context, rq *request, accept func(*response) *failure) *failure {
	if err := e.refuse(ctx, rq.kind != reading); err != nil {
		return &failure{err: err}
	}
	retried, start := false, time.Now()
	for try := 1; ; try++ {
		f := e.once(ctx, rq, try, accept)
		if f == nil {
			return nil
		}
		if !f.again || try == e.retry.MaxTries || rq.hinted && f.refusesHint() {
			f.retried = retried
			f.tried(try, time.Since(start))
			return f
		}
		retried = retried || f.unsure
		if err := e.pause(ctx, try, f.after); err != nil {
			return &failure{err: err}
		}
		if rq.meter != nil {
			rq.meter.Retries.Add(1)
		}
	}
}

// once sends a request once and judges the answer.
func (e *Engine) once(ctx context.Context, rq *request, try int, accept func(*response) *failure) (f *failure) {
	start := time.Now()
	x := exchange{request: rq, at: &e.at, known: e.secrets}
	err := e.try(ctx, &x)
	answer := &x.response
	switch {
	case err != nil:
		f = e.lost(ctx, &x, err)
	case answer.status >= 200 && answer.status <= 399:
		if f = e.strange(&x); f == nil && accept != nil {
			f = accept(answer)
		}
	default:
		a := readAnswer(answer.status, answer.header, answer.body.Bytes())
		a.stranger = a.code == "" && !e.at.fromService(answer.header)
		if rq.single {
			a.op = 0
		}
		f = failureOf(rq.kind, a)
	}
	if f != nil {
		f.redact(x.redaction())
	}
	e.logAnswer(ctx, rq, try, time.Since(start), answer.status, f)
	answer.release()
	return f
}

// pause waits before the next try, longer if the service asks for a longer pause.
func (e *Engine) pause(ctx context.Context, try int, asked time.Duration) error {
	p := retry.Policy{First: e.retry.FirstDelay, Longest: e.retry.MaxDelay}
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.closing, cancel)()
	err := retry.Sleep(waiting, max(p.Pause(try), min(asked, p.Longest)))
	if err != nil && ctx.Err() == nil {
		return engine.Errorf(engine.CodeClosed, "the store was closed")
	}
	return err
}
