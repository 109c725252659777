package txmodel

// Limits of a scenario. The state of a run has a fixed size, so that it can be compared.
const (
	maxEntities   = 4
	maxActors     = 3 // that write
	maxPartitions = 2
)

// absentVersion is the version that a read gives for a missing entity.
const absentVersion = 255

// entity is one entity of the store.
type entity struct {
	version uint8 // its ETag: no two states of the entity share one
	there   bool
	value   set   // of the actors that have written it
	marker  uint8 // the actor whose intent it bears, and 1; 0: none
	kind    Kind  // of the intent
	base    uint8 // the version before the intent
	image   set   // the value as it will be
}

// set is a set of actors.
type set uint8

func one(actor int) set               { return 1 << actor }
func (s set) has(actor int) bool      { return s&one(actor) != 0 }
func (s set) with(actor int) set      { return s | one(actor) }
func (e *entity) foreign(by int) bool { return e.marker != 0 && int(e.marker)-1 != by }

// row is what a reader sees of an entity.
type row struct {
	there bool
	value set
}

// Kind is what a write does.
type Kind uint8

const (
	Insert Kind = iota + 1
	Update
	Delete
	Touch // only changes the version of an entity, which must exist, whatever it bears
	Pin   // a Touch of what was read
	Late  // an Insert of what others touch: it bears no intent, and exists once it is decided
	InsertAside
	DeleteAside // an Insert or Delete whose intent lies next to the key, where no entity is until it is decided: see TestParentsAway
)

// bears says whether a write leaves an intent.
func (k Kind) bears() bool { return k == Insert || k == Update || k == Delete || k.isAside() }

func (k Kind) isAside() bool { return k == InsertAside || k == DeleteAside }

// record is the record of a transaction.
type record uint8

const (
	absent record = iota
	pending
	committed
	aborted
)

// resolve gives what a reader sees of an entity once it knows whether the transaction of its intent is committed.
func (e *entity) resolve(committed bool) row {
	switch {
	case !e.there && e.marker != 0 && committed == (e.kind == InsertAside):
		return row{true, e.value}
	case !e.there:
		return row{}
	case e.marker == 0:
		return row{true, e.value}
	case committed && e.kind == Delete, !committed && e.kind == Insert:
		return row{}
	case committed && e.kind == Update:
		return row{true, e.image}
	}
	return row{true, e.value}
}

// seen is the version that a read gives.
func (e *entity) seen() uint8 {
	if !e.there {
		return absentVersion
	}
	return e.version
}

// matches says whether a write on condition of a version may be made: a write to an existing entity, other than a Touch, only if that bears no
// intent.
func (e *entity) matches(kind Kind, version uint8) bool {
	switch kind {
	case Insert, Late, InsertAside:
		return !e.there
	case Touch:
		return e.there
	}
	return e.there && e.version == version && e.marker == 0
}

// write writes for good.
func (e *entity) write(kind Kind, actor int) {
	e.version++
	switch kind {
	case Insert, Late:
		e.there, e.value = true, one(actor)
	case Update:
		e.value = e.value.with(actor)
	case Delete:
		e.there, e.value = false, 0
	}
}

// intend puts an intent on an entity. A touch is made at once.
func (e *entity) intend(kind Kind, actor int) {
	if kind == Late {
		return
	}
	base := e.seen()
	e.version++
	if !kind.bears() {
		return
	}
	e.marker, e.kind, e.base, e.image = uint8(actor)+1, kind, base, e.value.with(actor)
	switch kind {
	case Insert:
		e.there, e.value, e.image = true, one(actor), 0
	case InsertAside:
		e.value, e.image = one(actor), 0
	case DeleteAside:
		e.there = false
	}
}

// settle carries an intent forward, or back.
func (e *entity) settle(committed bool) {
	now := e.resolve(committed)
	*e = entity{version: e.version + 1, there: now.there, value: now.value}
}
