package native

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// A session is one that the connection has open.
type session struct {
	conn   *conn
	eng    *engine.Session
	client *engine.Client
	leave  func(context.Context) // what the connection has of it

	watched *watched    // how its records are followed; conn.mu guards it
	exports exports     // large ones, for session/blob; conn.mu guards it
	ending  atomic.Bool // the connection itself closes it for all, and is sent the answer to that only
	reading string      // the folder of a session that can only be read, since no host has it
}

// enter returns a session of the connection, which is opened if it is not yet: with the options of the profile, or if
// that is "" with those that it was created with.
func (c *conn) enter(ctx context.Context, id, profile string) (*session, error) {
	if _, known := c.cfg.Profile(profile); profile != "" && !known {
		return nil, invalidMember("profile", "is not known")
	}
	if s := c.sessions[event.SessionID(id)]; s != nil {
		if !c.cfg.Host.Reaches(s.eng) {
			return nil, noSession(id)
		}
		if err := s.eng.Log().Observe(); err != nil && !errors.Is(err, engine.ErrClosed) { // it may have been handed over
			return nil, err
		}
		return s, nil
	}
	o, err := c.optionsOf(ctx, event.SessionID(id), profile)
	if err != nil {
		return nil, err
	}
	open := c.cfg.Host.Open
	if !c.cfg.Role.may(Driver) {
		open = c.cfg.Host.View
	}
	eng, err := open(ctx, event.SessionID(id), o)
	if locked, ok := errors.AsType[*engine.LockedError](err); ok && locked.Owner == "" && c.cfg.Host.Shares() { // else it is relayed
		eng, err = c.cfg.Host.View(ctx, event.SessionID(id), o) // what changes it is refused, or waits for the other process
	}
	if errors.Is(err, engine.ErrNoSession) {
		return nil, noSession(id)
	}
	if err != nil {
		return nil, err
	}
	return c.add(eng), nil
}

// optionsOf returns the options to open a session with.
func (c *conn) optionsOf(ctx context.Context, id event.SessionID, profile string) (engine.Options, error) {
	if profile == "" {
		for rec, err := range c.cfg.Host.Read(ctx, id) {
			if err != nil {
				break // opening says why
			}
			created, _ := rec.Event.(event.SessionCreated)
			profile = created.Profile
			break
		}
	}
	o, known := c.cfg.Profile(profile)
	if !known {
		o, _ = c.cfg.Profile(DefaultProfile)
	}
	o.FollowOthers = false // a session that another process needs is in use
	return o, nil
}

// add makes an open session one of the connection.
func (c *conn) add(eng *engine.Session) *session { return c.attach(eng, c.cfg.Role.may(Reviewer)) }

// attach is add. A client that does not answer is one that only reads.
func (c *conn) attach(eng *engine.Session, answers bool) *session {
	s := &session{conn: c, eng: eng}
	if answers {
		s.client = c.cfg.Host.Attach(eng, c.client)
	} else {
		s.client = eng.Join(c.client)
	}
	c.sessions[eng.ID()] = s
	s.leave = func(ctx context.Context) {
		if err := s.watched.pump.Leave(ctx, s.client); err != nil {
			c.cfg.Log.Error("session not saved", "session", eng.ID(), "error", err)
		}
		<-s.watched.done
		s.exports.close()
	}
	c.begin(s, nil)()
	return s
}

// follow begins to send the records of a session (session/follow).
func (c *conn) follow(ctx context.Context, r request, p *SessionFollowParams) {
	s, err := c.enter(ctx, p.Session, "")
	if err != nil {
		c.fail(r.id, err)
		return
	}
	if err := c.checkFollows(s); err != nil {
		c.fail(r.id, err)
		return
	}
	head := s.eng.Log().Head()
	if p.From > head+1 {
		c.fail(r.id, invalidMember("from", "is after the next record"))
		return
	}
	c.rewatch(s, followOf(p), r, HeadResult{head})
}

// followOf returns what a client wants of the records.
func followOf(p *SessionFollowParams) *follow {
	kinds := slices.Compact(slices.Sorted(slices.Values(p.Transient)))
	return &follow{from: p.From, transient: kinds, pace: time.Duration(p.PaceMS) * time.Millisecond}
}

