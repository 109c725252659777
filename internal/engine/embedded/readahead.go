package embedded

import (
	"os"
	"unsafe"
)

// readAhead makes the system read the pages that a walk comes to next. bbolt makes it read only the page that is asked for, which is right for
// keys in any order; but a walk over pages that are not in memory would wait for each of them.
type readAhead struct {
	page  uintptr // where the walk is
	ahead uintptr // how many pages it was last
	until uintptr // the system was told of those before this one
}

// Numbers of pages: a walk goes on to a page at most nextPages further, and at most mostAhead pages are read beyond that.
const (
	nextPages             = 4
	leastAhead, mostAhead = 8, 256
)

var pageSize = uintptr(os.Getpagesize())

// atKey notes which key the walk has come to, in the file's memory map.
func (r *readAhead) atKey(key []byte) {
	if r != nil && len(key) > 0 {
		r.at(uintptr(unsafe.Pointer(unsafe.SliceData(key))))
	}
}

// at notes which address the walk has come to.
func (r *readAhead) at(address uintptr) {
	if page := address / pageSize; page != r.page {
		if from, pages := r.next(page); pages > 0 {
			willNeed(from*pageSize, pages*pageSize)
		}
	}
}

// next goes on to a page, and says which pages the system should be told of, and how many.
func (r *readAhead) next(page uintptr) (from, pages uintptr) {
	near := page > r.page && page-r.page <= nextPages
	r.page = page
	if !near {
		r.ahead, r.until = 0, 0
		return 0, 0
	}
	if page+r.ahead/2 < r.until {
		return 0, 0
	}
	r.ahead = min(max(2*r.ahead, leastAhead), mostAhead)
	from = max(page+1, r.until)
	r.until = page + 1 + r.ahead
	return from, r.until - from
}
