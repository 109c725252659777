package azure

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is a text that printing does not show: not with any sensible verb of fmt, nor with slog, nor with encoding/json. Convert it to string
// to use it.
type Secret string

const redacted = "REDACTED"

func (s Secret) shown() string {
	if s == "" {
		return ""
	}
	return redacted
}

// String gives "REDACTED", or "" if there is nothing to hide.
func (s Secret) String() string { return s.shown() }

// Format is like String, whatever the verb: %d would print the text otherwise.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, s.shown()) }

// MarshalText is like String; encoding/json uses it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.shown()), nil }

// LogValue is like String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.shown()) }
