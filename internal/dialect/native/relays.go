package native

import (
	"context"
	"errors"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
)

// relays are the sessions of a connection that other hosts run.
type relays struct {
	running *dialect.Group

	mu  lock.Mutex
	all map[string]*relay // by session
}

func (r *relays) find(session string) *relay {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[session]
}

func (r *relays) add(l *relay) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[string]*relay{}
	}
	r.all[l.session] = l
}

func (r *relays) remove(l *relay) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all[l.session] == l {
		delete(r.all, l.session)
	}
}

// endInput lets the other hosts know that no more requests come.
func (r *relays) endInput() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.all {
		l.endInput()
	}
}

// adopt makes a session that was relayed one of this host, and goes on where the relay was.
func (c *conn) adopt(l *relay, eng *engine.Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server.Closing() || c.sessions[eng.ID()] != nil {
		_ = eng.Close(c.hurried) // the other holder reports what is wrong
		return
	}
	s := c.attach(eng, c.cfg.Role.may(Reviewer))
	pending, follow := l.take()
	if follow != nil {
		s.watched.stop()
		<-s.watched.done
		c.begin(s, follow)()
	}
	for _, p := range pending {
		defer p.release()
		if p.unknown && p.isAnswer() {
			c.fail(p.request.id, p.outcomeUnknown())
			continue
		}
		c.dispatch(c.hurried, p.method, p.request, p.line, p.params)
	}
}

// openHere opens a session on this host, whose former one may be gone. If another one has it that is an
// *engine.LockedError with its owner.
func (c *conn) openHere(ctx context.Context, id event.SessionID) (*engine.Session, error) {
	o, err := c.optionsOf(ctx, id, "")
	if err != nil {
		return nil, err
	}
	if c.cfg.Role.may(Driver) {
		return c.cfg.Host.Open(ctx, id, o)
	}
	owner, err := c.cfg.Hosts.Owner(ctx, id)
	if err == nil && owner.Owner != "" && owner.Live {
		err = &engine.LockedError{ID: id, Owner: owner.Owner, Host: owner.Name, Busy: true}
	}
	if err != nil {
		return nil, err
	}
	return c.cfg.Host.View(ctx, id, o)
}

// lockedElsewhere returns the error of a session that another host has.
func lockedElsewhere(err error) (*engine.LockedError, bool) {
	locked, ok := errors.AsType[*engine.LockedError](err)
	return locked, ok && locked.Owner != ""
}