// unfollow ends the sending of records (session/unfollow). It opens no session: a client that leaves one can send it after
// session/close.
func (c *conn) unfollow(ctx context.Context, r request, p *SessionParams) {
	if id := event.SessionID(p.Session); c.sessions[id] == nil {
		c.answer(r.id, Empty{}, c.lookup(ctx, id))
		return
	}
	s, err := c.enter(ctx, p.Session, "")
	if err != nil {
		c.fail(r.id, err)
		return
	}
	c.rewatch(s, nil, r, Empty{})
}

// lookup returns an error if no session of that id is in the store, or that is not known.
func (c *conn) lookup(ctx context.Context, id event.SessionID) error {
	err := c.cfg.Host.Lookup(ctx, id)
	if errors.Is(err, engine.ErrNoSession) {
		return noSession(string(id))
	}
	return err
}

// rewatch reads the records in another way than before. Nothing that was read before comes after the answer, and
// all that happens after the answer is read.
func (c *conn) rewatch(s *session, f *follow, r request, result any) {
	s.watched.stop()
	<-s.watched.done
	start := c.begin(s, f)
	c.reply(r.id, result)
	start()
}

// begin is watch, and gets the session back if it was handed over when nothing was read.
func (c *conn) begin(s *session, f *follow) (start func()) {
	start = c.watch(s, f)
	if err := s.eng.Log().Observe(); err != nil && !errors.Is(err, engine.ErrClosed) {
		c.cfg.Log.Error("session not read again", "session", s.eng.ID(), "error", err) // its next verb says why
	}
	return start
}

// create makes a session (session/create).
func (c *conn) create(ctx context.Context, r request, p *SessionCreateParams) {
	settings := c.cfg.Settings
	err := c.patch(&settings, p.Settings)
	if err != nil {
		c.fail(r.id, err)
		return
	}
	name := p.Profile
	if name == "" {
		name = DefaultProfile
	}
	o, known := c.cfg.Profile(name)
	if !known {
		c.fail(r.id, invalidMember("profile", "is not known"))
		return
	}
	if p.Instructions != "" {
		settings.Instructions = p.Instructions
	}
	servers, err := c.servers(p.Servers)
	if err != nil {
		c.fail(r.id, err)
		return
	}
	if p.ID != "" && c.cfg.Host.Exists(ctx, event.SessionID(p.ID)) {
		c.fail(r.id, engine.ErrExists)
		return
	}
	eng, err := c.cfg.Host.Create(ctx, engine.NewSession{ID: event.SessionID(p.ID), Workspace: c.absolute(p.Workspace), Settings: settings}, o)
	if err != nil {
		c.fail(r.id, createError(err))
		return
	}
	if len(servers) > 0 {
		eng.Servers().Use(servers)
	}
	c.opened(r, c.add(eng))
}

// servers reads the tool servers of a session.
func (c *conn) servers(value jsontext.Value) ([]engine.Server, error) {
	switch {
	case value == nil:
		return nil, nil
	case c.cfg.Servers == nil:
		return nil, invalidMember("servers", "cannot be given here")
	}
	servers, err := c.cfg.Servers(value)
	if err != nil {
		return nil, failure(jsonrpc.CodeInvalidParams, err.Error(), ErrorData{Kind: "invalid_params", Member: "servers"})
	}
	return servers, nil
}

// createError returns the answer to a session that cannot be made: but for known errors it is the workspace.
func createError(err error) error {
	for _, known := range []error{engine.ErrExists, engine.ErrBadID, engine.ErrOutside, engine.ErrTooManyOpen, engine.ErrUnavailable, engine.ErrUnsaved} {
		if errors.Is(err, known) {
			return err
		}
	}
	return failure(jsonrpc.CodeInvalidParams, err.Error(), ErrorData{Kind: "invalid_params", Member: "workspace"})
}

