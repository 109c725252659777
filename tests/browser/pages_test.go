package browser

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestPages goes through the pages as somebody does who looks.
func TestPages(t *testing.T) {
	b := openTab(t, startServer(t), 1200, 900)
	if at := b.script("location.href").(string); at != b.home+"/" {
		t.Errorf("the token is still in the address: %s", at)
	}
	if cookies := b.script("document.cookie").(string); cookies != "" {
		t.Errorf("a script reads the cookie: %s", cookies)
	}
	b.reads("main", "nearlyfree", "customer", "who buys", "400", "archive", "old")

	b.do(chromedp.Click(`a[href*="name=orders"]`, chromedp.ByQuery), chromedp.WaitVisible(".picture", chromedp.ByQuery))
	b.reads("h1", "orders")
	b.reads("main", "2,000 rows", "PK!8000000000000001", "row of item, each family behind a copy of its row of orders", "copy of a row of orders", "entry of key customer", "CREATE TABLE `orders`")
	b.do(chromedp.Click(`a[href*="all=1"]`, chromedp.ByQuery), chromedp.WaitVisible(".next", chromedp.ByQuery))
	if n := b.script(`document.querySelectorAll(".entities tbody tr:not(.physical)").length`).(float64); n != 50 {
		t.Errorf("a page has %v entities", n)
	}
	b.reads("main", "physical table")
	first := b.text(".entities tbody")
	b.do(chromedp.Click(".next a", chromedp.ByQuery), chromedp.WaitVisible(".next", chromedp.ByQuery))
	if next := b.text(".entities tbody"); next == first || !strings.Contains(next, "PK!") {
		t.Errorf("the next page has %s", next)
	}

	b.open("/query?database=nearlyfree")
	if b.script("document.activeElement.id") != "sql" {
		t.Error("the box has not the focus")
	}
	b.run("SELECT c.name, o.total FROM customer c JOIN orders o ON o.customer = c.id WHERE c.city = 'Bern' AND o.state = 'open'")
	b.reads("#result", "How it was run", "lookup join", "row-key range customer.city as c", "estimated", "Which keys it touched", "Customer 0")
	if n := b.script(`document.querySelectorAll(".touch").length`).(float64); n < 2 {
		t.Errorf("%v ranges are drawn", n)
	}
	wide := b.script(`Array.from(document.querySelectorAll(".bars .read")).map(r => r.getBoundingClientRect().width)`).([]any)
	if len(wide) != 2 || wide[0].(float64) <= 0 {
		t.Errorf("the bars are %v wide", wide)
	}
}

// TestErrorPlace: the place of an error is marked, and the cursor goes there.
func TestErrorPlace(t *testing.T) {
	b := openTab(t, startServer(t), 1200, 900)
	b.open("/query")
	b.run("SELECT name,\n  nonsense FROM customer")
	b.reads(".problem", "Unknown column 'nonsense'", "line 2, column 3")
	b.reads("mark", "nonsense")
	if got := b.script(cursor); got != "nonsense FROM customer" {
		t.Errorf("the cursor is before %q", got)
	}
	b.run("SELECT 'ü😀', FROM customer")
	b.reads(".problem", "line 1")
	if got := b.script(cursor); got != "FROM customer" {
		t.Errorf("the cursor is before %q", got)
	}

	// What is selected is run alone, and its errors are where they are in the box.
	b.write("SELECT 1;\nSELECT nothing FROM customer;")
	b.script(`document.getElementById("sql").setSelectionRange(10, 38); document.getElementById("state").textContent = ""; ""`)
	b.do(chromedp.KeyEvent("\r", chromedp.KeyModifiers(2)), chromedp.Poll(over, nil))
	b.reads(".problem", "Unknown column 'nothing'")
	if got := b.script(cursor); got != "nothing FROM customer;" {
		t.Errorf("the cursor is before %q", got)
	}
}

// cursor gives the text behind the cursor of the box, where nothing is selected.
const cursor = `{ const s = document.getElementById("sql"); s.selectionStart === s.selectionEnd ? s.value.slice(s.selectionStart) : "selected" }`

// TestAsks: what writes is shown before it is run, and runs when it is asked for again.
func TestAsks(t *testing.T) {
	b := openTab(t, startServer(t), 1200, 900)
	b.open("/query")
	b.run("UPDATE customer SET city = 'Sion' WHERE city = 'Chur'")
	b.reads("#result", "Nothing has been changed yet", "update customer", "How it will be run")
	b.run("SELECT COUNT(*) AS n FROM customer WHERE city = 'Chur'")
	b.reads(".rows tbody", "50")
	b.run("UPDATE customer SET city = 'Sion' WHERE city = 'Chur'")
	b.script(`document.getElementById("state").textContent = ""; ""`)
	b.do(chromedp.Click("form.again button", chromedp.ByQuery), chromedp.Poll(over, nil))
	b.reads("#result", "50 rows changed", "How it was run")
	b.run("SELECT COUNT(*) AS n FROM customer WHERE city = 'Chur'")
	b.reads(".rows tbody", "0")
}

