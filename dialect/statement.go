package dialect

import "strings"

// statement reads the statement at the cursor, to the end of the text.
func (p *parser) statement() Statement {
	t := p.tok()
	start := p.pos
	p.pos++
	switch t.word {
	case "SELECT", "(", "VALUES", "TABLE":
		return p.whole(start)
	case "DO":
		s := p.selectBlock("SELECT", p.pos, p.end(), inList)
		if s.From != nil || s.Where != nil || s.GroupBy != nil || s.Having != nil || s.OrderBy != nil || s.Limit != nil {
			p.fail(start, "DO has a list of expressions and nothing else")
		}
		p.finish(p.end())
		return &Do{Query: s}
	case "PREPARE":
		out := &Prepare{Name: p.ident()}
		p.expect("FROM")
		if out.Variable = p.variable(); out.Variable == "" {
			out.Text = p.str()
		}
		return out
	case "EXECUTE":
		out := &Execute{Name: p.ident()}
		if p.accept("USING") {
			out.Using = p.variables()
		}
		return out
	case "DEALLOCATE":
		p.expect("PREPARE")
		return &Deallocate{Name: p.ident()}
	case "WITH":
		return p.withStatement(start)
	case "INSERT":
		return p.insert(false)
	case "REPLACE":
		return p.insert(true)
	case "UPDATE":
		return p.update(nil)
	case "DELETE":
		return p.delete(nil)
	case "CREATE":
		return p.create()
	case "ALTER":
		return p.alter()
	case "DROP":
		if p.accept("PREPARE") {
			return &Deallocate{Name: p.ident()}
		}
		return p.drop()
	case "TRUNCATE":
		p.accept("TABLE")
		return &Truncate{Table: p.tableName()}
	case "RENAME":
		return p.rename()
	case "CHECK", "REPAIR", "ANALYZE", "OPTIMIZE":
		return p.maintain(t.word)
	case "CHECKSUM":
		return p.checksum()
	case "KILL":
		out := &Kill{Query: p.accept("QUERY")}
		if !out.Query {
			p.accept("CONNECTION")
		}
		out.ID = p.expression(p.pos, p.end())
		p.finish(p.end())
		return out
	case "SHOW":
		return p.show()
	case "EXPLAIN", "DESCRIBE", "DESC":
		return p.explain()
	case "USE":
		return &Use{Database: p.ident()}
	case "SET":
		return p.set()
	case "BEGIN", "START", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE":
		return p.transaction(t.word)
	case "LOCK", "UNLOCK", "FLUSH":
		return p.noOp(start)
	}
	p.pos = start
	switch {
	case t.kind == tokEnd && start == 0:
		return &NoOp{}
	case foreign[t.word]:
		p.unsupported(start, t.word, instead[t.word])
	case t.kind == tokWord:
		p.fail(start, "no statement begins with this word%s", didYouMean(t.word))
	default:
		p.unexpected(start)
	}
	return nil
}

// foreign are the words that begin statements which are known but not supported.
var foreign = set(`CALL HANDLER LOAD IMPORT MERGE PRAGMA VACUUM ATTACH DETACH
	REINDEX XA DECLARE GRANT REVOKE COPY COMMENT SIGNAL RESIGNAL CHANGE PURGE RESET INSTALL
	UNINSTALL CACHE HELP SHUTDOWN RESTART CLONE BINLOG END ABORT LISTEN NOTIFY`)

// instead says what to use instead of such a statement.
var instead = map[string]string{
	"LOAD": "the command nearlyfree load reads CSV, JSON lines and SQL",
	"COPY": "the command nearlyfree load reads CSV, JSON lines and SQL",
}

// withStatement reads a statement that begins with WITH.
func (p *parser) withStatement(start int) Statement {
	with, i := p.with(start, p.end())
	if p.err != nil {
		return nil
	}
	switch p.toks[i].word {
	case "UPDATE":
		p.pos = i + 1
		return p.update(with)
	case "DELETE":
		p.pos = i + 1
		return p.delete(with)
	case "INSERT", "REPLACE":
		p.pos = i + 1
		ins := p.insert(p.toks[i].word == "REPLACE")
		if ins.Query == nil {
			p.fail(i, "WITH before an INSERT of values; its names can be used by a SELECT alone")
			return nil
		}
		prependWith(ins.Query, with)
		return ins
	}
	return p.whole(start)
}

// whole reads the query that is the statement, which may have INTO.
func (p *parser) whole(start int) Statement {
	q := p.query(start, p.end())
	p.finish(p.end())
	if p.into == nil {
		return q
	}
	return &SelectInto{Query: q, Into: p.into}
}

// variable passes @name; "" if there is none.
func (p *parser) variable() string {
	t := p.tok()
	if t.kind != tokUser {
		return ""
	}
	p.pos++
	return p.variableName(t)
}

// variables passes @a, @b, ….
func (p *parser) variables() []string {
	var names []string
	for p.err == nil {
		name := p.variable()
		if name == "" {
			p.fail(p.pos, "expected a variable: @name")
			return nil
		}
		names = append(names, name)
		if !p.accept(",") {
			break
		}
	}
	return names
}

// variableName is that of a tokUser.
func (p *parser) variableName(t *token) string {
	name := p.sql[t.start+1 : t.end]
	if !isWord(name[0]) {
		name = unquote(name, false)
	}
	return name
}

