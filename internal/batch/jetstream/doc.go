// Package jetstream is a batch.Store on NATS JetStream, for workers on several machines. An entry of a log is a message
// on the subject of the log, and expects the sequence of the entry before: so a log is a chain, whichever workers
// are paused, killed or cut off. A queue is a stream whose messages are removed by acknowledgements. Each batch in
// a queue has a consumer of its own, so that a small batch need not wait for a large one.
//
// Subjects and streams are in internal/stream. The package runs no task, and no server.
package jetstream
