package dialect

import (
	"time"

	"parley.dev/parley/internal/engine"
)

// ackLimit is how long a prompt waits for a deferred store. Then the client is sent that its outcome is unknown.
const ackLimit = 10 * time.Second

// ClientInfo returns what a connection attaches to its sessions as.
func ClientInfo(name string) engine.ClientInfo {
	return engine.ClientInfo{Name: name, Driver: true, AckLimit: ackLimit}
}
