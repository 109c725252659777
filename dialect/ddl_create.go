package dialect

// refusedObjects are the unsupported things that CREATE, ALTER and DROP may name.
var refusedObjects = map[string]string{
	"TRIGGER": "triggers", "PROCEDURE": "procedures", "FUNCTION": "stored functions",
	"EVENT": "events", "USER": "users", "ROLE": "roles", "SERVER": "servers", "TABLESPACE": "tablespaces",
	"SEQUENCE": "sequences", "TYPE": "types", "EXTENSION": "extensions", "DOMAIN": "domains",
	"MATERIALIZED": "materialized views", "VIRTUAL": "virtual tables", "LOGFILE": "log files", "UNDO": "tablespaces",
	"AGGREGATE": "stored functions", "FULLTEXT": "FULLTEXT indexes", "SPATIAL": "SPATIAL indexes",
	"RESOURCE": "resource groups", "INSTANCE": "ALTER INSTANCE", "GLOBAL": "global temporary tables",
}

// refuseObject fails at what follows CREATE, ALTER or DROP.
func (p *parser) refuseObject() Statement {
	if name := refusedObjects[p.tok().word]; name != "" {
		p.unsupported(p.pos, name)
	} else {
		p.fail(p.pos, "expected TABLE, VIEW, INDEX or DATABASE")
	}
	return nil
}

// create reads CREATE, the cursor behind the word.
func (p *parser) create() Statement {
	start := p.pos
	replace := p.accept("OR", "REPLACE")
	if replace && p.is("TABLE") {
		p.unsupported(start, "CREATE OR REPLACE TABLE")
	}
	if p.isView() {
		return p.createView(replace, false)
	}
	switch {
	case p.accept("TABLE"):
		return p.createTable(false)
	case p.accept("TEMPORARY", "TABLE"), p.accept("TEMP", "TABLE"):
		return p.createTable(true)
	case p.accept("EXTERNAL", "TABLE"):
		return p.createExternal()
	case p.accept("DATABASE"), p.accept("SCHEMA"):
		d := &CreateDatabase{IfNot: p.accept("IF", "NOT", "EXISTS"), Name: p.ident()}
		d.DatabaseOptions = p.databaseOptions()
		return d
	case p.accept("UNIQUE"):
		p.expect("INDEX")
		return p.createIndex(true, "")
	case p.accept("INDEX"):
		return p.createIndex(false, "")
	case (p.is("FULLTEXT") || p.is("SPATIAL")) && p.isAt(p.pos+1, "INDEX"):
		kind := p.tok().word
		p.pos += 2
		return p.createIndex(false, kind)
	}
	return p.refuseObject()
}

// databaseOptions reads the options of a database.
func (p *parser) databaseOptions() (o DatabaseOptions) {
	for p.err == nil && p.tok().kind != tokEnd {
		p.accept("DEFAULT")
		var to *string
		switch {
		case p.accept("CHARSET"), p.accept("CHARACTER", "SET"):
			to = &o.Charset
		case p.accept("ENCRYPTION"):
			to = &o.Encryption
		default:
			p.expect("COLLATE")
			to = &o.Collate
		}
		p.accept("=")
		*to = p.word()
	}
	return o
}

// alterDatabase reads ALTER DATABASE, the cursor behind the words.
func (p *parser) alterDatabase() Statement {
	d := &AlterDatabase{}
	if !p.oneOf("DEFAULT", "CHARSET", "CHARACTER", "COLLATE", "ENCRYPTION") {
		d.Name = p.ident()
	}
	if p.tok().kind == tokEnd {
		p.fail(p.pos, "expected CHARACTER SET or COLLATE")
	}
	d.DatabaseOptions = p.databaseOptions()
	return d
}

