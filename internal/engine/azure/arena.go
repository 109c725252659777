package azure

import (
	"encoding/base64"
	"unsafe"
)

// arena holds the texts of a page in blocks: one allocation for many of them. A text keeps its block alive, so blocks are small compared with a
// page: a caller that keeps one row of a million does not keep its page.
type arena struct{ block []byte }

const (
	blockBytes = 8 << 10
	largeText  = 1 << 10 // texts of this length or more have an allocation of their own
)

// room makes sure that the next n bytes fit the block.
func (a *arena) room(n int) {
	if n > cap(a.block)-len(a.block) {
		a.block = make([]byte, 0, max(blockBytes, n))
	}
}

// text copies b.
func (a *arena) text(b []byte) string {
	if len(b) >= largeText {
		return string(b)
	}
	a.room(len(b))
	start := len(a.block)
	a.block = append(a.block, b...)
	return a.from(start)
}

// unescaped copies the text that raw, the inside of a JSON string, stands for, which is at most three times as long: invalid UTF-8 becomes
// U+FFFD.
func (a *arena) unescaped(raw []byte) (string, error) {
	if len(raw) >= largeText {
		b, err := appendText(make([]byte, 0, len(raw)), raw)
		return owned(b), err
	}
	a.room(3 * len(raw))
	start := len(a.block)
	block, err := appendText(a.block, raw)
	if err != nil {
		return "", err
	}
	a.block = block
	return a.from(start), nil
}

// from gives what the block holds from start on. Those bytes are never overwritten.
func (a *arena) from(start int) string {
	return owned(a.block[start:])
}

// owned gives b as a text; b must no longer be written to.
func owned(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// base64 decodes a Binary.
func (a *arena) base64(raw []byte) (string, error) {
	n := base64.StdEncoding.DecodedLen(len(raw))
	if n >= largeText {
		b, err := base64.StdEncoding.AppendDecode(make([]byte, 0, n), raw)
		return owned(b), err
	}
	a.room(n)
	start := len(a.block)
	block, err := base64.StdEncoding.AppendDecode(a.block, raw)
	if err != nil {
		return "", err
	}
	a.block = block
	return a.from(start), nil
}
