package main

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
	"github.com/nearlyfreedb/nearlyfree/dialect"
)

// definition is a table or a view, and the statement that makes it.
type definition struct {
	name     string
	create   string
	view     bool
	external bool     // over entities of another program
	needs    []string // the tables and views that it names
}

// ofStore leaves out tables whose rows are elsewhere, and says so.
func ofStore(all []definition, t *task) (list []definition) {
	for _, def := range all {
		if def.external {
			t.say("left out: %s, whose rows belong to another program", def.name)
			continue
		}
		list = append(list, def)
	}
	return list
}

// definitions gives all tables and views of the session's database, or the named ones, each after those that it needs. That is impossible for
// tables whose foreign keys form a circle, or refer to other databases: then circle is true, and they are made while foreign_key_checks is 0.
func (d *database) definitions(ctx context.Context, names ...string) (list []definition, circle bool, err error) {
	if len(names) == 0 {
		if names, err = d.column(ctx, allTables, 0); err != nil {
			return nil, false, err
		}
		names = slices.DeleteFunc(names, func(name string) bool { return name == placeTable })
	}
	byName := map[string]*definition{}
	var order []string
	for _, name := range names {
		def, err := d.definition(ctx, name)
		if err != nil {
			return nil, false, err
		}
		byName[strings.ToLower(name)] = def
		order = append(order, strings.ToLower(name))
	}
	const references = "SELECT table_name, referenced_table_name, unique_constraint_schema = constraint_schema FROM information_schema.referential_constraints WHERE constraint_schema = DATABASE()"
	pairs, err := d.rows(ctx, references)
	if err != nil {
		return nil, false, err
	}
	for _, pair := range pairs {
		if def := byName[strings.ToLower(pair[0])]; def != nil && pair[2] == "0" {
			circle = true // whether that table exists, and what it refers to, this database does not tell
		} else if def != nil {
			def.needs = append(def.needs, pair[1])
		}
	}
	done, begun := map[string]bool{}, map[string]bool{}
	var add func(name string)
	add = func(name string) {
		def := byName[name]
		if def == nil || done[name] {
			return
		}
		if begun[name] {
			circle = true
			return
		}
		begun[name] = true
		for _, other := range def.needs {
			if other = strings.ToLower(other); other != name {
				add(other)
			}
		}
		done[name] = true
		list = append(list, *def)
	}
	for _, name := range order {
		add(name)
	}
	slices.SortStableFunc(list, func(a, b definition) int { return boolOrder(a.view) - boolOrder(b.view) })
	return list, circle, nil
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (d *database) definition(ctx context.Context, name string) (*definition, error) {
	texts, err := d.column(ctx, "SHOW CREATE TABLE "+ask.Quoted(name), 1)
	if err != nil {
		return nil, err
	}
	if len(texts) != 1 {
		return nil, fmt.Errorf("SHOW CREATE TABLE %s gives %d rows", ask.Quoted(name), len(texts))
	}
	def := &definition{name: name, create: texts[0], external: strings.HasPrefix(texts[0], "CREATE EXTERNAL ")}
	def.view = !def.external && !strings.HasPrefix(texts[0], "CREATE TABLE ")
	if def.view {
		parsed, err := dialect.Parse(def.create, dialect.Options{})
		if err != nil { // "x" was a name where the view was made
			parsed, err = dialect.Parse(def.create, dialect.Options{ANSIQuotes: true})
		}
		if err != nil {
			return nil, fmt.Errorf("view %s: %w", name, err)
		}
		if made, ok := parsed.Statement.(*dialect.CreateView); ok {
			tableNames(reflect.ValueOf(made.Query), func(t dialect.TableName) { def.needs = append(def.needs, t.Name) })
		}
	}
	return def, nil
}

// tableNames finds the tables that a statement names, wherever it does.
func tableNames(v reflect.Value, found func(dialect.TableName)) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			tableNames(v.Elem(), found)
		}
	case reflect.Slice:
		for i := range v.Len() {
			tableNames(v.Index(i), found)
		}
	case reflect.Struct:
		if t, ok := v.Interface().(dialect.TableName); ok {
			found(t)
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				tableNames(v.Field(i), found)
			}
		}
	}
}
