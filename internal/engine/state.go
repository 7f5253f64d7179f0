package engine

import (
	"cmp"
	"slices"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/session"
)

// State is what a session is: what its records say, and what only the running process knows.
type State struct {
	session.State
	Busy      bool // a turn or a compaction runs
	Elsewhere bool // a turn of another process is followed
	Status    event.Status
	Context   int // tokens that the next request fills, as far as is known
}

// ID returns the session's id.
func (s *Session) ID() event.SessionID { return s.id }

// State returns what the session is now.
func (s *Session) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := State{State: s.fold.State}
	st.Settings = cloneSettings(st.Settings)
	for _, o := range s.lease.overrides {
		o.edit(&st.Settings)
	}
	st.Plan = slices.Clone(st.Plan)
	st.Phases = clonePhases(st.Phases)
	st.Steering = slices.Clone(st.Steering)
	st.FollowUps = slices.Clone(st.FollowUps)
	st.Busy, st.Status = s.slot != nil, event.Idle
	if s.slot != nil {
		st.Status = cmp.Or(s.slot.status, event.Thinking)
	}
	st.Elsewhere = s.lease.other != nil && !s.lease.viewed
	st.Context = s.contextTokens()
	return st
}
