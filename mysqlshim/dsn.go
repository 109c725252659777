package mysql

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// parameter is a parameter of a data source name that has a field in Config.
type parameter struct {
	name string
	get  func(c *Config) string // as FormatDSN writes it; "": it is the default
	set  func(c *Config, text string) error
}

// parameters are in the order in which FormatDSN writes them.
var parameters = []parameter{
	boolean("allowAllFiles", false, func(c *Config) *bool { return &c.AllowAllFiles }),
	boolean("allowCleartextPasswords", false, func(c *Config) *bool { return &c.AllowCleartextPasswords }),
	boolean("allowFallbackToPlaintext", false, func(c *Config) *bool { return &c.AllowFallbackToPlaintext }),
	boolean("allowNativePasswords", true, func(c *Config) *bool { return &c.AllowNativePasswords }),
	boolean("allowOldPasswords", false, func(c *Config) *bool { return &c.AllowOldPasswords }),
	boolean("checkConnLiveness", true, func(c *Config) *bool { return &c.CheckConnLiveness }),
	boolean("clientFoundRows", false, func(c *Config) *bool { return &c.ClientFoundRows }),
	{"charset", func(c *Config) string { return strings.Join(c.charsets, ",") }, func(c *Config, text string) error {
		c.charsets = strings.Split(text, ",")
		return nil
	}},
	{"collation", func(c *Config) string { return c.Collation }, func(c *Config, text string) error {
		c.Collation = text
		return nil
	}},
	boolean("columnsWithAlias", false, func(c *Config) *bool { return &c.ColumnsWithAlias }),
	escaped("connectionAttributes", func(c *Config) *string { return &c.ConnectionAttributes }),
	boolean("compress", false, func(c *Config) *bool { return &c.compress }),
	boolean("interpolateParams", false, func(c *Config) *bool { return &c.InterpolateParams }),
	{"loc", func(c *Config) string {
		if c.Loc == nil || c.Loc == time.UTC {
			return ""
		}
		return url.QueryEscape(c.Loc.String())
	}, func(c *Config, text string) error {
		name, err := url.QueryUnescape(text)
		if err == nil {
			c.Loc, err = time.LoadLocation(name)
		}
		return err
	}},
	boolean("multiStatements", false, func(c *Config) *bool { return &c.MultiStatements }),
	boolean("parseTime", false, func(c *Config) *bool { return &c.ParseTime }),
	duration("timeTruncate", func(c *Config) *time.Duration { return &c.timeTruncate }),
	duration("readTimeout", func(c *Config) *time.Duration { return &c.ReadTimeout }),
	boolean("rejectReadOnly", false, func(c *Config) *bool { return &c.RejectReadOnly }),
	escaped("serverPubKey", func(c *Config) *string { return &c.ServerPubKey }),
	duration("timeout", func(c *Config) *time.Duration { return &c.Timeout }),
	{"tls", func(c *Config) string { return url.QueryEscape(c.TLSConfig) }, func(c *Config, text string) error {
		if yes, isBool := readBool(text); isBool {
			c.TLSConfig = strconv.FormatBool(yes)
			return nil
		}
		name, err := url.QueryUnescape(text)
		if lower := strings.ToLower(name); lower == "skip-verify" || lower == "preferred" {
			name = lower
		}
		c.TLSConfig = name
		return err
	}},
	duration("writeTimeout", func(c *Config) *time.Duration { return &c.WriteTimeout }),
	{"maxAllowedPacket", func(c *Config) string {
		if c.MaxAllowedPacket == defaultMaxAllowedPacket {
			return ""
		}
		return strconv.Itoa(c.MaxAllowedPacket)
	}, func(c *Config, text string) (err error) {
		c.MaxAllowedPacket, err = strconv.Atoi(text)
		return err
	}},
}

func boolean(name string, usual bool, field func(*Config) *bool) parameter {
	return parameter{name, func(c *Config) string {
		if *field(c) == usual {
			return ""
		}
		return strconv.FormatBool(!usual)
	}, func(c *Config, text string) error {
		yes, ok := readBool(text)
		if !ok {
			return errors.New("invalid bool value: " + text)
		}
		*field(c) = yes
		return nil
	}}
}

