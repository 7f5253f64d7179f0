package config

import (
	"fmt"
	"time"
)

// DefaultWait is HostSettings.Wait where it is not set.
const DefaultWait = 24 * time.Hour

// HostSettings is how parley serve treats sessions without clients; docs/host.md.
type HostSettings struct {
	Wait string `json:"wait,omitzero"` // how long approvals and questions wait for a client: "24h"
}

// WaitTime returns Wait as a duration, which is more than 0.
func (h HostSettings) WaitTime() (time.Duration, error) {
	if h.Wait == "" {
		return DefaultWait, nil
	}
	wait, err := time.ParseDuration(h.Wait)
	if err != nil || wait <= 0 {
		return 0, fmt.Errorf("cannot read %q: expected a time such as 24h", h.Wait)
	}
	return wait, nil
}

func (h HostSettings) check() error {
	if _, err := h.WaitTime(); err != nil {
		return invalid("host.wait", err)
	}
	return nil
}
