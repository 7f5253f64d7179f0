// Package sessionlog keeps the records of one open session in order: it numbers them, writes
// them to the session's journal, and delivers them to followers. What a caller committed
// reaches a follower only after it is on disk.
//
// The package does not know what records mean. Its owner, the session of the engine, folds
// them into a state (Config.Apply), and decides when the journal's lease is needed.
package sessionlog