// createIndex reads CREATE INDEX, with the cursor after the words. An index of an unsupported kind, or over expressions, becomes an ALTER TABLE.
func (p *parser) createIndex(unique bool, kind string) Statement {
	p.accept("CONCURRENTLY") // every index is made while the table is in use
	x := IndexDef{Unique: unique, Pos: Pos(p.tok().start), IfNot: p.accept("IF", "NOT", "EXISTS")}
	if !p.is("ON") {
		x.Pos = Pos(p.tok().start)
		x.Name = p.ident()
	}
	if p.accept("USING") {
		x.Using = upper(p.ident())
	}
	p.expect("ON")
	out := &CreateIndex{Table: p.tableName()}
	p.indexBody(&x)
	out.Options = p.algorithm()
	k := keyOf(x)
	if kind != "" {
		k.unsupported = &UnsupportedKey{Kind: kind, Name: x.Name, Pos: x.Pos}
	}
	if k.unsupported != nil {
		return &AlterTable{Table: out.Table, Unsupported: []UnsupportedKey{*k.unsupported}}
	}
	out.Index = x
	return out
}

// algorithm reads ALGORITHM = … and LOCK = … of CREATE INDEX and DROP INDEX.
func (p *parser) algorithm() map[string]string {
	var options map[string]string
	for p.err == nil && p.oneOf("ALGORITHM", "LOCK") {
		if options == nil {
			options = make(map[string]string)
		}
		p.wayOfChange(options)
	}
	return options
}

// wayOfChange reads one of those options.
func (p *parser) wayOfChange(options map[string]string) {
	name := p.tok().word
	p.pos++
	p.accept("=")
	if p.accept("DEFAULT") {
		options[name] = "default"
	} else {
		options[name] = p.word()
	}
}

// createTable reads CREATE TABLE, the cursor behind the words.
func (p *parser) createTable(temporary bool) Statement {
	t := &CreateTable{Temporary: temporary, IfNotExists: p.accept("IF", "NOT", "EXISTS"), Table: p.tableName()}
	switch {
	case p.accept("LIKE"):
		t.Like = p.like()
		return t
	case p.accept("(", "LIKE"):
		t.Like = p.like()
		p.expect(")")
		return t
	case p.is("(") && !p.isQuery(p.pos):
		p.elements(t)
	}
	p.tableOptions(t)
	if p.is("PARTITION") {
		t.Partitioning = p.partitioning()
	}
	if p.is("IGNORE") || p.is("REPLACE") {
		p.unsupported(p.pos, "CREATE TABLE … "+p.tok().word+" SELECT")
	}
	if p.is("WITH") && p.peek(1).isName() && !p.isAt(p.pos+2, "AS") && !p.isAt(p.pos+2, "(") && !p.isAt(p.pos+1, "RECURSIVE") {
		p.fail(p.pos+1, "expected PARENT, or the name of a query: AS (SELECT …)")
	}
	if t := p.tok(); t.kind == tokWord && t.isName() {
		p.fail(p.pos, "a table has no such option%s", didYouMean(t.word))
	}
	as := p.accept("AS")
	if as || p.beginsQuery(p.pos) || p.is("(") {
		t.As = p.query(p.pos, p.end())
		p.finish(p.end())
	} else if p.err == nil && t.Columns == nil {
		p.fail(p.pos, "expected the columns: (name type, …)")
	}
	return t
}

// createExternal reads CREATE EXTERNAL TABLE, the cursor behind the words.
func (p *parser) createExternal() Statement {
	t := &CreateTable{IfNotExists: p.accept("IF", "NOT", "EXISTS"), External: &External{Pos: Pos(p.tok().start)}, Table: p.tableName()}
	p.elements(t)
	x := t.External
	for p.err == nil && p.tok().kind != tokEnd && !p.is(";") {
		switch {
		case p.accept("LOCATION"):
			p.accept("=")
			x.Location = p.str()
		case p.accept("PARTITION", "KEY"):
			p.accept("=")
			x.PartitionKey = p.str()
		case p.accept("ROW", "KEY"):
			p.accept("=")
			x.RowKey = p.str()
		case p.accept("COMMENT"):
			p.accept("=")
			t.Options = map[string]string{"COMMENT": p.str()}
		default:
			p.fail(p.pos, "expected LOCATION, PARTITION KEY, ROW KEY or COMMENT, each with a text")
		}
	}
	if p.err == nil && (x.PartitionKey == "" || x.RowKey == "") {
		p.fail(p.pos, "expected PARTITION KEY '…' and ROW KEY '…', which say how columns make up the keys")
	}
	return t
}

