// Package sse is what the provider wires share: one HTTP exchange that a server answers
// with a stream of events. It reads the events, builds the answer from text that may be
// cut inside a rune, and types every failure as a *model.Error. It knows no wire's events.
package sse
