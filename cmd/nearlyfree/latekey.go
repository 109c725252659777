package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
	"github.com/nearlyfreedb/nearlyfree/dialect"
)

// lateKeys are the primary keys that a file adds to its tables after their rows, as phpMyAdmin writes it. A table made with its key stores rows
// by it; one that gets it later has another entry for each row. Statements are known by their number in the file.
type lateKeys struct {
	of   map[int64]string // CREATE TABLE: the key that is added later: PRIMARY KEY (`id`)
	adds map[int64]bool   // ALTER TABLE
}

// findLateKeys reads a file to its end.
func findLateKeys(ctx context.Context, name, database string, options dialect.Options) (*lateKeys, error) {
	file, err := openSource(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	late := &lateKeys{of: map[int64]string{}, adds: map[int64]bool{}}
	tables := map[string]int64{} // those without a key, by their names: their CREATE TABLE
	nameOf := func(t dialect.TableName) string {
		if t.Database == "" {
			t.Database = database
		}
		return strings.ToLower(ask.Quoted(t.Database) + "." + ask.Quoted(t.Name))
	}
	in := newStatements(file)
	for n := int64(0); ; n++ {
		st, err := in.next()
		if err == io.EOF {
			return late, nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		switch s := parsedOf(st.text, options).(type) {
		case *dialect.Use:
			database = s.Database
		case *dialect.CreateTable:
			delete(tables, nameOf(s.Table))
			if lacksKey(s) {
				tables[nameOf(s.Table)] = n
			}
		case *dialect.DropTable:
			for _, t := range s.Tables {
				delete(tables, nameOf(t))
			}
		case *dialect.AlterTable:
			made, ok := tables[nameOf(s.Table)]
			if key := addedKey(s); ok && key != nil {
				late.of[made], late.adds[n] = keySQL(key), true
				delete(tables, nameOf(s.Table))
			}
		}
	}
}

// parsedOf parses a statement that may be about a primary key; nil: it is not, or cannot be parsed, as the driver will report.
func parsedOf(text string, options dialect.Options) dialect.Statement {
	switch statementWord(text) {
	case "USE", "CREATE", "DROP", "ALTER":
		if parsed, err := dialect.Parse(text, options); err == nil {
			return parsed.Statement
		}
	}
	return nil
}

// lacksKey says whether a table gets no primary key, and may be given one.
func lacksKey(s *dialect.CreateTable) bool {
	return len(s.Columns) > 0 && !s.Temporary && s.External == nil &&
		!slices.ContainsFunc(s.Columns, func(c dialect.ColumnDef) bool { return c.PrimaryKey }) &&
		!slices.ContainsFunc(s.Indexes, func(x dialect.IndexDef) bool { return x.Primary })
}

// addedKey gives the primary key that an ALTER TABLE adds; nil: it adds none.
func addedKey(s *dialect.AlterTable) *dialect.IndexDef {
	for i := range s.Actions {
		if a := &s.Actions[i]; a.Kind == dialect.AddIndex && a.Index.Primary {
			return &a.Index
		}
	}
	return nil
}

// keySQL says a primary key in CREATE TABLE.
func keySQL(key *dialect.IndexDef) string {
	parts := make([]string, len(key.Parts))
	for i, p := range key.Parts {
		parts[i] = ask.Quoted(p.Column)
		if p.Length > 0 {
			parts[i] += fmt.Sprintf("(%d)", p.Length)
		}
		if p.Desc {
			parts[i] += " DESC"
		}
	}
	return "PRIMARY KEY (" + strings.Join(parts, ", ") + ")"
}

// dialect is the driver's setting for parsing statements.
func (s *sqlLoader) dialect() dialect.Options {
	return dialect.Options{ANSIQuotes: s.db.config.ANSIQuotes}
}

// early gives a statement as it is run: a CREATE TABLE with the key that the file adds later, or the ALTER TABLE that adds it without that part.
// "": nothing is left of it.
func (s *sqlLoader) early(ctx context.Context, text string) (string, error) {
	options := s.dialect()
	stmt := parsedOf(text, options)
	create, ok := stmt.(*dialect.CreateTable)
	alter, _ := stmt.(*dialect.AlterTable)
	if !(ok && lacksKey(create)) && (alter == nil || addedKey(alter) == nil) {
		return text, nil
	}
	if s.late == nil {
		var err error
		if s.late, err = findLateKeys(ctx, s.name, ask.Home(s.db.config), options); err != nil {
			return "", err
		}
	}
	number := s.place.done
	if key := s.late.of[number]; key != "" {
		at := create.Columns[0].Pos
		return text[:at] + key + ", " + text[at:], nil
	}
	if !s.late.adds[number] {
		return text, nil
	}
	has, err := s.db.hasKey(ctx, alter.Table, addedKey(alter))
	if err != nil || !has {
		return text, err
	}
	return withoutKey(text, options)
}

// hasKey says whether a table has a primary key of these columns.
func (d *database) hasKey(ctx context.Context, table dialect.TableName, key *dialect.IndexDef) (bool, error) {
	database := "DATABASE()"
	if table.Database != "" {
		database = quoted(table.Database)
	}
	columns, err := d.column(ctx, "SELECT COLUMN_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = "+database+" AND TABLE_NAME = "+quoted(table.Name)+
		" AND INDEX_NAME = 'PRIMARY' ORDER BY SEQ_IN_INDEX", 0)
	same := func(column string, p dialect.KeyColumn) bool { return strings.EqualFold(column, p.Column) }
	return err == nil && slices.EqualFunc(columns, key.Parts, same), err
}
