// Package rpc is the connection to an agent that speaks JSON-RPC, for its drivers.
package rpc
