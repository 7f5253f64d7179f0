// Package client drives Parley from Go programs. It speaks Parley's native protocol to a host (parley serve), which several
// clients share, or to a process of its own (parley rpc).
//
// A [Client] connects again by itself when its connection is lost, and [Session.Follow] goes on after the last record that
// it has yielded: every record of a session comes exactly once and in order, whatever happens to the connection.
//
// Package record has the records as types. The protocol is documented in docs/native.md, the records in docs/journal.md.
package client
