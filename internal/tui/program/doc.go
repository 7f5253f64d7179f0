// Package program is the terminal console as a process: it connects, finds the session, runs the screen or the plain mode,
// and leaves the terminal as it was, however it ends.
package program
