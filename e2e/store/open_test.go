//go:build linux

package store

import (
	"time"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/jetstream"
	"parley.dev/parley/internal/stream"
)

// openStore opens the store of a writer, which logs each attempt to publish a frame.
func openStore(spec writerSpec, log func(entry), clock func() time.Duration) (journal.Store, error) {
	address, err := stream.ParseAddress(spec.Address)
	if err != nil {
		return nil, err
	}
	options := cluster.Options{Address: address, HostName: spec.Name, HostTTL: time.Duration(spec.TTLMS) * time.Millisecond, Clock: clock}
	options.Dial = dialer(address, spec.Mutant, log)
	store := jetstream.New(cluster.New(options))
	store.SaveLost(spec.Lost)
	return store, nil
}
