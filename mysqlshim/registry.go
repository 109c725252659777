package mysql

import (
	"context"
	"crypto/rsa"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
)

// DialFunc makes a network connection.
//
// Deprecated: use DialContextFunc.
type DialFunc func(addr string) (net.Conn, error)

// DialContextFunc makes a network connection. Nothing here calls it.
type DialContextFunc func(ctx context.Context, addr string) (net.Conn, error)

// What names in data source names stand for.
var (
	registered sync.Mutex
	tlsConfigs = map[string]*tls.Config{}
	publicKeys = map[string]*rsa.PublicKey{}
)

// RegisterDialContext is accepted; nothing is dialled.
func RegisterDialContext(string, DialContextFunc) {}

// DeregisterDialContext takes RegisterDialContext back.
func DeregisterDialContext(string) {}

// RegisterDial is accepted; nothing is dialled.
//
// Deprecated: use RegisterDialContext.
func RegisterDial(string, DialFunc) {}

// RegisterLocalFile is accepted; LOAD DATA is refused as a statement.
func RegisterLocalFile(string) {}

// DeregisterLocalFile takes RegisterLocalFile back.
func DeregisterLocalFile(string) {}

// RegisterReaderHandler is accepted; LOAD DATA is refused as a statement.
func RegisterReaderHandler(string, func() io.Reader) {}

// DeregisterReaderHandler takes RegisterReaderHandler back.
func DeregisterReaderHandler(string) {}

// RegisterTLSConfig gives a configuration a name, which tls=NAME then may say. Nothing is encrypted, as there is no network.
func RegisterTLSConfig(key string, config *tls.Config) error {
	switch _, isBool := readBool(key); {
	case isBool, strings.EqualFold(key, "skip-verify"), strings.EqualFold(key, "preferred"):
		return fmt.Errorf("key '%s' is reserved", key)
	}
	registered.Lock()
	defer registered.Unlock()
	tlsConfigs[key] = config
	return nil
}

// DeregisterTLSConfig takes RegisterTLSConfig back.
func DeregisterTLSConfig(key string) {
	registered.Lock()
	defer registered.Unlock()
	delete(tlsConfigs, key)
}

// RegisterServerPubKey gives a key a name, which serverPubKey=NAME then may say.
func RegisterServerPubKey(name string, key *rsa.PublicKey) {
	registered.Lock()
	defer registered.Unlock()
	publicKeys[name] = key
}

// DeregisterServerPubKey takes RegisterServerPubKey back.
func DeregisterServerPubKey(name string) {
	registered.Lock()
	defer registered.Unlock()
	delete(publicKeys, name)
}

// registeredTLS is a copy of the configuration of a name; nil: there is none.
func registeredTLS(key string) *tls.Config {
	registered.Lock()
	defer registered.Unlock()
	if c := tlsConfigs[key]; c != nil {
		return c.Clone()
	}
	return nil
}

func isPublicKey(name string) bool {
	registered.Lock()
	defer registered.Unlock()
	return publicKeys[name] != nil
}
