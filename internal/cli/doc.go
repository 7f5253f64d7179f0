// Package cli is what commands have in common: exit codes, flags, tables and JSON, signals, the version, and the
// program put together for a command. Each folder below it is a command, or a few that belong together.
package cli
