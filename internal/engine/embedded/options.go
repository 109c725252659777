package embedded

import (
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Options are the options of both engines. The zero value is for use; other values are for tests.
type Options struct {
	// PageEntities is how many entities a page of a scan has, for the Meter and as the maximum that a cursor gives at once. 0: 1000, as in the
	// service.
	PageEntities int
}

// FileOptions are the options of a file.
type FileOptions struct {
	Options
	// ReadOnly opens a file that must exist, shares it with other readers, and refuses writes.
	ReadOnly bool
	// NoSync leaves writing to the operating system: fast, and a power cut may destroy the file.
	NoSync bool
	// Reserve is how many octets of addresses to request for the file to grow into. 0: plenty. -1: none.
	Reserve int64
}

// getEntities is about what a Get costs here, where no request is waited for, in entities that a scan passes.
const getEntities = 8

func (o Options) limits() engine.Limits {
	l := engine.AzureLimits()
	l.GetEntities = getEntities
	if o.PageEntities > 0 {
		l.PageEntities = o.PageEntities
	}
	return l
}

// clock gives timestamps that never go back. It needs its caller's lock.
type clock struct{ last int64 }

// unixEpoch is 1970-01-01 in ticks of 100 ns since year 1.
const unixEpoch = 621355968000000000

func (c *clock) ticks() int64 {
	c.last = max(c.last, time.Now().UnixNano()/100+unixEpoch)
	return c.last
}

// appendETag makes the ETag of a version, in the form of the service's.
func appendETag(dst []byte, version uint64) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, `W/"`...)
	shift := 60
	for shift > 0 && version>>shift == 0 {
		shift -= 4
	}
	for ; shift >= 0; shift -= 4 {
		dst = append(dst, digits[version>>shift&15])
	}
	return append(dst, '"')
}
