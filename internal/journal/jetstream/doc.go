// Package jetstream stores journals in NATS JetStream, for sessions that several machines use. Nothing is
// connected before a store is used, and the server is not part of this program.
//
// A frame is one message: the lines of one or several calls of Append, stored whole or not at all. Its
// headers name the last record, its hash, and the owner of the session. Each frame is published with the
// sequence of the frame before it as the expected last sequence of the subject. So the log is the lock: a
// claim is a frame, and after it the server refuses everything from the former owner, whatever time any
// clock has. Clocks decide only when a dead owner is noticed: see internal/cluster.
//
// The lines are those of the file driver, byte for byte, with the same hashes.
package jetstream
