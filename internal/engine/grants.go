package engine

import (
	"errors"
	"fmt"
	"slices"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

// A GrantStore stores the grants of workspaces that are for always. It is safe for concurrent use.
type GrantStore interface {
	// Load returns the grants of a workspace that are not expired. With an error it returns none.
	Load(workspace string) ([]approval.Grant, error)
	// Save adds a grant and returns it with its ID. It replaces one with the same target and level.
	Save(workspace string, grant approval.Grant) (approval.Grant, error)
	// Revoke removes grants: all, or none if one is unknown. approval.ErrNoGrant.
	Revoke(workspace string, ids ...string) error
}

// ErrNotGrantable reports that no grant can cover the call that an approval is for.
var ErrNotGrantable = errors.New("no grant can cover this call: it needs an approval each time")

// errNoGrants: the host has no place for grants.
var errNoGrants = errors.New("grants are not stored here")

// granted returns what may always be done in a workspace. What cannot be read grants nothing.
func (h *Host) granted(workspace string) []approval.Grant {
	if h.cfg.Grants == nil {
		return nil
	}
	list, err := h.cfg.Grants.Load(workspace)
	if err != nil {
		h.cfg.Log.Warn("stored grants do not count", "error", err)
	}
	return list
}

// Grants returns the grants of a workspace, which are for always. It is an absolute folder, with symlinks resolved.
func (h *Host) Grants(workspace string) ([]approval.Grant, error) {
	if h.cfg.Grants == nil {
		return nil, nil
	}
	return h.cfg.Grants.Load(workspace)
}

// AddGrant stores a grant for a workspace, and allows the pending approvals of its open sessions that it covers.
func (h *Host) AddGrant(workspace string, g approval.Grant) (approval.Grant, error) {
	if h.cfg.Grants == nil {
		return g, errNoGrants
	}
	g, err := h.cfg.Grants.Save(workspace, g)
	if err == nil {
		h.allowGranted(workspace)
	}
	return g, err
}

// RevokeGrants removes grants of a workspace: all, or none if one is unknown. approval.ErrNoGrant.
func (h *Host) RevokeGrants(workspace string, ids ...string) error {
	if h.cfg.Grants == nil {
		return errNoGrants
	}
	return h.cfg.Grants.Revoke(workspace, ids...)
}

// allowGranted allows pending approvals that the grants of a workspace cover.
func (h *Host) allowGranted(workspace string) {
	always := h.granted(workspace)
	for _, s := range h.all() {
		s.allowAlways(workspace, always)
	}
}

func (s *Session) allowAlways(workspace string, always []approval.Grant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, every := s.approvals().(ApproveEveryCall); every || s.workFolder() != workspace {
		return
	}
	s.clients.grants.UseAlways(always)
	s.giveGranted()
}

// Folder returns the folder that calls work in, whose grants count: absolute, with symlinks resolved while it is there.
func (f Files) Folder() string { return f.s.lockedFolder() }

func (s *Session) lockedFolder() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.workFolder()
}

func (s *Session) workFolder() string {
	if s.work.env != nil {
		return s.work.env.Workspace.Dir()
	}
	return s.fold.State.Dir()
}

// Grants are the grants that count in a session.
type Grants struct{ s *Session }

// Grants returns the grants of the session.
func (s *Session) Grants() Grants { return Grants{s} }

// List returns the grants of the session itself, and those of its workspace.
func (g Grants) List() ([]approval.Grant, error) {
	s := g.s
	always, err := s.host.Grants(s.lockedFolder())
	s.mu.Lock()
	defer s.mu.Unlock()
	own := slices.DeleteFunc(s.clients.grants.List(), func(g approval.Grant) bool { return g.Scope == approval.Always })
	return append(own, always...), err
}

// Exact returns the grants of that scope that together cover exactly what a request is for; none if no grant can cover it, or
// grants for always are not stored here. It stores nothing.
func (g Grants) Exact(r approval.Request, scope approval.Scope) []approval.Grant {
	if scope == approval.Always && g.s.host.cfg.Grants == nil {
		return nil
	}
	var set approval.GrantSet
	set.Add(r)
	if !set.Covers(r) {
		return nil
	}
	grants := set.List()
	for i := range grants {
		grants[i].Scope = scope
	}
	return grants
}

// Revoke removes grants of the session and of its workspace: all, or none if one is unknown. approval.ErrNoGrant.
func (g Grants) Revoke(ids ...string) error {
	s := g.s
	s.mu.Lock()
	var own, always []string
	for _, id := range ids {
		if slices.ContainsFunc(s.clients.grants.List(), func(g approval.Grant) bool { return g.ID == id && g.Scope != approval.Always }) {
			own = append(own, id)
		} else {
			always = append(always, id)
		}
	}
	s.mu.Unlock()
	if len(always) > 0 {
		if err := s.host.RevokeGrants(s.lockedFolder(), always...); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range own {
		s.clients.grants.Revoke(id)
	}
	return nil
}

// AnswerAlways allows a pending approval, and grants the targets in the workspace for always; without targets exactly what the
// approval is for. The grants are stored first. ErrNoApproval, *AnsweredError; ErrNotGrantable if the targets do not cover what
// the approval is for.
func (c *Client) AnswerAlways(id event.ApprovalID, targets ...approval.Target) error {
	s := c.session
	s.mu.Lock()
	pending, workspace := s.clients.approvals[id], s.workFolder()
	if pending == nil || !c.answers {
		defer s.mu.Unlock()
		return s.noApproval(id)
	}
	s.mu.Unlock()
	if s.host.cfg.Grants == nil {
		return errNoGrants
	}
	grants := s.Grants().Exact(pending.request, approval.Always)
	if len(targets) > 0 {
		grants = covering(pending.request, targets)
	}
	if len(grants) == 0 {
		return ErrNotGrantable
	}
	for _, g := range grants {
		if _, err := s.host.cfg.Grants.Save(workspace, g); err != nil {
			return fmt.Errorf("store grant: %w", err)
		}
	}
	err := c.Answer(id, Decision{Allow: true})
	s.host.allowGranted(workspace)
	return err
}

// covering returns the grants of targets for always, if they cover a request together; else none.
func covering(r approval.Request, targets []approval.Target) []approval.Grant {
	var set approval.GrantSet
	for _, t := range targets {
		if _, err := set.AddGrant(approval.Grant{Target: t, Level: r.Level, Scope: approval.Always}); err != nil {
			return nil
		}
	}
	if !set.Covers(r) {
		return nil
	}
	return set.List()
}
