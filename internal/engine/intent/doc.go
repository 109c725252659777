// Package intent applies transactions of any size to a store that has entity group transactions and nothing larger. A Store is
// laid over an engine and is one itself: an engine.Transactor.
//
// # The protocol
//
// Package tests/txmodel has it as a model, and what each of its rules is for. What a transaction writes in one partition of one
// physical table makes one or more groups, each of which fits an entity group transaction.
//
//  1. Prepare. Every group but the one at home gets its intents, in one request each: on each entity a marker, and the new content
//     beside the old one. The request has the conditions of the transaction's own operations.
//  2. Validate, where something that was read must hold still. The home group gets its intents before, too, as it does where touches are
//     made before the decision; then all is read again.
//  3. Decide. One request inserts the record "committed" at home, and writes the home group for good.
//  4. Forward. The new content takes the place of the old one. Where 3 was refused: back, the markers go. Where a request was lost whose
//     markers may be there, or arrive late, the record "aborted" is inserted before: nobody has to wait for them.
//
// Between 1 and 3 anybody may insert the record "aborted". It is home's partition that says who was first.
//
// # Entities
//
//	what        where                        properties
//	note        see note.go
//	record      home, RowKey "!t!" and id    nf_t "record", nf_s: its State; nf_g: the partitions of its groups
//	marker      the entity                   nf_t: see marker; "" means that there is none
//	unit        the row                      nf_u: the RowKeys of its entries that bear an intent, too
//	new image   the entity                   nf_n, nf_n1 … nf_n15: see appendImage
//	guard       behind a new row's key       nf_t, nf_u: of a new row that others may touch, see guardKey
//
// A row and its index entries are a unit: they get their markers in one request, and lose them in one.
//
// Where all is in one physical table, home is the partition of the largest group, or of one whose entities have no room for intents
// (see room.go). Else it is a partition of the records' table: a table that is dropped does not take along what was decided of others.
//
// # Readers
//
// A reader that meets a marker looks for the record: without one, or with one that says "aborted", it sees the old content, else
// the new one. Reads write nothing and wait for nobody. A page that shows a marker of a transaction which was not known to
// be committed before, and now is, is read again: the home group may be in it as it was before. So a page never shows half of a
// transaction.
//
// Only the commit of a transaction that reads one moment and writes nothing waits for what is not decided: one that has validated its
// reads comes before whoever writes since what it has read.
//
// The ETag that is given of an entity with a marker names the marker's side that was seen. Who writes on condition of it
// settles the unit first.
//
// # Writers
//
// Who meets an intent of an undecided transaction gives up what it has prepared, and waits without holding anything: until that
// one is decided, or nothing was heard of it for a while, when it is aborted. So there are no deadlocks. Then the unit is settled,
// and the statement runs again. Where a process has died there may be any number of units: once that shows, all those on entities
// that are to be written are settled together.
//
// What is required of ranges (engine.Requirement) is validated, or kept by touches: see touched.
//
// A touch merges nothing into a parent, which must be there: others do so without reading it. So intents on parents are at home
// only, where the request that decides finds a parent that was touched since, and touches of a transaction's own are made last.
// A new parent bears none: it would be touched before it is decided that it is there. It has a guard, where the transaction validates.
// A transaction with parents in several partitions is refused (see Fit): tests/txmodel has shown by TestParentsAway that an intent on a parent
// which is not at home fails either those who touch it or those who insert its key, whether an entity is there meanwhile or not.
package intent
