package serve

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// shop is a server over a database in memory, and a browser that has its cookie.
type shop struct {
	t       *testing.T
	server  *server
	handler http.Handler
}

const shopHost = "127.0.0.1:4711"

func openShop(t *testing.T, config *nearlyfree.Config, statements ...string) *shop {
	t.Helper()
	connector, err := nearlyfree.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	for _, text := range statements {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(text, err)
		}
	}
	h, err := hostsOf(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}, os.Hostname)
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(Options{DB: db, Connector: connector, Config: config}, h)
	return &shop{t, s, s.handler()}
}

var shopTables = []string{
	"CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(40), b BLOB, t TEXT, KEY name (name)) COMMENT 'who <b>buys</b>'",
	"INSERT INTO customer VALUES (1, 'Ann', 0x00ff, REPEAT('x', 300)), (2, 'NULL', NULL, NULL), (3, '<script>', 0x01, 'y')",
	"CREATE TABLE item (customer INT, n INT, PRIMARY KEY (customer, n), FOREIGN KEY (customer) REFERENCES customer (id)) INTERLEAVE IN PARENT customer WITH PARENT",
	"INSERT INTO item VALUES (1, 1), (1, 2), (3, 1)", "CREATE VIEW v AS SELECT id FROM customer",
	"CREATE DATABASE other", "CREATE TABLE other.`a\"<b>` (id INT PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 4", "INSERT INTO other.`a\"<b>` VALUES (1), (2), (3)",
}

// ask sends a request as the browser would; change may make it another one.
func (s *shop) ask(method, target string, form url.Values, change func(*http.Request)) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.askBy(s.t.Context(), method, target, form, change)
}

func (s *shop) askBy(ctx context.Context, method, target string, form url.Values, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, method, target, strings.NewReader(form.Encode()))
	r.Host = shopHost
	r.AddCookie(&http.Cookie{Name: s.server.guard.cookie, Value: s.server.guard.token})
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+shopHost)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w
}

