// Package jsonrpc implements JSON-RPC as the dialects use it: parsing and writing frames, ids that
// are returned unchanged, error objects, and the table of a dialect's methods.
//
// It parses one line at a time and has no state: pending requests, the order of responses and the
// text of every error belong to the dialect. The differences between dialects are data, in
// [Options].
package jsonrpc
