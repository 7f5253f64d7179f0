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
func (c *conn) adopt(l *relay, at *openedHere) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server.Closing() || c.sessions[at.eng.ID()] != nil {
		_ = at.eng.Close(c.hurried) // the other holder reports what is wrong
		return
	}
	s := c.attach(at.eng, c.cfg.Role.may(Reviewer) && at.reading == "")
	s.reading = at.reading
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

// An openedHere is a session that this host has opened in place of the one that had it.
type openedHere struct {
	eng     *engine.Session
	reading string // see session
}

// close closes the session; nil is none.
func (o *openedHere) close() error {
	if o == nil {
		return nil
	}
	return o.eng.Close(context.Background())
}

// openHere opens a session on this host, whose former one may be gone. If another host has it, or has its folder, which this one
// does not, that is an *engine.LockedError with the owner. If no host has the folder the session can only be read, unless
// the client has chosen this host.
func (c *conn) openHere(ctx context.Context, id event.SessionID, chosen bool) (*openedHere, error) {
	o, err := c.optionsOf(ctx, id, "")
	if err != nil {
		return nil, err
	}
	driver := c.cfg.Role.may(Driver)
	folder, missing := "", false
	if driver && !chosen {
		if folder, missing, err = c.folderOf(ctx, id); err != nil {
			return nil, err
		}
	}
	if driver && !missing {
		return openedBy(c.cfg.Host.Open(ctx, id, o))
	}
	place, err := c.cfg.Hosts.Owner(ctx, id)
	if err == nil && missing && !place.Live {
		place, err = c.cfg.Hosts.Find(ctx, folder, "")
	}
	if err != nil {
		return nil, err
	}
	if place.Owner != "" && place.Live {
		return nil, &engine.LockedError{ID: id, Owner: place.Owner, Host: place.Name, Busy: true}
	}
	at, err := openedBy(c.cfg.Host.View(ctx, id, o))
	if err == nil {
		at.reading = folder
	}
	return at, err
}

func openedBy(eng *engine.Session, err error) (*openedHere, error) {
	if err != nil {
		return nil, err
	}
	return &openedHere{eng: eng}, nil
}

// lockedElsewhere returns the error of a session that another host has.
func lockedElsewhere(err error) (*engine.LockedError, bool) {
	locked, ok := errors.AsType[*engine.LockedError](err)
	return locked, ok && locked.Owner != ""
}
