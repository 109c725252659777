package serve

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
)

// tablePage shows a table: its columns and keys, and how its entities lie.
type tablePage struct {
	page
	Name, Kind string
	Columns    []columnLine
	Keys       []keyLine
	Create     string
	Survey     *survey
	Picture    *picture
	Groups     []groupView
	Entities   []entityView // of a page, if one was asked for
	Paged      bool
	First      bool // the page begins at the first entity
	Next       string
	Size       *tableLine
}

type columnLine struct{ Name, Type, Null, Default, Extra, Comment, Key string }

type keyLine struct {
	Name, Columns string
	Unique        bool
	Global        bool
}

// groupView is a group with some of its entities.
type groupView struct {
	*group
	What     string
	Kind     string
	Examples []entityView
	More     int64
	From     string // the address of the page that begins with them
}

// entityView is an entity as it is shown.
type entityView struct {
	PartitionKey string
	RowKey       []string
	What, Kind   string
	Values       []propertyView
	More         int // properties that are not shown
	Bytes        int64
	Physical     string // if it differs from the previous entity's
}

type propertyView struct{ Name, Type, Text string }

const (
	entitiesAPage  = 50
	mostProperties = 12
	shownProperty  = 48 // characters
)

func (s *server) showTable(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	database, name := q.Get("database"), q.Get("name")
	p := tablePage{Name: name}
	var err error
	for _, text := range []string{database, name, q.Get("physical"), q.Get("partition"), q.Get("row")} {
		if !utf8.ValidString(text) {
			s.fail(w, r, fmt.Errorf("%w: %q is not a text", errBadRequest, text))
			return
		}
	}
	if p.page, err = s.page(r.Context(), name, "tables", database); err == nil {
		err = s.describe(r.Context(), &p)
	}
	if err == nil && p.Kind == "table" {
		if q.Has("row") || q.Has("partition") || q.Has("all") {
			p.Paged, p.First = true, q.Has("all")
			err = s.entitiesFrom(r.Context(), &p, nearlyfree.EntityPlace{Physical: q.Get("physical"), PartitionKey: q.Get("partition"), RowKey: q.Get("row")})
		} else {
			err = s.surveyed(r.Context(), &p)
		}
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	render(w, http.StatusOK, "table.html", &p)
}

// describe finds out what the table is.
func (s *server) describe(ctx context.Context, p *tablePage) error {
	rows, err := s.texts(ctx, "SELECT table_type, table_name FROM information_schema.tables WHERE table_schema = ? AND table_name = ? AND table_type <> 'SYSTEM VIEW'", p.Database, p.Name)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return fmt.Errorf("%w: no table %s in database %s", errNoSuchPage, p.Name, p.Database)
	}
	p.Kind, p.Name = kindOf(rows[0][0]), rows[0][1]
	rows, err = s.texts(ctx, "SELECT column_name, column_type, is_nullable, column_default, extra, column_comment, column_key FROM information_schema.columns "+
		"WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position", p.Database, p.Name)
	if err != nil {
		return err
	}
	for _, row := range rows {
		p.Columns = append(p.Columns, columnLine{row[0], row[1], row[2], row[3], row[4], row[5], row[6]})
	}
	rows, err = s.texts(ctx, "SELECT index_name, column_name, non_unique, sub_part, collation, expression FROM information_schema.statistics "+
		"WHERE table_schema = ? AND table_name = ? ORDER BY index_name <> 'PRIMARY', index_name, seq_in_index", p.Database, p.Name)
	if err != nil {
		return err
	}
	for _, row := range rows {
		column := row[1] + row[5]
		if row[3] != "" {
			column += "(" + row[3] + ")"
		}
		if row[4] == "D" {
			column += " DESC"
		}
		if n := len(p.Keys); n > 0 && p.Keys[n-1].Name == row[0] {
			p.Keys[n-1].Columns += ", " + column
			continue
		}
		p.Keys = append(p.Keys, keyLine{Name: row[0], Columns: column, Unique: row[2] == "0"})
	}
	if rows, err = s.texts(ctx, "SHOW CREATE TABLE "+ask.Quoted(p.Database)+"."+ask.Quoted(p.Name)); err == nil && len(rows) == 1 {
		p.Create = rows[0][1]
	}
	return err
}

