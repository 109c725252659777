package azure

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is a text that printing does not show: no verb of fmt that makes sense, nor slog, nor encoding/json.
// Convert to string to use it.
type Secret string

const redacted = "REDACTED"

func (s Secret) shown() string {
	if s == "" {
		return ""
	}
	return redacted
}

// String gives "REDACTED", or "" where there is nothing to hide.
func (s Secret) String() string { return s.shown() }

// Format is as String, whatever the verb: %d would print the text otherwise.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, s.shown()) }

// MarshalText is as String; encoding/json uses it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.shown()), nil }

// LogValue is as String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.shown()) }
