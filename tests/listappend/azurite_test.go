//go:build azurite

package listappend

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
)

// With the build tag azurite the processes share an Azurite, in a database of their own for each history, and time is the clock's.
// tests/azurite/run.sh starts one; the flag -histories says how many.
func init() {
	stores = []store{{"azurite", 1, startOverAzurite}}
	*histories = 2
	run = func(t *testing.T, history func(*testing.T)) { t.Run("history", history) }
}

// wire carries requests to a real service, with faults.
type wire struct {
	fault func() azuretest.Fault
	late  *sync.WaitGroup
}

func (w wire) Do(r *http.Request) (*http.Response, error) {
	f := w.fault()
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	send := func(r *http.Request) (*http.Response, error) {
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		return http.DefaultClient.Do(r)
	}
	again := func() {
		if answer, err := send(r.Clone(context.WithoutCancel(r.Context()))); err == nil {
			answer.Body.Close()
		}
	}
	switch {
	case f.Refuse, f.Lose:
		return nil, azuretest.ErrBroken
	case f.Late > 0:
		w.late.Go(func() {
			time.Sleep(time.Duration(f.Late) * 10 * time.Millisecond)
			again()
		})
		return nil, azuretest.ErrBroken
	case f.Status != 0:
		return &http.Response{StatusCode: f.Status, Header: http.Header{"X-Ms-Request-Id": {"fault"}}, Request: r,
			Body: io.NopCloser(strings.NewReader(`{"odata.error":{"code":"` + f.Code + `","message":{"lang":"en-US","value":"A fault of the test."}}}`))}, nil
	}
	answer, err := send(r)
	if f.Twice { // not before: the answer to the second one may be another
		w.late.Go(again)
	}
	if err == nil && f.LoseAnswer {
		answer.Body.Close()
		return nil, azuretest.ErrBroken
	}
	return answer, err
}

func startOverAzurite(t *testing.T, rnd *rand.Rand, wrong *atomic.Int64) []*process {
	at := os.Getenv("NEARLYFREE_AZURITE")
	if at == "" {
		t.Fatal("NEARLYFREE_AZURITE does not say where Azurite is: run this through tests/azurite/run.sh")
	}
	late := &sync.WaitGroup{}
	t.Cleanup(late.Wait)
	config := nearlyfree.Config{Store: at, Database: fmt.Sprintf("l%d", time.Now().UnixNano()%1e12), Layout: layout(rnd), SchemaLease: time.Second}
	return startWrong(t, rnd, func(fault func() azuretest.Fault) *nearlyfree.Config {
		own := config
		own.Transport = wire{fault, late}
		return &own
	}, wrong)
}