func duration(name string, field func(*Config) *time.Duration) parameter {
	return parameter{name, func(c *Config) string {
		if *field(c) <= 0 {
			return ""
		}
		return field(c).String()
	}, func(c *Config, text string) (err error) {
		if *field(c), err = time.ParseDuration(text); err != nil {
			return fmt.Errorf("invalid %s value: %v, error: %w", name, text, err)
		}
		return nil
	}}
}

func escaped(name string, field func(*Config) *string) parameter {
	return parameter{name, func(c *Config) string { return url.QueryEscape(*field(c)) }, func(c *Config, text string) (err error) {
		if *field(c), err = url.QueryUnescape(text); err != nil {
			return fmt.Errorf("invalid %s value: %w", name, err)
		}
		return nil
	}}
}

// readBool reads a boolean as MySQL's driver writes it.
func readBool(text string) (yes, ok bool) {
	switch text {
	case "1", "true", "TRUE", "True":
		return true, true
	case "0", "false", "FALSE", "False":
		return false, true
	}
	return false, false
}

// ParseDSN reads [user[:password]@][net[(addr)]]/database[?name=value&…].
func ParseDSN(dsn string) (*Config, error) {
	c := NewConfig()
	// A password, an address and, after the ?, an unescaped value may contain a slash. The last one counts, as in MySQL's driver.
	slash := strings.LastIndexByte(dsn, '/')
	if slash < 0 && dsn != "" {
		return nil, errors.New("invalid DSN: missing the slash separating the database name")
	}
	if slash >= 0 {
		if err := c.parseServer(dsn[:slash]); err != nil {
			return nil, err
		}
		name, params, _ := strings.Cut(dsn[slash+1:], "?")
		var err error
		if c.DBName, err = url.PathUnescape(name); err != nil {
			return nil, fmt.Errorf("invalid dbname %q: %w", name, err)
		}
		if err := c.parseParameters(params); err != nil {
			return nil, err
		}
	}
	if err := c.normalize(); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Config) parseServer(text string) error {
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		c.User, c.Passwd, _ = strings.Cut(text[:at], ":")
		text = text[at+1:]
	}
	network, addr, found := strings.Cut(text, "(")
	c.Net = network
	switch {
	case !found:
	case strings.HasSuffix(addr, ")"):
		c.Addr = addr[:len(addr)-1]
	case strings.Contains(addr, ")"):
		return errors.New("invalid DSN: did you forget to escape a param value?")
	default:
		return errors.New("invalid DSN: network address not terminated (missing closing brace)")
	}
	return nil
}

func (c *Config) parseParameters(text string) error {
	for _, part := range strings.Split(text, "&") {
		name, v, found := strings.Cut(part, "=")
		if !found {
			continue
		}
		if i := slices.IndexFunc(parameters, func(p parameter) bool { return p.name == name }); i >= 0 {
			if err := parameters[i].set(c, v); err != nil {
				return err
			}
			continue
		}
		v, err := url.QueryUnescape(v)
		if err != nil {
			return err
		}
		if c.Params == nil {
			c.Params = map[string]string{}
		}
		c.Params[name] = v
	}
	return nil
}

// FormatDSN is the data source name of c. It lacks what only Go can express: TLS, DialFunc, Logger, BeforeConnect.
func (c *Config) FormatDSN() string {
	var s strings.Builder
	if c.User != "" {
		s.WriteString(c.User)
		if c.Passwd != "" {
			s.WriteString(":" + c.Passwd)
		}
		s.WriteByte('@')
	}
	switch {
	case c.Addr != "" && c.Net == "":
		s.WriteString("tcp(" + c.Addr + ")")
	case c.Addr != "":
		s.WriteString(c.Net + "(" + c.Addr + ")")
	case c.Net != "tcp":
		s.WriteString(c.Net)
	}
	s.WriteString("/" + url.PathEscape(c.DBName))
	separator := byte('?')
	write := func(name, v string) {
		s.WriteByte(separator)
		s.WriteString(name + "=" + v)
		separator = '&'
	}
	for _, p := range parameters {
		if v := p.get(c); v != "" {
			write(p.name, v)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Params)) {
		write(name, url.QueryEscape(c.Params[name]))
	}
	return s.String()
}
