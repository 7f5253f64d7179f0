// Package event is the closed set of what can happen in a session: plain values, numbered,
// with a JSON form that is the journal's line format. It says what happened, never who
// should be told.
//
// Durable events get the numbers 1, 2, 3 … within a session and are stored; all of a
// session's state is a fold of them. Transient events have number 0 and are only shown.
package event
