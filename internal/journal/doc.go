// Package journal is the record of sessions: Append, Read, Follow, Lease. It says what a
// store must promise; drivers are folders below it, and journaltest is the one suite that
// each of them passes.
package journal
