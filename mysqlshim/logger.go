package mysql

import (
	"errors"
	"log"
	"os"
)

// Logger gets messages that cannot be returned as errors. There are none here.
type Logger interface {
	Print(v ...any)
}

// NopLogger prints nothing.
type NopLogger struct{}

// Print does nothing.
func (*NopLogger) Print(...any) {}

var defaultLogger Logger = log.New(os.Stderr, "[mysql] ", log.Ldate|log.Ltime)

// SetLogger sets the Logger of new Configs.
func SetLogger(logger Logger) error {
	if logger == nil {
		return errors.New("logger is nil")
	}
	defaultLogger = logger
	return nil
}