// opened answers with a session that was opened.
func (c *conn) opened(r request, s *session) {
	c.answerAround(s, r, func() (any, error) {
		st := s.snapshot()
		return Opened{st.Session, st.Head, st, s.eng.Options().Profile, max(c.cfg.Host.Holders(s.eng.ID()), 1), nil}, nil
	})
}

// open opens a session, or joins it (session/open).
func (c *conn) open(ctx context.Context, r request, p *SessionOpenParams) {
	if p.ResumeOnly {
		if s, err := c.cfg.Host.Session(event.SessionID(p.Session)); err != nil || s.Viewed() {
			c.fail(r.id, failure(CodeIdle, "the session "+abridged(p.Session)+" is not open", ErrorData{Kind: "idle"}))
			return
		}
	}
	s, err := c.enter(ctx, p.Session, p.Profile)
	if err != nil {
		c.fail(r.id, err)
		return
	}
	c.opened(r, s)
}

// close leaves a session, or ends it for all (session/close).
func (c *conn) close(ctx context.Context, r request, p *SessionCloseParams) {
	id := event.SessionID(p.Session)
	s := c.sessions[id]
	if p.End {
		if err := c.endForAll(ctx, id, engine.EndedByClient); err != nil {
			c.fail(r.id, err)
			return
		}
	}
	if s == nil {
		c.answer(r.id, Empty{}, c.lookup(ctx, id))
		return
	}
	c.drop(ctx, s)
	c.reply(r.id, Empty{})
}

// endForAll closes an open session for all its clients. The connection has been sent the rest of the records it follows
// when it returns.
func (c *conn) endForAll(ctx context.Context, id event.SessionID, reason engine.EndReason) error {
	eng, err := c.cfg.Host.Session(id)
	if err != nil {
		return nil // it is not open
	}
	s := c.sessions[id]
	if s != nil {
		s.ending.Store(true)
	}
	if err := eng.End(ctx, reason); err != nil || s == nil {
		return err
	}
	select {
	case <-s.watched.done:
	case <-c.out.Gone():
	case <-c.cfg.Stop:
	}
	return nil
}

// drop leaves a session.
func (c *conn) drop(ctx context.Context, s *session) {
	delete(c.sessions, s.eng.ID())
	s.watched.stop()
	s.leave(ctx)
}

// needsOfClose returns what ending a session for all needs.
func needsOfClose(p *SessionCloseParams) []rights.Need {
	if p.End {
		return []rights.Need{{Level: rights.Owner, What: "with end"}}
	}
	return nil
}

// remove deletes a session, which is closed for all first (session/remove).
func (c *conn) remove(ctx context.Context, r request, p *SessionParams) {
	id := event.SessionID(p.Session)
	if err := c.endForAll(ctx, id, engine.EndedRemoved); err != nil {
		c.cfg.Log.Warn("session to be removed not saved", "session", id, "error", err)
	}
	if s := c.sessions[id]; s != nil {
		c.drop(ctx, s)
	}
	err := c.cfg.Host.Remove(ctx, id)
	if errors.Is(err, engine.ErrNoSession) {
		err = noSession(p.Session)
	}
	c.answer(r.id, Empty{}, err)
}

// fork makes a session of the beginning of another (session/fork).
func (c *conn) fork(ctx context.Context, r request, p *SessionForkParams) {
	source, err := c.enter(ctx, p.Session, "")
	if err != nil {
		c.fail(r.id, err)
		return
	}
	if source.eng.State().Busy {
		c.fail(r.id, engine.ErrTurnActive)
		return
	}
	settings := source.eng.State().Settings
	settings.Name, settings.Archived = "", false
	if err := c.patch(&settings, p.Settings); err != nil {
		c.fail(r.id, err)
		return
	}
	workspace := ""
	if p.Workspace != "" {
		workspace = c.absolute(p.Workspace)
	}
	o, _ := c.cfg.Profile(source.eng.Options().Profile)
	eng, err := c.cfg.Host.Fork(ctx, source.eng.ID(), p.Before, engine.NewSession{Settings: settings, Workspace: workspace}, o)
	if err != nil {
		c.fail(r.id, err)
		return
	}
	c.opened(r, c.add(eng))
}
