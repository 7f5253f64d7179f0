// Package jsonrpc is JSON-RPC as protocols really speak it: frames in and out, ids kept as
// they came, error objects, and the table of a dialect's methods.
//
// It reads one line at a time and keeps no state: which requests are open, in what order
// answers go out, and the words of every error text belong to the dialect. What dialects
// do differently is data, in [Options].
package jsonrpc
