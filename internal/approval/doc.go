// Package approval decides whether a tool call may run, and which mode, rule or grant says so.
// It decides from plain values and runs nothing; package sandbox confines a call that runs.
package approval
