// Package draw turns the items of a conversation into lines for a terminal. A line has SGR sequences, links to the web
// (OSC 8) where the terminal has them, and no other control character: whatever a model, a tool or a file says is text.
// The package knows no screen and no keys; package page chooses the lines that a screen shows.
package draw
