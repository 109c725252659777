package mysql

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"time"
)

const defaultMaxAllowedPacket = 64 << 20

// Config is a data source name. The package's comment says which fields mean something here. NewConfig sets the defaults.
type Config struct {
	User                 string
	Passwd               string
	Net                  string
	Addr                 string
	DBName               string            // the database of the store
	Params               map[string]string // variables of the session
	ConnectionAttributes string
	Collation            string         // of literals
	Loc                  *time.Location // of time.Time values
	MaxAllowedPacket     int
	ServerPubKey         string
	TLSConfig            string
	TLS                  *tls.Config
	Timeout              time.Duration
	ReadTimeout          time.Duration
	WriteTimeout         time.Duration
	Logger               Logger
	DialFunc             func(ctx context.Context, network, addr string) (net.Conn, error)

	AllowAllFiles            bool
	AllowCleartextPasswords  bool
	AllowFallbackToPlaintext bool
	AllowNativePasswords     bool
	AllowOldPasswords        bool
	CheckConnLiveness        bool
	ClientFoundRows          bool // RowsAffected counts the rows that an UPDATE has found, even if it changes nothing
	ColumnsWithAlias         bool // refused
	InterpolateParams        bool // values come as from the text protocol
	MultiStatements          bool // several statements in one text
	ParseTime                bool // DATE and DATETIME come as time.Time
	RejectReadOnly           bool

	compress      bool
	beforeConnect func(context.Context, *Config) error
	timeTruncate  time.Duration
	charsets      []string
}

// Option changes a Config.
type Option func(*Config) error

// NewConfig is a Config with the defaults.
func NewConfig() *Config {
	return &Config{Loc: time.UTC, MaxAllowedPacket: defaultMaxAllowedPacket, Logger: defaultLogger, AllowNativePasswords: true, CheckConnLiveness: true}
}

// Apply applies options.
func (c *Config) Apply(opts ...Option) error {
	for _, o := range opts {
		if err := o(c); err != nil {
			return err
		}
	}
	return nil
}

// TimeTruncate cuts time.Time arguments to a unit.
func TimeTruncate(d time.Duration) Option {
	return func(c *Config) error {
		c.timeTruncate = d
		return nil
	}
}

// BeforeConnect is called before each connection with a copy of the Config, which it may change.
func BeforeConnect(f func(context.Context, *Config) error) Option {
	return func(c *Config) error {
		c.beforeConnect = f
		return nil
	}
}

// EnableCompression is accepted; there is nothing to compress.
func EnableCompression(yes bool) Option {
	return func(c *Config) error {
		c.compress = yes
		return nil
	}
}

// Charset is SET NAMES charset [COLLATE collation] of each connection.
func Charset(charset, collation string) Option {
	return func(c *Config) error {
		c.charsets, c.Collation = []string{charset}, collation
		return nil
	}
}

// Clone is a copy of its own.
func (c *Config) Clone() *Config {
	own := *c
	own.Params, own.charsets = maps.Clone(c.Params), slices.Clone(c.charsets)
	if c.TLS != nil {
		own.TLS = c.TLS.Clone()
	}
	return &own
}

// normalize fills in fields that follow from others, and refuses names that are not registered.
func (c *Config) normalize() error {
	if c.Net == "" {
		c.Net = "tcp"
	}
	switch {
	case c.Addr == "" && c.Net == "tcp":
		c.Addr = "127.0.0.1:3306"
	case c.Addr == "" && c.Net == "unix":
		c.Addr = "/tmp/mysql.sock"
	case c.Addr == "":
		return fmt.Errorf("default addr for network '%s' unknown", c.Net)
	case c.Net == "tcp":
		if _, _, err := net.SplitHostPort(c.Addr); err != nil {
			c.Addr = net.JoinHostPort(c.Addr, "3306")
		}
	}
	if c.TLS == nil {
		switch c.TLSConfig {
		case "", "false":
		case "true":
			c.TLS = &tls.Config{}
		case "skip-verify", "preferred":
			c.TLS = &tls.Config{InsecureSkipVerify: true}
			c.AllowFallbackToPlaintext = c.AllowFallbackToPlaintext || c.TLSConfig == "preferred"
		default:
			if c.TLS = registeredTLS(c.TLSConfig); c.TLS == nil {
				return errors.New("invalid value / unknown config name: " + c.TLSConfig)
			}
		}
	}
	if c.TLS != nil && c.TLS.ServerName == "" && !c.TLS.InsecureSkipVerify {
		if host, _, err := net.SplitHostPort(c.Addr); err == nil {
			c.TLS.ServerName = host
		}
	}
	if c.ServerPubKey != "" && !isPublicKey(c.ServerPubKey) {
		return errors.New("invalid value / unknown server pub key name: " + c.ServerPubKey)
	}
	if c.Logger == nil {
		c.Logger = defaultLogger
	}
	if c.Loc == nil {
		c.Loc = time.UTC
	}
	if c.ColumnsWithAlias {
		return errors.New("mysqlshim: columnsWithAlias is not supported: name the columns in the query, SELECT t.id AS `t.id`")
	}
	return nil
}
