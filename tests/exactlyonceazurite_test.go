//go:build azurite

package tests

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
)

// silentTransport is a transport to a real service with the faults of exactlyonce_test.go: what is late there is lost here.
type silentTransport struct {
	fault func(r *http.Request) azuretest.Fault
}

func (s silentTransport) Do(r *http.Request) (*http.Response, error) {
	f := s.fault(r)
	if f.Lose || f.Late > 0 {
		return nil, azuretest.ErrBroken
	}
	if f.Twice {
		body, err := bodyOf(r)
		if err != nil {
			return nil, err
		}
		again := r.Clone(r.Context())
		again.Body = io.NopCloser(bytes.NewReader(body))
		if answer, err := http.DefaultClient.Do(again); err == nil {
			answer.Body.Close()
		}
	}
	answer, err := http.DefaultClient.Do(r)
	if err == nil && f.LoseAnswer {
		answer.Body.Close()
		return nil, azuretest.ErrBroken
	}
	return answer, err
}

// TestCountedOnceOnAzurite is TestCountedOnce with another maker's service.
func TestCountedOnceOnAzurite(t *testing.T) {
	config := onAzurite(t)
	config.Transport = silentTransport{someSilent()}
	testCountedOnce(t, config, 60)
}
