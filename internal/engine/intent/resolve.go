package intent

import (
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// readersAge is how old what was read may be when its record is looked for. Records stay longer than that: see keepCommitted. So
// where there is no record, the transaction was not decided when its intent was read.
const readersAge = 30 * time.Second

// selected gives the properties to be read for sel: those of intents, too. The keys alone say with the marker whether there is
// an entity.
func selected(sel []string) []string {
	if sel == nil {
		return nil
	}
	with := append(make([]string, 0, len(sel)+2), sel...)
	if with = append(with, markerProperty); len(sel) > 0 {
		with = append(with, imageProperty)
	}
	return with
}

// markerOf gives an entity's marker, which was read with selected(sel); its id is "" where there is none.
func markerOf(e *engine.Entity, sel []string) (marker, error) {
	is := ""
	if sel != nil {
		is = e.Values[len(sel)].S
	} else {
		is = property(e, markerProperty)
	}
	if is == "" || is == recordMarker {
		return marker{}, nil
	}
	return parseMarker(is)
}

// isRecord says whether an entity is a record.
func isRecord(e *engine.Entity, sel []string) bool {
	if len(e.RowKey) < len(recordPrefix) || e.RowKey[:len(recordPrefix)] != recordPrefix {
		return false
	}
	if sel != nil {
		return e.Values[len(sel)].S == recordMarker
	}
	return property(e, markerProperty) == recordMarker
}

// hide takes the properties of intents away.
func hide(e *engine.Entity, sel []string) {
	if sel != nil {
		e.Names, e.Values = sel, e.Values[:len(sel):len(sel)]
		return
	}
	for _, name := range e.Names {
		if isOwn(name) {
			e.Names, e.Values = without(e)
			return
		}
	}
}

// isCut says whether an entity was read without all of the image that is needed to resolve it.
func (m *marker) isCut(is state, sel []string) bool {
	return is == committed && m.images > 1 && len(sel) > 0
}

// resolve makes of an entity as it is stored what a reader sees of it; false: nothing.
func (m *marker) resolve(e *engine.Entity, is state, sel []string) (bool, error) {
	seen := oldSide
	if is == committed {
		seen = newSide
	}
	e.ETag = seenETag(seen, e.ETag)
	switch {
	case is != committed:
		hide(e, sel)
		return m.kind != inserts && m.kind != guards, nil
	case m.kind == deletes, m.kind == guards:
		return false, nil
	case m.kind == inserts, sel != nil && len(sel) == 0:
		hide(e, sel)
		return true, nil
	}
	names, values, err := imageOf(e, m)
	if err != nil {
		return false, err
	}
	hide(e, sel)
	switch {
	case m.kind == replaces && sel == nil:
		e.Names, e.Values = names, values
	case m.kind == replaces:
		e.Values = engine.Gather(names, values, sel)
	case sel == nil:
		e.Names, e.Values = engine.Overlay(append([]string(nil), e.Names...), append([]engine.Value(nil), e.Values...), names, values)
	default:
		e.Values = append([]engine.Value(nil), e.Values...)
		slot, at := 0, 0
		for i, name := range names {
			if slot, at = engine.FindName(sel, name, at); slot >= 0 {
				e.Values[slot] = values[i]
			}
		}
	}
	return true, nil
}

// version is what an entity is compared by when it is validated: its ETag, or where its intent comes to nothing, that of before.
func (m *marker) version(e *engine.Entity, is state) string {
	switch {
	case m.id == "":
		return e.ETag
	case is == committed:
		return seenETag(newSide, e.ETag)
	case m.base == "": // it is not known
		return seenETag(oldSide, e.ETag)
	}
	return m.base
}
