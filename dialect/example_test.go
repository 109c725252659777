package dialect_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/nearlyfreedb/nearlyfree/dialect"
)

// A statement is a tree. Each of its nodes is a type of this package, as the Select here.
func ExampleParse() {
	p, err := dialect.Parse("SELECT name, price * 2 AS twice FROM product WHERE id = ?", dialect.Options{})
	if err != nil {
		log.Fatal(err)
	}
	query := p.Statement.(*dialect.Select)
	for _, e := range query.Exprs {
		fmt.Printf("%T %q\n", e.Expr, e.As)
	}
	fmt.Println(p.Placeholders)
	// Output:
	// *dialect.Column ""
	// *dialect.Binary "twice"
	// 1
}

func ExampleParseExpr() {
	e, err := dialect.ParseExpr("a + 1 > 2", dialect.Options{})
	if err != nil {
		log.Fatal(err)
	}
	b := e.(*dialect.Binary)
	fmt.Printf("%s %T %T\n", b.Op, b.L, b.R)
	// Output:
	// > *dialect.Binary *dialect.Literal
}

// An Error knows its place in the text.
func ExampleError() {
	_, err := dialect.Parse("SELECT *\nFORM product", dialect.Options{})
	var e *dialect.Error
	if errors.As(err, &e) {
		line, column := dialect.Place(e.SQL, e.Pos)
		fmt.Println(line, column)
		fmt.Println(dialect.Caret(e.SQL, e.Pos) == e.Caret())
		fmt.Println(e.Error())
	}
	// Output:
	// 2 1
	// true
	// syntax error at line 2, column 1 near "FORM": unexpected here; did you mean FROM?
}

// A file of statements is cut where one ends.
func ExampleSplit() {
	all, err := dialect.Split("INSERT INTO note VALUES ('a; b'); -- the end;\nDELETE FROM note", dialect.Options{})
	fmt.Printf("%q %v\n", all, err)
	// Output:
	// ["INSERT INTO note VALUES ('a; b')" "-- the end;\nDELETE FROM note"] <nil>
}

// What may be logged of a statement by anybody.
func ExampleOutline() {
	const statement = "update customer set phone = '555-0100' where id = 7"
	fmt.Println(dialect.Verb(statement, dialect.Options{}))
	fmt.Println(dialect.Outline(statement, dialect.Options{}))
	// Output:
	// UPDATE
	// update customer set phone = ? where id = ?
}

// Statements that differ in literals alone have one shape.
func ExampleShape() {
	shape, literals, ok := dialect.Shape("SELECT name FROM product WHERE id = 7", dialect.Options{})
	fmt.Println(shape, len(literals), ok)
	// Output:
	// SELECT name FROM product WHERE id = ? 1 true
}

// The text of an expression without the tables of its columns; and which version of MySQL is spoken.
func ExampleUnqualified() {
	fmt.Println(dialect.Unqualified("p.price > 0"), dialect.Version)
	// Output:
	// price > 0 80023
}
