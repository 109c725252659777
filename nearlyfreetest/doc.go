// Package nearlyfreetest is what a program's own tests need: a fresh database in memory that checks itself, rows to begin with, a bound
// on what code may cost, faults of the service, and the two hooks that make a github.com/DATA-DOG/go-sqlmock test tell the truth
// about this driver.
//
//	db := nearlyfreetest.Open(t) // empty, closed and checked when the test ends
//	nearlyfreetest.SeedFS(t, db, os.DirFS("testdata"), "schema.sql", "*.csv")
//
//	db := shop.Open(t) // a copy of a Template, which is filled once
//
//	nearlyfreetest.AssertRequests(t, db, 2, func() { page(db) })
//	nearlyfreetest.AssertNoScan(t, db, func() { page(db) })
//
//	account := nearlyfreetest.OpenAccount(t)
//	account.Inject(nearlyfreetest.LostAnswer, 1)
//
//	mock, expect, err := sqlmock.New(
//		sqlmock.QueryMatcherOption(nearlyfreetest.QueryMatcher),
//		sqlmock.ValueConverterOption(nearlyfreetest.ValueConverter),
//	)
//
// It imports no test framework but package testing, and not go-sqlmock.
package nearlyfreetest
