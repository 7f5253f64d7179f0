package codex

import (
	"context"
	"slices"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
)

// A Process is what the connections of a process share: the threads that are loaded, and each other. It is safe for concurrent
// use.
type Process struct {
	mu     lock.Mutex
	conns  []*conn           // that have initialized, in that order
	loaded []event.SessionID // in the order in which they were loaded; some may be closed again
	config *configuration    // nil: not needed so far
}

// NewProcess returns the state of a process without threads.
func NewProcess() *Process { return &Process{} }

// configuration returns what clients have written in a file.
func (p *Process) configuration(path string) *configuration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.config == nil {
		p.config = &configuration{path: path}
	}
	return p.config
}

// enter makes a connection hear what concerns all of them; leave ends it.
func (p *Process) enter(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns = append(p.conns, c)
}

func (p *Process) leave(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns = slices.DeleteFunc(p.conns, func(other *conn) bool { return other == c })
}

// announce sends a notification to the connections that it concerns; nil: all of them.
func (p *Process) announce(method string, params any, concerns func(*conn) bool) {
	p.mu.Lock()
	conns := slices.Clone(p.conns)
	p.mu.Unlock()
	for _, c := range conns {
		if concerns != nil && !concerns(c) {
			continue
		}
		for _, line := range c.announce(method, params) {
			c.out.Post(line)
		}
	}
}

// announceAfter sends a notification about a thread to every connection that can reach it; to this one after its answer.
func (c *conn) announceAfter(threadID, method string, params any) {
	t := c.subscribed(threadID)
	if t != nil {
		t.pump.Reply(c.announce(method, params)...)
	}
	c.cfg.Process.announce(method, params, func(other *conn) bool {
		return other == c && t == nil || other != c && other.reaches(threadID)
	})
}

// reaches reports whether a thread is within the access of the client, as far as that is known without its journal.
func (c *conn) reaches(threadID string) bool {
	if !c.cfg.Host.Limited() {
		return true
	}
	_, err := c.cfg.Host.Session(event.SessionID(threadID))
	return err == nil
}

// add notes that a thread is loaded.
func (p *Process) add(id event.SessionID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Contains(p.loaded, id) {
		p.loaded = append(p.loaded, id)
	}
}

// list returns the threads that are loaded, as far as the host reaches them.
func (p *Process) list(host *engine.Host) []event.SessionID {
	p.mu.Lock()
	defer p.mu.Unlock()
	open := slices.DeleteFunc(slices.Clone(p.loaded), func(id event.SessionID) bool {
		_, err := host.Session(id)
		return err != nil
	})
	if !host.Limited() {
		p.loaded = slices.Clone(open)
	}
	return open
}

// isEphemeral reports whether an open session is left without a trace.
func isEphemeral(s *engine.Session) bool { return extraOf(s.State().Settings).Ephemeral }

// remove deletes a session that is left, if nothing may stay of it.
func (c *conn) remove(ctx context.Context, t *thread) {
	if !t.ephemeral {
		return
	}
	_ = t.session.End(ctx, engine.EndedRemoved)
	if err := c.cfg.Host.Remove(ctx, event.SessionID(t.id)); err != nil && failure(t.id, err).Message != noRollout(t.id).Message {
		c.cfg.Log.Error("ephemeral thread not removed", "thread", t.id, "error", err)
	}
}
