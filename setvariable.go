package nearlyfree

import (
	"context"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// set runs SET. All names are looked up before the first variable is set, as in MySQL.
func (c *conn) set(ctx context.Context, s *dialect.Set, args []value.Value) error {
	for _, v := range s.Vars {
		if v.Scope == "" || v.Scope == "session" || v.Scope == "global" {
			if err := checkSet(v.Scope, v.Name); err != nil {
				return err
			}
		}
	}
	for _, v := range s.Vars {
		if v.Scope == "transaction" {
			if err := checkTransaction(v.Name); err != nil {
				return err
			}
			continue
		}
		if v.Scope == "names" || v.Scope == "charset" {
			charset, name, _ := strings.Cut(v.Text, " collate ")
			if err := define.CheckCharset(charset); err != nil {
				return err
			}
			if err := c.setCollation(name); err != nil {
				return err
			}
			continue
		}
		x := value.FromString(v.Text) // ON, DEFAULT, SYSTEM: a word of its own
		if v.Value != nil {
			var err error
			if x, err = c.evaluate(ctx, v.Value, args); err != nil {
				return err
			}
		}
		if v.Scope == "user" {
			if err := c.session.Vars.Set(v.Name, x); err != nil {
				return err
			}
			continue
		}
		if err := c.setVariable(v.Name, x); err != nil {
			return err
		}
	}
	return nil
}

// checkTransaction refuses what SET TRANSACTION asks for and cannot be had.
func checkTransaction(text string) error {
	text = strings.ToLower(strings.ReplaceAll(text, "-", " "))
	switch {
	case strings.Contains(text, "serializable"), strings.Contains(text, "repeatable"):
		return notSupported("isolation levels above read committed cannot be given")
	case strings.Contains(text, "read only"):
		return notSupported("SET TRANSACTION READ ONLY is not supported: write START TRANSACTION READ ONLY, or set ReadOnly of sql.TxOptions")
	}
	return nil
}

// setVariable sets a system variable that there is. It refuses a value that would change what later statements mean and
// cannot be had.
func (c *conn) setVariable(name string, x value.Value) error {
	text := strings.ToLower(value.Text(x))
	switch systemVariables[name].set {
	case fixed:
		return c.checkFixed(name, x)
	case idle:
		return nil
	}
	switch name {
	case "transaction_isolation", "tx_isolation":
		return checkTransaction(text)
	case "transaction_read_only", "tx_read_only":
		if text == "on" || text != "off" && isTrue(x) {
			return checkTransaction("read only")
		}
	case "time_zone":
		return c.setZone(value.Text(x))
	case "block_encryption_mode":
		if text == "default" {
			text = defaultEncryption
		}
		if !expr.IsEncryptionMode(text) {
			return notSupported("SET block_encryption_mode = '%s' is not supported: there are aes-128, aes-192 and aes-256, each with -ecb and -cbc", text)
		}
		c.encryption = text
	case "collation_connection":
		return c.setCollation(text)
	case "character_set_client", "character_set_results", "character_set_connection":
		if x.IsNull() && name == "character_set_results" { // as they are
			return nil
		}
		if err := define.CheckCharset(text); err != nil {
			return err
		}
		if name == "character_set_connection" {
			return c.setCollation("")
		}
	case "sql_mode":
		mode, err := parseMode(x, c.connector.mode)
		if err != nil {
			return err
		}
		c.setMode(mode)
	}
	return nil
}

// setCollation sets the collation of literals; "" and default are the one that new tables have.
func (c *conn) setCollation(name string) error {
	collation := c.connector.collation
	if name != "" && !strings.EqualFold(name, "default") {
		var err error
		if collation, err = schema.CollationNamed(name); err != nil {
			return err
		}
	}
	c.session.Collation = collation
	return nil
}

func isTrue(x value.Value) bool {
	truth, null := value.Truth(x)
	return truth && !null
}
