package acp

import (
	"context"
	"errors"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// closeSession leaves a session (session/close). Of one that is not open here there is nothing to close.
func (c *conn) closeSession(ctx context.Context, id jsonrpc.ID, p *SessionParams) {
	c.leave(ctx, id, p.SessionID, func() error { return nil })
}

// deleteSession removes a session (session/delete). One that there is not is removed already.
func (c *conn) deleteSession(ctx context.Context, id jsonrpc.ID, p *SessionParams) {
	c.leave(ctx, id, p.SessionID, func() error { return c.remove(ctx, event.SessionID(p.SessionID)) })
}

// leave leaves a session, if it is open here, and then does something with it. Requests do not find it any more.
func (c *conn) leave(ctx context.Context, id jsonrpc.ID, session string, then func() error) {
	if c.loading[event.SessionID(session)] {
		c.fail(id, errLoading)
		return
	}
	s := c.sessions[event.SessionID(session)]
	if s != nil {
		s.part()
	}
	c.exclusively(event.SessionID(session), func() {
		if s != nil {
			s.leave(ctx)
		}
		if err := then(); err != nil {
			c.failIn(session, id, err)
			return
		}
		c.reply(id, Empty{})
	})
}

// remove removes a session that is not open on the connection.
func (c *conn) remove(ctx context.Context, id event.SessionID) error {
	if eng, err := c.cfg.Host.Session(id); err == nil && c.cfg.Host.Holders(id) == 0 { // a host closes it some time after its last client has left
		if err := eng.End(ctx, engine.EndedRemoved); err != nil {
			c.cfg.Log.Warn("session to be removed not saved", "session", id, "error", err)
		}
	}
	err := c.cfg.Host.Remove(ctx, id)
	if errors.Is(err, engine.ErrNoSession) {
		return nil
	}
	return err
}

// exclusively does work on a session in a goroutine, after the work on it that was begun before. The caller holds the
// connection's lock, and work does not.
func (c *conn) exclusively(id event.SessionID, work func()) {
	before, done := c.exclusive[id], make(chan struct{})
	c.exclusive[id] = done
	c.working.Go(func() {
		if before != nil {
			<-before
		}
		defer func() { // also if work panics
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.exclusive[id] == done {
				delete(c.exclusive, id)
			}
			close(done)
		}()
		work()
	})
}
