// Package intent applies transactions of any size to a store that offers nothing larger than entity group transactions. A Store is laid over an
// engine and is itself an engine: an engine.Transactor.
//
// # The protocol
//
// Package tests/txmodel models the protocol and shows what each of its rules is for. The writes of a transaction in one partition of one
// physical table form one or more groups, each of which fits an entity group transaction.
//
//  1. Prepare. Every group except the home group gets its intents, one request for each group: a marker on each entity, and the new content next
//     to the old. The request carries the conditions of the transaction's own operations.
//  2. Validate, if something that was read must still hold. The home group then gets its intents too, before validation, as it does if touches
//     are made before the decision. After that, everything is read again.
//  3. Decide. One request inserts the record "committed" at home and writes the home group for good.
//  4. Forward. The new content replaces the old. If step 3 was refused, the transaction goes back instead: the markers are removed. If a request
//     was lost whose markers may be there or arrive late, the record "aborted" is inserted first, so that nothing has to wait for them.
//
// Between steps 1 and 3 any process may insert the record "aborted". The home partition determines which record came first.
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
// A row and its index entries are a unit: one request gives them their markers, and one removes them.
//
// If everything is in one physical table, home is the partition of the largest group, or of a group whose entities have no room for intents (see
// room.go). Otherwise it is a partition of the records' table, so that dropping a table does not delete decisions about others.
//
// # Readers
//
// A reader that meets a marker looks for the record: if there is none, or it says "aborted", the reader sees the old content, otherwise the new.
// Reads write nothing and never wait. A page is read again if it shows a marker of a transaction that is committed but was not known to be
// before: the page may hold the home group as it was before. So a page never shows half of a transaction.
//
// Only the commit of a transaction that reads one moment and writes nothing waits for undecided transactions: one that has validated its reads
// comes before any later writer of what it has read.
//
// The ETag given for an entity with a marker names the side of the marker that was seen. A writer whose condition is this ETag settles the unit
// first.
//
// # Writers
//
// A writer that meets an intent of an undecided transaction gives up what it has prepared and waits, holding nothing, until that transaction is
// decided, or is aborted because it has shown no progress for a while. So there are no deadlocks. Then the unit is settled, and the statement
// runs again. A process that died may have left any number of units: once that becomes apparent, all of them on entities to be written are
// settled together.
//
// Requirements on ranges (engine.Requirement) are validated, or kept by touches: see touched.
//
// A touch merges nothing into a parent, which must exist: other transactions touch it without reading it. So only parents at home bear intents,
// where the deciding request notices a touch made since, and a transaction makes its own touches last. A new parent bears none: it could be
// touched before it is decided that it exists. Instead it has a guard, if the transaction validates. A transaction with parents in several
// partitions is refused (see Fit): TestParentsAway in tests/txmodel shows that an intent on a parent that is not at home breaks either the
// transactions that touch it or those that insert its key, whether or not an entity exists meanwhile.
package intent
