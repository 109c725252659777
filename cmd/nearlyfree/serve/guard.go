package serve

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// guard admits requests with the token, and none that a page of another site has sent.
type guard struct {
	token  string
	cookie string // its name: cookies are those of a machine, whatever the port
	hosts  hosts
	origin *http.CrossOriginProtection
}

func newGuard(h hosts) *guard {
	token := make([]byte, 24)
	rand.Read(token) // never fails
	return &guard{token: hex.EncodeToString(token), cookie: "nearlyfree_" + h.port, hosts: h, origin: http.NewCrossOriginProtection()}
}

// url is the page's, with the token.
func (g *guard) url(h hosts) string {
	return fmt.Sprintf("http://%s/?token=%s", net.JoinHostPort(h.shown, h.port), g.token)
}

// maxBody is how many octets of a request are read.
const maxBody = 1 << 20

// policy allows what comes from here, and no script or style within a page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// protect answers requests that are not allowed, and passes on the others.
func (g *guard) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
			"Cache-Control": "no-store", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			w.Header().Set(name, value)
		}
		if !g.hosts.allow(r.Host) {
			http.Error(w, "this server is not called so: a page of somebody else may have sent this request", http.StatusMisdirectedRequest)
			return
		}
		if err := g.origin.Check(r); err != nil {
			http.Error(w, "a page of somebody else has sent this request", http.StatusForbidden)
			return
		}
		if token := r.URL.Query().Get("token"); token != "" && r.URL.Path == "/" && r.Method == http.MethodGet {
			g.admit(w, token)
			return
		}
		if c, err := r.Cookie(g.cookie); err != nil || !g.is(c.Value) {
			http.Error(w, "the address that nearlyfree serve has printed lets you in: it ends with a token", http.StatusForbidden)
			return
		}
		if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
			http.Error(w, "a page of somebody else has sent this request: type the address", http.StatusForbidden)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r)
	})
}

func (g *guard) is(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(g.token)) == 1
}

// admit turns the token into a cookie. The browser goes on by itself, from a page of ours: a redirection from a link elsewhere would
// not be given a strict cookie.
func (g *guard) admit(w http.ResponseWriter, token string) {
	if !g.is(token) {
		http.Error(w, "this token is not the one that was printed: it is another one each time", http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: g.token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, `<!doctype html><html lang="en"><meta http-equiv="refresh" content="0; url=/"><title>nearlyfree</title><link rel="icon" href="/static/icon.svg"><p><a href="/">Go on</a></html>`)
}

// hosts are the names by which a browser may call this server. They exclude any other name that an attacker points at this address, so that a
// page of theirs could read what is here.
type hosts struct {
	shown, port string
	names       map[string]bool
	any         bool // every address may be this machine's
}

// hostsOf gives the hosts of an address that the server listens on.
func hostsOf(addr net.Addr, hostname func() (string, error)) (hosts, error) {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return hosts{}, err
	}
	h := hosts{shown: host, port: port, names: map[string]bool{host: true}}
	if isLoopback(host) {
		h.names["localhost"] = true
		return h, nil
	}
	name, err := hostname()
	if err != nil {
		return h, nil // addresses are left
	}
	h.names[strings.ToLower(name)] = true
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		h.any, h.shown = true, name
		h.names["localhost"] = true
	}
	return h, nil
}

// allow says whether a Host header names this server.
func (h *hosts) allow(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), "80"
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	return port == h.port && (h.names[name] || h.any && net.ParseIP(name) != nil)
}
