package azure

import (
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
)

// pool is the transport of an engine whose options name none: it has connections of its own, and keeps as many as are used in parallel.
type pool struct{ *http.Transport }

// Do sends a request as it is: it follows no redirect, because that would send the credential to another party. If a write fails, it notes
// whether there ever was a connection to send it over.
func (p pool) Do(raw *http.Request) (*http.Response, error) {
	if raw.Method == http.MethodGet {
		return p.RoundTrip(raw)
	}
	var connected atomic.Bool
	ctx := httptrace.WithClientTrace(raw.Context(), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	answer, err := p.RoundTrip(raw.WithContext(ctx))
	if err != nil && !connected.Load() {
		raw.Context().Value(exchangeKey{}).(*exchange).unsent = true
	}
	return answer, err
}

var _ policy.Transporter = pool{}

func newPool(parallel int) pool {
	const keep = 64
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return pool{&http.Transport{
		Proxy:               http.ProxyFromEnvironment, // as the SDK does; never for loopback
		DialContext:         dialer.DialContext,
		MaxIdleConnsPerHost: max(keep, parallel),
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
		DisableCompression:  true, // the service does not compress
	}}
}

// withoutRedirects gives a transport that, like pool, follows no redirect: http.Client, which users may pass, sends the whole URL, signature
// included, as Referer.
func withoutRedirects(t policy.Transporter) policy.Transporter {
	given, ok := t.(*http.Client)
	if !ok {
		return t
	}
	own := *given
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}
