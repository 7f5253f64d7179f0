// Package pi drives pi in its mode rpc, and agents that speak the same: it writes commands and reads responses and events, a line
// of JSON each. An extension of this package, which pi loads, holds each call of a tool until it is decided.
// Source: docs/rpc.md, docs/extensions.md and docs/session-format.md of @mariozechner/pi-coding-agent 0.73.1.
package pi
