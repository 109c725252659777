// Package dialect turns SQL text into statements: the types of this package, made by the parser
// github.com/xwb1989/sqlparser and by a small grammar of our own for what that parser drops, misreads
// or does not know. It knows nothing of schemas, plans or stores, and lets no type of the parser out.
//
// What reaches the parser is a text made of the tokens, in which names and constants are numbers (see
// rewriter), one query block at a time: so nothing of what the parser misreads comes near it, and every
// node knows its place. Definitions, SHOW, SET, transactions and the frame of queries (WITH, UNION,
// parentheses) are read here.
//
//	p, err := dialect.Parse("SELECT name FROM customer WHERE id = ?", dialect.Options{})
//	// p.Statement is a *dialect.Select, p.Placeholders is 1
package dialect

// Options are what the text alone does not say.
type Options struct {
	ANSIQuotes bool // "x" is an identifier, not a string
}

// Parsed is a statement with what belongs to its text.
type Parsed struct {
	Statement    Statement
	Text         string   // as given, without a byte-order mark, the trailing ; and what follows it
	Placeholders int      // arguments expected; with Names, the number of distinct names
	Names        []string // of :name and @name placeholders by index; nil for ? and $n
	Variables    bool     // Names are written @name: without an argument the session's variable is meant
	Diagnostic   bool     // it asks for the conditions of the statement before it (SHOW WARNINGS, @@warning_count), which stay
}
