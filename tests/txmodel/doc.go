// Package txmodel is a model of transactions over several partitions of a store that has only entity group transactions: intents, and a record
// at home that decides. Every interleaving of its requests is explored, so that the rules of the protocol are known to be sufficient, and each
// known to be necessary, before code is built on them.
//
// # The protocol
//
// A transaction has an id, and groups: a group is what it writes in one partition. One partition is its home.
//
//   - It reads what it writes, with versions (ETags).
//   - It prepares every group except the one at home, each by one request: an intent on each entity, on condition of the version that was read.
//     An intent is a marker with the id, and the new content next to the old. A row that is inserted bears the marker from the start.
//   - It decides by one request at home: the record "committed" is inserted, and the home group is written for good. The request is refused if
//     there is a record, or if a version of the home group has changed.
//   - Then it is acknowledged. Intents go forward: the new content replaces the old, and the marker is removed. After the last of them, the
//     record is removed, too.
//   - Any process may insert the record "aborted" first. Then the transaction can no longer be decided, and its intents go back.
//
// The rules that are easy to leave out are the fields of Rules. TestEachRule leaves out each in turn, and the explorer finds what then goes
// wrong.
//
// # What is explored
//
// The requests of all actors in every order: transactions, writers of one entity, readers of pages, and processes that delete records. Each
// request may be lost before it arrives, lose its answer, arrive late (at any later time), or twice. A process may die between any two requests.
// No clock is trusted: a process that meets an undecided intent may abort its transaction at any time, where the code would wait first. Age and
// leases only make that rarer.
//
// In each state that is reached:
//
//   - what an all-knowing reader sees in the store is what the decided transactions have written, in the order of their decisions;
//   - a transaction whose caller was told "applied" is decided, and one whose caller was told "not applied" never will be;
//   - a page shows one moment; two equal passes over several pages show one moment, too;
//   - serializable transactions have an order;
//   - a child has its parent.
package txmodel
