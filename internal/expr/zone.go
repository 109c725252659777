package expr

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// zones keeps the named time zones that were loaded, each of which is a file.
var zones sync.Map

// Zone gives the time zone that MySQL calls by name: '+02:00', 'SYSTEM', which is UTC, or 'Europe/Berlin' if Go finds its time zone data. Nil is
// UTC; not ok: there is no such time zone.
func Zone(name string) (zone *time.Location, ok bool) {
	switch upper := strings.ToUpper(name); {
	case upper == "UTC" || upper == "SYSTEM":
		return nil, true
	case name == "" || upper == "LOCAL":
		return nil, false
	case name[0] == '+' || name[0] == '-':
		return offsetZone(name)
	}
	if z, ok := zones.Load(name); ok {
		return z.(*time.Location), true
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, false
	}
	zones.Store(name, zone)
	return zone, true
}

// offsetZone reads ±H:MM, -13:59 to +14:00.
func offsetZone(name string) (*time.Location, bool) {
	hours, minutes, ok := strings.Cut(name[1:], ":")
	h, err := strconv.ParseUint(hours, 10, 8)
	m, err2 := strconv.ParseUint(minutes, 10, 8)
	if !ok || err != nil || err2 != nil || len(hours) > 2 || len(minutes) != 2 || m > 59 {
		return nil, false
	}
	seconds := int(h*60+m) * 60
	if name[0] == '-' {
		seconds = -seconds
	}
	const hour = 3600
	if seconds <= -14*hour || seconds > 14*hour {
		return nil, false
	}
	if seconds == 0 {
		return nil, true
	}
	return time.FixedZone(name, seconds), true
}

// localTicks is the time that a clock in zone shows at ticks, which are UTC.
func localTicks(ticks int64, zone *time.Location) int64 {
	if zone == nil {
		return ticks
	}
	_, offset := value.TimeFromTicks(ticks).In(zone).Zone()
	return max(0, min(ticks+int64(offset)*value.TicksPerSecond, value.MaxTicks))
}

// instants are the first and the last time, in UTC, at which a clock in zone shows local. They differ where the clock is put back
// past local. Where it is put forward past local, both are the moment of that, as in MySQL.
func instants(local int64, zone *time.Location) (first, last int64) {
	if zone == nil {
		return local, local
	}
	// Clocks are off by less than a day. What was before and what is behind any change near local:
	before := value.TimeFromTicks(max(0, local-value.TicksPerDay)).In(zone)
	after := value.TimeFromTicks(min(local+value.TicksPerDay, value.MaxTicks)).In(zone)
	first, ok := instantAt(local, before, zone)
	if last, okLast := instantAt(local, after, zone); ok && okLast {
		return first, last
	} else if ok {
		return first, first
	} else if okLast {
		return last, last
	}
	_, end := before.ZoneBounds()
	ticks, err := value.TicksFromTime(end)
	if err != nil {
		return local, local
	}
	return ticks, ticks
}

// instantAt is local by the clock of the time like, if the clock in zone agrees with it then.
func instantAt(local int64, like time.Time, zone *time.Location) (ticks int64, ok bool) {
	_, offset := like.Zone()
	ticks = max(0, min(local-int64(offset)*value.TicksPerSecond, value.MaxTicks))
	_, there := value.TimeFromTicks(ticks).In(zone).Zone()
	return ticks, there == offset
}
