package acp

import (
	"context"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// A reopening is a request for a session that was made before.
type reopening struct {
	id      jsonrpc.ID
	session event.SessionID
	cwd     string
	folders []string
	servers []MCPServer // nil: none are given
	replay  bool        // the past is sent
	caps    ClientCapabilities
}

// loadSession opens a session and sends its past (session/load).
func (c *conn) loadSession(ctx context.Context, id jsonrpc.ID, p *LoadSessionParams) {
	c.reopen(ctx, reopening{id, event.SessionID(p.SessionID), p.Cwd, p.AdditionalDirectories, p.MCPServers, true, c.caps})
}

// resumeSession opens a session (session/resume).
func (c *conn) resumeSession(ctx context.Context, id jsonrpc.ID, p *ResumeSessionParams) {
	c.reopen(ctx, reopening{id, event.SessionID(p.SessionID), p.Cwd, p.AdditionalDirectories, p.MCPServers, false, c.caps})
}

// reopen opens a session in a goroutine of its own: other requests are handled meanwhile, and those to the session are
// refused.
func (c *conn) reopen(ctx context.Context, r reopening) {
	s := c.sessions[r.session]
	switch {
	case c.loading[r.session]:
		c.fail(r.id, errLoading)
		return
	case s != nil && s.eng.Ended() != "": // by another client
		ended := s
		ended.part()
		c.exclusively(r.session, func() { ended.leave(ctx) })
		s = nil
	case s != nil && s.busy():
		c.fail(r.id, errTurnRuns)
		return
	}
	c.loading[r.session] = true
	loading, cancel := context.WithCancel(c.life)
	c.running.begin(r.id, cancel)
	c.exclusively(r.session, func() {
		defer cancel()
		undo, err := c.doReopen(loading, r, s)
		if err == nil {
			return
		}
		undo(context.WithoutCancel(ctx))
		if loading.Err() != nil {
			err = errCancelled
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.reopened(r)
		c.failIn(string(r.session), r.id, err)
	})
}

// reopened makes the session one that requests are accepted for, and the request one that is answered.
func (c *conn) reopened(r reopening) {
	delete(c.loading, r.session)
	c.running.done(r.id)
}

// doReopen opens a session, or takes one that is open, and answers the request. After an error the caller undoes what was
// done so far.
func (c *conn) doReopen(ctx context.Context, r reopening, s *session) (undo func(context.Context), err error) {
	undo = func(context.Context) {}
	known := s != nil
	if known {
		undo, err = c.takeUp(r, s)
	} else if s, err = c.openAgain(ctx, r); err == nil {
		undo = func(ctx context.Context) { c.closeAgain(ctx, s.eng) }
	}
	if err != nil {
		return undo, err
	}
	if known && !r.replay {
		return undo, c.answerKnown(ctx, r, s)
	}
	p, lines, err := s.replay(ctx, r)
	if err != nil {
		return undo, err
	}
	return undo, c.answerReplayed(ctx, r, s, p, lines)
}

// openAgain opens a session that is not open on the connection.
func (c *conn) openAgain(ctx context.Context, r reopening) (*session, error) {
	dir, err := c.folder(r.cwd)
	if err != nil {
		return nil, err
	}
	c.awaitModels(ctx)
	eng, err := c.cfg.Host.Open(ctx, r.session, c.options(r.folders))
	if err != nil {
		return nil, err
	}
	if err := c.furnish(eng, dir, r); err != nil {
		c.closeAgain(context.WithoutCancel(ctx), eng)
		return nil, err
	}
	return c.sessionOf(eng), nil
}

// furnish applies the folders and tool servers of a request to an open session.
func (c *conn) furnish(eng *engine.Session, dir string, r reopening) error {
	if eng.State().Dir() != dir {
		return invalidMember("cwd", "is not the folder of the session")
	}
	if err := c.cfg.Host.SetRoots(eng, r.folders); err != nil {
		return err
	}
	if len(r.servers) > 0 || r.servers != nil && c.cfg.Host.Holders(eng.ID()) <= 1 { // others may use those that there are
		eng.Servers().Use(serversOf(r.servers))
	}
	return nil
}

func (c *conn) closeAgain(ctx context.Context, eng *engine.Session) {
	if err := eng.Close(ctx); err != nil {
		c.cfg.Log.Error("session not saved", "session", eng.ID(), "error", err)
	}
}

// takeUp prepares a session that is open on the connection: before a replay it stops sending its records. Undo resumes that.
func (c *conn) takeUp(r reopening, s *session) (undo func(context.Context), err error) {
	undo = func(context.Context) {}
	dir, err := c.folder(r.cwd)
	if err == nil {
		err = s.eng.Log().Refresh()
	}
	if err == nil {
		err = c.furnish(s.eng, dir, r)
	}
	if err != nil || !r.replay {
		return undo, err
	}
	s.pump.Stop()
	<-s.done
	sent := s.pump.Rendered()
	return func(context.Context) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.life.Err() == nil {
			s.follow(sent)
		}
	}, nil
}

// replay sends the past of a session, if that is wanted. What of a running turn is to be sent after the answer is in lines.
func (s *session) replay(ctx context.Context, r reopening) (p *replayer, open []any, err error) {
	st := s.eng.State()
	p = newReplayer(s.newView(r.caps))
	p.head = st.Head
	if r.replay || st.Turn != "" {
		for rec, err := range s.names.All(s.eng.Log().Records(ctx)) {
			switch {
			case ctx.Err() != nil:
				return nil, nil, context.Cause(ctx)
			case err != nil:
				return nil, nil, err
			}
			s.sendPast(r, p.fold(rec))
			if rec.Seq >= st.Head {
				break
			}
		}
	}
	if !r.replay {
		open = p.openCalls()
	}
	s.sendPast(r, p.finish(st))
	return p, open, nil
}

// sendPast sends updates of the past. It waits for a client that reads slowly.
func (s *session) sendPast(r reopening, updates []any) {
	if !r.replay {
		return
	}
	for _, update := range updates {
		if line := s.updateLine(update); line != nil {
			s.conn.out.Put(line)
		}
	}
}

// answerKnown answers for a session whose records are sent all the time.
func (c *conn) answerKnown(ctx context.Context, r reopening, s *session) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	c.reopened(r)
	s.pump.Around(func() [][]byte { return s.openedLines(r) })
	return nil
}

// answerReplayed answers, and begins to send the records after those that were replayed.
func (c *conn) answerReplayed(ctx context.Context, r reopening, s *session, p *replayer, open []any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	if s.client == nil {
		s.attach()
	}
	lines := s.openedLines(r)
	lines = append(lines, s.beginReplayed(p, open)...)
	c.reopened(r)
	s.follow(p.head, lines...)
	s.adapt()
	return nil
}

// beginReplayed sets the view to what was replayed, and returns the lines of what is open and of what waits.
func (s *session) beginReplayed(p *replayer, open []any) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view = p.view
	s.view.client = s.client.Info().N
	return s.linesOf(append(open, p.waiting(s.eng)...))
}

// usable returns why a session that is being loaded cannot be used after all.
func (s *session) usable(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return errCancelled
	case s.eng.Ended() != "":
		return noSession(s.id)
	}
	return nil
}

func (s *session) openedLines(r reopening) [][]byte {
	return [][]byte{s.conn.resultLine(r.id, OpenedSession{s.modes(), s.configOptions()}), s.commandsLine()}
}
