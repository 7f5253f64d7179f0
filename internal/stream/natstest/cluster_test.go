package natstest

import "testing"

// TestRoutes starts a cluster whose servers reach each other through links.
func TestRoutes(t *testing.T) {
	for _, c := range []Config{
		{Servers: 1, SyncAlways: true},
		{Servers: 3},
		{Servers: 3, Route: func(from, to int, address string) string {
			if (to-from+3)%3 > 1 {
				return ClosedAddress
			}
			return NewLink(t, address).Addresses[0]
		}},
	} {
		if all := c.Start(t); len(all) != c.Servers {
			t.Errorf("%d servers, want %d", len(all), c.Servers)
		}
	}
}
