package session

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// setting is what SET does to a system variable.
type setting uint8

const (
	settable setting = iota // SET has its documented effect: see Session.setVariable
	fixed                   // SET accepts the current value, and refuses any other
	idle                    // SET accepts any value, without effect: nothing here depends on it
	readOnly                // SET is refused, as in MySQL
)

// systemVariable is a variable that @@name, SHOW VARIABLES and SET know. Any other name is an error.
type systemVariable struct {
	value value.Value // NULL if the session knows it: see Session.systemVariable
	set   setting
	why   string // of fixed: what to do instead; of idle: why no value matters
}

const (
	whyCommit    = "write COMMIT AND CHAIN"
	whyNoIDs     = "automatic numbers go up by one from one"
	whyContext   = "give the statement a context with a deadline"
	whyBound     = "the options max_entities, max_requests, max_cost and max_memory of the data source name bound what a statement reads and holds"
	whyUTF8      = "all text is UTF-8"
	whyNoLog     = "there is no binary log, and no log of the server"
	whyNoServer  = "there is no server that ends a connection; a context ends what waits"
	whyNoLocks   = "no statement locks a table or its definition"
	whyNoBuffers = "there are no such buffers; the option max_memory of the data source name bounds a statement"
	whyNoCache   = "there is no cache of results, and no profile"
	whyNotes     = "notes are kept; SHOW WARNINGS shows them"
	whyChecked   = "keys are always checked"
	whyNoEngines = "there is one engine"
	whyNoTrack   = "nothing of the session is sent along with results"
	whyPlanner   = "the planner goes by keys and by what ANALYZE TABLE has found out; EXPLAIN tells how"
	whyCurrent   = "information_schema is always current"
)

