package azure

import (
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
)

// Options says which account to open, and how. ParseConnectionString and ParseURL make them from text.
//
// One credential is used: the account key if there is one, else the shared access signature, else
// Credential, else azidentity's default chain.
type Options struct {
	Endpoint   string // https://ACCOUNT.table.core.windows.net, http://127.0.0.1:10002/ACCOUNT
	Account    string // the account's name; needed with Key
	Key        Secret // account key, base64
	SAS        Secret // shared access signature: a URL's query, with or without the "?"
	Credential azcore.TokenCredential

	Transport    policy.Transporter // sends requests; nil: a pool of connections of this engine's own
	Retry        Retry
	Logger       *slog.Logger // nil: none
	Parallel     int          // most requests under way at once; 0: no bound
	PageEntities int          // entities a page; 0: as many as the service gives
	ReadOnly     bool         // refuse writes before anything is sent
}

// Retry says how requests are repeated. Zero fields take the defaults given.
type Retry struct {
	MaxTries   int           // tries in all; default retry.Request's, 1: no retry
	FirstDelay time.Duration // before the second try, doubled for each after it, with jitter; default retry.Request's
	MaxDelay   time.Duration // longest delay, also for what the service asks by Retry-After; default retry.Request's
	TryTimeout time.Duration // for one try, its body included; default 60 s
}

func (r Retry) withDefaults() Retry {
	if r.MaxTries == 0 {
		r.MaxTries = retry.Request.Tries
	}
	if r.FirstDelay == 0 {
		r.FirstDelay = retry.Request.First
	}
	if r.MaxDelay == 0 {
		r.MaxDelay = retry.Request.Longest
	}
	if r.TryTimeout == 0 {
		r.TryTimeout = 60 * time.Second
	}
	return r
}

// String names the account and the kind of credential, and nothing that is secret.
func (o Options) String() string {
	return fmt.Sprintf("%s (%s)", o.Endpoint, o.credentialKind())
}

// GoString is like String.
func (o Options) GoString() string { return "azure.Options(" + o.String() + ")" }

// Format is like String, whatever the verb.
func (o Options) Format(f fmt.State, _ rune) { io.WriteString(f, o.String()) }

// LogValue is like String.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }

func (o *Options) credentialKind() string {
	switch {
	case o.Key != "":
		return "account key"
	case o.SAS != "":
		return "shared access signature"
	case o.Credential != nil:
		return "token credential"
	}
	return "default Microsoft Entra credential"
}

// check says what is wrong with the options, and gives the endpoint in parts.
func (o *Options) check() (*url.URL, error) {
	endpoint, err := parseEndpoint(o.Endpoint)
	if err != nil {
		return nil, err
	}
	if o.Key != "" {
		if o.Account == "" {
			return nil, badOption("an account key needs the account's name")
		}
		if err := checkAccount(o.Account); err != nil {
			return nil, err
		}
		if err := checkKey(o.Key); err != nil {
			return nil, err
		}
	}
	for _, n := range []struct {
		name string
		n    int64
	}{
		{"Parallel", int64(o.Parallel)},
		{"PageEntities", int64(o.PageEntities)},
		{"Retry.MaxTries", int64(o.Retry.MaxTries)},
		{"Retry.FirstDelay", int64(o.Retry.FirstDelay)},
		{"Retry.MaxDelay", int64(o.Retry.MaxDelay)},
		{"Retry.TryTimeout", int64(o.Retry.TryTimeout)},
	} {
		if n.n < 0 {
			return nil, badOption("%s is negative", n.name)
		}
	}
	if most := engine.AzureLimits().PageEntities; o.PageEntities > most {
		return nil, badOption("PageEntities is %d, and a page has at most %d", o.PageEntities, most)
	}
	return endpoint, nil
}

func badOption(format string, args ...any) error {
	return engine.Errorf(engine.CodeBadInput, "azure: "+format, args...)
}

// parseEndpoint checks the URL of an account's table service. Errors show only the scheme and the host, because the rest may be a signature.
func parseEndpoint(text string) (*url.URL, error) {
	if text == "" {
		return nil, badOption("no endpoint")
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || strings.ContainsAny(u.Host, "=&;,%+$!'()*") {
		return nil, badOption("the endpoint is not a URL such as https://ACCOUNT.table.core.windows.net")
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, badOption("the endpoint's scheme is %q, and must be https", u.Scheme)
	case u.Scheme == "http" && !IsLoopback(u.Hostname()):
		return nil, badOption("plain http to %s is refused, because it would send the credential in clear; only loopback may use it", u.Host)
	case u.User != nil:
		return nil, badOption("the endpoint %s holds a user name", u.Host)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, badOption("the endpoint %s holds a query or a fragment; a shared access signature goes into SAS", u.Host)
	}
	if path := strings.Trim(u.Path, "/"); path != "" && checkAccount(path) != nil {
		return nil, badOption("the endpoint names more than an account in its path")
	}
	return u, nil
}

// IsLoopback says whether a host is certainly this machine, so that plain http to it reveals nothing to others. A name below localhost is not
// certain: RFC 6761 asks resolvers to treat those as local, but not all do.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// checkAccount makes sure that an account's name cannot mean anything else in a URL. Storage accounts have 3 to 24 lower-case letters and
// digits; those of Cosmos DB also hyphens, and up to 44 characters.
func checkAccount(name string) error {
	ok := len(name) >= 3 && len(name) <= 63
	for i := 0; i < len(name); i++ {
		c := name[i]
		ok = ok && ('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-')
	}
	if !ok {
		return badOption("AccountName, the account's name, must have 3 or more letters and digits")
	}
	return nil
}

func checkKey(key Secret) error {
	if _, err := base64.StdEncoding.DecodeString(string(key)); err != nil {
		return badOption("AccountKey, the account key, is not base64 text") // the cause would reveal a part of the key
	}
	return nil
}
