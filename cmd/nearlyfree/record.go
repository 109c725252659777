package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/csv"
)

// record is one row of a file.
type record struct {
	line   int
	fields []field
	err    error  // what is wrong with it
	text   string // as it was written, if something is wrong, or for JSON
}

// field is a value of a record. In JSON it has a name of its own.
type field struct {
	name  string
	value any // nil, string, bool, json.Number, json.RawMessage
}

// records reads a file record by record.
type records interface {
	// names are the columns that the file lists at its beginning; nil: each record names its own.
	names() []string
	// next gives a record, and io.EOF at the end.
	next() (record, error)
}

// notes are columns of a file of rejected records that say why a record was rejected: they are ignored when it is loaded.
const (
	noteLine   = "_line"
	noteReason = "_reason"
)

// csvRecords reads CSV with a head, or without one if its columns are given.
type csvRecords struct {
	in   *csv.Reader
	head []string
	null string // the text for NULL, besides nothing and \N
}

var errNoColumns = errors.New("--no-header needs --columns, which name the fields in turn")
var errNoHead = errors.New("the file is empty: its first line must name the columns")

func newCSVRecords(in io.Reader, columns []string, noHead bool, null, separator string) (*csvRecords, error) {
	r := &csvRecords{in: csv.NewReader(in), head: columns, null: null}
	r.in.Separator = separator
	if noHead {
		if len(columns) == 0 {
			return nil, errNoColumns
		}
		return r, nil
	}
	fields, _, err := r.in.Read()
	switch {
	case err == io.EOF:
		return nil, errNoHead
	case err != nil:
		return nil, err
	case len(columns) > 0 && len(columns) != len(fields):
		return nil, fmt.Errorf("--columns names %d columns, and the file has %d", len(columns), len(fields))
	case len(columns) == 0:
		for _, f := range fields {
			r.head = append(r.head, strings.TrimSpace(f.Text))
		}
	}
	return r, wrongHead(r.head)
}

// wrongHead says what is wrong with the names that the first line gives.
func wrongHead(names []string) error {
	for i, name := range names {
		if name == "" {
			return fmt.Errorf("the first line gives field %d no name: --columns names all fields, and - passes over one", i+1)
		}
	}
	return nil
}

func (r *csvRecords) names() []string { return r.head }

func (r *csvRecords) next() (record, error) {
	fields, line, err := r.in.Read()
	var wrong *csv.Error
	if errors.As(err, &wrong) {
		return record{line: line, err: err, text: wrong.Text}, nil
	}
	if err != nil {
		return record{}, err
	}
	rec := record{line: line, fields: make([]field, len(fields)), err: wrongCount(len(fields), len(r.head))}
	for i, f := range fields {
		if !f.IsNull(r.null) {
			rec.fields[i].value = f.Text
		}
	}
	return rec, nil
}

// tsvRecords reads tab-separated records, as this command and MySQL write them: with a head, and with backslash escapes.
type tsvRecords struct {
	in   *bufio.Reader
	head []string
	line int
}

var tsvUnescapes = strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\r`, "\r", `\0`, "\x00", `\\`, `\`)

func newTSVRecords(in io.Reader, columns []string, noHead bool) (*tsvRecords, error) {
	r := &tsvRecords{in: csv.WithoutMark(in), head: columns}
	if noHead {
		if len(columns) == 0 {
			return nil, errNoColumns
		}
		return r, nil
	}
	texts, err := r.read()
	if err != nil {
		return nil, errNoHead
	}
	if len(columns) == 0 {
		r.head = texts
	}
	return r, wrongHead(r.head)
}

func (r *tsvRecords) read() ([]string, error) {
	line, err := r.in.ReadString('\n')
	if err != nil && (err != io.EOF || line == "") {
		return nil, err
	}
	r.line++
	return strings.Split(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), "\t"), nil
}

func (r *tsvRecords) names() []string { return r.head }

func (r *tsvRecords) next() (record, error) {
	texts, err := r.read()
	if err != nil {
		return record{}, err
	}
	rec := record{line: r.line, fields: make([]field, len(texts))}
	for i, text := range texts {
		if text != `\N` {
			rec.fields[i].value = tsvUnescapes.Replace(text)
		}
	}
	rec.err = wrongCount(len(texts), len(r.head))
	return rec, nil
}

func wrongCount(got, want int) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("%s where the head has %d", plural(int64(got), "field"), want)
}

// jsonRecords reads an object a line.
type jsonRecords struct {
	in   *bufio.Reader
	line int
}

var errArray = errors.New("it is an array: a file has an object a line, which jq -c '.[]' makes of one")

// newJSONRecords refuses a file that is one array. A line that is an array is a wrong record.
func newJSONRecords(in io.Reader) (*jsonRecords, error) {
	r := &jsonRecords{in: csv.WithoutMark(in)}
	begin, _ := r.in.Peek(1 << 10)
	line, behind, _ := bytes.Cut(bytes.TrimSpace(begin), []byte("\n"))
	if bytes.HasPrefix(line, []byte("[")) && (len(behind) == 0 || !json.Valid(line)) {
		return nil, errArray
	}
	return r, nil
}

func (r *jsonRecords) names() []string { return nil }

func (r *jsonRecords) next() (record, error) {
	for {
		text, err := r.in.ReadBytes('\n')
		if err != nil && (err != io.EOF || len(text) == 0) {
			return record{}, err
		}
		r.line++
		if text = bytes.TrimSpace(text); len(text) > 0 {
			rec := record{line: r.line, text: string(text)}
			rec.fields, rec.err = objectFields(text)
			return rec, nil
		}
	}
}

// objectFields splits an object into its fields, in the order in which they are written.
func objectFields(text []byte) ([]field, error) {
	if !utf8.Valid(text) { // package json would replace it by another character
		return nil, errors.New("it is not UTF-8: iconv converts other character sets")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	begin, err := d.Token()
	if err != nil {
		return nil, jsonError(err)
	}
	if begin != json.Delim('{') {
		if begin == json.Delim('[') {
			return nil, errArray
		}
		return nil, errors.New("it is not an object")
	}
	var fields []field
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, jsonError(err)
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, jsonError(err)
		}
		f := field{name: name.(string)}
		switch raw[0] {
		case '{', '[':
			f.value = raw
		case '"':
			var s string
			if err := json.Unmarshal(raw, &s); err != nil {
				return nil, jsonError(err)
			}
			if halfCharacter(raw, s) {
				return nil, fmt.Errorf("%.40s has half of a surrogate pair, which is no character", raw)
			}
			f.value = s
		case 't', 'f':
			f.value = raw[0] == 't'
		case 'n':
		default:
			f.value = json.Number(raw)
		}
		fields = append(fields, f)
	}
	if _, err := d.Token(); err != nil {
		return nil, jsonError(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is something after the object")
	}
	return fields, nil
}

func jsonError(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the object is not closed")
	}
	return err
}

// halfCharacter says whether a text of JSON has half of a surrogate pair, \ud800 alone: package json puts U+FFFD in its place.
func halfCharacter(raw []byte, text string) bool {
	const other = "\uFFFD"
	unescaped := strings.ReplaceAll(string(raw), `\\`, "") // what then remains of \\ufffd is not a character
	written := strings.Count(unescaped, other) + strings.Count(strings.ToLower(unescaped), `\ufffd`)
	return strings.Count(text, other) > written
}
