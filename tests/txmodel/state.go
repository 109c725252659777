package txmodel

// state is a run at one moment: the store, what each process knows, and what is under way. Two runs in the same state continue alike.
type state struct {
	entities [maxEntities]entity
	records  [maxActors]record
	actors   [maxActors]actor
	reader   reader
	late     uint32 // requests that may arrive yet: see lateBit
	faults   uint8  // that may happen yet
	crashes  uint8
	commits  uint8
	history  [maxActors + 1][maxEntities]row // what is true after so many commits
}

// pc is where a process is.
type pc uint8

const (
	beginning  pc = iota // of a long transaction: the record becomes pending
	reading              // page by page; intents of other transactions are settled
	preparing            // intents, group by group
	validating           // reads, page by page
	deciding             // the record, and the home group
	resolving            // the answer to that was lost
	forwarding           // intents, group by group
	cleaning             // the record
	backing              // intents, group by group
	writing              // of a plain writer
	done
	dead
)

// told is what a caller was told.
type told uint8

const (
	nothing told = iota
	applied
	notApplied
)

// actor is a transaction, or a plain writer: what its process knows.
type actor struct {
	pc       pc
	at       uint8              // the partition that is read or validated next
	versions [maxEntities]uint8 // as they were read
	rows     [maxEntities]row
	marked   [maxEntities]uint8 // the versions that its intents gave; 0: it has none, or does not know
	prepared uint8              // partitions whose groups bear its intents
	settled  uint8              // partitions whose intents it has settled
	unsure   bool               // an answer to that was lost
	met      meeting
	told     told
	tries    uint8 // of a plain writer
}

// meeting is another transaction's intent that an actor has met.
type meeting struct {
	actor  uint8 // whose it is, and 1; 0: none
	entity uint8
	copy   entity // as it was read
	looked bool   // what the record was
	record record
}

// reader reads pages.
type reader struct {
	at       uint8 // the partition that is read next
	pass     uint8
	over     bool
	has      bool // a page, whose intents are being looked up
	stale    bool // the page is older than records live
	known    set  // transactions that were known to be committed before the page was asked for
	open     set  // those that were looked up, and were not committed
	moment   uint8
	middle   uint8 // commits when the first pass ended
	page     [maxEntities]entity
	rows     [2][maxEntities]row
	versions [2][maxEntities]uint8
}

// Requests that may arrive late, or a second time.
const (
	latePrepare = 0 // and the partition
	lateDecide  = maxPartitions
	lateForward = maxPartitions + 1 // and the partition
	lateKinds   = 2*maxPartitions + 1
)

func lateBit(actor, request int) uint32 { return 1 << (actor*lateKinds + request) }
