package planner

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Options are what planning needs besides the statement and the schema.
type Options struct {
	Database  string          // the session's: of table names that say none; may be ""
	Collation value.Collation // of literals, and of new tables that say none
	Exact     bool            // a default that its column would round is refused
	Zoned     bool            // the session's time zone is not UTC, in which TIMESTAMP columns are kept
	// Seek is the cost of finding a key, counted in entities that a scan passes, if requests are not waited for; 0: requests are what costs. See
	// joiner.reads.
	Seek float64
	// Interrupted is called now and then; an error that it returns ends planning. It may be nil.
	Interrupted func() error
}

// Build makes the plan of a query or a write (SELECT, UNION, INSERT, REPLACE, UPDATE, DELETE). The plan does not depend on arguments. Faults of
// the statement are an *sqlerr.Error; errors of s come through unchanged, except that a *NoTableError becomes an *sqlerr.Error 1146.
func Build(p *dialect.Parsed, s schema.Tables, opt Options) (*Plan, error) {
	return plan(s, opt, p, func(b *builder) error { return b.statement(p.Statement) })
}

// plan runs f to plan something, and runs it again if an undeclared table turns out to have one more column.
func plan(s schema.Tables, opt Options, p *dialect.Parsed, f func(b *builder) error) (*Plan, error) {
	grown := map[*schema.Table]*schema.Table{}
	whole := map[*dialect.CTE]bool{}
	for {
		b := &builder{whole: whole, schema: s, opt: opt, first: firstSelect(p.Statement), plan: &Plan{Params: p.Placeholders}, seen: map[*schema.Table]bool{}, grown: grown}
		err := f(b)
		if err == nil {
			b.plan.Slots = b.slots
			if b.keepShared() {
				continue
			}
			return b.plan, nil
		}
		again, growErr := b.grow(err)
		if growErr != nil {
			return nil, growErr
		}
		if !again {
			return nil, exprError(err, sqlerr.NoPos)
		}
	}
}

// builder holds what one statement's query blocks share.
type builder struct {
	schema   schema.Tables
	opt      Options
	plan     *Plan
	first    *dialect.Select // of a query, whose hints are for all of it; nil for a write
	slots    int
	seen     map[*schema.Table]bool
	grown    map[*schema.Table]*schema.Table // undeclared tables with the further columns that the statement names; see grow
	open     []openTable
	depth    int // of nested query blocks
	attempts int // nested attempts at a way of planning that may be given up
	shared   []sharedQuery
	whole    map[*dialect.CTE]bool // those of a WITH or view that are not narrowed; see notNarrowed
	narrowed int                   // queries that were planned again to be narrowed
	steps    int                   // the work done so far: expressions bound, and the like
	views    []*schema.Table       // those whose queries are being planned, each nested in the one before
	defines  dialect.TableName     // the view whose query is planned to define it, with its database; "": none
	written  map[int]dialect.Edit  // of its text, by where they begin; see BindView

	earlier *schema.Texts // the texts bound so far of the definition whose texts are being bound; nil: a statement is planned
}

// maxDepth bounds the nesting of query blocks.
const maxDepth = 64

// maxBlocks bounds the query blocks of a statement. Each use of a WITH plans it again, so that twenty, each of which uses the one before twice,
// would be a million.
const maxBlocks = 10_000

// tooManyBlocks is the error if there are more.
func (b *builder) tooManyBlocks() error {
	if b.plan.Blocks <= maxBlocks {
		return nil
	}
	return sqlerr.New(sqlerr.CodeTooManyTables, sqlerr.NoPos,
		"The statement has more than %d query blocks, each use of a WITH counted: split it into several", maxBlocks)
}

// maxSteps bounds the work on a statement, and with it the memory of its plan. A text alone cannot need so much, but uses of a WITH can.
const maxSteps = 2_500_000

