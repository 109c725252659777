// Package txmodel is a model of transactions over several partitions of a store that has entity group transactions and nothing
// else: intents, and a record at home that decides. It is explored through every interleaving of its requests, so that the rules of
// the protocol are known to hold, and each known to be needed, before code is built on them.
//
// # The protocol
//
// A transaction has an id, and groups: what it writes in one partition. One partition is its home.
//
//   - It reads what it writes, with versions (ETags).
//   - It prepares every group but the one at home, each by one request: an intent on each entity, on condition of the version that
//     was read. An intent is a marker with the id, and the new content beside the old one. A row that is inserted bears the marker
//     from the start.
//   - It decides by one request at home: the record "committed" is inserted, and the home group is written for good. The request is
//     refused where there is a record, or a version of the home group has changed.
//   - Then it is acknowledged. Intents go forward: the new content takes the place of the old one, and the marker goes. When all
//     have, the record goes, too.
//   - Anybody may insert the record "aborted" first. Then the transaction cannot be decided any more, and its intents go back.
//
// The rules that are easily left out are the fields of Rules. TestEachRule leaves each out in turn, and the explorer finds what goes
// wrong then.
//
// # What is explored
//
// The requests of all actors in every order: transactions, writers of one entity, readers of pages, and those who delete records.
// Each request may be lost before it arrives, have its answer lost, arrive late (at any time after), or twice. A process may die
// between any two requests. No clock is trusted: whoever meets an undecided intent may abort its transaction at any time, where the
// code would wait first. Age and leases only make that rarer.
//
// In each state that is reached:
//
//   - what an all-knowing reader makes of the store is what the decided transactions have written, in the order of their decisions;
//   - who was told "applied" is decided, and who was told "not applied" never is;
//   - a page shows one moment; two equal passes over several pages show one moment, too;
//   - serializable transactions have an order;
//   - a child has its parent.
package txmodel
