package intent

import "strings"

// side is what a reader saw of an entity with an intent. It is the beginning of the ETag that the reader gets.
type side string

const (
	oldSide side = "nf-old:"
	newSide side = "nf-new:"
)

// seenETag gives the ETag of an entity with an intent.
func seenETag(s side, etag string) string { return string(s) + etag }

// sideOf splits such an ETag; side is "" if the ETag is that of an entity without an intent.
func sideOf(etag string) (s side, stored string) {
	for _, s := range []side{oldSide, newSide} {
		if stored, ok := strings.CutPrefix(etag, string(s)); ok {
			return s, stored
		}
	}
	return "", etag
}

// isSeen says whether an ETag is that of an entity with an intent.
func isSeen(etag string) bool {
	s, _ := sideOf(etag)
	return s != ""
}
