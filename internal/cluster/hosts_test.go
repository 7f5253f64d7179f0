package cluster

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/cluster/peer"
	"parley.dev/parley/internal/cluster/tunnel"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/streamtest"
)

// TestHosts checks what a member publishes about itself, when it does, and that others list it.
func TestHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := streamtest.New(1, false)
		defer sim.Stop()
		var sessions, described atomic.Int64
		a, b := newSimulated(sim), unconnected(sim)
		defer a.Close()
		b.Describe(func() Description {
			described.Add(1)
			return Description{Version: "1.2", Labels: map[string]string{"os": "linux"}, Sessions: int(sessions.Load()), SharedRoots: []string{"/srv"}, Serves: true}
		})
		if _, err := b.Join(t.Context()); err != nil {
			t.Fatal(err)
		}
		find := func() Host {
			t.Helper()
			all, err := a.Hosts(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range all {
				if h.ID == b.opts.HostID {
					return h
				}
			}
			t.Fatalf("the host %s is not among %+v", b.opts.HostID, all)
			return Host{}
		}
		h := find()
		if !h.Live || h.Owner() != b.Owner() || h.Name != "test" || h.Version != "1.2" || !maps.Equal(h.Labels, map[string]string{"os": "linux"}) || h.PID == 0 || h.SharedRoots[0] != "/srv" {
			t.Errorf("the host is %+v", h)
		}
		time.Sleep(3 * time.Second)
		sessions.Store(3)
		before := described.Load()
		for range 1000 {
			b.Announce()
			time.Sleep(2 * time.Millisecond)
		}
		if n := described.Load() - before; n > 4 {
			t.Errorf("1,000 changes in 2 s are published %d times", n)
		}
		if h := find(); h.Sessions != 3 || time.Since(h.Seen) > 2*time.Second {
			t.Errorf("the host is %+v after a change, at %s", h, time.Now())
		}
		if h, err := a.FindHost(t.Context(), b.Owner()); err != nil || h.Owner() != b.Owner() {
			t.Errorf("FindHost: %+v, %v", h, err)
		}
		b.Close()
		if h := find(); h.Live || h.Name != "test" || h.Version != "1.2" {
			t.Errorf("a host that has left is %+v", h)
		}
		if _, err := a.FindHost(t.Context(), b.opts.HostID); !errors.Is(err, ErrNoHost) {
			t.Errorf("FindHost of a host that has left: %v", err)
		}
	})
}

// TestCommand checks that a member which neither serves clients nor runs tasks is listed with its version while it has a key, and
// not when it has ended, but when it was killed.
func TestCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := streamtest.New(1, false)
		defer sim.Stop()
		reader := newSimulated(sim)
		defer reader.Close()
		find := func(id string) (Host, bool) {
			t.Helper()
			all, err := reader.Hosts(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(all, func(h Host) bool { return h.ID == id })
			if i < 0 {
				return Host{}, false
			}
			return all[i], true
		}
		for name, slots := range map[string]int{"command": 0, "worker": 2} {
			m := unconnected(sim)
			m.opts.Version = "1.3"
			m.Describe(func() Description { return Description{Slots: slots} })
			if _, err := m.Join(t.Context()); err != nil {
				t.Fatal(err)
			}
			if h, there := find(m.opts.HostID); !there || !h.Live || h.Version != "1.3" {
				t.Errorf("%s: %+v, %v", name, h, there)
			}
			m.Close()
			if h, there := find(m.opts.HostID); there != (slots > 0) || h.Live || h.Slots != slots {
				t.Errorf("%s has ended: %+v, %v", name, h, there)
			}
			if live, err := reader.Live(t.Context(), m.Owner()); live || err != nil {
				t.Errorf("%s has ended and lives: %v", name, err)
			}
		}
	})
}

// TestConnect checks that a member which only reads is no host: it has no key until it joins, and its end leaves none.
func TestConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := streamtest.New(1, false)
		defer sim.Stop()
		reader, host := unconnected(sim), unconnected(sim)
		defer host.Close()
		hosts := func() (ids []string) {
			t.Helper()
			all, err := reader.Hosts(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range all {
				ids = append(ids, h.ID)
			}
			return ids
		}
		if _, err := host.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		if ids := hosts(); len(ids) != 0 {
			t.Errorf("the hosts are %q while two members are only connected", ids)
		}
		if _, err := reader.Call(t.Context(), host.Owner(), peer.VerbHas, "/"); !errors.Is(err, stream.ErrNoResponder) {
			t.Errorf("a call of a member that has not joined: %v", err)
		}
		for range 2 { // the second time it has a key
			if _, err := host.Join(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if ids := hosts(); !slices.Equal(ids, []string{host.opts.HostID}) {
			t.Errorf("the hosts are %q; want %s", ids, host.opts.HostID)
		}
		if _, err := reader.Call(t.Context(), host.Owner(), peer.VerbHas, "/"); err != nil {
			t.Errorf("a call of a host: %v", err)
		}
		reader.Close()
		late := unconnected(sim)
		defer late.Close()
		if all, err := late.Hosts(t.Context()); err != nil || len(all) != 1 {
			t.Errorf("the hosts are %+v, %v after a reader has ended; want one", all, err)
		}
	})
}

// unconnected returns a member that is not used yet.
func unconnected(sim *streamtest.Server) simulated {
	h := sim.Host(nil)
	return simulated{h, New(Options{HostName: "test", Clock: streamtest.Clock(), Dial: linkTo(h)})}
}

// TestTunnel opens a tunnel, is refused, calls a process that is gone, and closes the member at the other end.
func TestTunnel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := streamtest.New(1, false)
		defer sim.Stop()
		a, b := newSimulated(sim), unconnected(sim)
		defer a.Close()
		visitors := make(chan Visitor, 1)
		b.ServeTunnels(func(v Visitor) error {
			if v.Role == "" {
				return errors.New("no role")
			}
			return nil
		}, func(v Visitor, c *tunnel.Conn) {
			visitors <- v
			_, _ = io.Copy(c, c)
		})
		if _, err := b.Join(t.Context()); err != nil {
			t.Fatal(err)
		}
		c, err := a.OpenTunnel(t.Context(), b.Owner(), Visitor{Role: "driver", Sessions: []string{"s"}})
		if err != nil {
			t.Fatal(err)
		}
		if v := <-visitors; v.From != a.Owner() || v.Role != "driver" || len(v.Sessions) != 1 {
			t.Errorf("the visitor is %+v", v)
		}
		if _, err := c.Write([]byte("abc")); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 3)
		if _, err := io.ReadFull(c, got); err != nil || string(got) != "abc" || a.Tunnels() != 1 || b.Tunnels() != 1 {
			t.Errorf("%q came back, %v; %d and %d tunnels", got, err, a.Tunnels(), b.Tunnels())
		}
		var refused *RefusedError
		if _, err := a.OpenTunnel(t.Context(), b.Owner(), Visitor{}); !errors.As(err, &refused) || refused.Reason != "no role" {
			t.Errorf("a tunnel that is refused: %v", err)
		}
		if _, err := a.OpenTunnel(t.Context(), "h-gone.0", Visitor{Role: "driver"}); !errors.Is(err, stream.ErrNoResponder) {
			t.Errorf("a tunnel to a process that is gone: %v", err)
		}
		b.Close()
		if _, err := c.Read(got); !errors.Is(err, io.EOF) {
			t.Errorf("Read from a member that has ended: %v", err)
		}
		synctest.Wait()
		if a.Tunnels() != 0 || b.Tunnels() != 0 {
			t.Errorf("%d and %d tunnels after the end", a.Tunnels(), b.Tunnels())
		}
	})
}

// TestRenewedWhileRead checks that a host is listed whose key is renewed after others have begun to read the keys.
func TestRenewedWhileRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := streamtest.New(1, false)
		defer sim.Stop()
		host := newSimulated(sim)
		defer host.Close()
		if _, err := host.Join(t.Context()); err != nil {
			t.Fatal(err)
		}
		renewals := 0
		h := sim.Host(nil)
		reader := New(Options{HostName: "test", Clock: streamtest.Clock(), Dial: func(context.Context) (*Link, error) {
			return &Link{Server: renewing{h, func() {
				if renewals++; renewals > 1 {
					return
				}
				_, k, _ := host.current()
				if err := k.renew(t.Context()); err != nil {
					t.Error(err)
				}
			}}, Feed: h, Namespace: streamtest.Namespace, Close: func() {}}, nil
		}})
		defer reader.Close()
		all, err := reader.Hosts(t.Context())
		if err != nil || len(all) != 1 || all[0].ID != host.opts.HostID {
			t.Errorf("the hosts are %+v, %v", all, err)
		}
	})
}

// A renewing server calls a function before messages are read, and has the last message of each subject only, as a bucket.
type renewing struct {
	stream.Server
	renew func()
}

func (r renewing) Read(ctx context.Context, subject string, from, to uint64, each func(*stream.Message) error) error {
	r.renew()
	return r.Server.Read(ctx, subject, from, to, func(m *stream.Message) error {
		last, err := r.Last(ctx, m.Subject)
		if err != nil || last.Seq != m.Seq {
			return err
		}
		return each(m)
	})
}
