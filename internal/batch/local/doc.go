// Package local is a batch.Store for one machine: an SQLite database in a folder, which several processes use at the same time. What
// an append has returned is synced to the disk. Entries of queues are not synced when they are delivered: at worst a task is delivered
// twice. A process that ends, in whatever way, releases what it has pulled at once, since each Store holds a file lock.
package local
