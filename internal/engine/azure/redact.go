package azure

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// redaction removes the secrets of a connection from foreign text: an answer that repeats the request's URL or a header, the error of a
// transport.
type redaction struct{ secrets []string }

// newRedaction makes a redaction of the account key and the signature of a SAS.
func newRedaction(o *Options) redaction {
	var r redaction
	if q, err := url.ParseQuery(strings.TrimPrefix(string(o.SAS), "?")); err == nil {
		r = r.with(q.Get("sig"))
	}
	return r.with(string(o.Key))
}

// with adds a secret.
func (r redaction) with(secret string) redaction {
	const least = 8 // shorter texts are no secrets, and would be found everywhere
	secret = strings.TrimRight(secret, "=")
	if len(secret) < least {
		return r
	}
	return redaction{append(r.secrets[:len(r.secrets):len(r.secrets)], secret)}
}

// escapings are the ways in which URLs, JSON and HTML write a character that is special there.
var escapings = []string{"%%%02x", "%%25%02x", `\\u%04x`, "&#%d;", "&#x%x;"}

// pattern matches a secret, each of its characters in any form and case.
func pattern(secret string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString("(?i)")
	for _, c := range []byte(secret) {
		if isPlain(c) {
			b.WriteByte(c)
			continue
		}
		b.WriteString(`(?:\\?` + regexp.QuoteMeta(string(rune(c))))
		for _, form := range escapings {
			fmt.Fprintf(&b, "|"+form, c)
		}
		b.WriteByte(')')
	}
	return regexp.MustCompile(b.String())
}

func isPlain(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' }

// longestPlain is the longest part of a secret that no escaping changes.
func longestPlain(secret string) string {
	longest := ""
	for part := range strings.FieldsFuncSeq(secret, func(c rune) bool { return c >= 0x80 || !isPlain(byte(c)) }) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// credentials are the places where requests hold a secret, in whatever form.
var credentials = regexp.MustCompile(`(?i)(\bsig=|SharedKey(?:Lite)? [^\s:]*:|\bBearer )[^\s&"'<>,;]+`)

// text gives s without secrets.
func (r redaction) text(s string) string {
	for _, secret := range r.secrets {
		// Errors are common, but few repeat a secret.
		if strings.Contains(strings.ToLower(s), strings.ToLower(longestPlain(secret))) {
			s = pattern(secret).ReplaceAllString(s, redacted)
		}
	}
	return credentials.ReplaceAllString(s, "${1}"+redacted)
}

// error gives err or, if its text holds a secret, an error with the rest of the text and nothing else.
func (r redaction) error(err error) error {
	if err == nil {
		return nil
	}
	before := err.Error()
	if after := r.text(before); after != before {
		return errors.New(after)
	}
	return err
}

// redact removes secrets from all that the failure shows.
func (f *failure) redact(r redaction) {
	var e *engine.Error
	if errors.As(f.err, &e) {
		e.Message, e.RequestID, e.Cause = r.text(e.Message), r.text(e.RequestID), r.error(e.Cause)
	}
}

// redaction includes what this try has sent.
func (x *exchange) redaction() redaction {
	_, token, _ := strings.Cut(x.token, " ")
	if strings.HasPrefix(x.token, "SharedKey") {
		_, token, _ = strings.Cut(token, ":")
	}
	return x.known.with(token)
}
