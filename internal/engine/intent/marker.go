package intent

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// The properties of intents and records. No column has such a name.
const (
	markerProperty = "nf_t"
	unitProperty   = "nf_u"
	imageProperty  = "nf_n"
	stateProperty  = "nf_s"
	groupsProperty = "nf_g"
)

// mostImages is how many properties hold an image at most: together 1 MiB.
const mostImages = 16

// kind is what an intent does with its entity.
type kind byte

const (
	inserts  kind = 'i' // the entity holds the new content already
	replaces kind = 'r' // by the image
	merges   kind = 'm' // the image's properties
	deletes  kind = 'd'
	guards   kind = 'g' // the entity goes in any case
)

// marker says whose intent an entity bears.
type marker struct {
	id     string
	kind   kind
	images int    // properties that hold the image
	home   home   // where the record is
	base   string // the ETag that the entity had before; "" if not known, or if there was no entity
	row    string // the RowKey of the unit's row
}

// home says where a transaction's record is.
type home struct{ table, partition string }

// text is the id, the kind, the number of images and the table, then the partition, the base and the row, escaped as in a URL's query.
func (m *marker) text() string {
	return strings.Join([]string{m.id, string(m.kind), strconv.Itoa(m.images), m.home.table, url.QueryEscape(m.home.partition),
		url.QueryEscape(m.base), url.QueryEscape(m.row)}, " ")
}

// recordMarker is the marker property of a record.
const recordMarker = "record"

func parseMarker(text string) (m marker, err error) {
	bad := engine.Errorf(engine.CodeCorrupt, "property %s is %q, which names no transaction", markerProperty, text)
	parts := strings.Split(text, " ")
	if len(parts) != 7 || len(parts[1]) != 1 || !strings.Contains("irmdg", parts[1]) {
		return m, bad
	}
	m.id, m.kind, m.home.table = parts[0], kind(parts[1][0]), parts[3]
	if m.images, err = strconv.Atoi(parts[2]); err != nil || m.images < 0 || m.images > mostImages {
		return m, bad
	}
	for i, to := range []*string{&m.home.partition, &m.base, &m.row} {
		if *to, err = url.QueryUnescape(parts[4+i]); err != nil {
			return m, bad
		}
	}
	return m, nil
}

// isOwn says whether a property belongs to an intent.
func isOwn(name string) bool {
	return name == markerProperty || name == unitProperty || strings.HasPrefix(name, imageProperty)
}

// imageName gives the name of the i-th property of an image.
func imageName(i int) string {
	if i == 0 {
		return imageProperty
	}
	return imageProperty + strconv.Itoa(i)
}

// text is a property's value.
func text(s string) engine.Value { return engine.Value{Type: engine.String, S: s} }

// property gives the text of an entity's property, "" without one.
func property(e *engine.Entity, name string) string {
	if at, _ := engine.FindName(e.Names, name, 0); at >= 0 {
		return e.Values[at].S
	}
	return ""
}

// without gives an entity's properties except those of an intent.
func without(e *engine.Entity) (names []string, values []engine.Value) {
	for i, name := range e.Names {
		if !isOwn(name) {
			names, values = append(names, name), append(values, e.Values[i])
		}
	}
	return names, values
}
