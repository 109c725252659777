package nearlyfree

import (
	"net/url"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure"
)

// ParseDSN reads a data source name: one of
//
//	mem://                        memory, private to one sql.DB
//	mem://NAME                    memory, shared in the process by name
//	file:PATH                     one durable file (%XX escapes in PATH are decoded)
//	AccountName=…;AccountKey=…    an Azure storage connection string, in any form that Azure hands out
//	https://ACCOUNT.table.core.windows.net/?SAS    a table endpoint, with a SAS query or else with Entra ID
//
// with options: after a ? as name=value joined by &, or, in a connection string, as further Name=Value;
// parts. See Config for what they mean: client_found_rows, collation, database, layout, scan, max_entities, max_requests, max_cost, max_memory, parallel, readonly,
// ansi_quotes, exact, schema_lease, skip_unsupported_keys, sql_mode, time_zone, total_memory, transactions, bulk. An unknown option, one that
// is given twice and a wrong value are errors that name it.
func ParseDSN(dsn string) (*Config, error) {
	c := &reading{Config: &Config{}}
	var err error
	switch text := strings.TrimSpace(dsn); {
	case text == "":
		return nil, configError("the data source name is empty: use mem://, file:PATH, an Azure connection string or a table endpoint's URL")
	case hasPrefixFold(text, "mem:"):
		err = c.parseMemory(text)
	case hasPrefixFold(text, "file:"):
		err = c.parseFile(text)
	case hasPrefixFold(text, "https://"), hasPrefixFold(text, "http://"):
		err = c.parseURL(text)
	case strings.Contains(text, "="):
		err = c.parseConnectionString(text)
	default:
		scheme, _, found := strings.Cut(text, ":")
		if found && !strings.ContainsAny(scheme, "/\\. ") {
			return nil, configError("unknown scheme %q in the data source name: use mem://, file:PATH, an Azure connection string or https://ACCOUNT.table.core.windows.net/", shown(scheme))
		}
		return nil, configError("the data source name is none of mem://NAME, file:PATH, an Azure connection string, or a table endpoint's URL; for a file, write file: in front of the path")
	}
	if err != nil {
		return nil, err
	}
	return c.Config, nil
}

// reading is a Config whose text is being read.
type reading struct {
	*Config
	given []*option // so far
}

// FormatDSN is the data source name of c: ParseDSN of it returns the same settings, except values that a text
// cannot hold (Credential, Transport, Retry, Logger, Observer), and Partitions. It contains the secrets of Store.
func (c *Config) FormatDSN() string { return c.format(false) }

func (c *Config) format(redact bool) string {
	store := c.Store
	if redact {
		store = redactStore(store)
	}
	separator, join, escape := "?", "&", url.QueryEscape
	if isConnectionString(c.Store) {
		separator, join, escape = ";", ";", func(s string) string { return s }
		store = strings.TrimRight(store, "; ")
	} else if strings.Contains(store, "?") {
		separator = "&"
	}
	var parts []string
	for _, o := range options {
		if v := o.get(c); v != "" {
			parts = append(parts, o.name+"="+escape(v))
		}
	}
	if len(parts) == 0 {
		return store
	}
	return store + separator + strings.Join(parts, join)
}

func (c *reading) parseMemory(text string) error {
	rest := text[len("mem:"):]
	if !strings.HasPrefix(rest, "//") {
		return configError("%q does not name a memory database: use mem://NAME, or mem:// for a private one", shown(text))
	}
	name, query, _ := strings.Cut(rest[2:], "?")
	if strings.ContainsAny(name, "/\\#&= ") {
		return configError("the name of a memory database has no slash, blank, #, & or = (options begin with a ?): mem://%s", name)
	}
	c.Store = "mem://" + name
	return c.setQuery(query)
}

func (c *reading) parseFile(text string) error {
	path, query, _ := strings.Cut(text[len("file:"):], "?")
	if strings.TrimSpace(path) == "" { // blanks at the end of a name are not kept
		return configError("file: needs a path: file:expenses.nearlyfree, file:/var/lib/app/data")
	}
	if _, err := url.PathUnescape(path); err != nil {
		return configError("the path of a file database has a %% that begins no escape (write %%25 for a percent sign): %s", path)
	}
	c.Store = "file:" + path
	return c.setQuery(query)
}

// filePath is the path of a file: store.
func filePath(store string) string {
	path, _ := url.PathUnescape(strings.TrimPrefix(store, "file:"))
	return path
}

