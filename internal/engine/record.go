package engine

import "parley.dev/parley/internal/event"

// append appends records of the turn.
func (t *turn) append(events ...event.Event) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.s.log.Append(t.id, events...)
}

// show delivers a transient event of the turn to followers.
func (t *turn) show(e event.Event) { t.s.show(t.id, e) }

// show delivers a transient event to followers. It takes the session's lock.
func (s *Session) show(turn event.TurnID, e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.Show(turn, e)
}

// showStatus delivers what the turn is doing.
func (t *turn) showStatus(status event.Status) { t.s.showStatus(t.id, status) }

// showStatus delivers what the session is doing. It takes the session's lock.
func (s *Session) showStatus(turn event.TurnID, status event.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setStatus(turn, status)
}

// setStatus delivers what the session is doing, and keeps it for State.
func (s *Session) setStatus(turn event.TurnID, status event.Status) {
	if s.slot != nil {
		s.slot.status = status
	}
	s.log.Show(turn, event.StatusChanged{Status: status})
	s.host.watchers.note(s.id)
}

// recordCommands records the commands whose records were deferred.
func (s *Session) recordCommands() {
	ran := s.shell.ran
	s.shell.ran = nil
	for _, e := range ran {
		if !s.log.Created() {
			s.log.Append("", e)
		} else {
			s.log.Settle("", e)
		}
	}
}

// head returns the number of the last record.
func (s *Session) head() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fold.State.Head
}

// newPromptID returns an id for a message that no client has named.
func (s *Session) newPromptID() event.PromptID { return event.PromptID("p-" + s.host.cfg.Hex(6)) }
