package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/csv"
)

// separators are those that are guessed, the likeliest first.
var separators = []struct{ text, name string }{{",", "commas"}, {";", "semicolons"}, {"\t", "tabs"}, {"|", "|"}}

// findSeparator finds out which separator CSV has, and says what it has guessed.
func (l *loader) findSeparator(in *bufio.Reader) (err error) {
	switch {
	case l.separator != "":
		return nil
	case l.options.separator != "":
		l.separator, err = separatorOf(l.options.separator)
		return err
	}
	l.separator = guessSeparator(in, len(l.options.columns))
	for _, s := range separators[1:] {
		if s.text == l.separator {
			l.task.say("%s: its fields are separated by %s; --separator says another one", l.name, s.name)
		}
	}
	return nil
}

// separatorOf is the separator that an option says.
func separatorOf(option string) (string, error) {
	if option == `\t` {
		return "\t", nil
	}
	if utf8.RuneCountInString(option) != 1 || strings.Contains("\"\r\n", option) {
		return "", fmt.Errorf(`--separator is one character and no quote, or \t for a tab; not %q`, option)
	}
	return option, nil
}

const guessRecords = 20 // that the separator is guessed from, and the head

// guessSeparator guesses the separator: the first one by which the records at the beginning have as many fields as the first record, and more
// than one. If the columns are known, that number must be theirs. It reads only into the buffer.
func guessSeparator(in *bufio.Reader, columns int) string {
	sample, err := in.Peek(in.Size())
	cut := err == nil
	if cut {
		sample = sample[:bytes.LastIndexByte(sample, '\n')+1]
	}
	for _, s := range separators {
		if isSeparator(string(sample), cut, s.text, columns) {
			return s.text
		}
	}
	return separators[0].text
}

// isSeparator says whether three of four records have as many fields as the first. A few may be wrong, and if the text is cut off, the last one
// may end in quotes.
func isSeparator(sample string, cut bool, separator string, columns int) bool {
	r := csv.NewReader(strings.NewReader(sample))
	r.Separator = separator
	read, same := 0, 0
	open := false
	for ; read <= guessRecords; read++ {
		fields, _, err := r.Read()
		var wrong *csv.Error
		if err != nil && !errors.As(err, &wrong) {
			read -= boolOrder(open && cut)
			break
		}
		open = err != nil
		if columns == 0 {
			columns = len(fields)
		}
		if err == nil && len(fields) == columns {
			same++
		}
		if columns <= 1 {
			return false
		}
	}
	return 4*same >= 3*read && read > 0
}
