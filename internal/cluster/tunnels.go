package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/cluster/tunnel"
)

// This file contains the tunnels between members: bytes of a connection that one of them relays to another.

const (
	verbOpen      = "open"
	answerOpen    = "ok"
	answerRefused = "refused "
)

// OpenTunnel opens a tunnel to a process. Errors: *RefusedError, stream.ErrNoResponder, that of ctx.
func (m *Member) OpenTunnel(ctx context.Context, owner string, v Visitor) (*tunnel.Conn, error) {
	l, err := m.Connect(ctx)
	if err != nil {
		return nil, err
	}
	v.Conn, v.From, v.Name = randomHex(8), m.owner, m.opts.HostName
	request, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	in, out := l.Namespace.Tunnel(owner, v.Conn)
	c, err := m.newTunnel(l, out, in)
	if err != nil {
		return nil, err
	}
	answer, err := m.Call(ctx, owner, verbOpen, string(request))
	switch reason, refused := strings.CutPrefix(answer, answerRefused); {
	case err == nil && refused:
		err = &RefusedError{Reason: reason}
	case err == nil && answer != answerOpen:
		err = &RefusedError{Reason: "it takes no tunnels"}
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	go m.watch(c, owner)
	return c, nil
}

// watchInterval is how often a tunnel is looked at whose other side is quiet.
const watchInterval = time.Second

var errHostGone = errors.New("the host is gone")

// watch breaks a tunnel when the process at the other end is gone: that is known before its silence has lasted long enough.
func (m *Member) watch(c *tunnel.Conn, owner string) {
	ticks := time.NewTicker(watchInterval)
	defer ticks.Stop()
	for {
		select {
		case <-c.Done():
			return
		case <-ticks.C:
		}
		if c.Quiet() <= m.opts.HostTTL/renewals+watchInterval {
			continue
		}
		if live, err := m.Live(m.life, owner); err == nil && !live {
			c.Break(errHostGone)
			return
		}
	}
}

// ServeTunnels sets what takes the tunnels of other members: check returns why it takes none from a visitor, and serve
// uses one until it ends. It must be called before the member is used.
func (m *Member) ServeTunnels(check func(Visitor) error, serve func(Visitor, *tunnel.Conn)) {
	m.Handle(verbOpen, func(request string) string {
		c, v, err := m.accept(request, check)
		if err != nil {
			return answerRefused + err.Error()
		}
		go func() {
			defer func() { _ = c.Close() }()
			serve(v, c)
		}()
		return answerOpen
	})
}

// accept takes a tunnel.
func (m *Member) accept(request string, check func(Visitor) error) (c *tunnel.Conn, v Visitor, err error) {
	if err := json.Unmarshal([]byte(request), &v); err != nil {
		return nil, v, fmt.Errorf("the request is not readable: %w", err)
	}
	if !isToken(v.Conn) {
		return nil, v, errors.New("the tunnel has no id")
	}
	l := m.Current()
	if l == nil {
		return nil, v, ErrClosed
	}
	if err := check(v); err != nil {
		return nil, v, err
	}
	in, out := l.Namespace.Tunnel(m.owner, v.Conn)
	c, err = m.newTunnel(l, in, out)
	return c, v, err
}

// isToken reports whether a text can be a part of a subject.
func isToken(text string) bool {
	return text != "" && len(text) <= 64 && !strings.ContainsAny(text, ".*> \t\r\n")
}

// newTunnel returns a side of a tunnel, which ends with the member.
func (m *Member) newTunnel(l *Link, from, to string) (*tunnel.Conn, error) {
	c, err := tunnel.New(l, from, to, m.opts.TunnelSilence)
	if err != nil {
		return nil, err
	}
	m.tunnels.Add(1)
	ends := context.AfterFunc(m.life, func() { _ = c.Close() })
	go func() {
		<-c.Done()
		ends()
		m.tunnels.Add(-1)
	}()
	return c, nil
}

// Tunnels returns how many tunnels are open.
func (m *Member) Tunnels() int { return int(m.tunnels.Load()) }
