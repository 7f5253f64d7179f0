package jetstream

import (
	"context"
	"errors"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/streamtest"
)

// A simHost is a store in the simulation, and its way to the server.
type simHost struct {
	*streamtest.Host
	store *Store
}

// newSimHost returns a store that begins to connect; id: that of its host, or "".
func newSimHost(sim *streamtest.Server, id string, mutate func(stream.Server) stream.Server) simHost {
	h := sim.Host(mutate)
	store := New(cluster.New(cluster.Options{HostID: id, HostName: "test", Clock: streamtest.Clock(), Dial: func(context.Context) (*cluster.Link, error) {
		return &cluster.Link{Server: h, Feed: h, Namespace: streamtest.Namespace, Close: func() {}}, nil
	}}))
	store.spawn(func() { _, _ = store.join(store.life) })
	return simHost{h, store}
}

// The mutations: mistakes that the checks must find.
type (
	noExpectation struct{ stream.Server } // appends do not name the frame before
	refusalIsAck  struct{ stream.Server } // code 10071 counts as success
	trustedClaim  struct{ stream.Server } // a claim does not name the frame that it has seen
)

func (s noExpectation) Publish(ctx context.Context, m *stream.Message, after uint64) (uint64, error) {
	if m.Header["Parley-Kind"] == kindAppend {
		after = stream.AnySequence
	}
	return s.Server.Publish(ctx, m, after)
}

func (s refusalIsAck) Publish(ctx context.Context, m *stream.Message, after uint64) (uint64, error) {
	seq, err := s.Server.Publish(ctx, m, after)
	if errors.Is(err, stream.ErrSequence) && m.Header["Parley-Kind"] == kindAppend {
		return after + 1, nil
	}
	return seq, err
}

func (s trustedClaim) Publish(ctx context.Context, m *stream.Message, after uint64) (uint64, error) {
	if m.Header["Parley-Kind"] == kindClaim {
		after = stream.AnySequence
	}
	return s.Server.Publish(ctx, m, after)
}