// surveyed shows the groups of entities, each with examples, if they are known; else the first page of entities.
func (s *server) surveyed(ctx context.Context, p *tablePage) (err error) {
	if p.Survey, err = s.survey(ctx, p.Database, p.Name); err != nil {
		return err
	}
	if p.Survey == nil {
		p.Paged, p.First = true, true
		return s.entitiesFrom(ctx, p, nearlyfree.EntityPlace{})
	}
	p.Picture = pictureOf(p.Survey)
	p.Size = &tableLine{Name: p.Name}
	p.Size.take(p.Survey)
	for _, g := range p.Survey.Groups {
		v := groupView{group: g, From: p.from(g.Examples[0].EntityPlace), More: g.Count() - int64(len(g.Examples))}
		v.What, v.Kind = g.what(p.Name)
		for _, e := range g.Examples {
			v.Examples = append(v.Examples, viewOf(e, p.Name))
		}
		p.Groups = append(p.Groups, v)
	}
	return nil
}

// what describes a group for a reader of the table's page, and gives its kind.
func (g *group) what(table string) (what, kind string) {
	if g.Rows == 0 {
		return whatOf(g.CopiesOf, "", true, table)
	}
	what, kind = whatOf(g.Table, g.Index, false, table)
	if g.Copies > 0 {
		what += ", each family behind a copy of its row of " + g.CopiesOf
	}
	return what, kind
}

func whatOf(of, index string, copied bool, table string) (what, kind string) {
	own := strings.EqualFold(of, table)
	switch {
	case of == "":
		return "no table's: what a transaction or a dropped key has left", "none"
	case copied:
		return "copy of a row of " + of, "copy"
	case index != "" && own:
		return "entry of key " + index, "index"
	case index != "":
		return "entry of key " + index + " of " + of, "other"
	case own:
		return "row", "row"
	}
	return "row of " + of, "child"
}

// entitiesFrom shows a page of entities.
func (s *server) entitiesFrom(ctx context.Context, p *tablePage, from nearlyfree.EntityPlace) error {
	last := from.Physical
	for e, err := range s.Connector.Entities(ctx, nearlyfree.EntityRange{Database: p.Database, Table: p.Name, From: from}) {
		if err != nil {
			return err
		}
		if len(p.Entities) == entitiesAPage {
			p.Next = p.from(e.EntityPlace)
			break
		}
		v := viewOf(e, p.Name)
		if e.Physical != last {
			v.Physical, last = e.Physical, e.Physical
		}
		p.Entities = append(p.Entities, v)
	}
	return nil
}

// from is the address of the page that begins at a place.
func (p *tablePage) from(at nearlyfree.EntityPlace) string {
	return "/table?" + url.Values{"database": {p.Database}, "name": {p.Name}, "physical": {at.Physical}, "partition": {at.PartitionKey}, "row": {at.RowKey}}.Encode()
}

// Select is a query of the table.
func (p *tablePage) Select() string {
	name := p.Name
	if !plainName.MatchString(name) {
		name = ask.Quoted(name)
	}
	return "SELECT * FROM " + name + " LIMIT 100"
}

var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// All is the address of the first page of entities.
func (p *tablePage) All() string { return tableURL(p.Database, p.Name) + "&all=1" }

func viewOf(e *nearlyfree.Entity, table string) entityView {
	v := entityView{PartitionKey: visible(e.PartitionKey), RowKey: keyParts(e.RowKey), Bytes: e.Bytes}
	v.What, v.Kind = whatOf(e.Table, e.Index, e.Copy, table)
	for i, prop := range e.Properties {
		if i == mostProperties {
			v.More = len(e.Properties) - i
			break
		}
		v.Values = append(v.Values, propertyView{visible(prop.Name), prop.Type, propertyText(prop.Value)})
	}
	return v
}

func propertyText(value any) string {
	switch value := value.(type) {
	case []byte:
		c := binaryCell(value)
		return c.Text
	case string:
		if utf8.RuneCountInString(value) > shownProperty {
			return visible(first(value, shownProperty)) + "…"
		}
		return visible(value)
	}
	return fmt.Sprint(value)
}
