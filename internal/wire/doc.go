// Package wire reads and writes lines for every dialect: it splits the input into lines of a
// limited size, parses a line as a strict JSON object, writes complete lines through one writer,
// and separates stdout from stderr.
//
// It knows JSON and file descriptors, but no messages: the dialect decides what a line means and
// which error code a bad one gets. No input makes it panic, use more memory than the limit, or
// lose the line after a bad one.
package wire
