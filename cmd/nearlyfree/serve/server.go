package serve

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed static
var staticFiles embed.FS

var templates = template.Must(template.New("").Funcs(words).ParseFS(templateFiles, "templates/*.html"))

// server answers requests.
type server struct {
	Options
	guard   *guard
	atHome  bool
	surveys surveys

	mu      sync.Mutex
	running map[string]context.CancelCauseFunc // statements under way, by the name that the page gave them
}

func newServer(o Options, h hosts) *server {
	return &server{Options: o, guard: newGuard(h), atHome: ask.InProcess(o.Config), surveys: surveys{known: map[[2]string]*survey{}}, running: map[string]context.CancelCauseFunc{}}
}

func (s *server) handler() http.Handler {
	static, _ := fs.Sub(staticFiles, "static")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.showDatabases)
	mux.HandleFunc("GET /table", s.showTable)
	mux.HandleFunc("POST /measure", s.measureTables)
	mux.HandleFunc("GET /query", s.showQuery)
	mux.HandleFunc("POST /query", s.runQuery)
	mux.HandleFunc("POST /cancel", s.cancelQuery)
	mux.Handle("GET /static/", http.StripPrefix("/static/", http.FileServerFS(static)))
	return s.guard.protect(mux)
}

// page is what all pages have.
type page struct {
	Title     string
	Store     string
	ReadOnly  bool
	AtHome    bool
	Databases []string
	Database  string // that the page is about; "": all
	At        string // which of the pages it is
	Error     *problem
}

func (s *server) page(ctx context.Context, title, at, database string) (page, error) {
	p := page{Title: title, At: at, Database: database, ReadOnly: s.Config.ReadOnly, AtHome: s.atHome, Store: storeName(s.Config)}
	rows, err := s.texts(ctx, "SELECT schema_name FROM information_schema.schemata ORDER BY schema_name")
	if err != nil {
		return p, err
	}
	for _, row := range rows {
		switch {
		case strings.EqualFold(row[0], ask.Home(s.Config)):
			p.Databases = append([]string{row[0]}, p.Databases...)
		case !isSystem(row[0]):
			p.Databases = append(p.Databases, row[0])
		}
	}
	if p.Database == "" && len(p.Databases) > 0 {
		p.Database = ask.Home(s.Config)
	}
	return p, nil
}

func isSystem(database string) bool {
	switch strings.ToLower(database) {
	case "information_schema", "performance_schema", "mysql", "sys":
		return true
	}
	return false
}

// storeName names the store, without secrets.
func storeName(c *nearlyfree.Config) string {
	name := c.String()
	if at := strings.IndexByte(name, '?'); at >= 0 && strings.HasPrefix(name, "file:") {
		name = name[:at]
	}
	return name
}

// render sends a page.
func render(w http.ResponseWriter, status int, name string, data any) {
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, name, data); err != nil {
		http.Error(w, "the page cannot be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes())
}

// fail sends a page with an error.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusInternalServerError
	switch {
	case errors.Is(err, nearlyfree.ErrNoTable), errors.Is(err, errNoSuchPage):
		status = http.StatusNotFound
	case errors.As(err, new(*http.MaxBytesError)):
		status = http.StatusRequestEntityTooLarge
	case errors.Is(err, errBadRequest):
		status = http.StatusBadRequest
	case errors.Is(err, nearlyfree.ErrUnreachable), errors.Is(err, nearlyfree.ErrThrottled):
		status = http.StatusBadGateway
	}
	p := page{Title: "Error", Store: storeName(s.Config), ReadOnly: s.Config.ReadOnly, Error: problemOf(err, "")}
	render(w, status, "error.html", p)
}

var (
	errNoSuchPage = errors.New("there is nothing of this name")
	errBadRequest = errors.New("the request cannot be understood")
)

// texts gives a short answer.
func (s *server) texts(ctx context.Context, query string, args ...any) ([][]string, error) {
	return ask.Texts(ctx, s.DB, query, args...)
}
