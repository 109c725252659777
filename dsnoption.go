package nearlyfree

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// option is one setting of a data source name. A new option is one more line in options.
type option struct {
	name string
	set  func(c *Config, v string) error
	get  func(c *Config) string // "" for the default
}

var options = []option{
	{"ansi_quotes", func(c *Config, v string) error { return setBool(&c.ANSIQuotes, v) }, func(c *Config) string { return getBool(c.ANSIQuotes) }},
	{"client_found_rows", func(c *Config, v string) error { return setBool(&c.ClientFoundRows, v) }, func(c *Config) string { return getBool(c.ClientFoundRows) }},
	{"collation", setCollation, func(c *Config) string { return c.Collation }},
	{"database", setDatabase, func(c *Config) string { return c.Database }},
	{"exact", func(c *Config, v string) error { return setBool(&c.Exact, v) }, func(c *Config) string { return getBool(c.Exact) }},
	{"layout", setLayout, func(c *Config) string { return string(c.Layout) }},
	{"max_entities", func(c *Config, v string) error { return setCount(&c.MaxEntities, v) }, func(c *Config) string { return getCount(c.MaxEntities) }},
	{"max_requests", func(c *Config, v string) error { return setCount(&c.MaxRequests, v) }, func(c *Config) string { return getCount(c.MaxRequests) }},
	{"max_cost", setMaxCost, getMaxCost},
	{"max_memory", setMaxMemory, func(c *Config) string { return getCount(c.MaxMemory) }},
	{"parallel", setParallel, func(c *Config) string { return getCount(int64(c.Parallel)) }},
	{"readonly", func(c *Config, v string) error { return setBool(&c.ReadOnly, v) }, func(c *Config) string { return getBool(c.ReadOnly) }},
	{"scan", setScan, func(c *Config) string { return string(c.Scan) }},
	{"schema_lease", setLease, getLease},
	{"skip_unsupported_keys", func(c *Config, v string) error { return setBool(&c.SkipUnsupportedKeys, v) }, func(c *Config) string { return getBool(c.SkipUnsupportedKeys) }},
	{"sql_mode", setSQLMode, func(c *Config) string { return c.SQLMode }},
	{"time_zone", setTimeZone, func(c *Config) string { return c.TimeZone }},
	{"total_memory", func(c *Config, v string) error { return setCount(&c.TotalMemory, v) }, func(c *Config) string { return getCount(c.TotalMemory) }},
	{"bulk", setBulk, func(c *Config) string { return string(c.Bulk) }},
	{"transactions", setTransactions, func(c *Config) string { return string(c.Transactions) }},
}

// setSQLMode leaves it to NewConnector to check that the option ansi_quotes is set for the words that need it.
func setSQLMode(c *Config, v string) error {
	if v == "" {
		return fmt.Errorf("want modes such as STRICT_TRANS_TABLES, separated by commas; '' sets none")
	}
	if _, err := (&Config{SQLMode: v, ANSIQuotes: true}).mode(); err != nil {
		return err
	}
	c.SQLMode = v
	return nil
}

func setTimeZone(c *Config, v string) error {
	if rest, isOffset := strings.CutPrefix(v, " "); isOffset { // a + after a ? means a space
		v = "+" + rest
	}
	if _, ok := expr.Zone(v); !ok {
		return fmt.Errorf("want an offset such as +02:00, or a name such as Europe/Berlin that Go's time zone data has")
	}
	c.TimeZone = v
	return nil
}

func findOption(name string) *option {
	for i := range options {
		if strings.EqualFold(options[i].name, name) {
			return &options[i]
		}
	}
	return nil
}

func optionNames() []string {
	names := make([]string, len(options))
	for i, o := range options {
		names[i] = o.name
	}
	return names
}

func (c *reading) setOption(o *option, v string) error {
	if slices.Contains(c.given, o) {
		return configError("option %s is given twice in the data source name", o.name)
	}
	c.given = append(c.given, o)
	if err := o.set(c.Config, v); err != nil {
		return configError("option %s=%s: %v", o.name, shown(v), err)
	}
	return nil
}

func setBool(dst *bool, v string) error {
	switch strings.ToLower(v) {
	case "true", "1", "yes", "on", "":
		*dst = true
	case "false", "0", "no", "off":
		*dst = false
	default:
		return fmt.Errorf("want true or false")
	}
	return nil
}

func getBool(b bool) string {
	if b {
		return "true"
	}
	return ""
}

func setCount(dst *int64, v string) error {
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("want a whole number, 0 or more (0: no bound)")
	}
	*dst = n
	return nil
}

func getCount(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func setMaxCost(c *Config, v string) error {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || !(n >= 0) || math.IsInf(n, 1) {
		return fmt.Errorf("want dollars, such as 0.001 (0: no bound)")
	}
	c.MaxCost = n
	return nil
}

func getMaxCost(c *Config) string {
	if c.MaxCost == 0 {
		return ""
	}
	return strconv.FormatFloat(c.MaxCost, 'g', -1, 64)
}

func setMaxMemory(c *Config, v string) error {
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < -1 || n == 0 {
		return fmt.Errorf("want a number of bytes, or -1 for no bound")
	}
	c.MaxMemory = n
	return nil
}

// maxParallel keeps a typo from opening a connection for each row.
const maxParallel = 1024

func setParallel(c *Config, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > maxParallel {
		return fmt.Errorf("want a whole number from 1 to %d", maxParallel)
	}
	c.Parallel = n
	return nil
}

func setCollation(c *Config, v string) error {
	if _, ok := value.CollationNamed(v); !ok {
		var names []string
		for _, known := range value.Collations() {
			names = append(names, known.String())
		}
		return fmt.Errorf("want one of %s", strings.Join(names, ", "))
	}
	c.Collation = v
	return nil
}

func setLayout(c *Config, v string) error {
	switch l := Layout(strings.ToLower(v)); l {
	case LayoutTable, LayoutSingle:
		c.Layout = l
		return nil
	}
	return fmt.Errorf("want table or single")
}

func setTransactions(c *Config, v string) error {
	switch t := Transactions(strings.ToLower(v)); t {
	case TransactionsFull, TransactionsGroup:
		c.Transactions = t
		return nil
	}
	return fmt.Errorf("want full or group")
}

func setBulk(c *Config, v string) error {
	switch b := Bulk(strings.ToLower(v)); b {
	case BulkAtomic, BulkChunked:
		c.Bulk = b
		return nil
	}
	return fmt.Errorf("want atomic or chunked")
}

func setScan(c *Config, v string) error {
	switch p := ScanPolicy(strings.ToLower(v)); p {
	case ScanAllow, ScanWarn, ScanDeny:
		c.Scan = p
		return nil
	}
	return fmt.Errorf("want allow, warn or deny")
}

func setLease(c *Config, v string) error {
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 {
		return fmt.Errorf("want a duration above zero, such as 5s or 500ms")
	}
	c.SchemaLease = d
	return nil
}

func getLease(c *Config) string {
	if c.SchemaLease == 0 {
		return ""
	}
	return c.SchemaLease.String()
}

// maxDatabase leaves room for a table's name in the 63 characters of a physical one.
const maxDatabase = 30

func setDatabase(c *Config, v string) error {
	if len(v) > maxDatabase {
		return fmt.Errorf("at most %d characters", maxDatabase)
	}
	for _, r := range v {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' {
			return fmt.Errorf("want letters, digits, _ and -, not %q", r)
		}
	}
	c.Database = v
	return nil
}
