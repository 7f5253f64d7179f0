package serve

import (
	"context"
	"log/slog"
	"sync/atomic"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/cluster/peer"
	"parley.dev/parley/internal/cluster/tunnel"
	"parley.dev/parley/internal/dialect/native"
	"parley.dev/parley/internal/host"
	"parley.dev/parley/internal/host/audit"
	"parley.dev/parley/internal/host/token"
)

// A station is this host as the others see it: it publishes what it is, and serves clients that other hosts relay.
type station struct {
	*peers
	app      *app.App
	host     *host.Host
	audit    *audit.Log
	log      *slog.Logger
	labels   map[string]string
	draining *atomic.Bool
}

// open makes the host known to the others. It must be called before the store is connected.
func (s *station) open() {
	s.peers.serve()
	s.member.Describe(s.description)
	s.member.ServeTunnels(s.check, s.visit)
	s.member.Handle(peer.VerbDrain, func(string) string {
		s.drain()
		return peer.AnswerYes
	})
}

// description returns what the host publishes.
func (s *station) description() peer.Description {
	return peer.Description{
		Version: cli.Version, Labels: s.labels, Sessions: s.app.Host.OpenSessions(), Draining: s.draining.Load() || s.host.Closing(), Serves: true, SharedRoots: s.roots,
	}
}

// announce publishes changes of the sessions that are open, until ctx ends.
func (s *station) announce(ctx context.Context) {
	for range s.app.Host.Watch(ctx) {
		s.member.Announce()
	}
}

// drain takes nothing new from now on, and closes sessions as they become idle.
func (s *station) drain() {
	if s.draining.Swap(true) {
		return
	}
	s.member.Announce()
	s.log.Info("the host is drained")
	go func() {
		_ = s.app.Host.Drain(context.Background()) // without an end there is no error
		s.member.Announce()
	}()
}

// check reports why the host does not serve a client of another one.
func (s *station) check(v peer.Visitor) error {
	if s.host.Closing() {
		return host.ErrClosing
	}
	if !native.IsRole(v.Role) {
		return errUnknownRole
	}
	return nil
}

// visit serves a client of another host, whose rights that has checked.
func (s *station) visit(v peer.Visitor, c *tunnel.Conn) {
	scope := token.Scope{Workspace: v.Within}
	if v.Limited {
		scope.Sessions = append([]string{}, v.Sessions...)
	}
	id := "relay of " + v.From
	e := audit.Entry{Dialect: "native", Client: v.Client, Role: v.Role, Name: id}
	leave, err := s.host.Enter()
	if err != nil {
		e.Event, e.Problem = "refused", err.Error()
		s.write(e)
		return
	}
	defer leave()
	stop := make(chan struct{})
	done := make(chan struct{})
	defer close(done)
	go func() {
		defer close(stop)
		select {
		case <-s.host.Stop():
		case <-c.Done():
		case <-done:
		}
	}()
	serve, err := s.host.Dialect(context.Background(), host.Conn{
		Preamble: host.Preamble{Parley: 1, Dialect: "native", Client: v.Client}, In: c, Out: c, Stop: stop, Relay: v.From,
		Token: &token.Info{Role: v.Role, Name: id, Scope: scope},
	})
	if err != nil {
		s.log.Error("client of another host not served", "host", v.From, "error", err)
		return
	}
	e.Event = "connected"
	s.write(e)
	_, _ = serve() // there is no process to end
	e.Event = "disconnected"
	s.write(e)
}

func (s *station) write(e audit.Entry) {
	if err := s.audit.Add(e); err != nil {
		s.log.Error("audit log not written", "error", err)
	}
}
