// Package store measures the store on NATS JetStream beside the client library alone, on servers that it starts: appends, openings of
// sessions and tasks of batches, each in turn with what the servers need at least, and hosts that are only simulated.
package store
