package azure

import (
	"net/url"
	"strings"
)

// maxSegment is the longest part of a path that is sent. The service's front end refuses one of more than
// 260 characters, and so point reads and writes of keys with more than about 200: those go by a filter, or
// in a batch, where keys are not in the request's own path.
// https://learn.microsoft.com/troubleshoot/developer/webapps/iis/iisadmin-service-inetinfo/httpsys-registry-windows
const maxSegment = 255

// maxQuery bounds the query that is composed, so that with headers, a shared access signature and
// continuation tokens a request's head stays below the 16 KiB that the service and the emulators take.
const maxQuery = 11 << 10

// unreserved characters stand for themselves anywhere in a URL (RFC 3986, section 2.3).
var unreserved = func() (t [256]bool) {
	for c := range t {
		c := byte(c)
		t[c] = 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
	}
	return t
}()

const upperHex = "0123456789ABCDEF"

// appendEscaped appends s percent-encoded for a path or a query.
func appendEscaped(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; unreserved[c] {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return dst
}

// appendQuoted appends s as a string constant of OData, quotes doubled, percent-encoded.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, "%27"...)
	for {
		i := strings.IndexByte(s, '\'')
		if i < 0 {
			break
		}
		dst = append(appendEscaped(dst, s[:i]), "%27%27"...)
		s = s[i+1:]
	}
	return append(appendEscaped(dst, s), "%27"...)
}

// entityPath gives the path of one entity, and whether it is short enough to be sent.
func entityPath(table, pk, rk string) (path string, ok bool) {
	dst := make([]byte, 0, len(table)+len(pk)+len(rk)+64)
	dst = append(dst, '/')
	dst = append(dst, table...)
	dst = append(dst, "(PartitionKey="...)
	dst = appendQuoted(dst, pk)
	dst = append(dst, ",RowKey="...)
	dst = appendQuoted(dst, rk)
	dst = append(dst, ')')
	return string(dst), len(dst)-1 <= maxSegment
}

// appendSelect appends the $select of names and the keys, or nothing if that would be too long: then all properties come, and unwanted ones are
// skipped.
func appendSelect(dst []byte, names []string) []byte {
	const most = 4 << 10
	mark := len(dst)
	dst = append(dst, "&$select=PartitionKey,RowKey"...)
	for _, name := range names {
		dst = appendEscaped(append(dst, ','), name)
		if len(dst)-mark > most {
			return dst[:mark]
		}
	}
	return dst
}

// address says where the account's tables are.
type address struct {
	scheme, host string
	path         string // escaped, without a slash at the end
	sas          string // the signature as a query, or ""
	cosmos       bool   // Cosmos DB for Table: no PATCH
}

func newAddress(u *url.URL, sas Secret) address {
	return address{
		scheme: u.Scheme, host: u.Host,
		path:   strings.TrimSuffix(u.EscapedPath(), "/"),
		sas:    strings.TrimPrefix(string(sas), "?"),
		cosmos: isCosmos(u.Hostname()),
	}
}

// isCosmos recognizes the hosts of Cosmos DB for Table, as the SDK does.
func isCosmos(host string) bool {
	return strings.Contains(host, ".table.cosmos.") || strings.Contains(host, ".table.cosmosdb.")
}

// service is the URL for the SDK's client.
func (a *address) service() string {
	s := a.scheme + "://" + a.host + a.path
	if a.sas != "" {
		s += "/?" + a.sas
	}
	return s
}

// url gives the URL of a request. Both arguments are escaped. RawPath is set so that what is signed and
// what is sent are the same octets.
func (a *address) url(path, query string) (*url.URL, error) {
	raw := a.path + path
	plain, err := url.PathUnescape(raw)
	if err != nil {
		return nil, err
	}
	switch {
	case a.sas == "":
	case query == "":
		query = a.sas
	default:
		query = a.sas + "&" + query
	}
	return &url.URL{Scheme: a.scheme, Host: a.host, Path: plain, RawPath: raw, RawQuery: query}, nil
}
