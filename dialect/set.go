package dialect

import "strings"

// set reads SET, the cursor behind the word.
func (p *parser) set() Statement {
	out := &Set{}
	switch {
	case p.is("PASSWORD"), p.is("ROLE"), p.is("DEFAULT", "ROLE"), p.is("RESOURCE"):
		p.unsupported(p.pos, "SET "+p.tok().word)
		return nil
	}
	for p.err == nil {
		out.Vars = append(out.Vars, p.setVar())
		if !p.accept(",") {
			break
		}
	}
	return out
}

// setVar reads one assignment of SET.
func (p *parser) setVar() SetVar {
	v := SetVar{}
	switch {
	case p.accept("NAMES"):
		v.Scope = "names"
		return p.charset(v)
	case p.accept("CHARSET"), p.accept("CHARACTER", "SET"):
		v.Scope = "charset"
		return p.charset(v)
	case p.accept("SESSION"), p.accept("LOCAL"):
		v.Scope = "session"
	case p.accept("GLOBAL"), p.accept("PERSIST"):
		v.Scope = "global"
	}
	if p.accept("TRANSACTION") {
		start := p.pos
		for p.err == nil {
			if !p.accept("READ", "ONLY") && !p.accept("READ", "WRITE") {
				p.isolation()
			}
			if !p.accept(",") {
				break
			}
		}
		return SetVar{Scope: "transaction", Name: lower(p.textOf(start, p.pos)), Text: v.Scope}
	}
	switch t := p.tok(); t.kind {
	case tokSystem:
		v.Name = lower(strings.ReplaceAll(p.sql[t.start+2:t.end], "`", ""))
		if scope, name, ok := strings.Cut(v.Name, "."); ok {
			v.Scope, v.Name = scope, name
		}
		switch v.Scope {
		case "":
			v.Scope = "@@"
		case "local":
			v.Scope = "session"
		case "session", "global":
		default:
			p.unsupported(p.pos, "the scope "+v.Scope)
		}
		p.pos++
	case tokUser:
		v.Scope = "user"
		v.Name = p.variableName(t)
		p.pos++
	default:
		v.Name = lower(p.ident())
	}
	if !p.accept("=") && !p.accept(":=") {
		p.fail(p.pos, "expected =")
		return v
	}
	end := p.until(p.pos, p.end(), ",")
	v.Text = p.textOf(p.pos, end)
	// A single word is a value of its own, not a column: SET autocommit = ON, charset = utf8mb4.
	if t := p.tok(); end != p.pos+1 || t.kind != tokWord || t.word == "NULL" || t.word == "TRUE" || t.word == "FALSE" {
		v.Value = p.expression(p.pos, end)
	}
	p.finish(end)
	return v
}

// charset reads the character set of SET NAMES and its like.
func (p *parser) charset(v SetVar) SetVar {
	if p.accept("DEFAULT") {
		v.Text = "default"
	} else {
		v.Text = p.word()
	}
	v.Name = v.Text
	if p.accept("COLLATE") {
		v.Text += " collate " + p.word()
	}
	return v
}
