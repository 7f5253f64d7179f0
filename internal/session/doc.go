// Package session is the state of a session as a pure fold of its records: settings, history, tree of
// branches, what is open, and the estimate of its size. It has no lock, starts no goroutine, and reads
// and writes nothing. Package engine has the session that runs.
package session
