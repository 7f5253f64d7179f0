// Package wire carries lines in and out, the same way for every dialect: it cuts the input
// into lines under a size cap, opens a line as a strict JSON object, writes whole lines
// through one writer, and keeps stdout and stderr out of each other's way.
//
// It knows JSON and file descriptors, but no message: what a line means, and which error
// code a bad one gets, belongs to the dialect. No input makes it panic, grow past the cap
// or lose the line after a bad one.
package wire
