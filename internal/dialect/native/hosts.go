package native

import (
	"context"
	"fmt"
	"io"
	"strings"

	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// Hosts reaches the other hosts that share the store of this one.
type Hosts interface {
	// Connect opens a connection to a process, for a client with the rights that this connection has.
	Connect(ctx context.Context, owner, client string) (Remote, error)
	// Self returns this process.
	Self() Place
	// Owner returns the process that has a session; a Place without an owner if none has, or this one has it.
	Owner(ctx context.Context, session event.SessionID) (Place, error)
	// Has reports whether this host has a folder.
	Has(folder string) bool
	// Find returns a host that can run a session: one with the id or label that placement has, or, with "", one that has
	// the folder. A Place without an owner: there is none. The error is one of placement.
	Find(ctx context.Context, folder, placement string) (Place, error)
}

// A Remote is a connection to another host.
type Remote interface {
	io.ReadWriteCloser
	CloseWrite() error
}

// A Place is a process that has sessions.
type Place struct {
	Owner string // HOST.INCARNATION; "": there is none
	Name  string // of its machine
	Live  bool
}

// host returns the id of the host.
func (p Place) host() string {
	id, _, _ := strings.Cut(p.Owner, ".")
	return id
}

// placementHere is the placement of a session that runs on this host, even if it does not have the folder.
const placementHere = "here"

// route sends a request about a session that another host runs, or should run, to that host, and reports whether it has.
// The caller holds c.mu.
func (c *conn) route(ctx context.Context, m method, r request, line []byte, params any) bool {
	id := sessionOf(params)
	if c.cfg.Hosts == nil || id == "" {
		return false
	}
	if l := c.relays.find(id); l != nil {
		l.forward(m, r, line, params)
		return true
	}
	if s := c.sessions[event.SessionID(id)]; s != nil {
		if s.reading != "" && m.level >= rights.Driver && r.method != "session/fork" {
			c.fail(r.id, elsewhere(s.reading))
			return true
		}
		return false
	}
	if !m.enters {
		return false
	}
	place, err := c.locate(ctx, event.SessionID(id), params)
	if err != nil {
		c.fail(r.id, err)
		return true
	}
	if place.Owner == "" {
		return false
	}
	l := c.newRelay(id, place)
	c.relays.add(l)
	l.forward(m, r, line, params)
	c.relays.running.Go(l.run)
	return true
}

// sessionOf returns the session that params name; "": none.
func sessionOf(params any) string {
	switch p := params.(type) {
	case interface{ sessionID() string }:
		return p.sessionID()
	case interface{ placeNamed() PlaceParams }:
		return p.placeNamed().Session
	}
	return ""
}

// locate opens a session here, or returns the process that has it or should have it.
func (c *conn) locate(ctx context.Context, id event.SessionID, params any) (Place, error) {
	s, err := c.cfg.Host.Session(id)
	open := err == nil && !s.Viewed()
	if !open {
		if err := c.cfg.Host.Lookup(ctx, id); err != nil {
			return Place{}, unavailable(err)
		}
	}
	p, _ := params.(*SessionOpenParams)
	if p == nil {
		p = &SessionOpenParams{}
	}
	owner, err := c.cfg.Hosts.Owner(ctx, id)
	if err != nil && !open { // one that is open may not be stored yet
		return Place{}, fmt.Errorf("%w: %w", engine.ErrUnavailable, err)
	}
	running := owner.Owner != "" && owner.Live
	switch {
	case p.ResumeOnly || c.cfg.Role == Reviewer: // only the process that has it open can do that
		if running {
			return owner, nil
		}
		return Place{}, nil
	case !c.cfg.Role.may(Driver):
		return Place{}, nil // it is read from the store
	case open:
		return c.enterOr(ctx, id, p.Profile)
	}
	folder, missing, err := c.folderOf(ctx, id)
	if err != nil || p.Placement == placementHere || p.Placement == "" && !missing {
		return c.enterOr(ctx, id, p.Profile)
	}
	if p.Placement == "" && running {
		return owner, nil // which has the folder
	}
	place, err := c.cfg.Hosts.Find(ctx, folder, p.Placement)
	switch {
	case err != nil:
		return Place{}, invalidMember("placement", err.Error())
	case place.Owner == "":
		return Place{}, c.read(ctx, id, folder)
	}
	return place, nil
}

// folderOf returns the folder of a session, and whether this host does not have it.
func (c *conn) folderOf(ctx context.Context, id event.SessionID) (folder string, missing bool, err error) {
	page, err := c.cfg.Host.List(ctx, engine.Query{IDs: []event.SessionID{id}, All: true})
	if err != nil || len(page.Sessions) == 0 {
		return "", false, err
	}
	folder = page.Sessions[0].Workspace
	return folder, !c.cfg.Hosts.Has(folder), nil
}

// enterOr opens a session here, or returns the host that has it. What else is wrong the handler of the request reports, but
// for an error of the store: when the handler reads it again, another host may have the session.
func (c *conn) enterOr(ctx context.Context, id event.SessionID, profile string) (Place, error) {
	_, err := c.enter(ctx, string(id), profile)
	if locked, ok := lockedElsewhere(err); ok {
		return Place{Owner: locked.Owner, Name: locked.Host, Live: true}, nil
	}
	return Place{}, unavailable(err)
}

// unavailable returns err if it is one of the store, which will be there again.
func unavailable(err error) error {
	if err != nil && isUnavailable(err) {
		return err
	}
	return nil
}

// read opens a session without its lease, since no host has its folder.
func (c *conn) read(ctx context.Context, id event.SessionID, folder string) error {
	o, err := c.optionsOf(ctx, id, "")
	if err != nil {
		return err
	}
	eng, err := c.cfg.Host.View(ctx, id, o)
	if err != nil {
		return err
	}
	c.attach(eng, false).reading = folder
	return nil
}

// elsewhere returns the error of a session whose folder no host has.
func elsewhere(folder string) error {
	return failure(CodeUnreachable, "workspace elsewhere: no live host has the folder "+abridged(folder)+
		"; fork the session with another workspace, or open it with placement: here", ErrorData{Kind: "workspace_elsewhere", Path: folder})
}
