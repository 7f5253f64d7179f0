// Package verify runs the commands that check the work of a subagent, and reports their
// results. What follows from a failure is decided elsewhere.
package verify
