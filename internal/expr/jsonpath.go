package expr

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// jsonLeg is one step of a path.
type jsonLeg struct {
	kind  legKind
	key   string
	index int // legIndex; legLast: from the end, 0 is the last
}

type legKind uint8

const (
	legKey     legKind = iota // .key
	legIndex                  // [n]
	legLast                   // [last], [last-n]
	legAnyKey                 // .*
	legAnyItem                // [*]
	legDeep                   // **: this element and all below
)

// jsonPath is a path such as $.items[0].name.
type jsonPath []jsonLeg

func (p jsonPath) wild() bool {
	return slices.ContainsFunc(p, func(l jsonLeg) bool { return l.kind >= legAnyKey })
}

// parsePath reads MySQL's path syntax.
func parsePath(function, s string) (jsonPath, error) {
	bad := &ArgumentError{function, "Invalid JSON path expression '" + s + "'"}
	rest := strings.TrimSpace(s)
	if !strings.HasPrefix(rest, "$") {
		return nil, bad
	}
	var p jsonPath
	for rest = rest[1:]; ; {
		rest = strings.TrimLeft(rest, " ")
		var leg jsonLeg
		ok := true
		switch {
		case rest == "":
			if len(p) > 0 && p[len(p)-1].kind == legDeep {
				return nil, bad
			}
			return p, nil
		case strings.HasPrefix(rest, "**"):
			leg.kind, rest = legDeep, rest[2:]
		case rest[0] == '.':
			leg, rest, ok = parseKey(strings.TrimLeft(rest[1:], " "))
		case rest[0] == '[':
			var inside string
			if inside, rest, ok = strings.Cut(rest[1:], "]"); ok {
				leg, ok = parseIndex(strings.ReplaceAll(inside, " ", ""))
			}
		default:
			return nil, bad
		}
		if !ok {
			return nil, bad
		}
		p = append(p, leg)
	}
}

func parseKey(s string) (leg jsonLeg, rest string, ok bool) {
	if strings.HasPrefix(s, "*") {
		return jsonLeg{kind: legAnyKey}, s[1:], true
	}
	if strings.HasPrefix(s, `"`) {
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case '"':
				key, err := parseJSON(s[:i+1])
				if err != nil {
					return leg, s, false
				}
				return jsonLeg{key: key.(string)}, s[i+1:], true
			}
		}
		return leg, s, false
	}
	end := strings.IndexAny(s, ".[* ")
	if end < 0 {
		end = len(s)
	}
	return jsonLeg{key: s[:end]}, s[end:], end > 0
}

func parseIndex(s string) (jsonLeg, bool) {
	if s == "*" {
		return jsonLeg{kind: legAnyItem}, true
	}
	leg := jsonLeg{kind: legIndex}
	if strings.HasPrefix(s, "last") {
		leg.kind = legLast
		if s = s[len("last"):]; s == "" {
			return leg, true
		}
		if s[0] != '-' {
			return leg, false
		}
		s = s[1:]
	}
	n, err := strconv.ParseUint(s, 10, 31)
	leg.index = int(n)
	return leg, err == nil
}

// at is the position in an array of n, -1 where there is none.
func (l jsonLeg) at(n int) int {
	i := l.index
	if l.kind == legLast {
		i = n - 1 - l.index
	}
	if i >= n {
		return -1
	}
	return i
}

// lookup appends the elements that the path leads to, in the order of the document.
func (p jsonPath) lookup(doc any, found []any) []any {
	if len(p) == 0 {
		return append(found, doc)
	}
	leg, rest := p[0], p[1:]
	switch leg.kind {
	case legKey:
		if object, ok := doc.(map[string]any); ok {
			if e, ok := object[leg.key]; ok {
				return rest.lookup(e, found)
			}
		}
	case legIndex, legLast:
		array, ok := doc.([]any)
		if !ok {
			array = []any{doc} // what is no array counts as one of one element
		}
		if i := leg.at(len(array)); i >= 0 {
			return rest.lookup(array[i], found)
		}
	case legAnyKey, legAnyItem:
		return lookupAll(rest, doc, leg.kind, found)
	case legDeep:
		found = rest.lookup(doc, found)
		found = lookupAll(p, doc, legAnyKey, found)
		return lookupAll(p, doc, legAnyItem, found)
	}
	return found
}

func lookupAll(p jsonPath, doc any, kind legKind, found []any) []any {
	switch d := doc.(type) {
	case map[string]any:
		if kind == legAnyKey {
			for _, k := range sortedKeys(d) {
				found = p.lookup(d[k], found)
			}
		}
	case []any:
		if kind == legAnyItem {
			for _, e := range d {
				found = p.lookup(e, found)
			}
		}
	}
	return found
}

// pathOf reads argument i as a path, one without wildcards where single is set.
func pathOf(function string, args []value.Value, i int, single bool) (jsonPath, error) {
	p, err := parsePath(function, value.Text(args[i]))
	if err == nil && single && p.wild() {
		return nil, &ArgumentError{function, "the path may not contain * or **"}
	}
	return p, err
}

// change replaces what the path leads to: f gets the element, or exists false where only its last step is
// missing, and returns what shall stand there; keep false removes it, or leaves it missing. The document may
// be changed in place.
func (p jsonPath) change(doc any, f func(old any, exists bool) (element any, keep bool)) any {
	if len(p) == 0 {
		if e, keep := f(doc, true); keep {
			return e
		}
		return doc
	}
	leg, rest := p[0], p[1:]
	if leg.kind == legKey {
		object, ok := doc.(map[string]any)
		if !ok {
			return doc
		}
		e, exists := object[leg.key]
		switch {
		case exists && len(rest) > 0:
			object[leg.key] = rest.change(e, f)
		case exists || len(rest) == 0:
			if e, keep := f(e, exists); keep {
				object[leg.key] = e
			} else {
				delete(object, leg.key)
			}
		}
		return object
	}
	array, isArray := doc.([]any)
	if !isArray {
		array = []any{doc}
	}
	i := leg.at(len(array))
	switch {
	case i < 0 && len(rest) == 0:
		e, keep := f(nil, false)
		switch {
		case !keep:
			return doc
		case leg.kind == legLast: // before the first
			return append([]any{e}, array...)
		}
		return append(array, e)
	case i < 0:
		return doc
	case len(rest) > 0:
		array[i] = rest.change(array[i], f)
	default:
		e, keep := f(array[i], true)
		if !keep && !isArray {
			return doc
		}
		if !keep {
			return slices.Delete(array, i, i+1)
		}
		array[i] = e
	}
	if !isArray {
		return array[0]
	}
	return array
}
