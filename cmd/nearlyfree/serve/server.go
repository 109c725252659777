package serve

import (
	"bytes"
	"context"
	"database/sql"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"github.com/nearlyfreedb/nearlyfree"
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
	return &server{Options: o, guard: newGuard(h), atHome: o.atHome(), surveys: surveys{known: map[[2]string]*survey{}}, running: map[string]context.CancelCauseFunc{}}
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
		case strings.EqualFold(row[0], s.home()):
			p.Databases = append([]string{row[0]}, p.Databases...)
		case !isSystem(row[0]):
			p.Databases = append(p.Databases, row[0])
		}
	}
	if p.Database == "" && len(p.Databases) > 0 {
		p.Database = s.home()
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

// home is the database of the data source name.
func (s *server) home() string {
	if s.Config.Database != "" {
		return s.Config.Database
	}
	return "nearlyfree"
}

// storeName says which store it is, without what is secret in its name.
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

// fail sends a page that says what is wrong.
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

// texts gives a short answer, as texts; NULL is an empty one.
func (s *server) texts(ctx context.Context, query string, args ...any) ([][]string, error) {
	rows, err := s.DB.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out [][]string
	for rows.Next() {
		cells, pointers := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range cells {
			pointers[i] = &cells[i]
		}
		if err := rows.Scan(pointers...); err != nil {
			return nil, err
		}
		row := make([]string, len(cells))
		for i, c := range cells {
			row[i] = c.String
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

func quotedName(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }
