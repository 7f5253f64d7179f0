package mcp

import (
	"errors"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/internal/boottime"
	"parley.dev/parley/internal/event"
)

// TestKilledServer: a server that the Watchdog of the commands kills has failed because of it.
func TestKilledServer(t *testing.T) {
	const limit = time.Hour
	lease := errors.New("the store could not be reached for 12 s")
	var renew func(sent time.Duration)
	v := newBench(t, func(o *Options) { renew = o.Spawner.Watch(limit, lease).Renew }).visit(server(t, "sdk"))
	c := v.prepare("hang", `{}`)
	r := c.Run(t.Context(), hooks(func(float64, float64, string) { renew(boottime.Now() - limit) }))
	if !r.IsError || !strings.Contains(r.Text, "ended while hang was called") {
		t.Errorf("the call that ran: %+v", r)
	}
	if got, want := v.await(event.ServerFailed), "its program was killed: "+lease.Error(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
