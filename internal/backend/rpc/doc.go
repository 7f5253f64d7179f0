// Package rpc is the connection to an agent that answers requests, for its drivers: in JSON-RPC, or in the lines of another Codec.
package rpc