func (p *parser) like() *TableName {
	n := p.tableName()
	return &n
}

// elements reads (columns and keys).
func (p *parser) elements(t *CreateTable) {
	p.expect("(")
	for p.err == nil {
		k, ok := p.keyDef()
		switch {
		case k.index != nil:
			t.Indexes = append(t.Indexes, *k.index)
		case k.foreign != nil:
			t.ForeignKeys = append(t.ForeignKeys, *k.foreign)
		case k.check != nil:
			t.Checks = append(t.Checks, *k.check)
		case k.unsupported != nil:
			t.Unsupported = append(t.Unsupported, *k.unsupported)
		case !ok && p.err == nil:
			t.Columns = append(t.Columns, p.columnDef())
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
}

// tableOptions reads ENGINE = x, COMMENT 'y' and so on, as far as there are any.
func (p *parser) tableOptions(t *CreateTable) {
	for p.err == nil {
		name, value, ok := p.tableOption()
		if !ok {
			return
		}
		if t.Options == nil {
			t.Options = make(map[string]string)
		}
		t.Options[name] = value
		p.accept(",")
	}
}

// tableOptionWords are the options whose name is one word: MySQL's options that do not change what a table holds.
var tableOptionWords = set(`COMMENT AUTO_INCREMENT ENGINE TYPE AUTOEXTEND_SIZE AVG_ROW_LENGTH CHECKSUM COMPRESSION
	DELAY_KEY_WRITE ENCRYPTION ENGINE_ATTRIBUTE INSERT_METHOD KEY_BLOCK_SIZE MAX_ROWS MIN_ROWS PACK_KEYS PAGE_CHECKSUM
	ROW_FORMAT SECONDARY_ENGINE SECONDARY_ENGINE_ATTRIBUTE STATS_AUTO_RECALC STATS_PERSISTENT STATS_SAMPLE_PAGES
	TABLE_CHECKSUM TABLESPACE TRANSACTIONAL`)

// tableOption reads one option: a word, perhaps =, and a word, string or number.
func (p *parser) tableOption() (name, value string, ok bool) {
	switch {
	case p.accept("WITHOUT", "ROWID"):
		return "WITHOUT ROWID", "1", true
	case p.accept("STRICT"):
		return "STRICT", "1", true
	case p.accept("WITH", "PARENT"):
		return "WITH PARENT", "1", true
	case p.accept("DATA", "DIRECTORY"), p.accept("INDEX", "DIRECTORY"):
		p.unsupported(p.pos-2, "DIRECTORY")
		return "", "", false
	}
	start := p.pos
	p.accept("DEFAULT")
	switch {
	case p.accept("CHARACTER", "SET"), p.accept("CHARSET"):
		name = "CHARSET"
	case p.accept("COLLATE"):
		name = "COLLATE"
	case p.pos == start && p.accept("INTERLEAVE", "IN", "PARENT"):
		return "INTERLEAVE IN PARENT", p.ident(), p.err == nil
	case p.pos == start && tableOptionWords[p.tok().word]:
		name = p.tok().word
		p.pos++
	default:
		if p.pos != start {
			p.unexpected(p.pos)
		}
		return "", "", false
	}
	p.accept("=")
	switch t := p.tok(); {
	case t.kind == tokString:
		value = p.str()
	case t.kind == tokInt:
		value = p.sql[t.start:t.end]
		p.pos++
	case p.accept("DEFAULT"):
		value = "default"
	case name == "CHARSET" || name == "COLLATE":
		value = p.word()
	default:
		value = p.ident()
	}
	return name, value, p.err == nil
}