// step counts a step, and gives the error that ends planning.
func (b *builder) step() error {
	b.steps++
	if b.steps > maxSteps {
		return sqlerr.New(sqlerr.CodeCapacityExceeded, sqlerr.NoPos,
			"Memory capacity exceeded: the statement has more than %d expressions, each use of a WITH counted: split it into several", maxSteps)
	}
	if b.steps%256 == 1 && b.opt.Interrupted != nil {
		return b.opt.Interrupted()
	}
	return nil
}

func (b *builder) statement(st dialect.Statement) error {
	switch st := st.(type) {
	case dialect.Query:
		return b.top(st)
	case *dialect.Insert:
		return b.insert(st)
	case *dialect.Update:
		return b.update(st)
	case *dialect.Delete:
		return b.delete(st)
	}
	return fmt.Errorf("planner: %T has no plan", st)
}

// top plans the query that is the statement. If FOUND_ROWS() is to count the rows without LIMIT, the LIMIT is applied on top of the query, so
// that nothing below stops early.
func (b *builder) top(st dialect.Query) error {
	st, limit := withoutLimit(st)
	q, err := b.query(st, position{frame: &frame{}, top: true})
	if err != nil {
		return err
	}
	if limit != nil {
		n, err := (&context{b: b, clause: "limit"}).limit(limit)
		if err != nil {
			return err
		}
		if n != nil {
			n.Input, n.CountAll = q.root, true
			q.root, b.plan.CountsRows = n, true
		}
	}
	b.plan.Root, b.plan.Columns = q.root, q.columns
	return nil
}

// withoutLimit removes SQL_CALC_FOUND_ROWS from q, and the LIMIT that it is about. It also gives that LIMIT; nil if there is none.
func withoutLimit(q dialect.Query) (dialect.Query, *dialect.Limit) {
	switch q := q.(type) {
	case *dialect.Select:
		if q.CountAll {
			own := *q
			own.CountAll, own.Limit = false, nil
			return &own, q.Limit
		}
	case *dialect.Union:
		if first := leftmost(q); first != nil && first.CountAll {
			own := *first
			own.CountAll = false
			whole := replaceLeftmost(q, &own)
			whole.Limit = nil
			return whole, q.Limit
		}
	}
	return q, nil
}

// leftmost is the SELECT that q begins with; nil if it begins with VALUES.
func leftmost(q dialect.Query) *dialect.Select {
	for {
		u, ok := q.(*dialect.Union)
		if !ok {
			first, _ := q.(*dialect.Select)
			return first
		}
		q = u.Left
	}
}

// replaceLeftmost gives a copy of u whose first SELECT is another one.
func replaceLeftmost(u *dialect.Union, first *dialect.Select) *dialect.Union {
	own := *u
	if left, ok := u.Left.(*dialect.Union); ok {
		own.Left = replaceLeftmost(left, first)
	} else {
		own.Left = first
	}
	return &own
}

// table finds a table and notes that the plan depends on it.
func (b *builder) table(n *dialect.TableName) (*schema.Table, error) { return b.tableOf(b.schema, n) }

// storedTable is table for what a definition names.
func (b *builder) storedTable(n *dialect.TableName) (*schema.Table, error) {
	return b.tableOf(schema.Stored(b.schema), n)
}

func (b *builder) tableOf(all schema.Tables, n *dialect.TableName) (*schema.Table, error) {
	t, err := all.Table(b.databaseOf(n), n.Name)
	if err != nil {
		var missing *schema.NoTableError
		if errors.As(err, &missing) {
			return nil, noSuchTable(b.databaseOf(n), n.Name, n.Pos)
		}
		var none *schema.NoDatabaseError
		if errors.As(err, &none) {
			return nil, sqlerr.New(sqlerr.CodeUnknownDatabase, n.Pos, "Unknown database '%s'", sqlerr.Brief(none.Name))
		}
		return nil, err
	}
	if t.Temporary && b.defines.Name != "" {
		return nil, sqlerr.New(sqlerr.CodeViewOfTemporary, n.Pos, "View's SELECT refers to a temporary table '%s'", t.Name)
	}
	if !b.seen[t] {
		b.seen[t] = true
		b.plan.Tables = append(b.plan.Tables, t)
	}
	if t.IsUndeclared() {
		return b.opened(t, n), nil
	}
	return t, nil
}

