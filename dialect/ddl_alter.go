package dialect

// alter reads ALTER, with the cursor after the word.
func (p *parser) alter() Statement {
	if p.isView() {
		return p.createView(false, true)
	}
	if !p.accept("TABLE") {
		if p.accept("DATABASE") || p.accept("SCHEMA") {
			return p.alterDatabase()
		}
		if p.is("INDEX") {
			p.unsupported(p.pos, "ALTER "+p.tok().word)
		}
		return p.refuseObject()
	}
	if p.is("IF", "EXISTS") {
		p.unsupported(p.pos, "ALTER TABLE IF EXISTS")
	}
	out := &AlterTable{Table: p.tableName()}
	for p.err == nil {
		n := len(out.Actions)
		pos := Pos(p.tok().start)
		p.action(out)
		for ; n < len(out.Actions); n++ {
			out.Actions[n].Pos = pos
		}
		if !p.accept(",") {
			break
		}
	}
	return out
}

// action reads one action of ALTER TABLE and appends it; ADD (a …, b …) is several.
func (p *parser) action(out *AlterTable) {
	a := AlterAction{}
	switch {
	case p.accept("ADD"):
		p.add(out)
		return
	case p.accept("DROP"):
		p.dropAction(&a)
	case p.accept("RENAME"):
		p.renameAction(&a)
	case p.accept("MODIFY"):
		p.accept("COLUMN")
		a.Kind = ModifyColumn
		p.placedColumn(&a)
	case p.accept("CHANGE"):
		p.accept("COLUMN")
		a.Kind = ModifyColumn
		a.Name = p.ident()
		p.placedColumn(&a)
		out.Actions = append(out.Actions, a)
		return
	case p.accept("ALTER"):
		p.alterColumn(&a)
	case p.accept("ORDER", "BY"):
		a.Kind = OrderRows
		a.Names = p.orderedNames()
	case p.accept("TRUNCATE"):
		p.expect("PARTITION")
		a.Kind = TruncatePartition
		a.Names = p.identifiers()
	case p.oneOf("REORGANIZE", "COALESCE", "EXCHANGE", "REMOVE", "PARTITION", "DISCARD", "IMPORT", "REBUILD",
		"ANALYZE", "CHECK", "REPAIR", "OPTIMIZE"):
		p.unsupported(p.pos, "ALTER TABLE … "+p.tok().word)
	default:
		p.optionAction(&a)
	}
	if a.Kind == ModifyColumn {
		a.Name = a.Column.Name
	}
	out.Actions = append(out.Actions, a)
}

// orderedNames passes name [ASC | DESC], ….
func (p *parser) orderedNames() (names []string) {
	for {
		names = append(names, p.ident())
		if !p.accept("ASC") {
			p.accept("DESC")
		}
		if p.err != nil || !p.accept(",") {
			return names
		}
	}
}

// identifiers passes name, name, ….
func (p *parser) identifiers() []string {
	names := []string{p.ident()}
	for p.accept(",") {
		names = append(names, p.ident())
	}
	return names
}

// placedColumn reads a column and its place, FIRST or AFTER another.
func (p *parser) placedColumn(a *AlterAction) {
	a.Column = p.columnDef()
	switch {
	case p.accept("FIRST"):
		a.First = true
	case p.accept("AFTER"):
		a.After = p.ident()
	}
}

// add reads what follows ADD.
func (p *parser) add(out *AlterTable) {
	if p.accept("PARTITION") {
		switch {
		case p.is("PARTITIONS"):
			p.unsupported(p.pos, "ADD PARTITION PARTITIONS")
		case !p.is("("):
			p.fail(p.pos, "expected (PARTITION name VALUES …, …)")
		}
		out.Actions = append(out.Actions, AlterAction{Kind: AddPartition, Parts: p.partitionDefs()})
		return
	}
	column := p.accept("COLUMN")
	if p.accept("(") {
		for p.err == nil {
			p.addOne(out, column)
			if !p.accept(",") {
				break
			}
		}
		p.expect(")")
		return
	}
	p.addOne(out, column)
}

