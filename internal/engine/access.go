package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/lock"
)

// ErrOutside reports a session or a folder that is outside the [Access] of the caller.
var ErrOutside = errors.New("outside the scope of this connection")

// An Access limits what a caller can reach of a host. The zero value does not limit.
type Access struct {
	Sessions []event.SessionID // only these; nil: all
	Within   string            // only sessions that work in this folder or below it, an absolute path without symlinks; "": all
	// Audit is called with each answer of a client that was attached through the limited host; nil: it is not. It is
	// called with a lock of the session, and must return soon.
	Audit func(Answered)
}

// An Answered is the answer of a client to an approval or to questions.
type Answered struct {
	Session event.SessionID
	Client  event.Client
	ID      string // of the approval or the questions
	Allowed bool   // the call may run; of questions: there are answers
}

// Limited reports whether the access is to some sessions only.
func (a Access) Limited() bool { return a.Sessions != nil || a.Within != "" }

func (a Access) coversID(id event.SessionID) bool {
	return a.Sessions == nil || slices.Contains(a.Sessions, id)
}

func (a Access) coversFolder(dir string) bool {
	return a.Within == "" || dir == a.Within || strings.HasPrefix(dir, strings.TrimSuffix(a.Within, "/")+"/")
}

// For returns the same host for a caller with this access: sessions outside it are not there, and none can be made there.
func (h *Host) For(access Access) *Host {
	return &Host{hostState: h.hostState, access: access, attached: &attachedClients{}}
}

// Limited reports whether the caller can reach some sessions only.
func (h *Host) Limited() bool { return h.access.Limited() }

// Reaches reports whether an open session is within the access of the caller, which a change of its folder can end.
func (h *Host) Reaches(s *Session) bool {
	return !h.access.Limited() || h.access.coversID(s.id) && h.access.coversFolder(s.dir())
}

// whole returns the host without limits, for what sessions do by themselves.
func (h *Host) whole() *Host { return &Host{hostState: h.hostState} }

// Attach adds a client that can answer approvals and questions, see [Session.Attach], on behalf of the caller of this host.
func (h *Host) Attach(s *Session, info ClientInfo) *Client {
	c := s.Attach(info)
	c.audit = h.access.Audit
	if h.attached != nil {
		h.attached.add(c)
	}
	return c
}

// Abandon leaves the sessions that the caller of a host made by For is attached to, and closes them on its behalf. It is for a
// caller that has failed: one that leaves by itself leaves nothing to do.
func (h *Host) Abandon(ctx context.Context) {
	if h.attached == nil {
		return
	}
	for _, c := range h.attached.all() {
		c.Leave()
		if err := c.session.Close(ctx); err != nil {
			h.cfg.Log.Error("session not saved", "session", c.session.id, "error", err)
		}
	}
}

// attachedClients are the clients of one caller that have not left.
type attachedClients struct {
	mu      lock.Mutex
	clients map[*Client]bool
}

func (a *attachedClients) add(c *Client) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.clients == nil {
		a.clients = map[*Client]bool{}
	}
	a.clients[c] = true
	c.group = a
}

func (a *attachedClients) remove(c *Client) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.clients, c)
}

func (a *attachedClients) all() []*Client {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Collect(maps.Keys(a.clients))
}

// Folder returns [Workspace] of a folder. ErrOutside if sessions of the caller must not work there.
func (h *Host) Folder(dir string) (string, error) {
	resolved, err := Workspace(dir)
	if err == nil && !h.worksIn(resolved) {
		err = fmt.Errorf("%w: the folder %s", ErrOutside, dir)
	}
	return resolved, err
}

// NamedFolder is Folder for a caller that names a folder without a session: one that can reach only some sessions must not.
func (h *Host) NamedFolder(dir string) (string, error) {
	if h.access.Sessions != nil {
		return "", fmt.Errorf("%w: the folder %s", ErrOutside, dir)
	}
	return h.Folder(dir)
}

// checkID returns ErrBadID if no session can be made with an id; "" is made up.
func checkID(id event.SessionID) error {
	if id != "" && !journal.ValidID(id) {
		return ErrBadID
	}
	return nil
}

// admit returns the workspace of a session that is about to be made. ErrOutside, ErrBadID.
func (h *Host) admit(id event.SessionID, dir string) (string, error) {
	if err := checkID(id); err != nil {
		return "", err
	}
	workspace, err := h.Folder(dir)
	if err == nil && !h.access.coversID(id) {
		err = fmt.Errorf("%w: a new session", ErrOutside)
	}
	return workspace, err
}

// visible returns ErrNoSession if a session is outside the access of the caller.
func (h *Host) visible(ctx context.Context, id event.SessionID) error {
	switch {
	case !h.access.Limited():
		return nil
	case !h.access.coversID(id):
		return ErrNoSession
	case h.access.Within == "":
		return nil
	}
	if s := h.find(id); s != nil {
		if !h.Reaches(s) {
			return ErrNoSession
		}
		return nil
	}
	for _, archived := range []bool{false, true} {
		page, err := h.List(ctx, Query{IDs: []event.SessionID{id}, Archived: archived})
		if err != nil || len(page.Sessions) > 0 {
			return err
		}
	}
	return ErrNoSession
}

func (s *Session) dir() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fold.State.Dir()
}

// limit limits what a query finds.
func (h *Host) limit(q Query) Query {
	q.Within = h.access.Within
	switch {
	case h.access.Sessions == nil:
	case q.IDs == nil:
		q.IDs = h.access.Sessions
	default:
		q.IDs = slices.DeleteFunc(slices.Clone(q.IDs), func(id event.SessionID) bool { return !h.access.coversID(id) })
	}
	return q
}
