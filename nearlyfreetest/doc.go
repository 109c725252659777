// Package nearlyfreetest is what a program's own tests need: a fresh database in memory that checks itself,
// and the two hooks that make a github.com/DATA-DOG/go-sqlmock test tell the truth about this driver.
//
//	db := nearlyfreetest.Open(t) // empty, closed and checked when the test ends
//
//	mock, expect, err := sqlmock.New(
//		sqlmock.QueryMatcherOption(nearlyfreetest.QueryMatcher),
//		sqlmock.ValueConverterOption(nearlyfreetest.ValueConverter),
//	)
//
// It imports neither go-sqlmock nor a test framework.
package nearlyfreetest