// run asks for a statement.
func (s *shop) run(sql, do string, more ...string) string {
	s.t.Helper()
	form := url.Values{"sql": {sql}, "do": {do}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	w := s.ask("POST", "/query", form, func(r *http.Request) { r.Header.Set("Nearlyfree-Part", "result") })
	if w.Code != http.StatusOK {
		s.t.Errorf("%s: %d %s", sql, w.Code, w.Body)
	}
	return w.Body.String()
}

func (s *shop) holds(what, text string, want ...string) {
	s.t.Helper()
	for _, w := range want {
		if out, not := strings.CutPrefix(w, "!"); not == strings.Contains(text, out) {
			s.t.Errorf("%s: %q\n%s", what, w, text)
		}
	}
}

// TestGuard: who has no token, or whom somebody else's page has sent, is told nothing.
func TestGuard(t *testing.T) {
	t.Parallel()
	s := openShop(t, &nearlyfree.Config{Store: "mem://"}, shopTables...)
	none := func(*http.Request) {}
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	form := url.Values{"sql": {"SELECT 1"}}
	for _, c := range []struct {
		what, method, target string
		change               func(*http.Request)
		want                 int
	}{
		{"as it should be", "GET", "/", none, 200},
		{"by its other name", "GET", "/", func(r *http.Request) { r.Host = "localhost:4711" }, 200},
		{"without a cookie", "GET", "/", func(r *http.Request) { r.Header.Del("Cookie") }, 403},
		{"with another one", "GET", "/", header("Cookie", s.server.guard.cookie+"=0"), 403},
		{"with an empty one", "GET", "/", header("Cookie", s.server.guard.cookie+"="), 403},
		{"a file without a cookie", "GET", "/static/script.js", func(r *http.Request) { r.Header.Del("Cookie") }, 403},
		{"a wrong token", "GET", "/?token=0123", func(r *http.Request) { r.Header.Del("Cookie") }, 403},
		{"a token elsewhere", "GET", "/query?token=" + s.server.guard.token, func(r *http.Request) { r.Header.Del("Cookie") }, 403},
		{"another host", "GET", "/", func(r *http.Request) { r.Host = "evil.example:4711" }, 421},
		{"another port", "GET", "/", func(r *http.Request) { r.Host = "127.0.0.1:80" }, 421},
		{"another address", "GET", "/", func(r *http.Request) { r.Host = "10.0.0.1:4711" }, 421},
		{"no host", "GET", "/", func(r *http.Request) { r.Host = "" }, 421},
		{"a link of somebody else", "GET", "/query", header("Sec-Fetch-Site", "cross-site"), 403},
		{"a program of this machine", "GET", "/query", header("Sec-Fetch-Site", "same-site"), 403},
		{"a form of somebody else", "POST", "/query", header("Sec-Fetch-Site", "cross-site"), 403},
		{"the same of an old browser", "POST", "/query", func(r *http.Request) {
			r.Header.Del("Sec-Fetch-Site")
			r.Header.Set("Origin", "http://evil.example")
		}, 403},
		{"of another port", "POST", "/query", func(r *http.Request) {
			r.Header.Del("Sec-Fetch-Site")
			r.Header.Set("Origin", "http://127.0.0.1:80")
		}, 403},
		{"of a sandbox", "POST", "/cancel", func(r *http.Request) {
			r.Header.Del("Sec-Fetch-Site")
			r.Header.Set("Origin", "null")
		}, 403},
		{"its own form", "POST", "/query", none, 200},
		{"a method that there is not", "PUT", "/query", header("Sec-Fetch-Site", "same-origin"), 405},
		{"a page that there is not", "GET", "/nothing", none, 404},
		{"a way out", "GET", "/static/../serve.go", none, 404},
	} {
		w := s.ask(c.method, c.target, form, c.change)
		if w.Code != c.want && !(c.what == "a way out" && w.Code/100 != 2) {
			t.Errorf("%s: %d, not %d: %s", c.what, w.Code, c.want, w.Body)
		}
		if w.Code != 200 && strings.Contains(w.Body.String(), "customer") {
			t.Errorf("%s: it tells %s", c.what, w.Body)
		}
		for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "Cache-Control"} {
			if w.Header().Get(name) == "" {
				t.Errorf("%s: no %s", c.what, name)
			}
		}
	}
	w := s.ask("GET", "/?token="+s.server.guard.token, nil, func(r *http.Request) {
		r.Header.Del("Cookie")
		r.Header.Set("Sec-Fetch-Site", "cross-site") // a link in a message
	})
	cookie := w.Header().Get("Set-Cookie")
	if w.Code != 200 || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") || strings.Contains(w.Body.String(), s.server.guard.token) {
		t.Errorf("%d %s %s", w.Code, cookie, w.Body)
	}
	if other := newGuard(s.server.guard.hosts); other.token == s.server.guard.token || len(other.token) < 32 {
		t.Error("tokens repeat")
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	s := openShop(t, &nearlyfree.Config{Store: "mem://"}, shopTables...)
	for _, target := range []string{"/query", "/measure", "/cancel"} {
		if w := s.ask("POST", target, url.Values{"sql": {strings.Repeat("x", maxBody)}}, nil); w.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d", target, w.Code)
		}
		if w := s.ask("POST", target, nil, func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("sql=%zz")) }); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", target, w.Code)
		}
	}
	for _, odd := range []string{"\x00", "\xff\xfe", "SELECT \x00 1", strings.Repeat("(", 20000), "; ; ;", "SELECT 1; SELECT 2", "-- nothing", "DELIMITER $$", "SELECT ?", "SELECT :a"} {
		if got := s.run(odd, "run"); !strings.Contains(got, `class="problem"`) {
			t.Errorf("%.20q: %s", odd, got)
		}
	}
	s.holds("octets that are no text", s.run("SELECT '\xff', '\u202ea\tb\x01'", ""), "0xFF", "�a\tb␁")
	s.holds("none", s.run("", ""), "there is no statement")
	s.holds("two", s.run("SELECT 1; SELECT 2", ""), "there are 2 statements")
	s.holds("another database", s.run("SELECT 1", "", "database", "nowhere`x"), "Unknown database")
	for target, want := range map[string]int{
		"/table": 404, "/table?database=nearlyfree&name=nothing": 404, "/table?database=x&name=customer": 404, "/table?database=nearlyfree&name=customer&row=%ff%00&partition=%00": 400,
		"/table?database=nearlyfree&name=customer&row=%01&partition=00":               200,
		"/table?database=nearlyfree&name=customer&physical=nothing&partition=z&row=z": 200, "/query?database=%ff&sql=%ff": 200,
	} {
		if w := s.ask("GET", target, nil, nil); w.Code != want {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	s := openShop(t, &nearlyfree.Config{Store: "mem://"}, shopTables...)
	get := func(target string) string {
		w := s.ask("GET", target, nil, nil)
		if w.Code != 200 {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
		return w.Body.String()
	}
	s.holds("tables", get("/"), "who &lt;b&gt;buys&lt;/b&gt;", "!<b>buys", ">customer</a>", "other", "a&#34;&lt;b&gt;</a>", "name=a%22%3cb%3e", ">view<", "6 rows")
	table := get("/table?database=nearlyfree&name=customer")
	s.holds("a table", table, "copy of a row of customer", "row of item", "entry of key name", "<b>PK</b>", "8000000000000001", "0x00FF", "CREATE TABLE `customer`", "&lt;script&gt;", "!<script>alert")
	s.holds("a table of two words", get("/table?"+url.Values{"database": {"other"}, "name": {`a"<b>`}}.Encode()), "3 rows", "in 3 store partitions")
	s.holds("a view", get("/table?database=nearlyfree&name=v"), "VIEW", "!How its entities lie")
	s.holds("the first page", get("/table?database=nearlyfree&name=item&all=1"), "<b>PK</b>", "physical table", "copy of a row of customer", "row of customer")
	s.holds("from a key", get("/table?database=nearlyfree&name=item&partition=00&row=item!8000000000000001!8000000000000002"), "!<b>PK</b>", "8000000000000003")
	for _, text := range []string{"CREATE EXTERNAL TABLE foreign_rows (p TEXT, r TEXT, N INT) LOCATION 'ForeignRows' PARTITION KEY '{p}' ROW KEY '{r}'",
		"INSERT INTO foreign_rows VALUES ('a', 'x!1', 1), ('a', 'y', 2), ('b', 'z', 3)"} {
		s.holds(text, s.run(text, "run"), "!class=\"problem\"")
	}
	s.holds("another program's table", get("/table?database=nearlyfree&name=foreign_rows"), "row <span class=\"quiet\">3 entities", "in 2 store partitions", "<b>x</b>")
	s.holds("a query", get("/query?database=other&sql=SELECT+%3C1"), "SELECT &lt;1", "<option selected>other")
	s.holds("the style", get("/static/style.css"), "prefers-color-scheme")
}

// TestStatements: rows, values of all kinds, plans, what is asked before it is done.
func TestStatements(t *testing.T) {
	t.Parallel()
	s := openShop(t, &nearlyfree.Config{Store: "mem://"}, shopTables...)
	got := s.run("SELECT * FROM customer", "")
	s.holds("rows", got, `<span class="null">NULL</span>`, `>NULL</td>`, "0x00FF", "300 characters", "&lt;script&gt;", "!<script>", "How it was run", "partition scan customer", `class="touch"`, "3 read, 3 kept")
	s.holds("few rows", s.run("SELECT * FROM customer", "", "limit", "2"), "The first 2 rows", "2 <small>and more", "!>&lt;script&gt;")
	s.holds("no rows", s.run("SELECT * FROM customer WHERE id = 9", ""), "no rows", "point read")
	s.holds("the plan alone", s.run("SELECT * FROM customer WHERE name = 'Ann'", "explain"), "How it will be run", "row-key range customer.name", "Which keys it will touch", "!Ann</td>", "!Run it")
	s.holds("an error", s.run("SELECT id,\n nme FROM customer", ""), "Unknown column &#39;nme&#39;", "<mark>nme</mark>", `data-offset="12"`)
	s.holds("SHOW", s.run("SHOW TABLES", ""), "customer", "!How it was run")
	s.holds("a division", s.run("SELECT 1/0", ""), "Division by 0")
	s.holds("another database", s.run("SHOW TABLES", "", "database", "other"), "a&#34;&lt;b&gt;", "!customer")

	update := "UPDATE customer SET name = 'Bob' WHERE id = 1"
	s.holds("asked", s.run(update, ""), "Nothing has been changed yet", "Run it", "update customer")
	s.holds("not done", s.run("SELECT name FROM customer WHERE id = 1", ""), ">Ann<")
	s.holds("done", s.run(update, "run"), "1 row changed", "Entities written")
	s.holds("seen", s.run("SELECT name FROM customer WHERE id = 1", ""), ">Bob<")
	for _, text := range []string{"DROP TABLE item", "CREATE TABLE x (id INT PRIMARY KEY)", "TRUNCATE TABLE item", "EXPLAIN ANALYZE DELETE FROM item", "ANALYZE TABLE item", "CREATE INDEX i ON item (n)"} {
		s.holds(text, s.run(text, ""), "Nothing has been done yet", "Run it")
	}
	s.holds("all are there", s.run("SELECT COUNT(*) FROM item", ""), ">3<")
	s.holds("it is made", s.run("CREATE TABLE x (id INT PRIMARY KEY)", "run"), "Done.")
	s.holds("RETURNING", s.run("INSERT INTO x VALUES (7) RETURNING id", "run"), ">7<")
	s.holds("a duplicate", s.run("INSERT INTO x VALUES (7)", "run"), "Duplicate entry")
	s.holds("wrong", s.run("INSERT INTO x VALUES ('a')", "run"), "Incorrect integer value")

	whole := s.ask("POST", "/query", url.Values{"sql": {"SELECT 1 AS one"}}, nil).Body.String()
	s.holds("without the script", whole, "<!doctype html>", "SELECT 1 AS one</textarea>", ">one</th>")
}

// TestDear: what takes many requests is shown first; so is what may, of an account.
func TestDear(t *testing.T) {
	t.Parallel()
	s := openShop(t, &nearlyfree.Config{Store: "mem://"}, append(shopTables, "CREATE TABLE many (id INT PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 200", "INSERT INTO many VALUES (1), (2)")...)
	s.holds("many partitions", s.run("SELECT * FROM many WHERE id > 0 ORDER BY id", ""), "It takes many requests", "Run it")
	s.holds("all the same", s.run("SELECT * FROM many WHERE id > 0 ORDER BY id", "run"), ">2<")
	s.holds("at home", s.run("SELECT COUNT(*) FROM customer WHERE t = 'y'", ""), ">1<")
	s.server.atHome = false // as with an account
	s.server.surveys.forget()
	s.holds("of an account", s.run("SELECT COUNT(*) FROM customer WHERE t LIKE '%y'", ""), "nobody knows how large that is", "Run it")
	s.holds("by a key", s.run("SELECT id FROM customer WHERE id = 2", ""), ">2<", "was not measured")
	s.holds("not measured", s.ask("GET", "/", nil, nil).Body.String(), "Measure")
	s.holds("pages all the same", s.ask("GET", "/table?database=nearlyfree&name=customer", nil, nil).Body.String(), "Entities, key by key", "Measure and draw")
	if w := s.ask("POST", "/measure", url.Values{"database": {"nearlyfree"}, "name": {"customer"}}, nil); w.Code != http.StatusSeeOther || !strings.Contains(w.Header().Get("Location"), "name=customer") {
		t.Errorf("%d %s", w.Code, w.Header())
	}
	s.holds("measured", s.ask("GET", "/table?database=nearlyfree&name=customer", nil, nil).Body.String(), "How its entities lie")
	if w := s.ask("POST", "/measure", url.Values{"database": {"other"}}, nil); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/" {
		t.Errorf("%d %s", w.Code, w.Header())
	}
	s.holds("of an account, and measured", s.run("SELECT COUNT(*) FROM customer WHERE t LIKE '%y'", ""), ">1<")
	s.holds("one request", s.run("INSERT INTO many VALUES (3)", ""), "It takes about 1 request.")
	s.holds("all measured", s.ask("GET", "/", nil, nil).Body.String(), "3 rows")
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	path := "file:" + filepath.Join(t.TempDir(), "shop.db")
	db, err := sql.Open("nearlyfree", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range shopTables {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()
	s := openShop(t, &nearlyfree.Config{Store: path, ReadOnly: true})
	s.holds("a page", s.ask("GET", "/", nil, nil).Body.String(), "read only", "customer")
	for _, text := range []string{"DELETE FROM item", "DROP TABLE item", "INSERT INTO item VALUES (9, 9)"} {
		s.holds(text, s.run(text, "run"), `class="problem"`, "read")
	}
	s.holds("a query", s.run("SELECT COUNT(*) FROM item", ""), ">3<")
}

// endless runs until somebody ends it.
const endless = "SELECT COUNT(*) FROM item a, item b, item c, item d, item e, item f, item g, item h, item i, item j, item k, item l, item m, item n, item o, item p, item q, item r, item s, item t WHERE a.n + t.n > 99"

// TestCancel: a statement that would never end ends when the page says so, when the browser goes away, and with the server.
func TestCancel(t *testing.T) {
	t.Parallel()
	s := openShop(t, &nearlyfree.Config{Store: "mem://"}, shopTables...)
	running := func(want int) {
		t.Helper()
		for try := 0; ; try++ {
			var n int
			if err := s.server.DB.QueryRow("SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT COUNT(*) FROM item a%'").Scan(&n); err != nil {
				t.Fatal(err)
			}
			if n == want {
				return
			}
			if try == 3000 {
				t.Fatalf("%d statements run, not %d", n, want)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	answer := make(chan string)
	go func() { answer <- s.run(endless, "run", "id", "abc") }()
	running(1)
	if w := s.ask("POST", "/cancel", url.Values{"id": {"abc"}}, nil); w.Code != http.StatusNoContent {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	s.holds("ended", <-answer, "you have ended the statement", "Requests", "How it was run")
	running(0)
	for _, id := range []string{"abc", "", "xyz"} {
		if w := s.ask("POST", "/cancel", url.Values{"id": {id}}, nil); w.Code != http.StatusNotFound {
			t.Errorf("%q: %d", id, w.Code)
		}
	}

	ctx, leave := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.askBy(ctx, "POST", "/query", url.Values{"sql": {endless}, "do": {"run"}}, nil)
	}()
	running(1)
	leave()
	<-done
	running(0)
	if len(s.server.running) != 0 {
		t.Errorf("%d are still known", len(s.server.running))
	}
}

// TestRun: it listens on loopback alone, prints where, and ends with its context, statements and all.
func TestRun(t *testing.T) {
	t.Parallel()
	s := openShop(t, &nearlyfree.Config{Store: "mem://"}, shopTables...)
	ctx, end := context.WithCancel(t.Context())
	said, out := io.Pipe()
	o := s.server.Options
	o.Out = out
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, o) }()
	buf := make([]byte, 1000)
	n, err := said.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	address := strings.Fields(string(buf[:n]))[1]
	u, err := url.Parse(address)
	if err != nil || u.Hostname() != "127.0.0.1" {
		t.Fatal(address, err)
	}
	answer, err := http.Get(address)
	if err != nil || answer.StatusCode != 200 || len(answer.Cookies()) != 1 {
		t.Fatal(answer, err)
	}
	answer.Body.Close()
	r, err := http.NewRequest("POST", "http://"+u.Host+"/query", strings.NewReader(url.Values{"sql": {endless}, "do": {"run"}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.AddCookie(answer.Cookies()[0])
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	begun := make(chan struct{})
	go func() {
		defer close(begun)
		if answer, err := http.DefaultClient.Do(r); err == nil {
			answer.Body.Close()
		}
	}()
	for ran := 0; ran == 0; {
		if err := s.server.DB.QueryRow("SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT COUNT(*) FROM item a%'").Scan(&ran); err != nil {
			t.Fatal(err)
		}
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	<-begun
	if _, err := net.Dial("tcp", u.Host); err == nil {
		t.Error("it still listens")
	}

	for addr, want := range map[string]string{"0.0.0.0:0": "--beyond-loopback", "nonsense": "it is an address and a port", "192.0.2.1:80": "not encrypted", ":8080": "other machines"} {
		if err := Run(t.Context(), Options{Addr: addr, Config: o.Config, Out: io.Discard}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", addr, err)
		}
	}
	beyond := Options{Addr: "0.0.0.0:80", BeyondLoopback: true, Out: io.Discard}
	if addr, err := beyond.address(); addr != "0.0.0.0:80" || err != nil {
		t.Error(addr, err)
	}
	h, err := hostsOf(&net.TCPAddr{IP: net.IPv4zero, Port: 80}, func() (string, error) { return "Desk", nil })
	if err != nil || !h.allow("desk:80") || !h.allow("desk") || !h.allow("10.1.2.3:80") || h.allow("evil.example:80") || h.allow("desk:81") {
		t.Error(h, err)
	}
	if h, err := hostsOf(&net.TCPAddr{IP: net.IPv6loopback, Port: 80}, nil); err != nil || !h.allow("[::1]:80") || !h.allow("localhost:80") || h.allow("[::2]:80") {
		t.Error(h, err)
	}
}

// broken is a transport that reaches nobody.
type broken struct{}

func (broken) Do(*http.Request) (*http.Response, error) { return nil, errors.New("the cable is out") }

// TestBrokenStore: a store that does not answer gives a page that says so, without its key.
func TestBrokenStore(t *testing.T) {
	t.Parallel()
	config, err := nearlyfree.ParseDSN("AccountName=shop;AccountKey=c2VjcmV0c2VjcmV0;TableEndpoint=https://shop.example/")
	if err != nil {
		t.Fatal(err)
	}
	config.Transport = broken{}
	config.Retry.MaxTries = 1
	s := openShop(t, config)
	for _, target := range []string{"/", "/table?database=nearlyfree&name=x", "/query"} {
		w := s.ask("GET", target, nil, nil)
		if w.Code < 500 || strings.Contains(w.Body.String(), "c2VjcmV0") || !strings.Contains(w.Body.String(), "Error") {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
	if w := s.ask("POST", "/query", url.Values{"sql": {"SELECT * FROM x"}}, nil); w.Code < 500 || strings.Contains(w.Body.String(), "c2VjcmV0") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
