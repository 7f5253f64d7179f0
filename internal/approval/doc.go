// Package approval answers one question: may this tool call run, and who says so? It
// decides from plain values and runs nothing; how a call is confined once it runs is
// package sandbox.
package approval
