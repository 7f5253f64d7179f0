// Package event defines the closed set of events of a session: plain values, numbered, with a JSON
// form that is the journal's line format. An event says what happened, not which clients receive it.
//
// Durable events have the numbers 1, 2, 3 … within a session and are stored; the whole state of a
// session is a fold of them. Transient events have the number 0 and are only sent to clients.
package event
