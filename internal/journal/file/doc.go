// Package file keeps journals in a folder: one append-only file per session, with a lock
// and its blobs beside it. On one machine it is all one needs.
//
//	ROOT/sessions/ID/journal.jsonl   the records, one line each
//	ROOT/sessions/ID/lock            held by the one writer; contains its process id
//	ROOT/sessions/ID/blobs/SHA256    large payloads, by content
//	ROOT/sessions/ID/*.damaged-1     a journal as it was before a repair
//	ROOT/recent.jsonl                what changed lately, for the index
//	ROOT/index.db                    what List shows; can be deleted at any time
//
// A line is the record's JSON form with one more member at its end, "hash": 16 bytes in
// hex, the first of SHA-256 over the hash of the line before (zeroes before the first) and
// this line without the member. So a line vouches for all lines before it.
//
// A line is whole when its line feed is there. A process or machine that dies in an Append
// leaves at most the last line torn: Read ends before it, Lease cuts it off. A whole line
// that is not as it was written is damage, which nobody repairs unasked ([Store.Repair]).
//
// The package is not the place for what records mean; it looks into them only for the
// summaries that List shows.
package file
