package nearlyfreetest

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"strings"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/dialect"
)

// QueryMatcher compares the SQL that a mock test expects with the SQL that the program sends, for
// sqlmock.QueryMatcherOption. Both are parsed as the driver parses them, so that layout, comments, quotes and
// the case of words and names do not matter, and a statement that the driver would refuse fails the test.
var QueryMatcher Matcher

// ValueConverter accepts and converts arguments as the driver does, for sqlmock.ValueConverterOption.
var ValueConverter Converter

// Matcher is the type of QueryMatcher, a sqlmock.QueryMatcher.
type Matcher struct{}

// Match gives nil if both texts are the same statement, else an error that says why not.
func (Matcher) Match(expected, actual string) error {
	sent, err := dialect.Parse(actual, dialect.Options{})
	if err != nil {
		return fmt.Errorf("the driver refuses the SQL that was sent: %w", err)
	}
	wanted, err := dialect.Parse(expected, dialect.Options{})
	if err != nil {
		return fmt.Errorf("the driver refuses the SQL that is expected: %w", err)
	}
	if !same(reflect.ValueOf(wanted.Statement), reflect.ValueOf(sent.Statement)) {
		return fmt.Errorf("another statement was sent:\n  expected %s\n  sent     %s", wanted.Text, sent.Text)
	}
	return nil
}

// Converter is the type of ValueConverter, a driver.ValueConverter.
type Converter struct{}

// ConvertValue gives what the driver makes of an argument, or the error that it would give.
func (Converter) ConvertValue(v any) (driver.Value, error) {
	return nearlyfree.ConvertArgument(v)
}

// same compares two parts of syntax trees, ignoring their places in the text and how names were written: case, and the text of an expression.
func same(a, b reflect.Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Interface, reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return same(a.Elem(), b.Elem())
	case reflect.Struct:
		return sameStruct(a, b)
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		return reflect.DeepEqual(a.Interface(), b.Interface())
	}
	return a.Equal(b)
}

func sameStruct(a, b reflect.Value) bool {
	if a.Type() != b.Type() {
		return false
	}
	exact := false // the field Text is a value, not a name
	said := false  // a field Text is significant: it is not the text of an expression that is compared itself
	switch x := a.Interface().(type) {
	case dialect.Literal, dialect.Prepare:
		exact, said = true, true
	case dialect.NoOp:
		said = true
	case dialect.SetVar:
		said = x.Value == nil
	}
	for i := range a.NumField() {
		field := a.Type().Field(i)
		x, y := a.Field(i), b.Field(i)
		switch {
		case field.Type == reflect.TypeFor[dialect.Pos](), !said && strings.HasSuffix(field.Name, "Text"):
			continue
		case field.Type.Kind() == reflect.String && !(exact && field.Name == "Text"):
			if !strings.EqualFold(x.String(), y.String()) {
				return false
			}
		case !same(x, y):
			return false
		}
	}
	return true
}
