package txmodel

// Scenario is what is explored: which actors write and read what, and how much goes wrong.
type Scenario struct {
	Name     string
	Entities []Entity
	Actors   []Actor
	Reader   ReaderKind
	HasChild bool // entity Child must not be there without entity Parent
	Parent   int
	Child    int
	Faults   int  // requests that are lost, late or doubled
	Repeats  bool // a prepare of nothing but inserts may arrive a second time: see TestRepeatedInsert
	Crashes  int
	Rules    Rules
}

// Entity is one entity of a scenario.
type Entity struct {
	Partition int
	There     bool // at the beginning
	Unit      int  // entities of one unit are settled by one request
}

// Actor is a transaction, or a writer of one group that has no record.
type Actor struct {
	Plain        bool // a writer of one entity, without a record
	Home         int  // the partition of the record; -1: none of the groups is at home
	Writes       []Write
	Reads        []int // entities that it reads and does not write
	Serializable bool  // its reads are validated
	Long         bool  // it begins with a pending record
	Unless       []int // entities among Reads: it gives up if one exists, as the deleter of a parent does if there is a child
}

// Write is one entity that an actor writes.
type Write struct {
	Entity int
	Kind   Kind
	Any    bool // whatever the entity's version is: the condition on its row, in the same unit, comes first
}

// ReaderKind says what reads next to the actors.
type ReaderKind uint8

const (
	NoReader   ReaderKind = iota
	PageReader            // each page on its own
	Collector             // all pages twice, until both times give the same
)

// Rules are the rules of the protocol. The zero value keeps all of them.
type Rules struct {
	// ShowAtOnce: a reader that finds a transaction committed shows its new content in the page that it has, instead of reading the page again.
	// That page shows the home group from before the commit.
	ShowAtOnce bool
	// ForgetRecords: a record is removed as soon as its last intent is. A reader with an earlier page then finds no record, and takes the
	// transaction for undecided.
	ForgetRecords bool
	// ForgetAborts: the record "aborted" is removed while the deciding request may be under way.
	ForgetAborts bool
	// SettleBlindly: intents are settled without regard to the version.
	SettleBlindly bool
	// RepeatPrepare: a prepare whose answer was lost is sent again under the same id, instead of ending the try.
	RepeatPrepare bool
	// ValidateFirst: a serializable transaction validates its reads before its home group has intents.
	ValidateFirst bool
	// UndecidedIsSame: validating reads takes an entity with another transaction's undecided intent for unchanged.
	UndecidedIsSame bool
	// SettleParts: the entities of a unit are settled one by one.
	SettleParts bool
	// IgnoreIntents: a writer of one group overwrites an intent if the version is the one that it read.
	IgnoreIntents bool
	// AckEarly: a transaction is acknowledged when it has sent its decision, whatever the answer.
	AckEarly bool
}

func (s *Scenario) group(actor, partition int) []Write {
	var out []Write
	for _, w := range s.Actors[actor].Writes {
		if s.Entities[w.Entity].Partition == partition {
			out = append(out, w)
		}
	}
	return out
}

// touched gives the entities that an actor reads, including those that it writes on condition of their versions.
func (s *Scenario) touched(actor, partition int) []int {
	var out []int
	for _, w := range s.group(actor, partition) {
		if w.Kind != Touch && !w.Any {
			out = append(out, w.Entity)
		}
	}
	for _, e := range s.Actors[actor].Reads {
		if s.Entities[e].Partition == partition {
			out = append(out, e)
		}
	}
	return out
}
