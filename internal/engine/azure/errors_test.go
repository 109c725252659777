package azure

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestReadAnswer(t *testing.T) {
	for _, c := range []struct {
		body string
		want answer
	}{
		{`{"odata.error":{"code":"EntityAlreadyExists","message":{"lang":"en-US","value":"6:The specified  entity\nexists.\nRequestId:1\nTime:2"}}}`,
			answer{code: "EntityAlreadyExists", text: "The specified entity exists.", op: 6}},
		{`{"odata.error":{"code":"InvalidInput","message":{"lang":"en-US","value":"Bad: input"}}}`,
			answer{code: "InvalidInput", text: "Bad: input", op: -1}},
		{`<?xml version="1.0"?><m:error xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><m:code>AuthenticationFailed</m:code><m:message xml:lang="en-US">Server failed.
RequestId:1</m:message></m:error>`, answer{code: "AuthenticationFailed", text: "Server failed.", op: -1}},
		{`<html><body>Bad gateway`, answer{op: -1}},
		{``, answer{op: -1}},
		{`[]`, answer{op: -1}},
	} {
		got := readAnswer(409, nil, []byte(c.body))
		if got.code != c.want.code || got.text != c.want.text || got.op != c.want.op {
			t.Errorf("%s: %+v, want %+v", c.body, got, c.want)
		}
	}
	long := readAnswer(400, nil, []byte(`{"odata.error":{"message":{"value":"`+strings.Repeat("ä", 1000)+`"}}}`))
	if len(long.text) > 450 {
		t.Errorf("a text of %d bytes", len(long.text))
	}
}

func TestRetryAfterHeader(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		min, max time.Duration
	}{
		"Retry-After":         {"7", 7 * time.Second, 7 * time.Second},
		"retry-after":         {time.Now().Add(time.Minute).UTC().Format(http.TimeFormat), 50 * time.Second, time.Minute},
		"x-ms-retry-after-ms": {"250", 250 * time.Millisecond, 250 * time.Millisecond},
		"Retry-after":         {"-5", 0, 0},
		"RETRY-AFTER":         {"99999999999999999999", 0, 0},
	} {
		h := http.Header{}
		h.Set(name, c.text)
		if got := retryAfter(h); got < c.min || got > c.max {
			t.Errorf("%s: %s gives %v", name, c.text, got)
		}
	}
}

// TestRefusedSaysWhy: who is let in nowhere reads what to look at.
func TestRefusedSaysWhy(t *testing.T) {
	a := answer{status: http.StatusForbidden, code: "AuthorizationFailure", text: "This request is not authorized to perform this operation."}
	const want = "azure: This request is not authorized to perform this operation. (403 AuthorizationFailure): the account's key is wrong"
	if got := failureOf(reading, a).err.Error(); !strings.HasPrefix(got, want) {
		t.Error(got)
	}
	if got := failureOf(reading, answer{status: http.StatusForbidden, code: "AuthorizationFailure", stranger: true}).err.Error(); strings.Contains(got, "key") {
		t.Error(got)
	}
}
