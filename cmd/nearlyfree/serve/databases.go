package serve

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree"
)

// databasesPage lists the tables of all databases.
type databasesPage struct {
	page
	Lists []databaseList
}

type databaseList struct {
	Name     string
	Tables   []tableLine
	Unknown  int // tables of unknown size
	Rows     int64
	Bytes    int64
	Measured bool // all tables were
}

type tableLine struct {
	Database, Name, Kind, Comment string
	Measured                      bool
	Rows, Entries, Bytes          int64
	About                         string // rows, by statistics; "": not known
}

// Dollars is what keeping it costs a month.
func (l *tableLine) Dollars() float64 { return nearlyfree.ListPrice.MonthlyCost(l.Bytes) }

// Dollars is what keeping it costs a month.
func (l *databaseList) Dollars() float64 { return nearlyfree.ListPrice.MonthlyCost(l.Bytes) }

func (s *server) showDatabases(w http.ResponseWriter, r *http.Request) {
	p := databasesPage{}
	var err error
	if p.page, err = s.page(r.Context(), "Tables", "tables", ""); err != nil {
		s.fail(w, r, err)
		return
	}
	rows, err := s.texts(r.Context(), "SELECT table_schema, table_name, table_type, table_rows, table_comment FROM information_schema.tables "+
		"WHERE table_type <> 'SYSTEM VIEW' ORDER BY table_schema, table_name")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	lists := map[string]*databaseList{}
	p.Lists = make([]databaseList, len(p.Databases))
	for i, name := range p.Databases {
		p.Lists[i] = databaseList{Name: name, Measured: true}
		lists[name] = &p.Lists[i]
	}
	for _, row := range rows {
		list := lists[row[0]]
		if list == nil {
			continue
		}
		line := tableLine{Database: row[0], Name: row[1], Kind: kindOf(row[2]), Comment: row[4]}
		if line.Kind == "view" {
			line.Comment = "" // it is VIEW, as in MySQL
		}
		if rows, err := strconv.ParseFloat(row[3], 64); err == nil {
			line.About = aboutText(rows)
		}
		if line.Kind == "table" {
			survey, err := s.survey(r.Context(), line.Database, line.Name)
			if err != nil {
				s.fail(w, r, err)
				return
			}
			line.take(survey)
			list.Measured = list.Measured && line.Measured
			list.Rows, list.Bytes = list.Rows+line.Rows, list.Bytes+line.Bytes
		}
		list.Tables = append(list.Tables, line)
	}
	render(w, http.StatusOK, "databases.html", p)
}

func (l *tableLine) take(s *survey) {
	if s == nil {
		return
	}
	l.Measured = true
	if c := s.of(l.Name); c != nil {
		l.Rows, l.Entries, l.Bytes = c.Rows, c.Entries, c.Bytes
	}
}

func kindOf(tableType string) string {
	if strings.Contains(tableType, "VIEW") {
		return "view"
	}
	return "table"
}

// measureTables reads all entities of a table, or of all tables of a database, at a user's request.
func (s *server) measureTables(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		s.fail(w, r, bad(err))
		return
	}
	database, table := r.PostForm.Get("database"), r.PostForm.Get("name")
	names, back := []string{table}, tableURL(database, table)
	if table == "" {
		back = "/"
		rows, err := s.texts(r.Context(), "SELECT table_name FROM information_schema.tables WHERE table_schema = ? AND table_type = 'BASE TABLE'", database)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		names = nil
		for _, row := range rows {
			names = append(names, row[0])
		}
	}
	for _, name := range names {
		if _, err := s.measure(r.Context(), database, name, 0); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	http.Redirect(w, r, back, http.StatusSeeOther)
}

func tableURL(database, table string) string {
	return "/table?" + url.Values{"database": {database}, "name": {table}}.Encode()
}