// selectInto reads INTO @a, @b at token i, and returns the token behind it.
func (p *parser) selectInto(i int) int {
	switch {
	case p.isAt(i+1, "OUTFILE"), p.isAt(i+1, "DUMPFILE"):
		p.unsupported(i, "SELECT … INTO "+p.toks[i+1].word, "the command nearlyfree dump writes CSV")
		return i
	case p.nested > 0 || p.into != nil || !queryWords[p.toks[0].word]:
		p.fail(i, "INTO may come once, in a SELECT that is a statement of its own")
		return i
	}
	saved := p.pos
	p.pos = i + 1
	p.into = p.variables()
	if p.err == nil {
		i, p.pos = p.pos, saved
	}
	return i
}

// queryWords are the words that begin a query.
var queryWords = set("SELECT ( WITH")

// noOp passes a statement that does nothing here.
func (p *parser) noOp(start int) Statement {
	switch p.toks[start].word {
	case "LOCK", "UNLOCK":
		if !p.is("TABLE") && !p.is("TABLES") {
			p.fail(p.pos, "expected TABLES")
		}
	}
	p.finish(p.end())
	words := make([]string, 0, p.end()-start)
	for i := start; i < p.end(); i++ {
		words = append(words, upper(p.textOf(i, i+1)))
	}
	return &NoOp{Text: strings.Join(words, " ")}
}

// transaction reads BEGIN, START TRANSACTION, COMMIT, ROLLBACK, SAVEPOINT, RELEASE, the cursor behind the word.
func (p *parser) transaction(word string) Statement {
	switch word {
	case "SAVEPOINT":
		return &Transaction{Kind: Savepoint, Name: p.ident()}
	case "RELEASE":
		p.accept("SAVEPOINT")
		return &Transaction{Kind: ReleaseSavepoint, Name: p.ident()}
	case "COMMIT":
		return &Transaction{Kind: Commit, Chain: p.work()}
	case "ROLLBACK":
		if !p.accept("WORK") {
			p.accept("TRANSACTION")
		}
		if p.accept("TO") {
			p.accept("SAVEPOINT")
			return &Transaction{Kind: RollbackTo, Name: p.ident()}
		}
		return &Transaction{Kind: Rollback, Chain: p.work()}
	case "START":
		p.expect("TRANSACTION")
	default:
		if !p.accept("WORK") && !p.accept("DEFERRED") && !p.accept("IMMEDIATE") {
			p.accept("EXCLUSIVE")
		}
		p.accept("TRANSACTION")
	}
	t := &Transaction{Kind: Begin}
	for p.tok().kind != tokEnd && p.err == nil {
		switch {
		case p.accept("READ", "ONLY"):
			t.ReadOnly = true
		case p.accept("READ", "WRITE"):
			t.ReadWrite = true
		case p.accept("WITH", "CONSISTENT", "SNAPSHOT"):
			t.Snapshot = true
		case p.is("ISOLATION"):
			p.unsupported(p.pos, "START TRANSACTION ISOLATION LEVEL", "write SET TRANSACTION ISOLATION LEVEL … before it")
		default:
			p.unexpected(p.pos)
		}
		if !p.accept(",") {
			break
		}
	}
	return t
}

// work reads what may follow COMMIT and ROLLBACK, and says whether that is AND CHAIN.
func (p *parser) work() (chain bool) {
	if !p.accept("WORK") {
		p.accept("TRANSACTION")
	}
	if chain = p.accept("AND", "CHAIN"); !chain {
		p.accept("AND", "NO", "CHAIN")
	}
	if p.is("RELEASE") {
		p.unsupported(p.pos, "COMMIT … RELEASE")
	}
	p.accept("NO", "RELEASE")
	return chain
}

// isolation passes ISOLATION LEVEL and the name of one.
func (p *parser) isolation() {
	p.expect("ISOLATION", "LEVEL")
	if !p.accept("READ", "UNCOMMITTED") && !p.accept("READ", "COMMITTED") && !p.accept("REPEATABLE", "READ") &&
		!p.accept("SERIALIZABLE") {
		p.fail(p.pos, "expected an isolation level")
	}
}

// explain reads what follows EXPLAIN, DESCRIBE or DESC: a statement or a table.
func (p *parser) explain() Statement {
	out := &Explain{}
	for p.err == nil {
		switch {
		case p.accept("ANALYZE"):
			out.Analyze = true
			continue
		case p.accept("EXTENDED"), p.accept("PARTITIONS"), p.accept("QUERY", "PLAN"):
			continue
		case p.accept("FORMAT"):
			p.accept("=")
			if t := p.tok(); t.kind == tokString {
				out.Format = lower(p.str())
			} else {
				out.Format = lower(p.ident())
			}
			continue
		}
		break
	}
	switch p.tok().word {
	case "SELECT", "(", "VALUES", "TABLE", "WITH", "INSERT", "REPLACE", "UPDATE", "DELETE", "CREATE", "ALTER", "DROP", "TRUNCATE":
		out.Statement = p.statement()
		return out
	}
	if out.Analyze || out.Format != "" || !p.tok().isName() {
		p.fail(p.pos, "expected a statement or a table")
		return nil
	}
	s := &Show{What: "columns", Table: p.tableName()}
	if t := p.tok(); t.kind == tokString {
		like := p.str()
		s.Like = &like
	} else if t.isName() {
		like := p.ident()
		s.Like = &like
	}
	return s
}
