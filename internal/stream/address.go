package stream

import "parley.dev/parley/internal/stream/address"

// An Address is the servers of a store and its namespace there.
type Address = address.Address

// ConnectOptions are how a store connects.
type ConnectOptions = address.Connection

// ParseAddress parses the address of a store; see [address.Parse].
func ParseAddress(text string) (Address, error) { return address.Parse(text) }

// The names of roles; see package address.
const (
	RoleHost      = address.RoleHost
	RoleSubmitter = address.RoleSubmitter
	RoleViewer    = address.RoleViewer
)
