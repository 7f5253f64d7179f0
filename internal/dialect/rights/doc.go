// Package rights decides what a client of the network may do, for all protocols. Each protocol has a [Table] with a row
// for every message that a client can send; a [Guard] compares each line with it before the protocol sees the line.
// Which sessions and folders a client can reach is decided by the engine; what a client is, by its token.
package rights
