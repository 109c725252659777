// Package browser tests `nearlyfree serve` in a real browser, headless Chromium, and takes the pictures of the docs:
//
//	go test ./tests/browser
//	go test ./tests/browser -run TestPictures -pictures
package browser

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var pictures = flag.Bool("pictures", false, "write docs/serve/*.png anew")

// command is the program, built for the tests.
var command string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if browserPath() == "" {
		fmt.Println("NOT TRIED IN A BROWSER: there is no chromium, chromium-browser or google-chrome in the PATH")
		return 0
	}
	dir, err := os.MkdirTemp("", "nearlyfree-browser-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	command = filepath.Join(dir, "nearlyfree")
	build := exec.Command("go", "build", "-o", command, ".")
	build.Dir = "../../cmd/nearlyfree"
	if out, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprint(string(out), err))
	}
	return m.Run()
}

func browserPath() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// startServer serves the shop, and gives the address with the token.
func startServer(t *testing.T, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	load := exec.Command(command, "-q", "file:shop.db", must(filepath.Abs("testdata/shop.sql")))
	load.Dir = dir
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatal(string(out), err)
	}
	c := exec.Command(command, append([]string{"serve", "file:shop.db"}, flags...)...)
	c.Dir = dir
	said, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Signal(os.Interrupt)
		if err := c.Wait(); err != nil {
			t.Errorf("the server ends with %v", err)
		}
	})
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if at := regexp.MustCompile(`http://\S+`).FindString(lines.Text()); at != "" {
			go io.Copy(io.Discard, said)
			return at
		}
	}
	t.Fatal("it prints no address")
	return ""
}

func must(s string, err error) string {
	if err != nil {
		panic(err)
	}
	return s
}

// tab is a tab of the browser.
type tab struct {
	t    *testing.T
	ctx  context.Context
	home string // the address without the token
	mu   sync.Mutex
	bad  []string // errors of the console, and requests to others
}

// openTab opens the server's address in a new browser.
func openTab(t *testing.T, address string, width, height int) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browserPath()), chromedp.WSURLReadTimeout(time.Minute), chromedp.NoSandbox,
		chromedp.WindowSize(width, height), chromedp.Flag("hide-scrollbars", true), chromedp.Flag("lang", "en"))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	b := &tab{t: t, ctx: ctx, home: "http://" + u.Host}
	chromedp.ListenTarget(ctx, func(event any) {
		switch event := event.(type) {
		case *runtime.EventExceptionThrown:
			b.note("exception: %s", event.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			b.note("console: %v", event.Args)
		case *log.EventEntryAdded:
			if event.Entry.Level == log.LevelError {
				b.note("log: %s %s", event.Entry.Text, event.Entry.URL)
			}
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(event.Request.URL, b.home+"/") {
				b.note("request to %s", event.Request.URL)
			}
		}
	})
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, bad := range b.bad {
			t.Error(bad)
		}
	})
	b.do(network.Enable(), log.Enable(), chromedp.EmulateViewport(int64(width), int64(height)), chromedp.Navigate(address), chromedp.WaitVisible("h1", chromedp.ByQuery))
	return b
}

func (b *tab) note(format string, a ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bad = append(b.bad, fmt.Sprintf(format, a...))
}

// forgive takes back what was noted, where it is meant to be.
func (b *tab) forgive() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bad = nil
}

func (b *tab) do(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.home+path), chromedp.WaitReady("main", chromedp.ByQuery))
}

// text is what somebody reads in an element.
func (b *tab) text(selector string) string {
	b.t.Helper()
	var out string
	b.do(chromedp.Text(selector, &out, chromedp.ByQuery))
	return out
}

func (b *tab) reads(selector string, want ...string) {
	b.t.Helper()
	got := b.text(selector)
	for _, w := range want {
		if !strings.Contains(got, w) {
			b.t.Errorf("%s lacks %q:\n%s", selector, w, got)
		}
	}
}

func (b *tab) script(js string) (out any) {
	b.t.Helper()
	b.do(chromedp.Evaluate(js, &out))
	return out
}

// write puts a statement into the box.
func (b *tab) write(sql string) {
	b.t.Helper()
	b.do(chromedp.WaitReady("#sql", chromedp.ByQuery), chromedp.SetValue("#sql", sql, chromedp.ByQuery), chromedp.Focus("#sql", chromedp.ByQuery))
}

const over = `document.getElementById("state").textContent === "done" && !document.getElementById("result").hasAttribute("aria-busy")`

// run runs a statement by Ctrl-Enter, and waits for what comes of it.
func (b *tab) run(sql string) {
	b.t.Helper()
	b.write(sql)
	b.script(`document.getElementById("state").textContent = ""; ""`)
	b.do(chromedp.KeyEvent("\r", chromedp.KeyModifiers(2)), chromedp.Poll(over, nil))
}
