package stored

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// wrong makes the error of a field; at is its place, such as "columns[2].type".
func wrong(at, format string, args ...any) error {
	if at == "" {
		at = "the definition"
	}
	return fmt.Errorf("%s %s", at, fmt.Sprintf(format, args...))
}

// strict reads JSON into a form. Unlike json.Unmarshal it notes each field that the form lacks, takes names
// literally, refuses null and duplicates, and says in its errors where they occurred.
type strict struct {
	d       *json.Decoder
	path    []step   // to what is read now
	unknown []string // fields, with their places
}

// step is a field, or an element of a list.
type step struct {
	field string
	index int // -1: a field
}

func readStrict(text []byte, form any) (unknown []string, err error) {
	s := &strict{d: json.NewDecoder(bytes.NewReader(text))}
	s.d.UseNumber()
	if err := s.value(reflect.ValueOf(form).Elem()); err != nil {
		return nil, err
	}
	if _, err := s.d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more text after the definition")
	}
	return s.unknown, nil
}

// place is where the reader is, such as "columns[2].type".
func (s *strict) place() string {
	var b strings.Builder
	for i, at := range s.path {
		switch {
		case at.index >= 0:
			b.WriteString("[" + strconv.Itoa(at.index) + "]")
		case i > 0:
			b.WriteString("." + at.field)
		default:
			b.WriteString(at.field)
		}
	}
	return b.String()
}

func (s *strict) wrong(format string, args ...any) error { return wrong(s.place(), format, args...) }

func (s *strict) token() (json.Token, error) {
	token, err := s.d.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, s.wrong("cannot be read: %v", err)
	}
	return token, nil
}

func (s *strict) value(v reflect.Value) error {
	token, err := s.token()
	if err != nil {
		return err
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch is := token.(type) {
	case string:
		switch {
		case v.Kind() == reflect.String:
			v.SetString(is)
			return nil
		case v.Type() == reflect.TypeFor[[]byte]():
			octets, err := base64.StdEncoding.DecodeString(is)
			v.SetBytes(octets)
			if err != nil {
				return s.wrong("is not base64")
			}
			return nil
		}
	case bool:
		if v.Kind() == reflect.Bool {
			v.SetBool(is)
			return nil
		}
	case json.Number:
		if v.CanInt() {
			n, err := strconv.ParseInt(is.String(), 10, 64)
			v.SetInt(n)
			if err != nil || v.OverflowInt(n) {
				return s.wrong("is not a 64-bit integer")
			}
			return nil
		}
	case json.Delim:
		switch {
		case is == '{' && v.Kind() == reflect.Struct:
			return s.object(v)
		case is == '[' && v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
			return s.list(v)
		}
	}
	return s.wrong("is not %s", kindWords[v.Kind()])
}

var kindWords = map[reflect.Kind]string{
	reflect.String: "a text", reflect.Bool: "true or false", reflect.Int: "a number", reflect.Int64: "a number",
	reflect.Struct: "an object", reflect.Slice: "a list",
}

func (s *strict) list(v reflect.Value) error {
	for i := 0; s.d.More(); i++ {
		v.Grow(1)
		v.SetLen(i + 1)
		s.path = append(s.path, step{index: i})
		if err := s.value(v.Index(i)); err != nil {
			return err
		}
		s.path = s.path[:len(s.path)-1]
	}
	_, err := s.token() // ]
	return err
}

func (s *strict) object(v reflect.Value) error {
	known := fields[v.Type()]
	seen := make([]string, 0, 8)
	for s.d.More() {
		token, err := s.token()
		if err != nil {
			return err
		}
		name, _ := token.(string) // a key is nothing else
		s.path = append(s.path, step{name, -1})
		if field, ok := known[name]; slices.Contains(seen, name) {
			err = s.wrong("is there twice")
		} else if ok {
			err = s.value(v.FieldByIndex(field))
		} else {
			err = s.skip()
		}
		if err != nil {
			return err
		}
		s.path = s.path[:len(s.path)-1]
		seen = append(seen, name)
	}
	_, err := s.token() // }
	return err
}

// skip skips a field that the form lacks.
func (s *strict) skip() error {
	s.unknown = append(s.unknown, s.place())
	var skipped json.RawMessage
	if err := s.d.Decode(&skipped); err != nil {
		return s.wrong("cannot be read: %v", err)
	}
	return nil
}

// fields are where the fields of each form are, by their stored names.
var fields = func(forms ...any) map[reflect.Type]map[string][]int {
	all := map[reflect.Type]map[string][]int{}
	for _, form := range forms {
		t := reflect.TypeOf(form)
		all[t] = map[string][]int{}
		for _, f := range reflect.VisibleFields(t) {
			if !f.Anonymous {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				all[t][name] = f.Index
			}
		}
	}
	return all
}(table{}, column{}, columnForm{}, change{}, keyColumn{}, index{}, check{}, foreign{}, relative{}, spread{}, partitions{}, partition{}, span{}, parent{}, external{}, view{}, piece{})
