package acp

import (
	"context"
	"errors"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains the methods about sessions that are there with Flags.Unstable only.

// forkSession makes a session of the past of another one (session/fork).
func (c *conn) forkSession(ctx context.Context, id jsonrpc.ID, p *ForkSessionParams) {
	source := event.SessionID(p.SessionID)
	switch s := c.sessions[source]; {
	case c.loading[source]:
		c.fail(id, errLoading)
		return
	case s != nil && s.busy():
		c.fail(id, errTurnRuns)
		return
	}
	forking, cancel := context.WithCancel(c.life)
	c.running.begin(id, cancel)
	c.exclusively(source, func() {
		defer cancel()
		eng, err := c.fork(forking, p)
		if err == nil && !c.enterFork(forking, id, eng) {
			err = errors.Join(errCancelled, eng.Close(context.WithoutCancel(ctx)), c.remove(context.WithoutCancel(ctx), eng.ID()))
		}
		if err == nil {
			return
		}
		c.running.done(id)
		if forking.Err() != nil {
			err = errCancelled
		}
		c.failIn(p.SessionID, id, err)
	})
}

// fork makes a session that the connection has not entered yet.
func (c *conn) fork(ctx context.Context, p *ForkSessionParams) (*engine.Session, error) {
	dir, err := c.folder(p.Cwd)
	if err != nil {
		return nil, err
	}
	eng, err := c.cfg.Host.Fork(ctx, event.SessionID(p.SessionID), 0, engine.NewSession{Workspace: dir}, c.options(p.AdditionalDirectories))
	if err != nil {
		return nil, err
	}
	eng.Servers().Use(serversOf(p.MCPServers))
	return eng, nil
}

// enterFork answers with a session that was made; false: the request was cancelled.
func (c *conn) enterFork(ctx context.Context, id jsonrpc.ID, eng *engine.Session) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	c.running.done(id)
	c.enter(eng).announce(id)
	return true
}

// setTitle names a session (session/set_title).
func (c *conn) setTitle(ctx context.Context, id jsonrpc.ID, p *SetTitleParams) {
	c.change(ctx, id, p.SessionID, func(s *event.Settings) { s.Name = p.Title }, SetTitleResult{p.Title})
}

// archive removes a session from the usual list (session/archive).
func (c *conn) archive(ctx context.Context, id jsonrpc.ID, p *SessionParams) {
	c.change(ctx, id, p.SessionID, func(s *event.Settings) { s.Archived = true }, Empty{})
}

// unarchive returns a session to the usual list (session/unarchive).
func (c *conn) unarchive(ctx context.Context, id jsonrpc.ID, p *SessionParams) {
	c.change(ctx, id, p.SessionID, func(s *event.Settings) { s.Archived = false }, Empty{})
}

// change changes the settings of a session, which need not be open.
func (c *conn) change(ctx context.Context, id jsonrpc.ID, session string, edit func(*event.Settings), result any) {
	s, err := c.find(session)
	switch {
	case err == errLoading:
		c.fail(id, err)
	case err == nil:
		s.pump.Around(func() [][]byte {
			if err := s.client.Change(edit); err != nil {
				return [][]byte{c.failLine(session, id, err)}
			}
			return [][]byte{c.resultLine(id, result)}
		})
	default:
		c.exclusively(event.SessionID(session), func() {
			if err := c.changeSaved(ctx, event.SessionID(session), edit); err != nil {
				c.failIn(session, id, err)
				return
			}
			c.reply(id, result)
		})
	}
}

// changeSaved changes the settings of a session that is not open on the connection.
func (c *conn) changeSaved(ctx context.Context, id event.SessionID, edit func(*event.Settings)) error {
	eng, err := c.cfg.Host.Open(ctx, id, Options())
	if err != nil {
		return err
	}
	return errors.Join(eng.Join(engine.ClientInfo{}).Change(edit), eng.Close(ctx))
}

// status returns whether a session is open here (session/status).
func (c *conn) status(ctx context.Context, id jsonrpc.ID, p *SessionParams) {
	s := c.sessions[event.SessionID(p.SessionID)]
	switch {
	case s != nil && s.eng.Ended() == "":
		c.reply(id, SessionStatusResult{"open"})
	case c.cfg.Host.Exists(ctx, event.SessionID(p.SessionID)):
		c.reply(id, SessionStatusResult{"saved"})
	default:
		c.fail(id, noSession(p.SessionID))
	}
}
