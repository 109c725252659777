package intent

import (
	"net/url"
	"strings"
)

// unitText holds the RowKeys of a row's entries that also bear an intent.
func unitText(keys []string) string {
	escaped := make([]string, len(keys))
	for i, key := range keys {
		escaped[i] = url.QueryEscape(key)
	}
	return strings.Join(escaped, " ")
}

// unitKeys reads what unitText wrote.
func unitKeys(text string) (keys []string) {
	for escaped := range strings.FieldsSeq(text) {
		if key, err := url.QueryUnescape(escaped); err == nil {
			keys = append(keys, key)
		}
	}
	return keys
}