var systemVariables = map[string]systemVariable{
	"sql_mode":                 {},
	"time_zone":                {},
	"block_encryption_mode":    {},
	"max_execution_time":       {},
	"innodb_lock_wait_timeout": {},
	"analyze_requests":         {},
	"cte_max_recursion_depth":  {},
	"collation_connection":     {},
	"character_set_client":     {value: value.FromString("utf8mb4")},
	"character_set_connection": {value: value.FromString("utf8mb4")},
	"character_set_results":    {value: value.FromString("utf8mb4")},
	"transaction_isolation":    {},
	"tx_isolation":             {},
	"transaction_read_only":    {},
	"tx_read_only":             {},
	"autocommit":               {},
	"foreign_key_checks":       {},
	"skip_unsupported_keys":    {},

	"version":                {value.FromString(serverVersion), readOnly, ""},
	"version_comment":        {value.FromString("nearlyfree, a SQL dialect over Azure Table Storage"), readOnly, ""},
	"hostname":               {value.FromString("localhost"), readOnly, ""},
	"system_time_zone":       {value.FromString("UTC"), readOnly, ""},
	"lower_case_table_names": {value.FromInt(2), readOnly, ""},
	"warning_count":          {set: readOnly},
	"error_count":            {set: readOnly},

	"completion_type":                 {value.FromString("NO_CHAIN"), fixed, whyCommit},
	"auto_increment_increment":        {value.FromInt(1), fixed, whyNoIDs},
	"auto_increment_offset":           {value.FromInt(1), fixed, whyNoIDs},
	"collation_database":              {set: fixed, why: "ALTER DATABASE, or the option collation of the data source name says what new tables have"},
	"collation_server":                {set: fixed, why: "the option collation of the data source name says what new tables have"},
	"sql_select_limit":                {value.FromUint(1<<64 - 1), fixed, "write LIMIT"},
	"sql_safe_updates":                {value.FromInt(0), fixed, "the option scan=deny of the data source name refuses statements that no key serves"},
	"sql_auto_is_null":                {value.FromInt(0), fixed, "ask for LAST_INSERT_ID()"},
	"sql_require_primary_key":         {value.FromInt(0), fixed, "a table without a primary key gets a hidden one"},
	"sql_quote_show_create":           {value.FromInt(1), fixed, "SHOW CREATE TABLE always quotes names"},
	"max_statement_time":              {value.FromFloat(0), fixed, whyContext},
	"max_join_size":                   {value.FromUint(1<<64 - 1), fixed, whyBound},
	"sql_big_selects":                 {value.FromInt(1), fixed, whyBound},
	"timestamp":                       {set: fixed, why: "NOW() is the time of the clock; give the time as an argument"},
	"insert_id":                       {value.FromInt(0), fixed, "write the number into the INSERT"},
	"default_week_format":             {value.FromInt(0), fixed, "give WEEK its second argument"},
	"div_precision_increment":         {value.FromInt(4), fixed, "CAST the quotient AS DECIMAL"},
	"lc_time_names":                   {value.FromString("en_US"), fixed, "names of days and months are English"},
	"explicit_defaults_for_timestamp": {value.FromInt(1), fixed, "write the column's NULL and DEFAULT"},
	"character_set_database":          {value.FromString("utf8mb4"), fixed, whyUTF8},
	"character_set_server":            {value.FromString("utf8mb4"), fixed, whyUTF8},

	"unique_checks":                   {value.FromInt(1), idle, whyChecked},
	"sql_notes":                       {value.FromInt(1), idle, whyNotes},
	"sql_warnings":                    {value.FromInt(0), idle, whyNotes},
	"note_verbosity":                  {value.FromString("basic"), idle, whyNotes},
	"sql_log_bin":                     {value.FromInt(1), idle, whyNoLog},
	"sql_log_off":                     {value.FromInt(0), idle, whyNoLog},
	"gtid_purged":                     {value.FromString(""), idle, whyNoLog},
	"gtid_next":                       {value.FromString("AUTOMATIC"), idle, whyNoLog},
	"binlog_format":                   {value.FromString("ROW"), idle, whyNoLog},
	"general_log":                     {value.FromInt(0), idle, whyNoLog},
	"slow_query_log":                  {value.FromInt(0), idle, whyNoLog},
	"long_query_time":                 {value.FromInt(10), idle, whyNoLog},
	"max_allowed_packet":              {value.FromInt(4 << 20), idle, whyNoServer},
	"net_buffer_length":               {value.FromInt(16 << 10), idle, whyNoServer},
	"wait_timeout":                    {value.FromInt(28800), idle, whyNoServer},
	"interactive_timeout":             {value.FromInt(28800), idle, whyNoServer},
	"net_read_timeout":                {value.FromInt(30), idle, whyNoServer},
	"net_write_timeout":               {value.FromInt(60), idle, whyNoServer},
	"max_connections":                 {value.FromInt(151), idle, whyNoServer},
	"lock_wait_timeout":               {value.FromInt(31536000), idle, whyNoLocks},
	"low_priority_updates":            {value.FromInt(0), idle, whyNoLocks},
	"sort_buffer_size":                {value.FromInt(256 << 10), idle, whyNoBuffers},
	"join_buffer_size":                {value.FromInt(256 << 10), idle, whyNoBuffers},
	"read_buffer_size":                {value.FromInt(128 << 10), idle, whyNoBuffers},
	"read_rnd_buffer_size":            {value.FromInt(256 << 10), idle, whyNoBuffers},
	"bulk_insert_buffer_size":         {value.FromInt(8 << 20), idle, whyNoBuffers},
	"tmp_table_size":                  {value.FromInt(16 << 20), idle, whyNoBuffers},
	"max_heap_table_size":             {value.FromInt(16 << 20), idle, whyNoBuffers},
	"group_concat_max_len":            {value.FromUint(1<<64 - 1), idle, "GROUP_CONCAT cuts nothing; " + whyBound},
	"query_cache_type":                {value.FromInt(0), idle, whyNoCache},
	"query_cache_size":                {value.FromInt(0), idle, whyNoCache},
	"profiling":                       {value.FromInt(0), idle, whyNoCache},
	"storage_engine":                  {value.FromString("InnoDB"), idle, whyNoEngines},
	"default_storage_engine":          {value.FromString("InnoDB"), idle, whyNoEngines},
	"default_tmp_storage_engine":      {value.FromString("InnoDB"), idle, whyNoEngines},
	"innodb_strict_mode":              {value.FromInt(1), idle, whyNoEngines},
	"use_secondary_engine":            {value.FromString("OFF"), idle, whyNoEngines},
	"session_track_gtids":             {value.FromString("OFF"), idle, whyNoTrack},
	"session_track_schema":            {value.FromInt(0), idle, whyNoTrack},
	"session_track_state_change":      {value.FromInt(0), idle, whyNoTrack},
	"session_track_system_variables":  {value.FromString(""), idle, whyNoTrack},
	"session_track_transaction_info":  {value.FromString("OFF"), idle, whyNoTrack},
	"optimizer_switch":                {value.FromString(""), idle, whyPlanner},
	"optimizer_search_depth":          {value.FromInt(62), idle, whyPlanner},
	"optimizer_prune_level":           {value.FromInt(1), idle, whyPlanner},
	"eq_range_index_dive_limit":       {value.FromInt(200), idle, whyPlanner},
	"information_schema_stats_expiry": {value.FromInt(0), idle, whyCurrent},
	"character_set_filesystem":        {value.FromString("binary"), idle, "no statement reads or writes files"},
	"lc_messages":                     {value.FromString("en_US"), idle, "messages are English"},
}

