package jetstream

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/streamtest"
)

// TestHostReplaced starts a second process with the id of a host: the first loses its leases, and the second
// can claim them at once.
func TestHostReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := streamtest.New(1, false)
		defer sim.Stop()
		first := newSimHost(sim, "h", nil)
		defer first.store.Close()
		time.Sleep(time.Second)
		const id event.SessionID = "a"
		j, err := first.store.Create(t.Context(), id, []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: id}}})
		if err != nil {
			t.Fatal(err)
		}
		second := newSimHost(sim, "h", nil)
		defer second.store.Close()
		k, err := second.store.Lease(t.Context(), id)
		if err != nil {
			t.Fatalf("Lease of a session of the former process: %v", err)
		}
		<-j.Lost()
		if err := j.Append(j.Head(), []event.Record{{Event: event.Notice{}}}); !errors.Is(err, journal.ErrFenced) {
			t.Errorf("Append of the former process: %v, want ErrFenced", err)
		}
		if err := errors.Join(k.Close(), j.Close()); err != nil {
			t.Error(err)
		}
	})
}

// TestCloseWithoutServer closes a journal whose records cannot be stored: it ends, and says that it is unknown
// whether they are.
func TestCloseWithoutServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := streamtest.New(1, false)
		defer sim.Stop()
		h := newSimHost(sim, "", nil)
		const id event.SessionID = "a"
		j, err := h.store.Create(t.Context(), id, []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: id}}})
		if err != nil {
			t.Fatal(err)
		}
		h.Pause(24 * time.Hour)
		if err := j.Append(1, []event.Record{{Event: event.Notice{}}}); err != nil {
			t.Fatal(err)
		}
		if err := h.store.Close(); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err == nil {
			t.Error("Close of a journal with records that are not stored succeeds")
		}
	})
}

// TestAwaitRenewal pauses a host for longer than its key lasts: when it may work again, it has lost the session
// that another host has claimed, and not the other one.
func TestAwaitRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := streamtest.New(1, false)
		defer sim.Stop()
		h, other := newSimHost(sim, "", nil), newSimHost(sim, "", nil)
		defer h.store.Close()
		defer other.store.Close()
		time.Sleep(2 * cluster.DefaultHostTTL)
		leases := map[event.SessionID]journal.Journal{}
		for _, id := range []event.SessionID{"a", "b"} {
			j, err := h.store.Create(t.Context(), id, []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: id}}})
			if err != nil {
				t.Fatal(err)
			}
			leases[id] = j
		}
		h.Pause(4 * cluster.DefaultHostTTL)
		time.Sleep(2 * cluster.DefaultHostTTL)
		claimed, err := other.store.Lease(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		if err := h.store.AwaitRenewal(t.Context()); err != nil {
			t.Fatal(err)
		}
		select {
		case <-leases["a"].Lost():
		default:
			t.Error("the session that was claimed is not lost")
		}
		select {
		case <-leases["b"].Lost():
			t.Error("the other session is lost")
		default:
		}
		if err := errors.Join(claimed.Close(), leases["a"].Close(), leases["b"].Close()); err != nil {
			t.Error(err)
		}
	})
}

// A silentLeader does not answer some requests for the last frame of session a.
type silentLeader struct {
	stream.Server
	calls *atomic.Int32
}

func (s silentLeader) Last(ctx context.Context, subject string) (*stream.Message, error) {
	if subject == streamtest.Namespace.Journal("a") && s.calls.Add(-1) >= 0 {
		return nil, context.DeadlineExceeded
	}
	return s.Server.Last(ctx, subject)
}

// TestAwaitRenewalAgain: a session that cannot be read for some time after a gap of the renewals delays the work of others, and fails none.
func TestAwaitRenewalAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := streamtest.New(1, false)
		defer sim.Stop()
		var calls atomic.Int32
		h := newSimHost(sim, "", func(s stream.Server) stream.Server { return silentLeader{s, &calls} })
		defer h.store.Close()
		time.Sleep(2 * cluster.DefaultHostTTL)
		var leases []journal.Journal
		for _, id := range []event.SessionID{"a", "b"} {
			j, err := h.store.Create(t.Context(), id, []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: id}}})
			if err != nil {
				t.Fatal(err)
			}
			leases = append(leases, j)
		}
		h.Pause(4 * cluster.DefaultHostTTL)
		time.Sleep(4 * cluster.DefaultHostTTL)
		calls.Store(5)
		if err := h.store.AwaitRenewal(t.Context()); err != nil || calls.Load() >= 0 {
			t.Errorf("AwaitRenewal = %v, %d requests without an answer are left", err, calls.Load())
		}
		for _, j := range leases {
			if err := j.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// A forgetfulLeader has no frame of a session for some calls.
type forgetfulLeader struct {
	stream.Server
	calls *int
}

func (s forgetfulLeader) Last(ctx context.Context, subject string) (*stream.Message, error) {
	if subject == streamtest.Namespace.Journal("a") && *s.calls > 0 {
		*s.calls--
		return nil, stream.ErrNoMessage
	}
	return s.Server.Last(ctx, subject)
}

// TestFrameOfThePast leases a session of which the leader has no frame at first: it exists, since the index has it.
func TestFrameOfThePast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := streamtest.New(1, false)
		defer sim.Stop()
		calls := 0
		h := newSimHost(sim, "", func(s stream.Server) stream.Server { return forgetfulLeader{s, &calls} })
		defer h.store.Close()
		j, err := h.store.Create(t.Context(), "a", []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: "a"}}})
		if err == nil {
			err = j.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		calls = 5
		if j, err = h.store.Lease(t.Context(), "a"); err != nil {
			t.Fatalf("Lease: %v", err)
		}
		if err := errors.Join(j.Close(), h.store.Remove(t.Context(), "a")); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := h.store.Lease(t.Context(), "a"); !errors.Is(err, journal.ErrNotFound) || time.Since(start) > time.Second {
			t.Errorf("Lease of a session that was removed: %v after %v", err, time.Since(start))
		}
	})
}
