// Package journal defines the storage of sessions: Append, Read, Follow, Lease. It specifies what a
// store guarantees. Drivers are in folders below it; journaltest is the suite that each of them
// passes.
package journal
