//go:build !unix

package watchdog

import "time"

// A Watchdog would kill commands; on this system there are none.
type Watchdog struct{}

// Renew does nothing.
func (*Watchdog) Renew(time.Duration) {}