// databaseOf is the database that a name belongs to.
func (b *builder) databaseOf(n *dialect.TableName) string { return cmp.Or(n.Database, b.opt.Database) }

// databaseOf names the database of a table, for the tables that its definition names.
func databaseOf(t *schema.Table) string { return schema.DatabaseName(t.Database) }

func noSuchTable(database, name string, pos dialect.Pos) *sqlerr.Error {
	if database != "" {
		name = database + "." + name
	}
	return sqlerr.New(sqlerr.CodeNoSuchTable, pos, "Table '%s' doesn't exist", name)
}

// hint notes the hints that concern the whole statement. sel is the SELECT with the hints; nil: they are on another statement.
func (b *builder) hint(words []string, sel *dialect.Select) error {
	for _, h := range splitHints(strings.Join(words, " ")) {
		name, args, _ := strings.Cut(h, "(")
		switch name = strings.TrimSpace(name); {
		case name == "allow_scan":
			b.plan.AllowScan = true
		case name == "max_entities" && b.most(&b.plan.Most.Entities, args):
		case name == "max_requests" && b.most(&b.plan.Most.Requests, args):
		case name == "max_cost" && b.mostCost(args):
		case name == "set_var":
			return sqlerr.NotSupported(sqlerr.NoPos, "the hint %s (write SET before the statement) is", strings.ToUpper(h))
		case name == "max_execution_time" && sel != nil && sel == b.first && b.limit(args):
		default:
			if h = strings.ToUpper(h); !slices.Contains(b.plan.IgnoredHints, h) {
				b.plan.IgnoredHints = append(b.plan.IgnoredHints, h)
			}
		}
	}
	return nil
}

// limit takes the argument of MAX_EXECUTION_TIME(n), if it is the first one of the statement.
func (b *builder) limit(args string) bool {
	n, err := strconv.ParseUint(strings.Trim(args, " )"), 10, 32)
	if err != nil || b.plan.TimeLimit > 0 {
		return false
	}
	b.plan.TimeLimit = time.Duration(n) * time.Millisecond
	return true
}

// most takes the argument of MAX_ENTITIES(n) or MAX_REQUESTS(n). 0 takes the bound away.
func (b *builder) most(to *int64, args string) bool {
	n, err := strconv.ParseInt(strings.Trim(args, " )"), 10, 63)
	if err != nil || n < 0 {
		return false
	}
	if *to = n; n == 0 {
		*to = -1
	}
	return true
}

// mostCost takes the argument of MAX_COST(dollars). 0 takes the bound away.
func (b *builder) mostCost(args string) bool {
	n, err := strconv.ParseFloat(strings.Trim(args, " )"), 64)
	if err != nil || !(n >= 0) {
		return false
	}
	if b.plan.Most.Cost = n; n == 0 {
		b.plan.Most.Cost = -1
	}
	return true
}

// firstSelect is the SELECT that a query begins with; nil of other statements.
func firstSelect(s dialect.Statement) *dialect.Select {
	for {
		switch q := s.(type) {
		case *dialect.Select:
			return q
		case *dialect.Union:
			s = q.Left
		default:
			return nil
		}
	}
}

// splitHints cuts the text of a comment /*+ … */ into hints: a name, perhaps with arguments in parentheses.
func splitHints(text string) []string {
	var hints []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		end := strings.IndexAny(text, " (")
		if end < 0 {
			end = len(text)
		}
		if rest := strings.TrimLeft(text[end:], " "); strings.HasPrefix(rest, "(") {
			if n := strings.IndexByte(rest, ')'); n >= 0 {
				end = len(text) - len(rest) + n + 1
			} else {
				end = len(text)
			}
		}
		hints = append(hints, text[:end])
		text = text[end:]
	}
	return hints
}

// slot numbers a subquery.
func (b *builder) slot() int {
	b.slots++
	return b.slots - 1
}