func (s *Session) systemVariable(name string) (value.Value, bool) {
	name = strings.ToLower(name)
	switch all, failures := s.state.Diagnostics.Counts(); name {
	case "warning_count":
		return value.FromInt(int64(all)), true
	case "sql_mode":
		return value.FromString(s.mode.String()), true
	case "time_zone":
		return value.FromString(s.zone), true
	case "block_encryption_mode":
		return value.FromString(s.encryption), true
	case "analyze_requests":
		return value.FromInt(int64(s.analyzeRequests)), true
	case "cte_max_recursion_depth":
		return value.FromInt(int64(s.state.Recursions)), true
	case "max_execution_time":
		return value.FromInt(s.timeLimit.Milliseconds()), true
	case "innodb_lock_wait_timeout":
		return value.FromInt(int64(s.lockWait / time.Second)), true
	case "transaction_isolation", "tx_isolation":
		return value.FromString(isolations[s.usual.level]), true
	case "transaction_read_only", "tx_read_only":
		return switchValue(s.usual.access == reads), true
	case "autocommit":
		return switchValue(!s.manual), true
	case "foreign_key_checks":
		return switchValue(!s.state.KeysUnchecked), true
	case "skip_unsupported_keys":
		return switchValue(s.skipKeys), true
	case "error_count":
		return value.FromInt(int64(failures)), true
	case "timestamp":
		return value.FromFloat(float64(time.Now().UnixMicro()) / 1e6), true
	case "collation_connection":
		return value.FromString(s.state.Collation.String()), true
	case "collation_database":
		return value.FromString(s.db.collation(s.in.Catalog.KnownCollation()).String()), true
	case "collation_server":
		return value.FromString(s.db.Collation.String()), true
	}
	v, ok := systemVariables[name]
	return v.value, ok
}

func switchValue(on bool) value.Value {
	if on {
		return value.FromInt(1)
	}
	return value.FromInt(0)
}

// switches are the variables shown as ON or OFF by SHOW VARIABLES, and as 1 or 0 by @@.
var switches = []string{
	"autocommit", "explicit_defaults_for_timestamp", "foreign_key_checks", "general_log", "innodb_strict_mode", "low_priority_updates", "profiling",
	"session_track_schema", "session_track_state_change", "skip_unsupported_keys", "slow_query_log", "sql_auto_is_null", "sql_big_selects", "sql_log_bin",
	"sql_log_off", "sql_notes", "sql_quote_show_create", "sql_require_primary_key", "sql_safe_updates", "sql_warnings", "transaction_read_only",
	"tx_read_only", "unique_checks",
}

// showVariables is the content of SHOW VARIABLES, sorted by name.
func (s *Session) showVariables() [][]value.Value {
	names := slices.Sorted(maps.Keys(systemVariables))
	rows := make([][]value.Value, len(names))
	for i, name := range names {
		v, _ := s.systemVariable(name)
		if slices.Contains(switches, name) {
			v = value.FromString(map[bool]string{false: "OFF", true: "ON"}[isTrue(v)])
		}
		rows[i] = []value.Value{value.FromString(name), value.FromString(value.Text(v))}
	}
	return rows
}

// checkSet refuses SET of a variable that does not exist, cannot be set, or can be set only for this session.
func (s *Session) checkSet(scope, name string) error {
	v, known := systemVariables[name]
	switch {
	case !known:
		text := "Unknown system variable '%s'"
		if slices.ContainsFunc(s.db.Options, func(o string) bool { return strings.EqualFold(o, name) }) {
			text += ": it is an option of the data source name"
		}
		return statementError(sqlerr.CodeUnknownVariable, text, name)
	case v.set == readOnly:
		return statementError(sqlerr.CodeReadOnlyVariable, "Variable '%s' is a read only variable", name)
	case v.set == settable && scope == "global":
		return notSupported("SET GLOBAL %s is not supported: new sessions begin with what the data source name says; write SET SESSION for this one", name)
	}
	return nil
}

// checkFixed refuses to set a fixed variable to any value but its own.
func (s *Session) checkFixed(name string, x value.Value) error {
	have, _ := s.systemVariable(name)
	if text := value.Text(x); strings.EqualFold(text, "default") || sameSetting(x, have) {
		return nil
	}
	return notSupported("SET %s = %s is not supported: %s", name, value.Text(x), systemVariables[name].why)
}

// sameSetting compares values of a variable; ON is 1 and OFF is 0.
func sameSetting(x, have value.Value) bool {
	plain := func(v value.Value) string {
		switch text := strings.ToLower(value.Text(v)); text {
		case "on", "true":
			return "1"
		case "off", "false":
			return "0"
		default:
			return text
		}
	}
	if a, ok := value.CollationNamed(plain(x)); ok {
		b, ok := value.CollationNamed(plain(have))
		return ok && a == b
	}
	return plain(x) == plain(have)
}
