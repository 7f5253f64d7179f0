package parts

import (
	"os"
	"path/filepath"
	"time"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/journal/jetstream"
	"parley.dev/parley/internal/storemetric"
)

// hostTTLVariable is how long the keys of hosts last, for tests that wait for their end. All hosts need the same value.
const hostTTLVariable = "PARLEY_TEST_HOST_TTL"

// tunnelSilenceVariable is after how long without a message tunnels are broken, for tests that wait for that. All hosts need the
// same value.
const tunnelSilenceVariable = "PARLEY_TEST_TUNNEL_SILENCE"

// openShared opens a store on NATS.
func openShared(o app.SharedOptions) app.Shared {
	ttl, _ := time.ParseDuration(os.Getenv(hostTTLVariable)) // 0: the default
	silence, _ := time.ParseDuration(os.Getenv(tunnelSilenceVariable))
	m := cluster.New(cluster.Options{
		Address: o.Address.Stream, Connection: o.Settings.Connection(o.Role), HostID: o.HostID, HostTTL: ttl, TunnelSilence: silence, Version: o.Version,
	})
	store := jetstream.New(m)
	store.SaveLost(filepath.Join(o.Settings.Home, "lost"))
	return app.Shared{Store: store, Member: m, Watch: func() app.MetricWriter { return storemetric.New(m, store) }}
}
