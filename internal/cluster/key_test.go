package cluster

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/stream/streamtest"
)

// A simulated is a member in the simulation, and its way to the server.
type simulated struct {
	*streamtest.Host
	*Member
}

// newSimulated returns a member that begins to connect after it was prepared.
func newSimulated(sim *streamtest.Server, prepare ...func(*Member)) simulated {
	h := sim.Host(nil)
	m := New(Options{HostName: "test", Clock: streamtest.Clock(), Dial: linkTo(h)})
	for _, f := range prepare {
		f(m)
	}
	go func() { _, _ = m.Join(m.life) }()
	return simulated{h, m}
}

// linkTo returns what connects a member to the simulation.
func linkTo(h *streamtest.Host) func(context.Context) (*Link, error) {
	return func(context.Context) (*Link, error) {
		return &Link{Server: h, Feed: h, Namespace: streamtest.Namespace, Close: func() {}}, nil
	}
}

func isLive(t *testing.T, h simulated, owner string) bool {
	t.Helper()
	live, err := h.Live(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	return live
}

// TestHostLive checks when a host counts as gone: when its key is gone, to a process that could have seen it
// renewed all the time.
func TestHostLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := streamtest.New(1, false)
		defer sim.Stop()
		watcher, other := newSimulated(sim), newSimulated(sim)
		defer watcher.Close()
		time.Sleep(2 * DefaultHostTTL)
		if !isLive(t, watcher, other.Owner()) {
			t.Error("a host that renews its key is gone")
		}
		if id, _, _ := strings.Cut(other.Owner(), "."); isLive(t, watcher, id+".00000000") {
			t.Error("another incarnation of a host is live")
		}
		other.Pause(4 * DefaultHostTTL)
		time.Sleep(DefaultHostTTL / 2)
		if !isLive(t, watcher, other.Owner()) {
			t.Error("a host is gone before its key is")
		}
		time.Sleep(DefaultHostTTL)
		if isLive(t, watcher, other.Owner()) {
			t.Error("a host is live after its key has expired")
		}
		late := newSimulated(sim)
		defer late.Close()
		time.Sleep(time.Second)
		if !isLive(t, late, other.Owner()) {
			t.Error("a process that has just come says that a host is gone")
		}
		time.Sleep(DefaultHostTTL)
		if isLive(t, late, other.Owner()) {
			t.Error("a host is live to a process that has watched for its key")
		}
		time.Sleep(4 * DefaultHostTTL)
		if !isLive(t, watcher, other.Owner()) {
			t.Error("a host that was paused is gone")
		}
		other.Close()
		if isLive(t, watcher, other.Owner()) {
			t.Error("a host that has left is live")
		}
	})
}

// TestHostOutage checks that no host counts as gone because the server could not be reached for longer than the TTL.
func TestHostOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := streamtest.New(1, false)
		defer sim.Stop()
		a, b := newSimulated(sim), newSimulated(sim)
		defer a.Close()
		defer b.Close()
		time.Sleep(2 * DefaultHostTTL)
		a.Pause(2 * DefaultHostTTL)
		b.Pause(2 * DefaultHostTTL)
		time.Sleep(2*DefaultHostTTL + time.Millisecond)
		if !isLive(t, a, b.Owner()) || !isLive(t, b, a.Owner()) {
			t.Error("a host is gone right after an outage")
		}
		time.Sleep(2 * DefaultHostTTL)
		if !isLive(t, a, b.Owner()) || !isLive(t, b, a.Owner()) {
			t.Error("a host is gone after an outage")
		}
	})
}

// TestAwaitRenewal: while a host is paused no work begins; after that it is known that the key was gone.
func TestAwaitRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := streamtest.New(1, false)
		defer sim.Stop()
		renewals := make(chan time.Duration, 1000)
		h := newSimulated(sim, func(m *Member) { m.OnRenewal(func(sent time.Duration) { renewals <- sent }) })
		defer h.Close()
		time.Sleep(3*DefaultHostTTL + time.Second)
		if gaps, err := h.AwaitRenewal(t.Context()); gaps != 0 || err != nil {
			t.Errorf("of a host that renews its key: %d gaps, %v", gaps, err)
		}
		h.Pause(2 * DefaultHostTTL)
		time.Sleep(DefaultHostTTL)
		short, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("late"))
		defer cancel()
		if _, err := h.AwaitRenewal(short); err == nil || err.Error() != "late" {
			t.Errorf("of a host that is paused: %v", err)
		}
		start := time.Now()
		if gaps, err := h.AwaitRenewal(t.Context()); gaps != 1 || err != nil || time.Since(start) < DefaultHostTTL/2 {
			t.Errorf("of a host that was paused: %d gaps, %v, after %v", gaps, err, time.Since(start))
		}
		synctest.Wait()
		count, last := len(renewals), time.Duration(0)
		for range count {
			last = <-renewals
		}
		if count < 10 || last < 5*DefaultHostTTL {
			t.Errorf("%d renewals, the last one sent at %v", count, last)
		}
	})
}
