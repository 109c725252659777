package dialect

import (
	"strconv"
	"strings"
)

// shown are the things that SHOW knows, by the words that ask for them.
var shown = map[string]string{
	"TABLES": "tables", "COLUMNS": "columns", "FIELDS": "columns", "INDEX": "index", "INDEXES": "index",
	"KEYS": "index", "CREATE TABLE": "create table", "CREATE VIEW": "create view", "CREATE DATABASE": "create database",
	"CREATE SCHEMA": "create database", "DATABASES": "databases",
	"SCHEMAS": "databases", "VARIABLES": "variables", "STATUS": "status", "WARNINGS": "warnings",
	"ERRORS": "errors", "ENGINES": "engines", "STORAGE ENGINES": "engines", "COLLATION": "collation",
	"CHARACTER SET": "charset", "CHARSET": "charset", "PROCESSLIST": "processlist",
	"TABLE STATUS": "table status", "OPEN TABLES": "open tables", "PLUGINS": "plugins",
	"PRIVILEGES": "privileges", "GRANTS": "grants", "TRIGGERS": "triggers", "EVENTS": "events",
	"PROCEDURE STATUS": "procedure status", "FUNCTION STATUS": "function status",
	"MASTER STATUS": "master status", "BINARY LOGS": "binary logs",
}

// show reads SHOW, the cursor behind the word.
func (p *parser) show() Statement {
	out := &Show{}
	start := p.pos
	for {
		switch {
		case p.accept("FULL"):
			out.Full = true
			continue
		case p.accept("GLOBAL"):
			out.Global = true
			continue
		case p.accept("EXTENDED"), p.accept("SESSION"), p.accept("LOCAL"):
			continue
		}
		break
	}
	counted := p.accept("COUNT", "(", "*", ")")
	for n := 2; n > 0 && out.What == ""; n-- {
		words := p.tok().word
		if n == 2 {
			words += " " + brief(p.peek(1).word)
		}
		if out.What = shown[words]; out.What != "" {
			p.pos += n
		}
	}
	p.diagnostic = out.What == "warnings" || out.What == "errors"
	switch {
	case counted && p.diagnostic:
		out.What = "count " + out.What
		return out
	case counted:
		p.fail(start, "SHOW COUNT(*) is for WARNINGS and ERRORS")
		return nil
	}
	switch out.What {
	case "":
		words := "SHOW " + brief(p.tok().word)
		if p.is("CREATE") {
			words += " " + brief(p.peek(1).word)
		}
		p.unsupported(start, strings.TrimSpace(words))
		return nil
	case "create table", "create view":
		out.Table = p.tableName()
		return out
	case "create database":
		p.accept("IF", "NOT", "EXISTS")
		out.From = p.ident()
		return out
	case "columns", "index":
		p.fromOrIn(true)
		out.Table = p.tableName()
		if p.fromOrIn(false) {
			out.Table.Database = p.ident()
		}
		out.From = out.Table.Database
	case "grants":
		if p.accept("FOR") {
			out.From = p.user()
			p.args, p.names = 0, nil // user@host is no argument
		}
		return out
	case "warnings", "errors":
		if p.accept("LIMIT") {
			out.Limit = p.rowLimit()
		}
		return out
	default:
		if p.fromOrIn(false) {
			out.From = p.ident()
		}
	}
	switch {
	case p.accept("LIKE"):
		like := p.str()
		out.Like = &like
	case p.accept("WHERE"):
		out.Where = p.expression(p.pos, p.end())
		p.finish(p.end())
	}
	return out
}

// rowLimit passes the numbers of LIMIT n, LIMIT m, n or LIMIT n OFFSET m.
func (p *parser) rowLimit() *Limit {
	number := func() Expr {
		return &Literal{Kind: IntLiteral, Text: strconv.Itoa(p.integer())}
	}
	l := &Limit{Count: number()}
	if p.accept(",") {
		l.Offset, l.Count = l.Count, number()
	} else if p.accept("OFFSET") {
		l.Offset = number()
	}
	return l
}

// fromOrIn passes FROM or IN; one is required if must is set.
func (p *parser) fromOrIn(must bool) bool {
	if p.accept("FROM") || p.accept("IN") {
		return true
	}
	if must {
		p.fail(p.pos, "expected FROM")
	}
	return false
}
