package expr

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// What the manual's examples (tests/functionsmanual_test.go) do not show.
func TestFunctionsOfMySQL(t *testing.T) {
	call := func(name string, args ...any) Node {
		n, err := NewCall(name, argsOf(t, args))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return n
	}
	mode := func(text string) *Env {
		return &Env{Session: &Session{System: func(name string) (value.Value, bool) { return value.FromString(text), name == "block_encryption_mode" }}}
	}
	plain := &Env{Session: &Session{}}
	for _, test := range []struct {
		n    Node
		env  *Env
		want string
	}{
		{call("INTERVAL", nil, 1), plain, "-1"},
		{call("INTERVAL", 5, 1, nil, 10), plain, "2"},
		{call("INTERVAL", "dec=1.5", 1, 2), plain, "1"},
		{call("MAKE_SET", -1, "a", nil, "b"), plain, "a,b"},
		{call("EXPORT_SET", 1, "Y", "N", "", 3), plain, "YNN"},
		{call("EXPORT_SET", -1, "1", "0", "", 99), plain, strings.Repeat("1", 64)},
		{call("SOUNDEX", ""), plain, ""},
		{call("SOUNDEX", "é"), plain, "é000"},
		{call("SOUNDEX", " 4mc donald"), plain, "M23543"},
		{call("INET_ATON", "1.2.3.4.5"), plain, "NULL"},
		{call("INET_ATON", "1..2"), plain, "NULL"},
		{call("INET_ATON", "1"), plain, "1"},
		{call("INET6_NTOA", call("INET6_ATON", "::10.0.5.9")), plain, "::10.0.5.9"},
		{call("INET6_NTOA", call("INET6_ATON", "::1")), plain, "::1"},
		{call("INET6_ATON", "fe80::1%eth0"), plain, "NULL"},
		{call("INET6_NTOA", "four"), plain, "NULL"},
		{call("IS_IPV4_MAPPED", "bytes=abcd"), plain, "0"},
		{call("PERIOD_ADD", 9912, 1), plain, "200001"},
		{call("PERIOD_ADD", 200801, -1), plain, "200712"},
		{call("PERIOD_DIFF", 7001, 6912), plain, "-1199"},
		{call("GET_FORMAT", "time", "usa"), plain, "%h:%i:%s %p"},
		{call("GET_FORMAT", "date", "mars"), plain, "NULL"},
		{call("UNCOMPRESS", ""), plain, ""},
		{call("UNCOMPRESS", "bytes=\x05\x00\x00\x00abcdef"), plain, "NULL"},
		{call("UNCOMPRESS", call("COMPRESS", strings.Repeat("a ", 1000))), plain, strings.Repeat("a ", 1000)},
		{call("HEX", call("AES_ENCRYPT", "text", strings.Repeat("0123456789", 5))), plain, "FE7A5E6CB05F1B03E1B28596870DE0CD"},
		{call("AES_DECRYPT", call("AES_ENCRYPT", "text", "a"), "b"), plain, "NULL"},
		{call("AES_DECRYPT", "text", "b"), plain, "NULL"},
		{call("HEX", call("AES_ENCRYPT", "text", "key", "0123456789abcdef!")), mode("aes-256-cbc"), "39B083A54C0F1886C45FC459BB3F4F07"},
		{call("AES_DECRYPT", call("AES_ENCRYPT", "text", "key", "0123456789abcdef"), "key", "0123456789abcdef"), mode("aes-192-cbc"), "text"},
		// MySQL's answers for a time that the clock leaves out, and for one that it shows twice.
		{call("CONVERT_TZ", "2024-03-31 02:30:00", "Europe/Berlin", "UTC"), plain, "2024-03-31 01:00:00"},
		{call("CONVERT_TZ", "2024-10-27 02:30:00", "Europe/Berlin", "UTC"), plain, "2024-10-27 00:30:00"},
		{call("CONVERT_TZ", "2024-10-27 03:00:00", "Europe/Berlin", "UTC"), plain, "2024-10-27 02:00:00"},
		{call("CONVERT_TZ", "2024-07-01 12:00:00", "UTC", "America/New_York"), plain, "2024-07-01 08:00:00"},
		{call("CONVERT_TZ", "1960-01-01 12:00:00", "+00:00", "+01:00"), plain, "1960-01-01 12:00:00"},
		{call("CONVERT_TZ", "2004-01-01", "SYSTEM", "+14:00"), plain, "2004-01-01 14:00:00"},
		{call("CONVERT_TZ", "2004-01-01", "+00:00", "+15:00"), plain, "NULL"},
		{call("CONVERT_TZ", "2004-01-01", "+00:00", "Mars/Olympus"), plain, "NULL"},
		{call("CONVERT_TZ", "2004-01-01", "../../etc/passwd", "UTC"), plain, "NULL"},
		{call("BENCHMARK", nil, 1), plain, "NULL"},
		{call("BENCHMARK", 3, 1), plain, "0"},
		{call("SLEEP", 0.001), plain, "0"},
		{call("FORMAT_BYTES", 1<<20+1<<19), plain, "1.50 MiB"},
		{call("IS_FREE_LOCK", "x"), plain, "1"},
		{call("IS_USED_LOCK", "x"), plain, "NULL"},
		{call("RELEASE_ALL_LOCKS"), plain, "0"},
	} {
		v, err := Compile(test.n)(test.env)
		got := "NULL"
		if !v.IsNull() {
			got = value.Text(v)
		}
		if err != nil || got != test.want {
			t.Errorf("%s = %s, %v, want %s", String(test.n), got, err, test.want)
		}
	}
	for _, n := range []Node{
		call("SLEEP", nil), call("SLEEP", -1), call("RANDOM_BYTES", 0), call("RANDOM_BYTES", 1025), call("PERIOD_ADD", 200813, 1),
	} {
		if v, err := Compile(n)(plain); err == nil {
			t.Errorf("%s = %s, want an error", String(n), value.Text(v))
		}
	}
	if _, err := Compile(call("AES_ENCRYPT", "text", "key"))(mode("aes-128-cbc")); err == nil {
		t.Error("AES_ENCRYPT needs no iv for cbc")
	}
}

// The end of the context ends what takes time.
func TestWaitingEnds(t *testing.T) {
	for name, args := range map[string]list{"SLEEP": {1e9}, "BENCHMARK": {int64(1 << 62), 1}} {
		n, err := NewCall(name, argsOf(t, args))
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithTimeout(t.Context(), 10*time.Millisecond)
		if _, err := Compile(n)(&Env{Session: &Session{}, Context: ctx}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s ends with %v", name, err)
		}
		end()
	}
}
