package main

import (
	"errors"

	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
	"github.com/nearlyfreedb/nearlyfree/dialect"
)

// errNoParts is about an ALTER TABLE whose actions could not all be found: none is run, so that none is lost.
var errNoParts = errors.New("load must run the actions of this ALTER TABLE one by one, and cannot tell where each of them ends: write an ALTER TABLE for each")

// alterPart is an action of an ALTER TABLE, or several in parentheses: ADD (a INT, b INT).
type alterPart struct {
	text  string              // without ALTER TABLE t, except for the first
	sql   string              // it alone, as a statement
	alter *dialect.AlterTable // the same, parsed
}

// alterParts cuts an ALTER TABLE into its actions; other statements have none. It fails if the parts are not all of its actions.
func alterParts(text string, options dialect.Options) (parts []alterPart, err error) {
	if statementWord(text) != "ALTER" {
		return nil, nil
	}
	parsed, err := dialect.Parse(text, options)
	if err != nil {
		return nil, err
	}
	whole, ok := parsed.Statement.(*dialect.AlterTable)
	if !ok {
		return nil, nil
	}
	left := alterActions(whole)
	head := ask.Quoted(whole.Table.Name)
	if whole.Table.Database != "" {
		head = ask.Quoted(whole.Table.Database) + "." + head
	}
	begin, part := "", ""
	in := &statements{until: ",", rest: []byte(parsed.Text), ended: true} // the commas outside of quotes and comments
	for piece, ok := in.cut(); ok; piece, ok = in.cut() {
		part += piece
		if alter, ok := parsedOf(begin+part, options).(*dialect.AlterTable); ok {
			parts = append(parts, alterPart{part, begin + part, alter})
			left -= alterActions(alter)
			begin, part = "ALTER TABLE "+head+" ", ""
		} else {
			part += "," // inside of an action
		}
	}
	if part != "" || left != 0 {
		return nil, errNoParts
	}
	return parts, nil
}

// alterActions counts what an ALTER TABLE does.
func alterActions(s *dialect.AlterTable) int { return len(s.Actions) + len(s.Unsupported) }

// withoutKey gives an ALTER TABLE without the primary key that it adds. "": nothing is left of it.
func withoutKey(text string, options dialect.Options) (string, error) {
	parts, err := alterParts(text, options)
	if err != nil {
		return "", err
	}
	left, found := "", false
	for _, p := range parts {
		switch {
		case !found && alterActions(p.alter) == 1 && addedKey(p.alter) != nil:
			found = true
		case left == "":
			left = p.sql
		default:
			left += "," + p.text
		}
	}
	if !found {
		return "", errNoParts
	}
	return left, nil
}
