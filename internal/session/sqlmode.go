package session

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Mode is a set of the words of sql_mode.
type Mode uint32

// The words that have an effect.
const (
	modePipesAsConcat Mode = 1 << iota
	modeANSIQuotes
	modeFullGroupBy
	modeNoAutoOnZero
	modeStrictTrans
	modeStrictAll
	modeNoZeroInDate
	modeNoZeroDate
	modeErrorDivision
	modeTraditional
	modeNoSubstitution

	modeStrict = modeStrictTrans | modeStrictAll
	// modeAlways is always in force: a day or a year 0 cannot be stored, and a group has no "any row".
	modeAlways  = modeFullGroupBy | modeNoZeroInDate | modeNoZeroDate
	modeDefault = modeAlways | modeStrictTrans | modeErrorDivision | modeNoSubstitution
)

// modeNames are the accepted words, in the order in which MySQL shows them. Those of value 0 have no effect here.
var modeNames = []struct {
	name string
	mode Mode
}{
	{"PIPES_AS_CONCAT", modePipesAsConcat}, {"ANSI_QUOTES", modeANSIQuotes}, {"IGNORE_SPACE", 0}, {"ONLY_FULL_GROUP_BY", modeFullGroupBy},
	{"NO_DIR_IN_CREATE", 0}, {"NO_AUTO_VALUE_ON_ZERO", modeNoAutoOnZero}, {"STRICT_TRANS_TABLES", modeStrictTrans},
	{"STRICT_ALL_TABLES", modeStrictAll}, {"NO_ZERO_IN_DATE", modeNoZeroInDate}, {"NO_ZERO_DATE", modeNoZeroDate},
	{"ALLOW_INVALID_DATES", 0}, // set by MySQL Workbench scripts: such a date is refused when it comes
	{"ERROR_FOR_DIVISION_BY_ZERO", modeErrorDivision},
	{"TRADITIONAL", modeTraditional | modeStrict | modeNoZeroInDate | modeNoZeroDate | modeErrorDivision | modeNoSubstitution},
	{"NO_AUTO_CREATE_USER", 0}, {"NO_ENGINE_SUBSTITUTION", modeNoSubstitution},
	{"TIME_ROUND_FRACTIONAL", 0}, // of MariaDB; always the case here
}

// refusedModes are the words that would give later statements, or the rows that they write, an unsupported meaning.
var refusedModes = []string{
	"ANSI", "HIGH_NOT_PRECEDENCE", "NO_BACKSLASH_ESCAPES", "NO_UNSIGNED_SUBTRACTION", "PAD_CHAR_TO_FULL_LENGTH", "REAL_AS_FLOAT",
	"TIME_TRUNCATE_FRACTIONAL",
}

// String is the set as @@sql_mode shows it: what is in force.
func (m Mode) String() string {
	var words []string
	for _, n := range modeNames {
		if n.mode != 0 && n.mode&m == n.mode {
			words = append(words, n.name)
		}
	}
	return strings.Join(words, ",")
}

// defaultMode is the mode of a new session by default.
func defaultMode(quotes bool) Mode {
	if quotes {
		return modeDefault | modeANSIQuotes | modePipesAsConcat
	}
	return modeDefault
}

// NewMode is sql_mode of new sessions, by the options of their database; "" is the default.
func NewMode(text string, quotes bool) (Mode, error) {
	byDefault := defaultMode(quotes)
	if text == "" {
		return byDefault, nil
	}
	return parseMode(value.FromString(bareMode(text)), byDefault)
}

// bareMode is text without quotes around it: data source names made for MySQL have them.
func bareMode(text string) string {
	if last := len(text) - 1; last > 0 && text[0] == text[last] && (text[0] == '\'' || text[0] == '"') {
		return text[1:last]
	}
	return text
}

// parseMode reads a value of sql_mode. byDefault is the mode of a new session.
func parseMode(x value.Value, byDefault Mode) (Mode, error) {
	text := strings.ToUpper(value.Text(x))
	mode := byDefault & (modeAlways | modeANSIQuotes | modePipesAsConcat)
	switch {
	case x.IsNull():
		return 0, wrongMode("NULL")
	case text == "DEFAULT":
		return byDefault, nil
	case text == "0":
		return mode, nil
	}
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		more, err := modeOf(word, byDefault&modeANSIQuotes != 0)
		if err != nil {
			return 0, err
		}
		mode |= more
	}
	return mode, nil
}

func modeOf(word string, quotes bool) (Mode, error) {
	for _, n := range modeNames {
		if n.name != word {
			continue
		}
		if n.mode&(modeANSIQuotes|modePipesAsConcat) != 0 && !quotes {
			return 0, notSupported("sql_mode %s is not supported: the option ansi_quotes of the data source name gives it", word)
		}
		return n.mode, nil
	}
	for _, refused := range refusedModes {
		if refused == word {
			return 0, notSupported("sql_mode %s is not supported", word)
		}
	}
	return 0, wrongMode(word)
}

func wrongMode(word string) error {
	return statementError(sqlerr.CodeWrongVariableValue, "Variable 'sql_mode' can't be set to the value of '%s': it takes modes such as STRICT_TRANS_TABLES, separated by commas", word)
}

// setMode makes m the session's sql_mode.
func (s *Session) setMode(m Mode) {
	s.mode = m
	s.state.Diagnostics.NoDivision, s.state.ZeroIsID = m&modeErrorDivision == 0, m&modeNoAutoOnZero != 0
}