// addOne reads a column, certainly one if the word COLUMN came before, or a key.
func (p *parser) addOne(out *AlterTable, column bool) {
	a := AlterAction{Kind: AddColumn}
	if !column {
		// ADD INDEX IF NOT EXISTS name: the words come between the kind of the key and its name.
		if i := p.pos; (p.is("INDEX") || p.is("KEY") || p.is("UNIQUE")) && (p.isAt(i+1, "IF", "NOT") || p.isAt(i+2, "IF", "NOT")) {
			p.unsupported(i, "ADD INDEX IF NOT EXISTS", "use CREATE INDEX IF NOT EXISTS")
			return
		}
		k, ok := p.keyDef()
		switch {
		case k.index != nil:
			a.Kind, a.Index, a.Name = AddIndex, *k.index, k.index.Name
		case k.foreign != nil:
			a.Kind, a.ForeignKey, a.Name = AddForeignKey, *k.foreign, k.foreign.Name
		case k.check != nil:
			a.Kind, a.Check, a.Name = AddCheck, *k.check, k.check.Name
		case k.unsupported != nil:
			out.Unsupported = append(out.Unsupported, *k.unsupported)
			return
		}
		if ok {
			out.Actions = append(out.Actions, a)
			return
		}
	}
	a.IfExists = p.accept("IF", "NOT", "EXISTS")
	p.placedColumn(&a)
	a.Name = a.Column.Name
	out.Actions = append(out.Actions, a)
}

// dropAction reads what follows DROP.
func (p *parser) dropAction(a *AlterAction) {
	switch {
	case p.accept("PRIMARY", "KEY"):
		a.Kind = DropPrimaryKey
		return
	case p.accept("FOREIGN"):
		p.expect("KEY")
		a.Kind = DropForeignKey
	case p.accept("CHECK"):
		a.Kind = DropCheck
	case p.accept("CONSTRAINT"):
		a.Kind = DropConstraint
	case p.is("PARTITION") && p.peek(1).isName():
		p.pos++
		a.Kind = DropPartition
		a.IfExists = p.accept("IF", "EXISTS")
		a.Names = p.identifiers()
		return
	case (p.is("INDEX") || p.is("KEY")) && p.peek(1).isName():
		p.pos++
		a.Kind = DropIndexAction
	default:
		p.accept("COLUMN")
		a.Kind = DropColumn
	}
	a.IfExists = p.accept("IF", "EXISTS")
	a.Name = p.ident()
	p.cascade()
}

// renameAction reads what follows RENAME.
func (p *parser) renameAction(a *AlterAction) {
	switch {
	case p.accept("COLUMN"):
		a.Kind = RenameColumn
	case (p.is("INDEX") || p.is("KEY")) && p.peek(1).isName() && !p.isAt(p.pos+1, "TO"):
		p.pos++
		a.Kind = RenameIndex
	default:
		if !p.is("TO") && p.isAt(p.pos+1, "TO") {
			a.Kind = RenameColumn // SQLite: RENAME a TO b
			break
		}
		a.Kind = RenameTableTo
		if !p.accept("TO") {
			p.accept("AS")
		}
		a.NewName = p.ident()
		if p.accept(".") {
			a.NewIn, a.NewName = a.NewName, p.ident()
		}
		return
	}
	a.Name = p.ident()
	p.expect("TO")
	a.NewName = p.ident()
}

// alterColumn reads [COLUMN] name SET DEFAULT …, DROP DEFAULT or SET [IN]VISIBLE, or CHECK name [NOT] ENFORCED, behind ALTER.
func (p *parser) alterColumn(a *AlterAction) {
	switch {
	case p.is("INDEX"):
		p.unsupported(p.pos, "ALTER TABLE … ALTER INDEX")
	case p.accept("CHECK"):
		p.alterCheck(a, AlterCheck)
		return
	case p.accept("CONSTRAINT"):
		p.alterCheck(a, AlterConstraint)
		return
	}
	p.accept("COLUMN")
	a.Kind = AlterDefault
	a.Name = p.ident()
	switch {
	case p.accept("SET", "DEFAULT"):
		a.Column.Default, a.Column.DefaultText = p.defaultValue()
	case p.accept("DROP", "DEFAULT"):
	case p.accept("SET", "VISIBLE"), p.accept("SET", "INVISIBLE"):
		a.Kind, a.Column.Invisible = AlterVisibility, p.toks[p.pos-1].word == "INVISIBLE"
	default:
		p.fail(p.pos, "expected SET DEFAULT, DROP DEFAULT or SET [IN]VISIBLE; MODIFY COLUMN changes the rest")
	}
}