// TestCancel ends a statement that would run for days.
func TestCancel(t *testing.T) {
	b := openTab(t, startServer(t), 1200, 900)
	b.open("/query")
	b.write("SELECT COUNT(*) FROM item a, item b, item c WHERE a.n + b.n + c.n > 100")
	b.do(chromedp.KeyEvent("\r", chromedp.KeyModifiers(2)), chromedp.WaitVisible("#cancel", chromedp.ByQuery))
	begun := time.Now()
	b.do(chromedp.Click("#cancel", chromedp.ByQuery), chromedp.Poll(over, nil))
	b.reads(".problem", "you have ended the statement")
	b.reads("#result", "Entities read", "How it was run")
	t.Logf("it took %v to end", time.Since(begun))
	b.run("SELECT info FROM information_schema.processlist WHERE info LIKE '%item a, item b%' AND info NOT LIKE '%processlist%'")
	b.reads("#result", "no rows")
}

// TestOtherPeoplesText: what is stored, and how things are called, is shown as text.
func TestOtherPeoplesText(t *testing.T) {
	b := openTab(t, startServer(t), 1200, 900)
	const evil = "<img src=x onerror=window.hurt=1><script>window.hurt=1</script>"
	b.open("/query")
	for _, sql := range []string{
		"CREATE TABLE `<b onclick=x>&\"'` (id INT PRIMARY KEY, `<i>` VARCHAR(200), KEY `</title>` (`<i>`)) COMMENT '" + evil + "'",
		"INSERT INTO `<b onclick=x>&\"'` VALUES (1, '" + evil + "'), (2, CONCAT('javascript:', CHAR(0), 'x')), (3, NULL)",
	} {
		b.run(sql)
		b.script(`document.getElementById("state").textContent = ""; ""`)
		b.do(chromedp.Click("form.again button", chromedp.ByQuery), chromedp.Poll(over, nil))
	}
	b.run("SELECT *, '" + evil + "' AS `<script>` FROM `<b onclick=x>&\"'`")
	b.reads(".rows", evil, "<script>", "NULL", "javascript:␀x")
	b.run("SELECT '" + evil + "' FROM nowhere")
	b.reads(".problem", "nowhere", evil)
	b.open("/")
	b.reads("main", evil, "<b onclick=x>&\"'")
	b.do(chromedp.Click(`a[href*="onclick"]`, chromedp.ByQuery), chromedp.WaitVisible(".picture", chromedp.ByQuery))
	b.reads("main", evil, "</title>")
	if hurt := b.script("window.hurt === undefined && document.querySelectorAll('main img, main script, main b[onclick]').length === 0"); hurt != true {
		t.Error("what is stored was run")
	}
}

// TestNarrow: no page is wider than a small window, and all controls have names.
func TestNarrow(t *testing.T) {
	b := openTab(t, startServer(t, "--readonly"), 380, 800)
	for _, path := range []string{"/", "/table?database=nearlyfree&name=orders", "/table?database=nearlyfree&name=visit", "/query?sql=SELECT+*+FROM+customer"} {
		b.open(path)
		if strings.HasPrefix(path, "/query") {
			b.run("SELECT * FROM customer JOIN orders ON orders.customer = customer.id WHERE city = 'Bern'")
		}
		if w := b.script("document.documentElement.scrollWidth").(float64); w > 380 {
			t.Errorf("%s is %v wide", path, w)
		}
		if bare := b.script(`Array.from(document.querySelectorAll("input:not([type=hidden]), select, textarea, button, a")).filter(e =>
			!(e.labels && e.labels.length) && e.textContent.trim() === "" && !e.getAttribute("aria-label")).map(e => e.outerHTML).join()`); bare != "" {
			t.Errorf("%s: without a name: %v", path, bare)
		}
		b.reads("header", "read only")
	}
	b.run("DELETE FROM customer")
	b.reads(".problem", "read")
}

// TestStranger: who comes without the token, or by another name, sees nothing.
func TestStranger(t *testing.T) {
	b := openTab(t, startServer(t), 800, 600)
	b.do(chromedp.Navigate(strings.Replace(b.home, "127.0.0.1", "localhost", 1) + "/"))
	b.reads("body", "lets you in") // the cookie is not that of another name
	b.do(chromedp.Navigate("data:text/html,<form method=post action=" + b.home + "/query><input name=sql value='SELECT name FROM customer'><button>go</button></form>"))
	b.do(chromedp.Click("button", chromedp.ByQuery), chromedp.WaitVisible("pre", chromedp.ByQuery))
	b.reads("body", "somebody else")
	b.forgive() // the refusals are in its console
}
