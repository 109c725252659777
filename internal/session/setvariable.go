package session

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/ddl"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// set runs SET. All names are looked up, and all values computed, before the first variable is set, as in MySQL.
func (s *Session) set(ctx context.Context, stmt *dialect.Set, args []value.Value) error {
	for _, v := range stmt.Vars {
		if v.IsSystem() {
			if err := s.checkSet(v.Scope, v.Name); err != nil {
				return err
			}
		}
	}
	values := make([]value.Value, len(stmt.Vars))
	for i, v := range stmt.Vars {
		values[i] = value.FromString(v.Text) // a bare word: ON, DEFAULT, SYSTEM
		if v.Value != nil {
			var err error
			if values[i], err = s.evaluate(ctx, v.Value, args); err != nil {
				return err
			}
		}
	}
	for i, v := range stmt.Vars {
		if err := s.setOne(ctx, v, values[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) setOne(ctx context.Context, v dialect.SetVar, x value.Value) error {
	switch v.Scope {
	case "transaction":
		return s.setTransaction(v.Text, v.Name)
	case "names", "charset":
		charset, name, _ := strings.Cut(v.Text, " collate ")
		if err := define.CheckCharset(charset); err != nil {
			return err
		}
		return s.setCollation(name)
	case "user":
		return s.state.Vars.Set(v.Name, x)
	}
	return s.setVariable(ctx, v.Scope, v.Name, x)
}

// setVariable sets a system variable that exists. It refuses a value that would give later statements an unsupported
// meaning.
func (s *Session) setVariable(ctx context.Context, scope, name string, x value.Value) error {
	text := strings.ToLower(value.Text(x))
	switch systemVariables[name].set {
	case fixed:
		return s.checkFixed(name, x)
	case idle:
		return nil
	}
	switch name {
	case "transaction_isolation", "tx_isolation":
		return s.setIsolation(scope, name, x)
	case "transaction_read_only", "tx_read_only", "autocommit", "foreign_key_checks", "skip_unsupported_keys":
		return s.setSwitch(ctx, scope, name, x)
	case "time_zone":
		return s.setZone(value.Text(x))
	case "block_encryption_mode":
		return s.setEncryption(text)
	case "max_execution_time":
		return s.setTimeLimit(x)
	case "innodb_lock_wait_timeout":
		return s.setLockWait(x)
	case "cte_max_recursion_depth":
		n, err := s.wholeNumber(name, x, defaultRecursions, 0, math.MaxUint32, "a number of rounds")
		if err == nil {
			s.state.Recursions = uint32(n)
		}
		return err
	case "analyze_requests":
		return s.setAnalyzeRequests(x)
	case "collation_connection":
		return s.setCollation(text)
	case "character_set_client", "character_set_results", "character_set_connection":
		return s.setCharset(name, x)
	case "sql_mode":
		mode, err := parseMode(x, s.db.Mode)
		if err != nil {
			return err
		}
		s.setMode(mode)
	}
	return nil
}

// setIsolation sets the isolation level of the session's transactions, or of the next one only.
func (s *Session) setIsolation(scope, name string, x value.Value) error {
	level, ok := isolationNamed(strings.ToLower(value.Text(x)))
	if !ok {
		return statementError(sqlerr.CodeWrongVariableValue, "Variable '%s' can't be set to the value of '%s'", name, value.Text(x))
	}
	if err := s.checkIsolation(level); err != nil {
		return err
	}
	if scope == "@@" {
		return s.setNext(characteristics{level: level})
	}
	s.usual.level = level
	return nil
}

// setSwitch sets a variable that is on or off.
func (s *Session) setSwitch(ctx context.Context, scope, name string, x value.Value) error {
	usually := map[string]bool{"autocommit": true, "foreign_key_checks": true, "skip_unsupported_keys": s.db.SkipKeys}
	on, err := switched(name, x, usually[name])
	if err != nil {
		return err
	}
	switch name {
	case "autocommit":
		return s.setAutocommit(ctx, on)
	case "foreign_key_checks":
		s.state.KeysUnchecked = !on
	case "skip_unsupported_keys":
		s.skipKeys = on
	default:
		return s.setReadOnly(scope, on)
	}
	return nil
}

// setReadOnly says whether the session's transactions, or only the next one, are read-only.
func (s *Session) setReadOnly(scope string, on bool) error {
	access := readsAndWrites
	if on {
		access = reads
	}
	if scope == "@@" {
		return s.setNext(characteristics{access: access})
	}
	s.usual.access = access
	return nil
}

func (s *Session) setEncryption(mode string) error {
	if mode == "default" {
		mode = defaultEncryption
	}
	if !expr.IsEncryptionMode(mode) {
		return notSupported("SET block_encryption_mode = '%s' is not supported: there are aes-128, aes-192 and aes-256, each with -ecb and -cbc", mode)
	}
	s.encryption = mode
	return nil
}

func (s *Session) setCharset(name string, x value.Value) error {
	if x.IsNull() && name == "character_set_results" { // as they are
		return nil
	}
	if err := define.CheckCharset(strings.ToLower(value.Text(x))); err != nil {
		return err
	}
	if name == "character_set_connection" {
		return s.setCollation("")
	}
	return nil
}

// setZone sets time_zone; "" and default are the database's.
func (s *Session) setZone(name string) error {
	if name == "" || strings.EqualFold(name, "default") {
		name = s.db.TimeZone
	}
	if name == "" {
		name = "+00:00"
	}
	if name == s.zone { // the usual case when a connection comes back from the pool
		return nil
	}
	zone, ok := expr.Zone(name)
	if !ok {
		return statementError(sqlerr.CodeUnknownTimeZone, "Unknown or incorrect time zone: '%s'; time_zone takes an offset from -13:59 to +14:00, or a name such as Europe/Berlin that Go's time zone data has", name)
	}
	s.state.Zone, s.zone = zone, name
	return nil
}

// setTimeLimit sets max_execution_time: how many milliseconds a SELECT may take. 0 and default mean no limit.
func (s *Session) setTimeLimit(x value.Value) error {
	n, err := s.wholeNumber("max_execution_time", x, 0, 0, math.MaxUint32, "a number of milliseconds")
	if err == nil {
		s.timeLimit = time.Duration(n) * time.Millisecond
	}
	return err
}

// defaultLockWait is innodb_lock_wait_timeout in seconds, as in MySQL.
const defaultLockWait = 50

// setLockWait sets innodb_lock_wait_timeout: how many seconds a statement waits for a row that another transaction has.
func (s *Session) setLockWait(x value.Value) error {
	n, err := s.wholeNumber("innodb_lock_wait_timeout", x, defaultLockWait, 1, 1<<30, "a number of seconds")
	if err == nil {
		s.lockWait = time.Duration(n) * time.Second
	}
	return err
}

// wholeNumber gives the value of a numeric variable, clamped to least … most with a warning. what describes it.
func (s *Session) wholeNumber(name string, x value.Value, otherwise, least, most int64, what string) (int64, error) {
	if strings.EqualFold(value.Text(x), "default") {
		x = value.FromInt(otherwise)
	}
	if x.Kind() == value.Uint {
		x = value.FromInt(int64(min(x.Uint(), math.MaxInt64)))
	}
	if x.Kind() != value.Int {
		return 0, statementError(sqlerr.CodeWrongVariableType, "Incorrect argument type to variable '%s': it is %s", name, what)
	}
	n := min(max(x.Int(), least), most)
	if n != x.Int() {
		s.state.Diagnostics.Note(expr.Warning, sqlerr.CodeWrongValue, "Truncated incorrect %s value: '%d'", name, x.Int())
	}
	return n, nil
}

// defaultRecursions is how many rounds a WITH RECURSIVE may take, as in MySQL.
const defaultRecursions = 1000

// setAnalyzeRequests sets analyze_requests: about how many requests ANALYZE TABLE sends for a table.
func (s *Session) setAnalyzeRequests(x value.Value) error {
	if strings.EqualFold(value.Text(x), "default") {
		x = value.FromInt(ddl.DefaultAnalyzeRequests)
	}
	if x.Kind() != value.Int || x.Int() < 1 || x.Int() > math.MaxInt32 {
		return statementError(sqlerr.CodeWrongVariableValue, "Variable 'analyze_requests' can't be set to the value of '%s': it is a number of requests from 1", value.Text(x))
	}
	s.analyzeRequests = int(x.Int())
	return nil
}

// setCollation sets the collation of literals; "" and default mean that of new tables.
func (s *Session) setCollation(name string) error {
	collation := s.db.Collation
	if name != "" && !strings.EqualFold(name, "default") {
		var err error
		if collation, err = schema.CollationNamed(name); err != nil {
			return err
		}
	}
	s.state.Collation = collation
	return nil
}

// switched is the effect of SET on a variable that is on or off. NULL is neither: a variable that was never set switches nothing.
func switched(name string, x value.Value, otherwise bool) (bool, error) {
	switch strings.ToLower(value.Text(x)) {
	case "default":
		return otherwise, nil
	case "on", "true", "1":
		return true, nil
	case "off", "false", "0":
		return false, nil
	}
	return false, statementError(sqlerr.CodeWrongVariableValue, "Variable '%s' can't be set to the value of '%s'", name, value.Text(x))
}