// alterCheck reads name [NOT] ENFORCED.
func (p *parser) alterCheck(a *AlterAction, kind AlterKind) {
	a.Kind, a.Name = kind, p.ident()
	if !p.is("ENFORCED") && !p.is("NOT", "ENFORCED") {
		p.fail(p.pos, "expected ENFORCED or NOT ENFORCED")
	}
	a.Check.NotEnforced = p.notEnforced()
}

// optionAction reads an option of the table: ENGINE = x, CONVERT TO CHARACTER SET y.
func (p *parser) optionAction(a *AlterAction) {
	a.Kind = TableOption
	a.Options = make(map[string]string)
	switch {
	case p.accept("FORCE"):
		a.Options["FORCE"] = "1"
		return
	case p.accept("ENABLE", "KEYS"), p.accept("DISABLE", "KEYS"):
		a.Options["KEYS"] = lower(p.toks[p.pos-2].word)
		return
	case p.oneOf("ALGORITHM", "LOCK"):
		p.wayOfChange(a.Options)
		return
	case p.accept("CONVERT", "TO"):
		a.Options["CONVERT TO"] = "1"
	}
	found := false
	for p.err == nil {
		name, value, ok := p.tableOption()
		if !ok {
			break
		}
		found = true
		a.Options[name] = value
	}
	if !found {
		p.fail(p.pos, "expected an action such as ADD, DROP, MODIFY or RENAME")
	}
}

// cascade passes CASCADE or RESTRICT, which MySQL accepts without effect.
func (p *parser) cascade() {
	if !p.accept("CASCADE") {
		p.accept("RESTRICT")
	}
}

// drop reads DROP, the cursor behind the word.
func (p *parser) drop() Statement {
	switch {
	case p.accept("TABLE"):
		return p.dropTable(false)
	case p.accept("TEMPORARY", "TABLE"), p.accept("TEMP", "TABLE"):
		return p.dropTable(true)
	case p.accept("VIEW"):
		return p.dropView()
	case p.accept("DATABASE"), p.accept("SCHEMA"):
		d := &DropDatabase{IfExists: p.accept("IF", "EXISTS"), Name: p.ident()}
		p.cascade()
		return d
	case p.accept("INDEX"):
		d := &DropIndex{IfExists: p.accept("IF", "EXISTS"), Name: p.ident()}
		if p.accept("ON") {
			d.Table = p.tableName()
		}
		d.Options = p.algorithm()
		return d
	}
	return p.refuseObject()
}

// rename reads RENAME TABLE a TO b, …, the cursor behind RENAME.
func (p *parser) rename() Statement {
	if !p.accept("TABLES") {
		p.expect("TABLE")
	}
	out := &RenameTable{}
	for p.err == nil {
		out.From = append(out.From, p.tableName())
		p.expect("TO")
		out.To = append(out.To, p.tableName())
		if !p.accept(",") {
			break
		}
	}
	return out
}

// maintain reads CHECK, REPAIR, ANALYZE or OPTIMIZE TABLE, the cursor behind the verb.
func (p *parser) maintain(verb string) Statement {
	if !p.accept("NO_WRITE_TO_BINLOG") {
		p.accept("LOCAL")
	}
	if !p.accept("TABLES") {
		p.expect("TABLE")
	}
	out := &MaintainTable{Verb: verb, Tables: p.tableNames()}
	for p.oneOf("QUICK", "FAST", "MEDIUM", "EXTENDED", "CHANGED", "USE_FRM") {
		out.Extended = out.Extended || p.tok().word == "EXTENDED"
		p.pos++ // the others say how thorough to be: it is always complete
	}
	return out
}

// checksum reads CHECKSUM TABLE, the cursor behind the first word.
func (p *parser) checksum() Statement {
	if !p.accept("TABLES") {
		p.expect("TABLE")
	}
	out := &Checksum{Tables: p.tableNames(), Quick: p.accept("QUICK")}
	if !out.Quick {
		p.accept("EXTENDED")
	}
	return out
}

// dropTable reads DROP TABLE, the cursor behind the words.
func (p *parser) dropTable(temporary bool) Statement {
	d := &DropTable{Temporary: temporary, IfExists: p.accept("IF", "EXISTS"), Tables: p.tableNames()}
	p.cascade()
	return d
}
