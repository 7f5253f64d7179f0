// Package file stores journals in a folder: one append-only file per session, with a lock
// and its blobs next to it. It is sufficient for one machine.
//
//	ROOT/sessions/ID/journal.jsonl   the records, one line each
//	ROOT/sessions/ID/lock            held by the one writer; contains its process id
//	ROOT/sessions/ID/lease.wanted    a process requests the lease; contains its process id
//	ROOT/sessions/ID/blobs/SHA256    large payloads, by content
//	ROOT/sessions/ID/*.damaged-1     a journal as it was before a repair
//	ROOT/recent.jsonl                recent changes, for the index
//	ROOT/sessions.index              the index that List reads; can be deleted at any time
//	ROOT/sessions.index.lock         held by the process that changes the index
//
// A line is the record's JSON form with one more member at its end, "hash": 16 bytes in
// hex, the first of SHA-256 over the hash of the line before (zeroes before the first) and
// this line without the member. So the hash of a line verifies all lines before it.
//
// A lease lasts as long as its holder needs it: a journal that is open without one can acquire
// it again, and then reads the records that others appended meanwhile. A holder that keeps a lease
// without need waits for requests (AwaitRequest).
//
// A line is complete when it ends in a line feed. A process or machine that fails in an Append
// leaves at most the last line incomplete ("torn"): Read ends before it, Lease removes it. A
// complete line that is not as it was written is damage, which only [Store.Repair] changes.
//
// The package does not interpret records; it decodes them only for the summaries of List.
package file
