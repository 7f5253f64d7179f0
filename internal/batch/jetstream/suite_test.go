package jetstream_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/batch/batchtest"
	"parley.dev/parley/internal/batch/jetstream"
	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/natstest"
)

func TestStore(t *testing.T) { run(t, natstest.Start(t).URL, 1) }

func TestStoreOfThreeServers(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers take minutes")
	}
	run(t, natstest.StartCluster(t, 3)[0].URL, 3)
}

func run(t *testing.T, url string, replicas int) {
	batchtest.Run(t, func(t *testing.T) batchtest.Medium { return newMedium(t, url, replicas) })
}

// A medium is a namespace.
type medium struct{ address stream.Address }

var namespaces atomic.Int64

func newMedium(t testing.TB, url string, replicas int) medium {
	a, err := stream.ParseAddress(fmt.Sprintf("%s/t%d", url, namespaces.Add(1)))
	if err == nil {
		err = stream.Init(t.Context(), a, stream.InitOptions{Replicas: replicas})
	}
	if err != nil {
		t.Fatal(err)
	}
	return medium{a}
}

func (m medium) Open(t *testing.T, visibility time.Duration) batch.Store {
	return m.open(t, visibility)
}

// open opens a store as another process would.
func (m medium) open(t testing.TB, visibility time.Duration) batch.Store {
	member := cluster.New(cluster.Options{Address: m.address})
	t.Cleanup(member.Close)
	return jetstream.New(member.Connect, jetstream.Options{Visibility: visibility})
}

// TestOldNamespace uses a namespace that was made before there were batches.
func TestOldNamespace(t *testing.T) {
	m := newMedium(t, natstest.Start(t).URL, 1)
	removeStreams(t, m.address, m.address.Namespace+"_batch", m.address.Namespace+"_tasks")
	s := m.open(t, 2*time.Second)
	defer s.Close()
	_, err := s.Batches(t.Context())
	want := fmt.Sprintf("the namespace %s has no streams for batches; add them with `parley store init`", m.address.Namespace)
	if err == nil || err.Error() != want {
		t.Errorf("Batches: %v, want %s", err, want)
	}
	if err := stream.Init(context.Background(), m.address, stream.InitOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Batches(t.Context()); err != nil {
		t.Errorf("Batches after Init: %v", err)
	}
}
