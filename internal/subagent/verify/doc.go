// Package verify runs the commands that check somebody's work, and reports what became of
// them. What follows from a failure is decided elsewhere.
package verify
