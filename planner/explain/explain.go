// Package explain tells how the driver would run a statement, without a store and without the driver: by which keys it reads,
// what is left to check, and how many requests it takes.
//
//	p, err := explain.Statement(`CREATE TABLE customer (id INT PRIMARY KEY, surname VARCHAR(50), KEY (surname))`,
//		`SELECT id FROM customer WHERE surname LIKE ?`, "Sm%")
//	fmt.Print(p.Text)
//	if p.Refused != nil { … } // the statement reads a whole table: make an index
//
// So a test can hold each statement of a program to the keys that it should use.
//
// What is promised: the names of this package, what they mean, and that the plan is the driver's of the same version. The plan itself,
// and so the lines of Text, may be another one with any version.
package explain

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Plan is how a statement is run.
type Plan struct {
	Text     string // what EXPLAIN prints
	Requests int    // the least that it takes where its rows are read to their end, outside a transaction
	Refused  error  // what the option scan=deny says of it: which table it reads without a key, and which index would serve; nil: nothing
}

// Statement explains a SELECT, INSERT, REPLACE, UPDATE or DELETE over tables that are defined by CREATE TABLE, CREATE INDEX and ALTER
// TABLE, with semicolons between them: what SHOW CREATE TABLE gives, or a program's own schema. With as many arguments as the statement
// has placeholders, the plan has the keys that these give; without any it has the conditions that make them.
func Statement(definitions, statement string, args ...any) (*Plan, error) {
	tables := define.Tables{}
	texts, err := dialect.Split(definitions, dialect.Options{})
	if err != nil {
		return nil, fmt.Errorf("definitions: %w", err)
	}
	for i, text := range texts {
		if err := run(tables, text); err != nil {
			return nil, fmt.Errorf("definition %d: %w", i+1, err)
		}
	}
	p, err := dialect.Parse(statement, dialect.Options{})
	if err != nil {
		return nil, err
	}
	switch p.Statement.(type) {
	case *dialect.Select, *dialect.Union, *dialect.Values, *dialect.Insert, *dialect.Update, *dialect.Delete:
	default:
		return nil, errors.New("only SELECT, INSERT, REPLACE, UPDATE and DELETE are explained")
	}
	values, err := valuesOf(p, args)
	if err != nil {
		return nil, err
	}
	plan, err := planner.Build(p, tables, planner.Options{})
	if err != nil {
		return nil, err
	}
	out := &Plan{Text: strings.Join(plan.Explain(values), "\n") + "\n", Requests: plan.LeastRequests(values)}
	if !plan.AllowScan {
		out.Refused = plan.CheckScans()
	}
	return out, nil
}

func run(tables define.Tables, text string) error {
	p, err := dialect.Parse(text, dialect.Options{})
	if err != nil {
		return err
	}
	if _, empty := p.Statement.(*dialect.NoOp); empty {
		return nil
	}
	return tables.Run(p.Statement, planner.Options{})
}

func valuesOf(p *dialect.Parsed, args []any) ([]value.Value, error) {
	if want := max(p.Placeholders, len(p.Names)); len(args) > 0 && len(args) != want {
		return nil, fmt.Errorf("the statement has %s, and the call %s", sqlerr.Count(want, "placeholder"), sqlerr.Count(len(args), "argument"))
	}
	var values []value.Value
	for i, arg := range args {
		plain, err := value.CheckGo(arg)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		v, err := value.FromGo(plain)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		values = append(values, v)
	}
	return values, nil
}