// sasParameters are the query parameters of shared access signatures for tables.
// https://learn.microsoft.com/rest/api/storageservices/create-service-sas
var sasParameters = map[string]bool{
	"sv": true, "ss": true, "srt": true, "sp": true, "se": true, "st": true, "spr": true, "sig": true, "sip": true,
	"si": true, "tn": true, "spk": true, "srk": true, "epk": true, "erk": true, "sr": true, "skoid": true, "sktid": true,
	"skt": true, "ske": true, "sks": true, "skv": true, "saoid": true, "suoid": true, "scid": true, "sduoid": true, "skdutid": true,
}

func (c *reading) parseURL(text string) error {
	base, query, _ := strings.Cut(text, "?")
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || strings.ContainsAny(u.Host, "=&;") {
		return configError("the table endpoint's URL cannot be read: write https://ACCOUNT.table.core.windows.net/")
	}
	if u.User != nil {
		return configError("the table endpoint's URL holds a user name or password: give a SAS query, a connection string, or a credential in Config")
	}
	if u.Fragment != "" {
		return configError("the table endpoint's URL has a fragment (#): escape it as %%23 if it belongs to the SAS")
	}
	if u.Scheme == "http" && !azure.IsLoopback(u.Hostname()) {
		return configError("plain http is refused except to this machine: use https://%s", u.Host)
	}
	var sas []string
	for _, part := range strings.Split(query, "&") {
		if part == "" {
			continue
		}
		name, v, _ := strings.Cut(part, "=")
		if sasParameters[name] {
			sas = append(sas, part)
			continue
		}
		if err := c.setEscaped(name, v); err != nil {
			return err
		}
	}
	c.Store = base
	if len(sas) > 0 {
		c.Store += "?" + strings.Join(sas, "&")
	}
	if _, err := azure.ParseURL(c.Store); err != nil {
		return configError("%v", err)
	}
	return nil
}

func (c *reading) parseConnectionString(text string) error {
	var store []string
	for _, part := range strings.Split(text, ";") {
		name, v, _ := strings.Cut(part, "=")
		if o := findOption(strings.TrimSpace(name)); o != nil {
			if err := c.setOption(o, strings.TrimSpace(v)); err != nil {
				return err
			}
			continue
		}
		if strings.TrimSpace(part) != "" {
			store = append(store, strings.TrimSpace(part))
		}
	}
	c.Store = strings.Join(store, ";")
	return checkConnectionString(c.Store)
}

func isConnectionString(store string) bool {
	return !hasPrefixFold(store, "mem:") && !hasPrefixFold(store, "file:") && !hasPrefixFold(store, "http://") && !hasPrefixFold(store, "https://")
}

func (c *reading) setQuery(query string) error {
	for _, part := range strings.Split(query, "&") {
		if part == "" {
			continue
		}
		name, v, _ := strings.Cut(part, "=")
		if err := c.setEscaped(name, v); err != nil {
			return err
		}
	}
	return nil
}

func (c *reading) setEscaped(name, v string) error {
	o := findOption(name)
	if o == nil {
		return configError("unknown option %q in the data source name; there are %s", shown(name), strings.Join(optionNames(), ", "))
	}
	text, err := url.QueryUnescape(v)
	if err != nil {
		return configError("option %s: the value %q has a %% that begins no escape", o.name, shown(v))
	}
	return c.setOption(o, text)
}

// shown is the part of a data source name that an error repeats: only its beginning, because a missing or extra mark may make it a part of a
// secret.
func shown(part string) string {
	const most = 15
	if len(part) > most {
		part = strings.ToValidUTF8(part[:most-3], "") + "…"
	}
	return part
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// publicParts are the parts of a connection string that are no secret.
var publicParts = map[string]bool{
	"accountname": true, "tableendpoint": true, "endpointsuffix": true, "defaultendpointsprotocol": true,
	"usedevelopmentstorage": true,
}

// redactStore hides account keys, signatures and everything else that is not known to be public.
func redactStore(store string) string {
	if !isConnectionString(store) {
		base, query, found := strings.Cut(store, "?")
		if !found || query == "" {
			return base
		}
		return base + "?REDACTED"
	}
	parts := strings.Split(store, ";")
	for i, part := range parts {
		name, v, found := strings.Cut(part, "=")
		switch key := strings.ToLower(strings.TrimSpace(name)); {
		case !found:
			parts[i] = "REDACTED"
		case key == "tableendpoint":
			parts[i] = name + "=" + redactStore(v)
		case !publicParts[key]:
			parts[i] = name + "=REDACTED"
		}
	}
	return strings.Join(parts, ";")
}
