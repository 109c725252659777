package buffer_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// betweenStore does something behind the moment with which a transaction begins.
type betweenStore struct {
	*embedded.Memory
	then func()
}

func (s betweenStore) Moment() engine.Moment { return betweenMoment{s.Memory.Moment(), s.then} }

type betweenMoment struct {
	engine.Moment
	then func()
}

func (m betweenMoment) Begin() error {
	defer m.then()
	return m.Moment.Begin()
}

// TestEndsBehindMoment: a transaction that ends just behind the moment of another one has changed what that reads: it may not go by it.
func TestEndsBehindMoment(t *testing.T) {
	e := open(t, 0)
	must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, "a", "v", "1"))))
	var g buffer.Group
	first := buffer.New(e, 1)
	g.Join(first)
	get := engine.Get{Table: "tab", PartitionKey: "p", RowKey: "a", Hold: engine.HoldOrWait}
	take := func(b *buffer.Buffer) error {
		b.Patience(time.Minute, nil)
		_, err := b.Over(nil, true).Get(t.Context(), get)
		return err
	}
	must(t, take(first))
	must(t, first.Apply(t.Context(), commitOf(op(engine.Replace, "a", "v", "2"))))
	second, err := buffer.NewAt(betweenStore{e, func() {
		must(t, first.Commit(t.Context(), nil))
		first.Release()
	}}, 1, true, &g)
	must(t, err)
	defer second.Release()
	var stale *engine.Error
	if err := take(second); !errors.As(err, &stale) || stale.Code != engine.CodeStale {
		t.Errorf("it reads what was before the other one: %v", err)
	}
}
