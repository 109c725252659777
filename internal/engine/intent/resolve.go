package intent

import (
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// readersAge is how old a read may be when the record is looked for. Records stay longer than that (see keepCommitted), so if there is no
// record, the transaction was undecided when its intent was read.
const readersAge = 30 * time.Second

// selected gives the properties to read for sel, including those of intents. Even if only keys are wanted, the marker is needed to tell whether
// the entity exists.
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

// markerOf gives the marker of an entity that was read with selected(sel); its id is "" if there is none.
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

// hide removes the properties of intents.
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

// isCut says whether an entity was read without some part of the image that is needed to resolve it.
func (m *marker) isCut(is state, sel []string) bool {
	return is == committed && m.images > 1 && len(sel) > 0
}

// resolve turns an entity as stored into what a reader sees; false if the reader sees none.
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

// version is what validation compares an entity by: its ETag or, if its intent comes to nothing, the ETag from before the intent.
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
